package agents

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"parley"
	"parley/op"
	"parley/tui/kit"
	"parley/tui/team"
)

// agentTable is how wide the columns of the list are.
type agentTable struct {
	name    int
	state   int
	columns []agentColumn
	widths  []int // of the columns; 0 for those that are not drawn
	now     int   // what an agent does has so many
}

// agentColumn is a column of the list that is drawn where there is room, and where any agent has
// something in it.
type agentColumn struct {
	op.AgentColumn
	onScreen
}

// onScreen is what the screen alone knows of a column.
type onScreen struct {
	text  func(c *cells, s *parley.AgentStatus) string // nil: it has that of all lists
	style func(kit.Theme) lipgloss.Style               // nil: it is dim
	by    order                                        // its heading orders the list by that; byTrouble: by nothing
}

func plainly(th kit.Theme) lipgloss.Style { return th.Plain }
func busily(th kit.Theme) lipgloss.Style  { return th.Busy }

// told has what the screen alone knows of columns, by their IDs.
var told = map[string]onScreen{
	since: {
		text: func(c *cells, s *parley.AgentStatus) string { return kit.Since(s.Since, c.room.Now) },
		by:   byTime,
	},
	"branch": {
		text:  func(c *cells, s *parley.AgentStatus) string { return c.branches.of(s, 26) },
		style: plainly,
	},
	"messages":  {style: plainly},
	"today":     {by: byTokens},
	"talk":      {text: func(c *cells, s *parley.AgentStatus) string { return c.temperature(s).InList() }},
	"runs":      {text: (*cells).runs},
	"host":      {text: (*cells).host, by: byHost},
	"directory": {text: (*cells).directory},
	"last-hour": {text: (*cells).curve, style: busily, by: byMessages},
	"work":      {text: (*cells).workCurve, style: busily},
}

// agentColumns are drawn after the name and the state of an agent: how long it has been in that state, and behind what
// it does now the others.
var agentColumns = columnsOfAgents()

func columnsOfAgents() (columns []agentColumn) {
	for _, c := range op.AgentColumns {
		seen := told[c.ID]
		if seen.text == nil {
			seen.text = func(_ *cells, s *parley.AgentStatus) string { return kit.SafeLine(c.Text(s)) }
		}
		if seen.style == nil {
			seen.style = func(th kit.Theme) lipgloss.Style { return th.Dim }
		}
		if c.Most > 0 {
			columns = append(columns, agentColumn{c, seen})
		}
	}
	return columns
}

// since is the column that stands next to the state.
const since = "for"

// measure finds out how wide the columns would like to be.
func (t *agentTable) measure(told *cells, list []*parley.AgentStatus) {
	told.compare(list)
	t.name, t.state, t.widths = len("agent"), usualState, make([]int, len(t.columns))
	for _, s := range list {
		t.name = max(t.name, kit.Width(s.Name))
		if kit.Width(string(s.State)) > usualState {
			t.state = longestState
		}
		for i, c := range t.columns {
			t.widths[i] = max(t.widths[i], min(kit.Width(c.text(told, s)), c.Most))
		}
	}

	for i, w := range t.widths {
		if w > 0 {
			t.widths[i] = max(w, kit.Width(t.columns[i].Heading()))
		}
	}
}

// The words for the states of an agent at work, and all of them, have so many columns at most.
const (
	usualState   = 8
	longestState = 11
)

const (
	agentFixed  = 2 + 2 + 1 + nowGap // the marker, the shape of the state, the gap after the name
	nowGap      = 2                  // before what an agent does
	leastName   = 10                 // columns that a name has
	mostName    = 24
	readable    = 28 // columns in which a sentence can be read
	whole       = 60 // and in which most have an end
	mostTelling = 6  // the last rank of the columns that come before a whole sentence
)

// shrunk returns the table on a list of w columns. Columns get room in the order of their ranks, whatever there is
// to say of what an agent does now: in a wider list none of them goes. Those that tell least come once a sentence has
// its end.
func (t agentTable) shrunk(w int) agentTable {
	wanted := t.widths
	t.widths = make([]int, len(wanted))
	t.name, t.now = min(t.name, kit.Clamp(w/5, leastName, mostName)), kit.Clamp(w/4, 16, 44)
	left := w - agentFixed - t.name - t.state - t.now

	order := make([]int, len(wanted))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return t.columns[i].Rank - t.columns[j].Rank })

	cut := 0 // of what is said of messages, which is whole before columns come that tell less
	for _, i := range order {
		if wanted[i] == 0 {
			continue
		}
		least := min(wanted[i], max(t.columns[i].Least, kit.Width(t.columns[i].Heading())))
		sentence := t.now
		if rank := t.columns[i].Rank; rank > mostTelling {
			sentence = max(sentence, whole) + cut
		} else if rank > 3 {
			sentence = max(sentence, readable) + cut
		}
		if t.columns[i].ID == "messages" {
			cut = wanted[i] - least
		}
		if least+t.gap(i) > left-(sentence-t.now) {
			break // what comes after it in rank is not there before it
		}
		t.widths[i] = least
		left -= least + t.gap(i)
	}

	// What is left goes to what the agent does, until that can be read, then to the columns that tell most, and then to
	// what it does again.
	widen := func(n *int, to int) {
		more := kit.Clamp(to-*n, 0, max(0, left))
		*n, left = *n+more, left-more
	}
	widen(&t.now, readable)
	for _, telling := range []bool{true, false} {
		for _, i := range order {
			if t.widths[i] > 0 && telling == (t.columns[i].Rank <= mostTelling) {
				widen(&t.widths[i], wanted[i])
			}
		}
		if telling {
			widen(&t.now, whole)
		}
	}
	t.now = max(0, t.now+left)

	return t
}

