package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// agents is the screen of who is there.
type agents struct {
	*desk
	list   []*parley.AgentStatus
	sel    string
	top    int // first line shown
	height int
}

func (a *agents) title() string { return "Agents" }

func (a *agents) badge() badge {
	n := 0
	for _, s := range a.team.list {
		if troubled(s.State) {
			n++
		}
	}
	return badge{count: n, grave: true}
}

// troubled reports whether an agent in that state does not go on by itself.
func troubled(s parley.AgentState) bool {
	switch s {
	case parley.StateUnreachable, parley.StateExited, parley.StateWaiting, parley.StateBlocked, parley.StateUnknown:
		return true
	}
	return false
}

func (a *agents) keys() []binding {
	return []binding{
		{inAgents, []string{"enter"}, "enter", "attach to its terminal", "attach", (*model).attach},
		{inAgents, []string{"R"}, "R", "restart it; what it knows is lost", "restart", (*model).restart},
		{inAgents, []string{"S"}, "S", "stop it; its messages are kept", "stop", (*model).stop},
	}
}

func (a *agents) update(msg tea.Msg) tea.Cmd {
	if _, ok := msg.(agentsMsg); ok {
		a.sort()
	}
	return nil
}

// sort puts those that were stopped last; else the order is that of names, so
// that everybody keeps their place.
func (a *agents) sort() {
	a.list = nil
	for i := range a.team.list {
		a.list = append(a.list, &a.team.list[i])
	}
	gone := func(s *parley.AgentStatus) int {
		if s.State == parley.StateTerminated {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(a.list, func(x, y *parley.AgentStatus) int { return gone(x) - gone(y) })
	if a.index() < 0 && len(a.list) > 0 {
		a.sel = a.list[0].ID
	}
}

func (a *agents) index() int {
	return slices.IndexFunc(a.list, func(s *parley.AgentStatus) bool { return s.ID == a.sel })
}

// selected is the agent under the marker, nil if there is none.
func (a *agents) selected() *parley.AgentStatus { return a.team.find(a.sel) }

func (a *agents) move(by motion) tea.Cmd {
	if i := a.index(); i >= 0 {
		a.sel = a.list[clamp(i+by.lines(a.height), 0, len(a.list)-1)].ID
	}
	return nil
}

func (a *agents) about() subject {
	s := a.selected()
	if s == nil {
		return subject{}
	}
	return subject{agent: s, partnerID: s.ID, partner: s.Name}
}

// summary counts the agents by state, in words, the troubled first; those that
// were stopped are not counted.
func (t *team) summary(th theme) []string {
	in := map[parley.AgentState]int{}
	for _, s := range t.list {
		in[s.State]++
	}
	var words []string
	for _, s := range []parley.AgentState{parley.StateUnreachable, parley.StateExited, parley.StateWaiting, parley.StateBlocked,
		parley.StateUnknown, parley.StateIdle, parley.StateBusy, parley.StateDrafting, parley.StateStarting} {
		if in[s] > 0 {
			words = append(words, th.agent(s).Render(fmt.Sprintf("%s %d %s", agentGlyph(s), in[s], s)))
		}
	}
	return words
}

// counts says what waits for an agent.
func counts(s *parley.AgentStatus) string {
	var parts []string
	if s.Unread > 0 {
		parts = append(parts, fmt.Sprintf("%d unread", s.Unread))
	}
	if s.Queued > 0 {
		parts = append(parts, fmt.Sprintf("%d queued", s.Queued))
	}
	return strings.Join(parts, " · ")
}

// holds says why its terminal is not typed into, when it is not.
func holds(s *parley.AgentStatus) string {
	if s.HeldReason == "" {
		return ""
	}
	return "held: " + s.HeldReason
}

// since is how long ago, roughly.
func since(at, now time.Time) string {
	d := now.Sub(at)
	switch {
	case at.IsZero():
		return ""
	case d < time.Minute:
		return "<1m"
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}
