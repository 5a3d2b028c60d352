package conversation

import (
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
