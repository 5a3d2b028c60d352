package agents

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"parley"
	"parley/tui/kit"
	"parley/tui/room"
	"parley/tui/team"
)

// entry is a line of the list: an agent, or a heading, or the dots of the agents
// that are folded away.
type entry struct {
	agent *parley.AgentStatus
	head  string
	dots  []*parley.AgentStatus
}

// entries returns the lines of the list. The agent under the marker is never
// folded away.
func (a *Screen) entries() []entry {
	var out []entry
	var dots []*parley.AgentStatus
	last, headings := "\x00", a.headings()
	for _, s := range a.list {
		if a.folded && team.Section(s) != team.InTrouble && s.ID != a.Sel {
			dots = append(dots, s)
			continue
		}

		if head := a.heading(s); head != last {
			last = head
			if head != "" {
				out = append(out, entry{head: fmt.Sprintf("%s %d", head, headings[head])})
			}
		}

		out = append(out, entry{agent: s})
	}

	if len(dots) > 0 {
		out = append(out, entry{dots: dots})
	}

	return out
}

// heading returns the heading that an agent belongs under.
func (a *Screen) heading(s *parley.AgentStatus) string {
	switch a.order {
	case byTrouble:
		return team.SectionNames[team.Section(s)]
	case byGroup:
		if group := groupOf(s); group != "" {
			return kit.SafeLine(group)
		}
		return "In no group"
	}
	return ""
}

// headings counts the agents under each heading.
func (a *Screen) headings() map[string]int {
	n := map[string]int{}
	for _, s := range a.list {
		n[a.heading(s)]++
	}
	return n
}

// Parts divides the screen between the list and the terminal. A terminal below the
// list takes the lines that the list leaves free, and a third when those are less.
func (a *Screen) Parts(w, h int) (listW, listH, viewW, viewH int) {
	switch {
	case !a.preview.open(a.Tier, h, h-a.room) || len(a.list) == 0:
		return w, h, 0, 0
	case a.Tier >= kit.Wide:
		listW = a.Dividers.ListWidth(room.AtAgents, kit.Clamp(a.table.natural, w*45/100, w-3-leastPreview), w)
		return listW, h, w - listW - 3, h
	}
	listH = a.Dividers.ListHeight(room.AtAgents, h-max(h-a.room, h/3, leastView), h)
	return w, listH, w, h - listH
}

// leastPreview is how many columns a terminal next to the list has at least.
const leastPreview = 52

// roomSlack is by how many lines a list must shrink before the terminal below takes
// them: headings come and go as agents begin to work, and each would move it.
const roomSlack = 4

// makeRoom sets how many lines the list takes, its title and headings included.
func (a *Screen) makeRoom(entries int) {
	if need := entries + agentsHead; need > a.room || need+roomSlack <= a.room {
		a.room = need
	}
}

// agentsHead are the lines above the first agent.
const agentsHead = 2

func (a *Screen) Settle(w, h int) {
	all := a.entries()
	a.makeRoom(len(all))
	_, listH, _, viewH := a.Parts(w, h)
	a.height, a.seen = listH-agentsHead, viewH > 0
	i := slices.IndexFunc(all, func(e entry) bool { return e.agent != nil && e.agent.ID == a.Sel })
	a.top = kit.Window(a.top, i, len(all), a.height)
	if i > 0 && i-1 < a.top && all[i-1].agent == nil {
		a.top = i - 1 // its heading
	}
}

func (a *Screen) View(w, h int) []string {
	listW, listH, viewW, viewH := a.Parts(w, h)
	note := orderNames[a.order]
	if n := a.Picked.Count(); n > 0 {
		note = fmt.Sprintf("%d selected · ", n) + note
	}

	lines := []string{a.Theme.Rule("Agents", a.Filter.Note(note), listW, true)}
	if len(a.list) == 0 {
		return kit.Clip(append(lines, a.nothing(w)...), h)
	}

	table := a.table.shrunk(listW)
	lines = append(lines, a.heads(table, listW))
	for _, e := range a.inView() {
		lines = append(lines, a.line(e, table, listW))
	}

	lines = kit.Clip(lines, listH)
	if viewH == 0 {
		return lines
	}

	terminal := kit.Clip(a.preview.view(a.Theme, a.selected(), viewW, viewH), viewH)
	if a.Tier < kit.Wide {
		return append(lines, terminal...)
	}

	return kit.Beside(a.Theme, lines, terminal, listW)
}

