package conversation

import (
	"fmt"
	"time"
)

// sentences of the reasons for which something is held or left unanswered: what
// happened, and what would make it pass.
var held = map[Reason][2]string{
	ConversationConcluded: {
		"the conversation has come to its end",
		"A mention (@name), a direct question or a person's message opens it again.",
	},
	JustSpoke: {"the agent spoke last", "Wait for someone else's post, or mention the agent (@name)."},
	Dominating: {
		"the agent has written more than 40 % of the last five minutes' messages",
		"Wait a few minutes, or mention the agent (@name).",
	},
	HumansDisengaged: {
		"more than three messages came within a minute and no person has written for five",
		"Ask a person, mention the agent (@name), or wait.",
	},
	NoCompellingReason: {
		"nothing called for the agent's answer",
		"Mention the agent (@name), or ask it a question about its own work.",
	},
	MutedByOperator: {"the operator muted the conversation", "Wait for the operator to unmute it."},
	CooledDown:      {"the operator cooled the conversation", "Ask a person, or wait."},
	ChainSpent: {
		"too many messages followed from one another since a person began",
		"Ask a person: an answer begins anew. The operator can release it.",
	},
	PairSpent: {
		"the two agents have exchanged too many messages",
		"Ask a person, or wait. The operator can release it.",
	},
	CycleSpent: {
		"the same agents have passed messages around too often",
		"Ask a person: an answer begins anew. The operator can release it.",
	},
}

// Explain says what happened and what would make it pass, in words for the sender.
// Both are empty where the turn may start.
func (v Verdict) Explain() (what, next string) {
	if !v.Held {
		return "", ""
	}

	what, next = held[v.Reason][0], held[v.Reason][1]
	switch {
	case v.Limit > 0 && v.Reason == CycleSpent:
		what += fmt.Sprintf(" (%s at most)", inRounds(v.Limit))
	case v.Limit > 0:
		what += fmt.Sprintf(" (%d at most)", v.Limit)
	}

	if !v.Until.IsZero() {
		next += " It passes by itself at " + v.Until.Format(time.TimeOnly) + "."
	}

	return what, next
}

func inRounds(n int) string {
	if n == 1 {
		return "1 round"
	}
	return fmt.Sprintf("%d rounds", n)
}

// Explain says why the agent stays silent and what would make it speak. Both are empty
// where it should respond.
func (d Decision) Explain() (what, next string) {
	if d.ShouldRespond {
		return "", ""
	}
	return held[d.Reason][0], held[d.Reason][1]
}
