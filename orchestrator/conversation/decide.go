package conversation

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"time"

	"parley"
)

// Question asks whether a participant should answer a post.
type Question struct {
	Agent    *parley.Agent // uses its id, name, role, capabilities and description
	Post     Post          // must have been added to the room
	At       time.Time
	Draw     Source
	Settings Settings
}

// Decision is the answer to a Question, with its reasons.
type Decision struct {
	ShouldRespond bool    `json:"should_respond"`
	Reason        Reason  `json:"reason"`
	Confidence    float64 `json:"confidence"`
	Factors       Factors `json:"factors"`
}

// Factors are the inputs of a decision.
type Factors struct {
	MentionedByAI           bool    `json:"mentioned_by_ai"`
	DirectQuestion          bool    `json:"direct_question"`
	ConversationTemperature float64 `json:"conversation_temperature"`
	MyTurnProbability       float64 `json:"my_turn_probability"`
	RelevanceScore          float64 `json:"relevance_score"`
	RecentParticipation     float64 `json:"recent_participation"` // the agent's share of the messages of five minutes
	HumanPresence           bool    `json:"human_presence"`       // a person wrote within five minutes
	ConclusionSignals       bool    `json:"conclusion_signals"`
}

// Decide returns whether the agent should answer the post. An agent always answers a
// person's post and never its own. The operator's controls come next, then rules 1 to 8
// in their order.
func (r *Room) Decide(q Question) Decision {
	reading := r.reading(q.At)
	f := factors(reading, q, r.parse(q.Post), r.interestsOf(q.Agent))
	control := r.state.Control.judge(q.At)
	switch {
	case q.Post.From == q.Agent.ID:
		return Decision{false, JustSpoke, 1, f}
	case q.Post.Human:
		return Decision{true, FromHuman, 1, f}
	case control.Held:
		return Decision{false, control.Reason, 1, f}
	case q.Settings.Off:
		return Decision{true, ProtocolOff, 1, f}
	}

	return rules(reading, f, q)
}

// rules applies rules 1 to 8.
func rules(r *Reading, f Factors, q Question) Decision {
	switch {
	case f.MentionedByAI: // rule 1
		return Decision{true, MentionedByAI, confidenceMention, f}
	case f.DirectQuestion && f.RelevanceScore > relevantEnough: // rule 2
		return Decision{true, AskedDirectly, confidenceQuestion, f}
	case r.State == Concluded: // rule 3
		return Decision{false, ConversationConcluded, 1, f}
	case r.LastSpeaker == q.Agent.ID: // rule 4
		return Decision{false, JustSpoke, 1, f}
	case f.RecentParticipation > dominatingShare: // rule 5
		return Decision{false, Dominating, 1, f}
	case len(r.Humans) == 0 && r.LastMinute > unattended: // rule 6
		return Decision{false, HumansDisengaged, 1, f}
	}

	p := f.MyTurnProbability * f.RelevanceScore * (1 - f.RecentParticipation)
	if q.Draw(q.Post.ID, q.Agent.ID) < p { // rule 7
		return Decision{true, TurnTaking, p, f}
	}

	return Decision{false, NoCompellingReason, 1 - p, f} // rule 8
}

func factors(r *Reading, q Question, text *parsedText, agent *interests) Factors {
	return Factors{
		MentionedByAI:           !q.Post.Human && text.mentions(q.Agent.Name),
		DirectQuestion:          text.asks(q.Agent.Name),
		ConversationTemperature: r.Temperature,
		MyTurnProbability:       turnProbability(r, q.Agent.ID),
		RelevanceScore:          text.relevance(agent),
		RecentParticipation:     float64(r.AIs[q.Agent.ID]) / float64(max(r.FiveMinutes, 1)),
		HumanPresence:           len(r.Humans) > 0,
		ConclusionSignals:       len(r.Signals) > 0,
	}
}

// turnProbability returns how likely it is the agent's turn to speak, from 0 to 1.
func turnProbability(r *Reading, agent string) float64 {
	spoken := 0
	for _, speaker := range latest(r.Speakers, turnSpeakers) {
		if speaker == agent {
			spoken++
		}
	}

	switch {
	case spoken >= spokenOften:
		return turnOften
	case spoken == 0:
		return turnFresh
	}

	return 1 / float64(max(len(r.AIs), 1)) * (1 - r.Temperature*turnHeatShare)
}

// Source draws the number for rule 7, from 0 to below 1, for a message and a recipient.
// It returns the same number each time it is called with the same two.
type Source func(message, recipient string) float64

// Keyed returns a Source without memory: its numbers are a keyed hash of the two ids.
// Nobody can predict them without the key.
func Keyed(key []byte) Source {
	return func(message, recipient string) float64 {
		h := hmac.New(sha256.New, key)
		var length [8]byte
		binary.BigEndian.PutUint64(length[:], uint64(len(message)))
		h.Write(length[:]) // no two pairs of ids give the same bytes
		h.Write([]byte(message))
		h.Write([]byte(recipient))
		const bits = 53 // of a float64's mantissa
		return float64(binary.BigEndian.Uint64(h.Sum(nil))>>(64-bits)) / (1 << bits)
	}
}

// control is the operator's mute and cool of a conversation.
type control struct {
	Muted       bool      `json:"muted,omitempty"`
	CooledUntil time.Time `json:"cooled_until,omitzero"`
}

func (c control) judge(now time.Time) Verdict {
	switch {
	case c.Muted:
		return Verdict{Held: true, Reason: MutedByOperator}
	case c.CooledUntil.After(now):
		return Verdict{Held: true, Reason: CooledDown, Until: c.CooledUntil}
	}
	return Verdict{}
}

// Mute keeps the thread's agents from answering each other until Unmute. They still
// answer people.
func (r *Room) Mute() { r.change().Control.Muted = true }

// Unmute ends Mute.
func (r *Room) Unmute() { r.change().Control.Muted = false }

// Cool keeps the thread's agents from answering each other for ten minutes, or until a
// person writes.
func (r *Room) Cool(now time.Time) { r.change().Control.CooledUntil = now.Add(coolFor) }

// Release lets the thread go on: it ends a cool and a conclusion, and forgets the
// conclusion signals. A mute stays.
func (r *Room) Release() {
	s := r.change()
	s.Control.CooledUntil = time.Time{}
	s.Concluded, s.Signals = false, nil
}

func (r *Room) change() *roomState {
	r.last = nil
	return &r.state
}

// Mute holds the messages between two agents until Unmute.
func (b *Budgets) Mute(one, other string) { b.pair(one, other).control.Muted = true }

// Unmute ends Mute.
func (b *Budgets) Unmute(one, other string) { b.pair(one, other).control.Muted = false }

// Cool holds the messages between two agents for ten minutes, or until a person writes
// to one of them.
func (b *Budgets) Cool(one, other string, now time.Time) {
	b.pair(one, other).control.CooledUntil = now.Add(coolFor)
}

// Release resets the budgets of a turn: of its chain, of the cycles in the chain, and of
// its two agents. It also ends their cool. A mute stays. With the chain "" it releases
// only the two agents.
func (b *Budgets) Release(t Turn) {
	p := b.pair(t.From, t.To)
	p.turns, p.control.CooledUntil = nil, time.Time{}
	if t.Chain != "" {
		c := b.chain(t)
		c.renew(t.Hop)
	}
}
