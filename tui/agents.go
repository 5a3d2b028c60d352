package tui

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// agents is the screen of the team, those in trouble first, with the terminal of
// the one under the marker.
type agents struct {
	actions
	list    []*parley.AgentStatus // in the order shown
	sel     string                // an agent's id
	want    string                // the id of one that was launched: the marker goes to it
	top     int                   // first entry shown
	height  int
	room    int // lines that the whole list takes, or took just now
	order   order
	folded  bool // agents without problems are dots
	table   agentTable
	preview preview
	seen    bool // the preview is
	colours bool // of terminals are shown
}

// order is how the agents are grouped.
type order int

const (
	byTrouble order = iota
	byGroup
	byName
	byMessages
	byTokens
	byTime
	orders
)

var orderNames = []string{"by trouble", "by group", "by name", "by messages", "by tokens", "by time in state"}

// newAgents returns the screen with the columns that the settings name; "" are those that fit.
func newAgents(a actions, columns string, colours bool) *agents {
	return &agents{actions: a, colours: colours, table: agentTable{columns: agentColumnsOf(columns)}}
}

func (a *agents) title() string { return "Agents" }

func (a *agents) badge() badge {
	n := 0
	for i := range a.team.list {
		if section(&a.team.list[i]) == inTrouble {
			n++
		}
	}
	return badge{count: n, grave: true}
}

func (a *agents) keys() []binding {
	some := func(f func()) func() tea.Cmd {
		return func() tea.Cmd {
			if len(a.list) == 0 {
				a.tell("No agents yet. " + a.key("L") + " launches one.")
				return nil
			}
			f()
			return nil
		}
	}

	return []binding{
		bind("enter", "attach to its terminal", a.attach).hinted("attach"),
		bind("v", "show its terminal here, or hide it", some(a.togglePreview)).
			hinted("view").named("view terminal"),
		bind("z", "fold healthy agents, or unfold them", some(a.fold)).hinted("fold").named("fold"),
		bind("o", "order by trouble, group, name, messages, …", some(a.nextOrder)).named("order"),
		bind("space", "select it, or no longer", a.selectRow).named("select"),
		bind("esc", "clear the selection", a.dropSelection).hinted("clear").unless(a.noneSelected),
		bind("l", "release what a conversation's budget holds", a.release).named("release"),
		bind("R", "restart it, with its conversation", a.restartChosen).hinted("restart").named("restart"),
		bind("S", "stop it; its messages are kept", a.stopChosen).hinted("stop").named("stop"),
	}
}

// selectRow selects the agent under the marker and goes on to the next.
func (a *agents) selectRow() tea.Cmd {
	if a.selectAgent() {
		return a.move(lineDown)
	}
	return nil
}

func (a *agents) noneSelected() bool { return a.picked.count() == 0 }

func (a *agents) dropSelection() tea.Cmd {
	if !a.unselect() {
		a.tell("Nothing is selected. space selects.")
	}
	return nil
}

func (a *agents) togglePreview() { a.preview.toggle(a.seen) }

func (a *agents) nextOrder() {
	a.order = (a.order + 1) % orders
	a.sort()
}

func (a *agents) fold() {
	if a.folded = !a.folded; a.folded {
		a.tell("Healthy agents are folded. " + a.key("z") + " unfolds them.")
	} else {
		a.tell("All agents are shown.")
	}
}

func (a *agents) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case agentsMsg, pastMsg:
		a.sort()
	case temperaturesMsg:
		a.measure()
	case terminalMsg:
		if msg.turn == a.preview.turn {
			a.preview.screen, a.preview.err = msg.screen, msg.err
			return a.look(previewEvery)
		}
	case settledMsg:
		if a.preview.id != a.sel && !a.preview.shut {
			a.preview.id, a.preview.screen, a.preview.err = a.sel, nil, nil
			return tea.Batch(a.look(0), a.askTemperaturesInView())
		}
		return a.askTemperaturesInView()
	case shownMsg:
		a.preview.id = ""
	}

	return nil
}

// askTemperaturesInView reads the temperatures of the agents that are drawn.
func (a *agents) askTemperaturesInView() tea.Cmd {
	if a.at != atAgents {
		return nil
	}

	past := a.askPast()
	var in []string
	for _, e := range a.inView() {
		if e.agent != nil {
			in = append(in, a.temperatures.of(e.agent.ID, a.now)...)
		}
	}

	return tea.Batch(past, a.askTemperatures(in...))
}

// look reads the terminal of the agent under the marker, while that is shown.
func (a *agents) look(after time.Duration) tea.Cmd {
	a.preview.turn++
	s := a.selected()
	switch {
	case a.at != atAgents || a.preview.shut || s == nil:
		a.preview.id = ""
		return nil
	case !readable(s):
		return nil
	}
	return a.do.later(after, readTerminal(s.ID, a.preview.turn, a.colours))
}

func (a *agents) sort() {
	a.list = a.list[:0]
	for i := range a.team.list {
		a.list = append(a.list, &a.team.list[i])
	}

	slices.SortStableFunc(a.list, a.compare)
	a.measure()

	if a.want != "" && a.team.find(a.want) != nil {
		a.sel, a.want = a.want, ""
	}
	if a.index() < 0 && len(a.list) > 0 {
		a.sel = a.list[0].ID
	}
}

// lastGroup sorts after all names: agents in no group come last.
const lastGroup = "\U0010ffff"

func groupOf(s *parley.AgentStatus) string {
	if len(s.Groups) == 0 {
		return ""
	}
	return s.Groups[0]
}

func (a *agents) index() int {
	return slices.IndexFunc(a.list, func(s *parley.AgentStatus) bool { return s.ID == a.sel })
}

// selected returns the agent under the marker, or nil.
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

// sortAt orders the list by the heading at a column.
func (a *agents) sortAt(x, w int) {
	by := map[string]order{"agent": byName, "state": byTrouble, "for": byTime, "last hour": byMessages,
		"today": byTokens}
	t := a.table.shrunk(w)
	head, end := "", 4+t.name+1
	switch {
	case x < end:
		head = "agent"
	case x < end+11:
		head = "state"
	}

	end += 11
	for i, n := range t.widths {
		if n > 0 {
			if x >= end && x <= end+n {
				head = t.columns[i].head
			}
			end += n + 1
		}
	}

	if o, ok := by[head]; ok {
		a.order = o
		a.sort()
		a.tell("Ordered " + orderNames[o] + ".")
	}
}
