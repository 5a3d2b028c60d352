package team

import (
	"slices"
	"time"

	"parley"
	"parley/tui/kit"
)

const (
	temperatureAge    = 10 * time.Second // after which a temperature is read again, if something was said
	coolingAge        = 30 * time.Second // the same if nothing was said: it cools within minutes
	TemperaturePage   = 20               // conversations that are asked for in one go
	maxConversations  = 4                // of an agent that are looked at
	ColdAfter         = 15 * time.Minute // of silence a conversation is cold without asking
	TemperatureColumn = 10               // columns that a temperature takes in a list
)

// Temperature is the state of a conversation as it was read at a time.
type Temperature struct {
	State *parley.ConversationStateResult // nil if it could not be read
	Read  time.Time
	said  bool // something was said since
}

// spoke is when something was said in a conversation.
type spoke struct {
	in string
	at time.Time
}

// Temperatures are those of the conversations that are on the screen. A
// conversation is named by its thread's id, or by two agents' ids with a comma
// between them.
type Temperatures struct {
	Known  map[string]Temperature
	recent map[string][]spoke // by agent: the conversations that it was in last
	Asking bool
}

// NewTemperatures returns a memory of nothing.
func NewTemperatures() Temperatures {
	return Temperatures{Known: map[string]Temperature{}, recent: map[string][]spoke{}}
}

// Note remembers the conversation of a message for both of its sides.
func (t *Temperatures) Note(r *Row) {
	in := r.ThreadID
	if in == "" && r.ToID != "" && r.FromID != "" {
		in = min(r.FromID, r.ToID) + "," + max(r.FromID, r.ToID)
	}
	if in == "" {
		return
	}

	if x, ok := t.Known[in]; ok && !x.said && r.At.After(x.Read) {
		x.said = true
		t.Known[in] = x
	}

	for _, id := range []string{r.FromID, r.ToID} {
		if id != "" {
			others := slices.DeleteFunc(t.recent[id], func(s spoke) bool { return s.in == in })
			t.recent[id] = append(others[max(0, len(others)-maxConversations+1):], spoke{in, r.At})
		}
	}
}

// Of returns the conversations of an agent that are not silent.
func (t *Temperatures) Of(agent string, now time.Time) (in []string) {
	for _, s := range t.recent[agent] {
		if now.Sub(s.at) <= ColdAfter {
			in = append(in, s.in)
		}
	}
	return in
}

// Hottest returns the hottest of an agent's conversations.
func (t *Temperatures) Hottest(agent string, now time.Time) (hottest Temperature) {
	for _, in := range t.Of(agent, now) {
		if x := t.Known[in]; !x.Cold() && (hottest.Cold() || x.State.Temperature >= hottest.State.Temperature) {
			hottest = x
		}
	}
	return hottest
}

// Expire has a conversation read again at the next chance.
func (t *Temperatures) Expire(in string) {
	if x, ok := t.Known[in]; ok {
		x.Read = time.Time{}
		t.Known[in] = x
	}
}

// Due reports whether a conversation is to be read.
func (t *Temperatures) Due(in string, now time.Time) bool {
	x, ok := t.Known[in]
	age := coolingAge
	if x.said || x.State == nil {
		age = temperatureAge
	}
	return !ok || now.Sub(x.Read) >= age
}

// IdLength is how long an id is. The name of two agents' conversation is longer.
const IdLength = 36

// Cold reports whether there is nothing to say of a conversation.
func (x Temperature) Cold() bool {
	return x.State == nil || x.State.State == "" || x.State.State == "cold"
}

// Bar draws a temperature in shape and word.
func (x Temperature) Bar() string {
	const bars = "▁▂▃▄▅▆▇█"
	return string([]rune(bars)[kit.Clamp(int(x.State.Temperature*8), 0, 7)]) + " " + kit.SafeLine(x.State.State)
}

// InList draws a temperature for a list, which leaves out what is cold.
func (x Temperature) InList() string {
	if x.Cold() {
		return ""
	}
	return x.Bar()
}