// gap returns the blanks before a column: the one about the state stands close to it.
func (t *agentTable) gap(i int) int {
	if t.columns[i].ID == since {
		return 1
	}
	return 2
}

// lacks reports whether there is no room for a column.
func (t *agentTable) lacks(id string) bool {
	i := slices.IndexFunc(t.columns, func(c agentColumn) bool { return c.ID == id })
	return i >= 0 && t.widths[i] == 0
}

// drawn returns the columns that are drawn before what an agent does, or behind it.
func (t *agentTable) drawn(before bool) (all []int) {
	for i, n := range t.widths {
		if n > 0 && (t.columns[i].ID == since) == before {
			all = append(all, i)
		}
	}
	return all
}

// heads draws the headings of the columns.
func (t *agentTable) heads(th kit.Theme, w int) string {
	line := "    " + kit.Pad("agent", t.name) + " " + kit.Pad("state", t.state)
	column := func(i int) {
		line += strings.Repeat(" ", t.gap(i)) + kit.Pad(t.columns[i].Heading(), t.widths[i])
	}
	for _, i := range t.drawn(true) {
		column(i)
	}
	line += "  " + kit.Pad("now", t.now)
	for _, i := range t.drawn(false) {
		column(i)
	}

	return th.Dim.Render(kit.Fit(line, w))
}

// orderAt returns how the heading at a column of the list orders it; ok is false for one that does not.
func (t *agentTable) orderAt(x int) (o order, ok bool) {
	type span struct {
		w  int
		by order
		ok bool
	}
	spans := []span{{4 + t.name + 1, byName, true}, {t.state, byTrouble, true}}
	column := func(i int) {
		by := t.columns[i].by
		spans = append(spans, span{t.widths[i] + t.gap(i), by, by != byTrouble})
	}
	for _, i := range t.drawn(true) {
		column(i)
	}
	spans = append(spans, span{w: t.now + nowGap})
	for _, i := range t.drawn(false) {
		column(i)
	}

	for _, s := range spans {
		if x >= s.w {
			x -= s.w
			continue
		}
		return s.by, s.ok
	}

	return byTrouble, false
}

// Columns are the columns that the list of agents may have, besides their names.
var Columns = namesOfColumns()

func namesOfColumns() []string {
	var names []string
	for _, c := range agentColumns {
		names = append(names, c.ID)
	}
	return names
}

// agentColumnsOf returns the columns of the settings, the first of which gets room first; else all of them.
func agentColumnsOf(text string) []agentColumn {
	names := kit.ColumnsIn(text)
	if len(names) == 0 {
		return agentColumns
	}

	var columns []agentColumn
	for i, name := range names {
		at := slices.IndexFunc(agentColumns, func(c agentColumn) bool { return c.ID == name })
		if at < 0 {
			continue // CheckLook refuses it
		}
		c := agentColumns[at]
		c.Rank = i
		columns = append(columns, c)
	}

	return columns
}

// row draws an agent as a sentence: its name, its state and since when, what it does now, and the columns that
// there is room for.
func (t *agentTable) row(c *cells, s *parley.AgentStatus, w int, selected bool) string {
	var line strings.Builder
	put := func(text string, style lipgloss.Style) {
		if selected {
			line.WriteString(text)
		} else {
			line.WriteString(style.Render(text))
		}
	}
	cell := func(i int) string {
		if t.columns[i].ID == "branch" {
			return c.branches.of(s, t.widths[i]) // how far it is must be seen
		}
		return t.columns[i].text(c, s)
	}
	column := func(i int) {
		put(strings.Repeat(" ", t.gap(i))+kit.Pad(cell(i), t.widths[i]), t.columns[i].style(c.room.Theme))
	}

	put(kit.Marked(selected, c.room.Picked.Has(s.ID)), c.room.Theme.Plain)
	put(kit.AgentGlyph(s.State)+" ", c.room.Theme.Agent(s.State))
	put(kit.PadName(s.Name, t.name)+" ", c.room.Theme.Name(s.Name))
	put(kit.Pad(string(s.State), t.state), c.room.Theme.Agent(s.State))
	for _, i := range t.drawn(true) {
		column(i)
	}

	words, style := c.now(s)
	first, _, _ := strings.Cut(op.Messages(s), " · ")
	if first != "" && t.lacks("messages") && !team.WaitsForPerson(s) {
		words = first + " · " + words
	}
	// A sentence also has the room of what stands behind it and is empty; the options of a question matter more than
	// what is not.
	room, behind := t.now, t.drawn(false)
	for len(behind) > 0 && kit.Width(words) > room && (c.room.Team.Asks(s) || cell(behind[0]) == "") {
		room += t.gap(behind[0]) + t.widths[behind[0]]
		behind = behind[1:]
	}
	put("  "+kit.Pad(words, room), style)
	for _, i := range behind {
		column(i)
	}

	if selected {
		return c.room.Theme.Focus.Render(kit.Pad(line.String(), w))
	}
	return line.String()
}
