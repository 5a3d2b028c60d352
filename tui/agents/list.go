package agents

import (
	"fmt"
	"slices"
	"strings"

	"parley"
	"parley/tui/kit"
	"parley/tui/team"
)

// agentList is the agents in the order shown, under headings that can be folded, and the marker on one of them.
type agentList struct {
	list   []*parley.AgentStatus
	filter *kit.Filter // shows all that it finds
	Sel    string      // an agent's id, or what a folded heading is called
	order  order
	folds  folds
	top    int // first entry shown
	height int
	room   int // lines that the whole list takes, or took just now
}

// entry is a line of the list: an agent, or a heading, with the agents that are folded away under it.
type entry struct {
	agent  *parley.AgentStatus
	head   string
	count  int // agents under the heading
	folded []*parley.AgentStatus
}

// folds are the headings whose agents are folded away, for each order.
type folds map[order]map[string]bool

// atHead is what the marker is on instead of an agent's id, with the heading behind it.
const atHead = "heading "

// place is what the marker is called on an entry; "" where it cannot be: on a heading that is not folded.
func (e entry) place() string {
	switch {
	case e.agent != nil:
		return e.agent.ID
	case len(e.folded) > 0:
		return atHead + e.head
	}
	return ""
}

func (f folds) has(o order, head string) bool { return f[o][head] }

func (f folds) set(o order, head string, on bool) {
	if f[o] == nil {
		f[o] = map[string]bool{}
	}
	f[o][head] = on
}

// entries returns the lines of the list. The agent under the marker is never folded away, and a filter shows all that
// it finds, without headings.
func (l *agentList) entries() []entry {
	var out []entry
	counts := map[string]int{}
	for _, s := range l.list {
		counts[l.order.heading(s)]++
	}

	last, at := "\x00", 0
	for _, s := range l.list {
		head := l.order.heading(s)
		if l.filter.Active() {
			head = ""
		}
		if head != last {
			last = head
			if head != "" {
				at = len(out)
				out = append(out, entry{head: head, count: counts[head]})
			}
		}

		if l.folds.has(l.order, head) && s.ID != l.Sel {
			out[at].folded = append(out[at].folded, s)
			continue
		}
		out = append(out, entry{agent: s})
	}

	return out
}

// foldUnder folds the agents under a heading away, with the marker on it.
func (l *agentList) foldUnder(head string) {
	l.folds.set(l.order, head, true)
	l.Sel = atHead + head
}

// foldHealthy folds all agents away that are not in trouble, or unfolds them all. It reports which.
func (l *agentList) foldHealthy() (folded bool) {
	on := len(l.folds[byTrouble]) == 0
	l.folds[byTrouble] = nil
	if !on {
		l.keepMarker()
		return false
	}

	for section, head := range team.SectionNames {
		if section != team.InTrouble {
			l.folds.set(byTrouble, head, true)
		}
	}
	if s := l.selected(); s != nil && team.Section(s) != team.InTrouble {
		l.Sel = atHead + l.order.heading(s)
	}

	return true
}

// unfold shows the agents under a heading.
func (l *agentList) unfold(head string) {
	delete(l.folds[l.order], head)
	l.keepMarker()
}

// headAt returns the heading that the marker is on or below.
func (l *agentList) headAt() string {
	if head, on := strings.CutPrefix(l.Sel, atHead); on {
		return head
	}
	if s := l.selected(); s != nil {
		return l.order.heading(s)
	}
	return ""
}

// keepMarker puts the marker on something that is there: from a heading that is not folded any longer to the first
// agent below it.
func (l *agentList) keepMarker() {
	if l.index() >= 0 || len(l.list) == 0 {
		return
	}

	head, on := strings.CutPrefix(l.Sel, atHead)
	i := slices.IndexFunc(l.list, func(s *parley.AgentStatus) bool { return on && l.order.heading(s) == head })
	switch {
	case i >= 0 && l.folds.has(l.order, head) && !l.filter.Active():
		return
	case i >= 0:
		l.Sel = l.list[i].ID
		return
	}

	for _, e := range l.entries() {
		if l.Sel = e.place(); l.Sel != "" {
			return
		}
	}
}

// move moves the marker, over what is folded as over one line.
func (l *agentList) move(by kit.Motion) {
	var places []string
	for _, e := range l.entries() {
		if p := e.place(); p != "" {
			places = append(places, p)
		}
	}
	if i := slices.Index(places, l.Sel); i >= 0 {
		l.Sel = places[kit.Clamp(i+by.Lines(l.height), 0, len(places)-1)]
	}
}

// selected returns the agent under the marker, or nil.
func (l *agentList) selected() *parley.AgentStatus {
	if i := l.index(); i >= 0 {
		return l.list[i]
	}
	return nil
}

func (l *agentList) index() int {
	return slices.IndexFunc(l.list, func(s *parley.AgentStatus) bool { return s.ID == l.Sel })
}

// sift lists the agents that the filter lets pass by their names or what is told of them, the best match first, and
// puts the marker there when the words change.
func (l *agentList) sift(
	all []parley.AgentStatus, told func(*parley.AgentStatus) []string, compare func(x, y *parley.AgentStatus) int,
) {
	l.list = l.list[:0]
	for i := range all {
		if s := &all[i]; l.filter.Matches(s.Name, told(s)...) {
			l.list = append(l.list, s)
		}
	}
	l.filter.Counted(len(l.list), len(all))
	name := func(s **parley.AgentStatus) string { return (*s).Name }
	if kit.Best(l.filter, l.list, name, func(x, y **parley.AgentStatus) int { return compare(*x, *y) }) {
		l.Sel = l.list[0].ID
	}
}

func (l *agentList) inView() []entry {
	all := l.entries()
	return all[kit.Clamp(l.top, 0, len(all)):kit.Clamp(l.top+l.height, 0, len(all))]
}

// agentsHead are the lines above the first agent.
const agentsHead = 2

// roomSlack is by how many lines a list must shrink before the terminal below takes
// them: headings come and go as agents begin to work, and each would move it.
const roomSlack = 4

// makeRoom sets how many lines the list takes, its title and headings included.
func (l *agentList) makeRoom(entries int) {
	if need := entries + agentsHead; need > l.room || need+roomSlack <= l.room {
		l.room = need
	}
}

// scroll brings the entry under the marker into sight, with its heading if that is next to it.
func (l *agentList) scroll(all []entry) {
	i := slices.IndexFunc(all, func(e entry) bool { return l.Sel != "" && e.place() == l.Sel })
	l.top = kit.Window(l.top, i, len(all), l.height)
	if i > 0 && i-1 < l.top && all[i-1].agent == nil {
		l.top = i - 1
	}
}

// headLine draws a heading, with a shape for each agent that is folded away under it.
func (e entry) headLine(th kit.Theme, sel string, w int) string {
	words := fmt.Sprintf("%s %d", e.head, e.count)
	if len(e.folded) == 0 {
		return th.Dim.Render(kit.Fit("  "+words, w))
	}

	on := e.place() == sel
	words = kit.Marked(on, false) + words + "  "
	left := w - kit.Width(words) - 1
	var shapes strings.Builder
	for i, s := range e.folded {
		shape, style := kit.AgentGlyph(s.State), th.Agent(s.State)
		if i >= left {
			shape, style = "…", th.Dim
		}
		if on {
			shapes.WriteString(shape)
		} else {
			shapes.WriteString(style.Render(shape))
		}
		if i >= left {
			break
		}
	}

	if on {
		return th.Focus.Render(kit.Pad(words+shapes.String(), w))
	}
	return th.Dim.Render(words) + shapes.String()
}
