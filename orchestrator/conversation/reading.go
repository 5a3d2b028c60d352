package conversation

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// Reading describes a thread at one moment.
type Reading struct {
	State       State   `json:"state"`
	Temperature float64 `json:"temperature"` // 0 to 1

	LastMinute  int `json:"messages_in_last_minute"`
	FiveMinutes int `json:"messages_in_last_five_minutes"`

	// Counts of the last five minutes; messages by participant, all and divided into
	// agents and people.
	Participants     map[string]int `json:"participant_messages"`
	AIs              map[string]int `json:"ai_participant_messages"`
	Humans           map[string]int `json:"human_participant_messages"`
	Questions        int            `json:"question_count"`
	Acknowledgements int            `json:"acknowledgment_count"`

	LastMessage time.Time `json:"last_message_time,omitzero"`
	LastSpeaker string    `json:"last_speaker,omitempty"`
	InARow      int       `json:"consecutive_same_speaker"`
	Speakers    []string  `json:"speaker_sequence"`   // the last ten, oldest first
	Signals     []string  `json:"conclusion_signals"` // since the conversation was last reopened

	Muted       bool      `json:"muted,omitempty"`
	CooledUntil time.Time `json:"cooled_until,omitzero"` // zero unless it is cooled now
}

// At returns the Reading for a moment, which must not be before the last message.
func (r *Room) At(now time.Time) Reading {
	s := &r.state
	five := youngerThan(s.Recent, now, fiveMinutes)
	reading := Reading{
		LastMinute: len(youngerThan(five, now, minute)), FiveMinutes: len(five),
		Participants: map[string]int{}, AIs: map[string]int{}, Humans: map[string]int{},
		LastMessage: s.Last, InARow: s.InARow,
		Speakers: slices.Clone(s.Sequence), Signals: slices.Clone(s.Signals),
		Muted: s.Control.Muted,
	}

	if s.Control.CooledUntil.After(now) {
		reading.CooledUntil = s.Control.CooledUntil
	}

	for _, m := range five {
		reading.count(m)
	}

	if n := len(s.Sequence); n > 0 {
		reading.LastSpeaker = s.Sequence[n-1]
		reading.Temperature = temperature(now.Sub(s.Last), reading.LastMinute,
			len(reading.Participants), reading.Questions, len(s.Recent))
	}

	reading.State = stateAt(reading.Temperature)
	if s.Concluded || len(s.Signals) >= concludingCount && reading.Temperature < concludedBelow {
		reading.State = Concluded
	}

	return reading
}

// reading is a cached At. Do not change the result.
func (r *Room) reading(now time.Time) *Reading {
	if r.last == nil || !r.at.Equal(now) {
		reading := r.At(now)
		r.last, r.at = &reading, now
	}
	return r.last
}

func (r *Reading) count(m postRecord) {
	r.Participants[m.From]++
	if m.Human {
		r.Humans[m.From]++
	} else {
		r.AIs[m.From]++
	}
	if m.Asks {
		r.Questions++
	}
	if m.Acknowledges {
		r.Acknowledgements++
	}
}

// concludedAt reports whether the conversation has concluded by a moment.
func (r *Room) concludedAt(now time.Time) bool {
	if s := &r.state; !s.Concluded && len(s.Signals) < concludingCount {
		return false // true for most rooms, so don't count
	}
	return r.reading(now).State == Concluded
}

// temperature returns the heat of a conversation, from 0 to 1. lastMinute, participants
// (of five minutes) and questions (of five minutes) are counted now, but messages up to
// the last message. If messages were counted now too, old statements that leave the window
// would give the remaining questions more weight, and silence would heat.
func temperature(silence time.Duration, lastMinute, participants, questions, messages int) float64 {
	decay := math.Exp(-max(silence, 0).Seconds() / decayTime.Seconds())
	activity := min(float64(lastMinute)/fullActivity, 1)
	diversity := min(float64(participants)/fullDiversity, 1)
	density := float64(questions) / float64(max(messages, 1))
	asking := min(density*questionEmphasis, 1)
	t := decay*weightDecay + activity*weightActivity + diversity*weightDiversity + asking*weightQuestions
	return max(0, min(1, t))
}

func stateAt(temperature float64) State {
	switch {
	case temperature > hotAbove:
		return Hot
	case temperature > warmingAbove:
		return Warming
	case temperature > coolingAbove:
		return Cooling
	}
	return Cold
}

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
		next += " It passes at " + v.Until.Format(time.TimeOnly) + "."
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
