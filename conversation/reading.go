package conversation

import (
	"math"
	"slices"
	"time"
)

// Reading is a thread at one moment.
type Reading struct {
	State       State   `json:"state"`
	Temperature float64 `json:"temperature"` // 0 to 1

	// Of the last minute, and of the last five.
	LastMinute  int `json:"messages_in_last_minute"`
	FiveMinutes int `json:"messages_in_last_five_minutes"`

	// Of the last five minutes.
	Participants     map[string]int `json:"participant_messages"`       // messages by each
	AIs              map[string]int `json:"ai_participant_messages"`    // those of agents
	Humans           map[string]int `json:"human_participant_messages"` // those of people
	Questions        int            `json:"question_count"`
	Acknowledgements int            `json:"acknowledgment_count"`

	LastMessage time.Time `json:"last_message_time,omitzero"`
	LastSpeaker string    `json:"last_speaker,omitempty"`
	InARow      int       `json:"consecutive_same_speaker"`
	Speakers    []string  `json:"speaker_sequence"`   // the last ten, oldest first
	Signals     []string  `json:"conclusion_signals"` // since it was last reopened

	Muted       bool      `json:"muted,omitempty"`
	CooledUntil time.Time `json:"cooled_until,omitzero"` // while it is cooled
}

// At reads the room at a moment, which is not before its last message.
func (r *Room) At(now time.Time) Reading {
	s := &r.state
	five := within(s.Recent, now, fiveMinutes)
	reading := Reading{
		LastMinute: len(within(five, now, minute)), FiveMinutes: len(five),
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
		reading.Temperature = temperature(
			now.Sub(s.Last),
			reading.LastMinute,
			len(reading.Participants),
			reading.Questions,
			len(s.Recent),
		)
	}

	reading.State = stateAt(reading.Temperature)
	if s.Concluded || len(s.Signals) >= concludingCount && reading.Temperature < concludedBelow {
		reading.State = Concluded
	}

	return reading
}

// reading is At for the room's own use: nobody changes it.
func (r *Room) reading(now time.Time) *Reading {
	if r.last == nil || !r.at.Equal(now) {
		reading := r.At(now)
		r.last, r.at = &reading, now
	}
	return r.last
}

func (r *Reading) count(m heard) {
	r.Participants[m.From]++
	if m.Human {
		r.Humans[m.From]++
	} else {
		r.AIs[m.From]++
	}
	if m.Asks {
		r.Questions++
	}
	if m.Consents {
		r.Acknowledgements++
	}
}

// concludedAt reports whether the room has come to its end by a moment.
func (r *Room) concludedAt(now time.Time) bool {
	if s := &r.state; !s.Concluded && len(s.Signals) < concludingCount {
		return false // most rooms, without counting
	}
	return r.reading(now).State == Concluded
}

// temperature is the seed's. lastMinute, participants (five minutes) and questions (five
// minutes) are counted now; messages are those of the five minutes up to the last
// message, as the seed has them. Were they counted now too, old statements that leave
// the window would make the remaining questions weigh more, and silence would heat.
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
