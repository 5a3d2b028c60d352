package conversation

import (
	"fmt"
	"time"
)

// explanations has for each reason that holds a message or keeps an agent silent two
// sentences: what happened, and what would let it pass.
var explanations = map[Reason][2]string{
	ConversationConcluded: {
		"the conversation has ended",
		"A mention (@name), a direct question or a person's message reopens it.",
	},
	JustSpoke: {"the agent spoke last", "Wait for someone else's post, or mention the agent (@name)."},
	Dominating: {
		"the agent has written more than 40 % of the last five minutes' messages",
		"Wait a few minutes, or mention the agent (@name).",
	},
	HumansDisengaged: {
		"more than three messages came within a minute, and no person has written for five minutes",
		"Ask a person, mention the agent (@name), or wait.",
	},
	NoCompellingReason: {
		"nothing called for an answer from the agent",
		"Mention the agent (@name), or ask it a question about its own work.",
	},
	MutedByOperator: {"the operator muted the conversation", "Wait for the operator to unmute it."},
	CooledDown:      {"the operator cooled the conversation", "Ask a person, or wait."},
	ChainSpent: {
		"too many messages followed from one another since a person last wrote",
		"Ask a person: their answer resets the count. The operator can release it.",
	},
	PairSpent: {
		"the two agents have exchanged too many messages",
		"Ask a person, or wait. The operator can release it.",
	},
	CycleSpent: {
		"the same agents have passed messages around too often",
		"Ask a person: their answer resets the count. The operator can release it.",
	},
}

// Explain returns in words for the sender why the message is held, and what would let it
// pass. Both are empty if the turn may start.
func (v Verdict) Explain() (what, next string) {
	if !v.Held {
		return "", ""
	}

	what, next = explanations[v.Reason][0], explanations[v.Reason][1]
	switch {
	case v.Limit > 0 && v.Reason == CycleSpent:
		what += fmt.Sprintf(" (%s at most)", formatRounds(v.Limit))
	case v.Limit > 0:
		what += fmt.Sprintf(" (%d at most)", v.Limit)
	}

	if !v.Until.IsZero() {
		next += " It passes by itself at " + v.Until.Format(time.TimeOnly) + "."
	}

	return what, next
}

func formatRounds(n int) string {
	if n == 1 {
		return "1 round"
	}
	return fmt.Sprintf("%d rounds", n)
}

// Explain returns why the agent stays silent, and what would make it answer. Both are
// empty if it should respond.
func (d Decision) Explain() (what, next string) {
	if d.ShouldRespond {
		return "", ""
	}
	return explanations[d.Reason][0], explanations[d.Reason][1]
}
