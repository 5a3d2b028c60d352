package tui

import (
	"slices"
	"time"

	"parley"
)

const (
	temperatureAge    = 10 * time.Second // after which a temperature is read again
	temperaturePage   = 20               // conversations that are asked for in one go
	maxConversations  = 4                // of an agent that are looked at
	coldAfter         = 15 * time.Minute // of silence a conversation is cold without asking
	temperatureColumn = 10               // columns that a temperature takes in a list
)

// temperature is the state of a conversation as it was read at a time.
type temperature struct {
	state *parley.ConversationStateResult // nil if it could not be read
	read  time.Time
}

// spoke is when something was said in a conversation.
type spoke struct {
	in string
	at time.Time
}

// temperatures are those of the conversations that are on the screen. A
// conversation is named by its thread's id, or by two agents' ids with a comma
// between them.
type temperatures struct {
	known  map[string]temperature
	recent map[string][]spoke // by agent: the conversations that it was in last
	asking bool
}

func newTemperatures() temperatures {
	return temperatures{known: map[string]temperature{}, recent: map[string][]spoke{}}
}

// note remembers the conversation of a message for both of its sides.
func (t *temperatures) note(r *row) {
	in := r.threadID
	if in == "" && r.toID != "" && r.fromID != "" {
		in = min(r.fromID, r.toID) + "," + max(r.fromID, r.toID)
	}
	if in == "" {
		return
	}

	for _, id := range []string{r.fromID, r.toID} {
		if id != "" {
			others := slices.DeleteFunc(t.recent[id], func(s spoke) bool { return s.in == in })
			t.recent[id] = append(others[max(0, len(others)-maxConversations+1):], spoke{in, r.at})
		}
	}
}

// of returns the conversations of an agent that are not silent.
func (t *temperatures) of(agent string, now time.Time) (in []string) {
	for _, s := range t.recent[agent] {
		if now.Sub(s.at) <= coldAfter {
			in = append(in, s.in)
		}
	}
	return in
}

// hottest returns the hottest of an agent's conversations.
func (t *temperatures) hottest(agent string, now time.Time) (hottest temperature) {
	for _, in := range t.of(agent, now) {
		if x := t.known[in]; !x.cold() && (hottest.cold() || x.state.Temperature >= hottest.state.Temperature) {
			hottest = x
		}
	}
	return hottest
}

// expire has a conversation read again at the next chance.
func (t *temperatures) expire(in string) {
	if x, ok := t.known[in]; ok {
		x.read = time.Time{}
		t.known[in] = x
	}
}

// idLength is how long an id is. The name of two agents' conversation is longer.
const idLength = 36

// cold reports whether there is nothing to say of a conversation.
func (x temperature) cold() bool {
	return x.state == nil || x.state.State == "" || x.state.State == "cold"
}

// bar draws a temperature in shape and word.
func (x temperature) bar() string {
	const bars = "▁▂▃▄▅▆▇█"
	return string([]rune(bars)[clamp(int(x.state.Temperature*8), 0, 7)]) + " " + safeLine(x.state.State)
}

// inList draws a temperature for a list, which leaves out what is cold.
func (x temperature) inList() string {
	if x.cold() {
		return ""
	}
	return x.bar()
}
