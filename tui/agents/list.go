package agents

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/tui/kit"
	"parley/tui/team"
)

// entry is a line of the list: an agent, or a heading, with the agents that are folded away under it.
type entry struct {
	agent  *parley.AgentStatus
	head   string
	count  int // agents under the heading
	folded []*parley.AgentStatus
}

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
// it finds.
func (a *Screen) entries() []entry {
	var out []entry
	counts := map[string]int{}
	for _, s := range a.list {
		counts[a.order.heading(s)]++
	}

	last, at := "\x00", 0
	for _, s := range a.list {
		head := a.order.heading(s)
		if head != last {
			last = head
			if head != "" {
				at = len(out)
				out = append(out, entry{head: head, count: counts[head]})
			}
		}

		if a.folds.has(a.order, head) && s.ID != a.Sel && !a.Filter.Active() {
			out[at].folded = append(out[at].folded, s)
			continue
		}
		out = append(out, entry{agent: s})
	}

	return out
}

// heading returns the heading that an agent belongs under; "" if this order has none.
func (o order) heading(s *parley.AgentStatus) string {
	switch o {
	case byTrouble:
		return team.SectionNames[team.Section(s)]
	case byGroup:
		if group := groupOf(s); group != "" {
			return kit.SafeLine(group)
		}
		return "In no group"
	case byHost:
		if s.Host != "" {
			return kit.SafeLine(s.Host)
		}
		return "On no host"
	}
	return ""
}

// lastGroup sorts after all names: agents in no group come last.
const lastGroup = "\U0010ffff"

func groupOf(s *parley.AgentStatus) string {
	if len(s.Groups) == 0 {
		return ""
	}
	return s.Groups[0]
}

// fold folds the group or host that the marker is in, or unfolds it. By trouble it does so with all that are healthy.
func (a *Screen) fold() {
	head := a.headAt()
	switch {
	case head == "":
		a.Tell("Agents fold by trouble, group or host. " + a.Key("o") + " orders them so.")
	case a.order == byTrouble:
		a.foldHealthy()
	case a.folds.has(a.order, head):
		a.unfold(head)
		a.Tell(head + " is unfolded.")
	default:
		a.folds.set(a.order, head, true)
		a.Sel = atHead + head
		a.Tell(head + " is folded. " + a.Key("z") + " unfolds it.")
	}
}

func (a *Screen) foldHealthy() {
	on := len(a.folds[byTrouble]) == 0
	a.folds[byTrouble] = nil
	if !on {
		a.keepMarker()
		a.Tell("All agents are shown.")
		return
	}

	for section, head := range team.SectionNames {
		if section != team.InTrouble {
			a.folds.set(byTrouble, head, true)
		}
	}
	if s := a.Team.Find(a.Sel); s != nil && team.Section(s) != team.InTrouble {
		a.Sel = atHead + a.order.heading(s)
	}
	a.Tell("Healthy agents are folded. " + a.Key("z") + " unfolds them.")
}

// unfold shows the agents under a heading.
func (a *Screen) unfold(head string) {
	delete(a.folds[a.order], head)
	a.keepMarker()
}

// headAt returns the heading that the marker is on or below.
func (a *Screen) headAt() string {
	if head, on := strings.CutPrefix(a.Sel, atHead); on {
		return head
	}
	if s := a.selected(); s != nil {
		return a.order.heading(s)
	}
	return ""
}

// keepMarker puts the marker on something that is there: from a heading that is not folded any longer to the first
// agent below it.
func (a *Screen) keepMarker() {
	if a.index() >= 0 || len(a.list) == 0 {
		return
	}

	head, on := strings.CutPrefix(a.Sel, atHead)
	i := slices.IndexFunc(a.list, func(s *parley.AgentStatus) bool { return on && a.order.heading(s) == head })
	switch {
	case i >= 0 && a.folds.has(a.order, head) && !a.Filter.Active():
		return
	case i >= 0:
		a.Sel = a.list[i].ID
		return
	}

	for _, e := range a.entries() {
		if a.Sel = e.place(); a.Sel != "" {
			return
		}
	}
}

// Move moves the marker, over what is folded as over one line.
func (a *Screen) Move(by kit.Motion) tea.Cmd {
	var places []string
	for _, e := range a.entries() {
		if p := e.place(); p != "" {
			places = append(places, p)
		}
	}
	if i := slices.Index(places, a.Sel); i >= 0 {
		a.Sel = places[kit.Clamp(i+by.Lines(a.height), 0, len(places)-1)]
	}
	return nil
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

// selected returns the agent under the marker, or nil.
func (a *Screen) selected() *parley.AgentStatus {
	if a.Filter.Active() && a.index() < 0 {
		return nil
	}
	return a.Team.Find(a.Sel)
}

func (a *Screen) index() int {
	return slices.IndexFunc(a.list, func(s *parley.AgentStatus) bool { return s.ID == a.Sel })
}

func (a *Screen) sort() {
	a.list = a.list[:0]
	for i := range a.Team.List {
		if s := &a.Team.List[i]; a.Filter.Matches(s.Name, told(s)...) {
			a.list = append(a.list, s)
		}
	}
	a.Filter.Counted(len(a.list), len(a.Team.List))

	slices.SortStableFunc(a.list, a.compare)
	a.measure()

	if a.Want != "" && a.Team.Find(a.Want) != nil {
		a.Sel, a.Want = a.Want, ""
	}
	a.keepMarker()
}
