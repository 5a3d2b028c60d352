package answer

import (
	"slices"
	"strings"
	"sync"

	"parley"
	"parley/orchestrator/team"
	"parley/plain"
)

// historyLines is how many lines of a model's answers are kept: read_terminal shows no
// more of a terminal's history.
const historyLines = 2000

// The size of a responder's screen is that of the terminals of launched agents.
const (
	screenWidth  = 200
	screenHeight = 50
)

// screen shows what a responder's model writes. It is in memory only.
type screen struct {
	asking int // calls to the model under way; under the member's Changing

	mu     sync.Mutex
	past   []string
	active []*entry
}

// screens are those of all responders, by their ids.
type screens struct {
	mu   sync.Mutex
	byID map[string]*screen
}

func (s *screens) find(m *team.Member) *screen {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byID == nil {
		s.byID = map[string]*screen{}
	}
	if s.byID[m.ID] == nil {
		s.byID[m.ID] = &screen{}
	}
	return s.byID[m.ID]
}

// entry is an answer that is being written.
type entry struct {
	screen *screen
	head   []string
	text   string
}

// begin opens the entry of an answer.
func (s *screen) begin(to string, msg *parley.Message) *entry {
	e := &entry{screen: s, head: append(strings.Split(to+" ("+parley.Short(msg.ID)+"): "+msg.Text, "\n"), "")}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active = append(s.active, e)
	return e
}

// write replaces what is shown of the answer.
func (e *entry) write(text string) {
	e.screen.mu.Lock()
	defer e.screen.mu.Unlock()
	e.text = text
}

// end closes an entry with the answer or, if there is none, with err.
func (s *screen) end(e *entry, text string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.text = text; err != nil {
		e.text = "[" + parley.EndedNoAnswer.Words(err.Error()) + "]"
	}
	s.active = slices.DeleteFunc(s.active, func(other *entry) bool { return other == e })
	s.past = append(s.past, append(e.lines(), "")...)
	s.past = slices.Clone(s.past[max(0, len(s.past)-historyLines):])
}

func (e *entry) lines() []string {
	return append(slices.Clone(e.head), strings.Split(plain.Clean(e.text), "\n")...)
}

// show returns the last n lines, without empty ones at the end.
func (s *screen) show(n int) []string {
	s.mu.Lock()
	defer s.mu.Unlock()

	lines := append([]string{}, s.past...)
	for _, e := range s.active {
		lines = append(lines, append(e.lines(), "")...)
	}
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}

	return lines[max(0, len(lines)-n):]
}

// startAsking and stopAsking count the calls to the model. They report whether this call
// is the only one. The caller holds the member's Changing.
func (s *screen) startAsking() bool {
	s.asking++
	return s.asking == 1
}

func (s *screen) stopAsking() bool {
	s.asking--
	return s.asking == 0
}

// ReadScreen returns what a responder's model wrote last, as read_terminal shows a terminal.
// history is how many earlier lines it adds.
func (rs *Responders) ReadScreen(m *team.Member, history int) *parley.ReadTerminalResult {
	return &parley.ReadTerminalResult{
		Answer:  parley.OK,
		AgentID: m.ID,
		Name:    m.Name,
		Lines:   rs.screens.find(m).show(screenHeight + history),
		Width:   screenWidth,
		Height:  screenHeight,
		At:      rs.now(),
	}
}