// temperature returns that of the hottest conversation that an agent is in.
func (a *Screen) temperature(s *parley.AgentStatus) team.Temperature {
	return a.Temperatures.Hottest(s.ID, a.Now)
}

// inView returns the entries that are drawn.
func (a *Screen) inView() []entry {
	all := a.entries()
	return all[kit.Clamp(a.top, 0, len(all)):kit.Clamp(a.top+a.height, 0, len(all))]
}

func (a *Screen) nothing(w int) []string {
	text, style := team.NoAgents, a.Theme.Plain
	switch {
	case !a.Link.Team:
		text, style = "Looking for agents…", a.Theme.Dim
	case a.Filter.Active():
		text = a.Filter.Nothing("agent")
	}
	var lines []string
	for _, line := range kit.Wrap(text, w-2) {
		lines = append(lines, "  "+style.Render(line))
	}
	return lines
}

func (a *Screen) line(e entry, t agentTable, w int) string {
	switch {
	case e.head != "":
		return a.Theme.Dim.Render(kit.Fit("  "+e.head, w))
	case e.dots != nil:
		return a.dots(e.dots, w)
	}
	return a.agentLine(e.agent, t, w)
}

// dots draws the folded agents, with a shape for each, and counts them.
func (a *Screen) dots(list []*parley.AgentStatus, w int) string {
	words := "  " + a.Theme.Dim.Render(fmt.Sprintf("%d more", len(list))) + "  "
	left := w - kit.Width(words) - 1
	var b strings.Builder
	for i, s := range list {
		if i >= left {
			b.WriteString("…")
			break
		}
		b.WriteString(a.Theme.Agent(s.State).Render(kit.AgentGlyph(s.State)))
	}
	return words + b.String()
}

// rest returns why an agent is not typed to, else its last message, else how its
// state is known.
func (a *Screen) rest(s *parley.AgentStatus) string {
	if s.LimitedUntil != nil { // the end first: the column is narrow
		return "usage limit until " + parley.FormatEnd(*s.LimitedUntil)
	}
	if why := team.WaitsWords(s); why != "" {
		return why
	}
	if last := a.LastWords.Get(s.ID); last != "" && team.UrgencyOf(s) == len(team.Urgency) {
		return last
	}
	if s.Evidence != "" {
		return kit.SafeLine(s.Evidence)
	}
	return a.LastWords.Get(s.ID)
}

// program returns what an agent runs: its profile, and its model if its command
// names one.
func program(s *parley.AgentStatus) string {
	if s.Kind != parley.KindTerminal {
		return kit.SafeLine(string(s.Kind))
	}

	name := cmp.Or(s.Runs, s.Profile)
	for i, arg := range s.Command {
		if value, ok := strings.CutPrefix(arg, "--model="); ok {
			name += "/" + value
		}
		if (arg == "--model" || arg == "-m") && i+1 < len(s.Command) {
			name += "/" + s.Command[i+1]
		}
	}

	return kit.SafeLine(name)
}

// counts says how much waits for an agent, and how much it owes. What waits for its terminal is unread too.
func counts(s *parley.AgentStatus) string {
	var parts []string
	unread := s.Unread
	if unread == s.Queued {
		unread = 0
	}
	for _, c := range []struct {
		n    int
		word string
	}{{s.Overdue, "overdue"}, {s.Owed - s.Overdue, "owed"}, {unread, "unread"}, {s.Queued, "queued"}} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.word))
		}
	}
	return strings.Join(parts, " · ")
}
