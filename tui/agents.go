package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley"
)

// agents is the pane of who is there: beside the traffic, or a strip above it.
type agents struct {
	list   []parley.AgentStatus
	unread int // messages that wait for the operator
	sel    string
	top    int // first line shown
	height int
}

// set takes the agents as they are now. The operator is not one of the team; those
// that were stopped come last; else the order is that of names, so that
// everybody keeps their place.
func (a *agents) set(list []parley.AgentStatus) {
	a.list, a.unread = nil, 0
	for _, s := range list {
		if s.Kind == parley.KindHuman {
			a.unread += s.Unread
			continue
		}
		s.Name, s.HeldReason = shownName(s.Name, s.ID), safeLine(s.HeldReason)
		s.State = parley.AgentState(safeLine(string(s.State)))
		a.list = append(a.list, s)
	}
	gone := func(s parley.AgentStatus) int {
		if s.State == parley.StateTerminated {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(a.list, func(x, y parley.AgentStatus) int {
		return cmp.Or(gone(x)-gone(y), strings.Compare(strings.ToLower(x.Name), strings.ToLower(y.Name)))
	})
	if a.index() < 0 && len(a.list) > 0 {
		a.sel = a.list[0].ID
	}
}

func (a *agents) index() int {
	return slices.IndexFunc(a.list, func(s parley.AgentStatus) bool { return s.ID == a.sel })
}

// selected is the agent under the marker, nil if there is none.
func (a *agents) selected() *parley.AgentStatus { return a.find(a.sel) }

// find returns an agent by its id, nil if it is not there.
func (a *agents) find(id string) *parley.AgentStatus {
	for i := range a.list {
		if a.list[i].ID == id {
			return &a.list[i]
		}
	}
	return nil
}

func (a *agents) move(n int) {
	if i := a.index(); i >= 0 {
		a.sel = a.list[clamp(i+n, 0, len(a.list)-1)].ID
	}
}

// summary counts the agents by state, in words, the troubled first; those that
// were stopped are not counted.
func (a *agents) summary(th theme) []string {
	in := map[parley.AgentState]int{}
	for _, s := range a.list {
		in[s.State]++
	}
	var words []string
	for _, s := range []parley.AgentState{parley.StateUnreachable, parley.StateExited, parley.StateIdle,
		parley.StateBusy, parley.StateStarting} {
		if in[s] > 0 {
			words = append(words, th.agent(s).Render(fmt.Sprintf("%s %d %s", agentGlyph(s), in[s], s)))
		}
	}
	return words
}

// counts says what waits for an agent.
func counts(s parley.AgentStatus) string {
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
func holds(s parley.AgentStatus) string {
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
