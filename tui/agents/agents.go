// Package agents is the screen of the team, with the live terminal of one agent, or of several as tiles.
package agents

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/op"
	"parley/tui/kit"
	"parley/tui/room"
	"parley/tui/team"
	"parley/tui/verb"
)

// New returns the screen with the columns that the settings name; "" are those that fit.
func New(a *room.Actions, columns string, colours bool) *Screen {
	s := &Screen{
		room: a.Room, acts: a, Listed: room.Listed{Noun: "agent"},
		cells:   cells{room: a.Room, branches: newBranches()},
		table:   agentTable{columns: agentColumnsOf(columns)},
		preview: preview{room: a.Room, colours: colours, shown: &wrapped{}},
	}
	s.List = agentList{filter: &s.Filter, folds: folds{}}

	return s
}

func (a *Screen) Title() string { return "Agents" }

func (a *Screen) Badge() room.Badge {
	n := 0
	for i := range a.room.Team.List {
		if team.Section(&a.room.Team.List[i]) == team.InTrouble {
			n++
		}
	}
	return room.Badge{Count: n, Grave: true}
}

func (a *Screen) Keys() []kit.Binding {
	some := func(f func()) func() tea.Cmd {
		return func() tea.Cmd {
			if len(a.List.list) == 0 {
				a.room.Lacks(a.room.Team.None(a.room.Key("L")))
				return nil
			}
			f()
			return nil
		}
	}

	none := func() bool { return len(a.List.list) == 0 }

	return []kit.Binding{
		verb.Open.To("its terminal alone, live; again attaches", a.enter).Hinted("open").Unless(none),
		verb.View.To("show its terminal here, or hide it", some(a.preview.toggle)).
			Hinted("view").Rarely().Unless(none).Named("view terminal"),
		verb.Fold.To("fold a group, a host, or healthy agents",
			some(a.fold)).Hinted("fold").Rarely().Unless(none).Named("fold"),
		verb.Order.To("order by trouble, group, name, messages, …", some(a.nextOrder)).Named("order"),
		verb.Select.To("select it, or no longer", a.selectRow).Named("select"),
		verb.Back.To("clear the selection", a.dropSelection).Hinted("clear").Unless(a.noneSelected),
		verb.Release.To("release what a conversation's budget holds", a.acts.Release).Named("release"),
		verb.Restart.To("restart it, with its conversation", a.acts.RestartChosen).
			Hinted("restart").Rarely().Unless(none).Named("restart"),
		verb.Stop.To("stop it; its messages are kept",
			a.acts.StopChosen).Hinted("stop").Rarely().Unless(none).Named("stop"),
	}
}

// selectRow selects the agent under the marker and goes on to the next.
func (a *Screen) selectRow() tea.Cmd {
	if a.acts.SelectAgent() {
		return a.Move(kit.LineDown)
	}
	return nil
}

func (a *Screen) noneSelected() bool { return a.room.Picked.Count() == 0 }

func (a *Screen) dropSelection() tea.Cmd {
	if !a.acts.Unselect() {
		a.room.Tell("Nothing is selected. space selects.")
	}
	return nil
}

// nextOrder orders the list in the next way. There is nothing to order by host while all are on one.
func (a *Screen) nextOrder() {
	a.List.order = (a.List.order + 1) % orders
	if a.List.order == byHost && !a.cells.hosts {
		a.List.order++
	}
	a.sort()
}

// enter shows the terminal of the agent under the marker alone, or unfolds what is folded there.
func (a *Screen) enter() tea.Cmd {
	if strings.HasPrefix(a.List.Sel, atHead) {
		a.List.unfold(a.List.headAt())
		return nil
	}
	if s := a.List.selected(); s != nil {
		return a.Zoom(s.ID)
	}
	a.room.Lacks(room.WhichAgent)
	return nil
}

// fold folds the group or host that the marker is in, or unfolds it. By trouble it does so with all that are healthy.
func (a *Screen) fold() {
	head := a.List.headAt()
	switch {
	case head == "":
		a.room.Tell("Agents fold by trouble, group or host. " + a.room.Key("o") + " orders them so.")
	case a.List.order != byTrouble && a.List.folds.has(a.List.order, head):
		a.List.unfold(head)
		a.room.Tell(head + " is unfolded.")
	case a.List.order != byTrouble:
		a.List.foldUnder(head)
		a.room.Tell(head + " is folded. " + a.room.Key("z") + " unfolds it.")
	case a.List.foldHealthy():
		a.room.Tell("Healthy agents are folded. " + a.room.Key("z") + " unfolds them.")
	default:
		a.room.Tell("All agents are shown.")
	}
}

// Move moves the marker.
func (a *Screen) Move(by kit.Motion) tea.Cmd {
	a.List.move(by)
	return nil
}

// sort lists the agents anew. The marker stays on its agent, or goes to one that was launched.
func (a *Screen) sort() {
	sum := func(id string) int { return a.room.Ledger.Sum(id, a.room.Now) }
	a.List.sift(a.room.Team.List, a.cells.told,
		func(x, y *parley.AgentStatus) int { return a.List.order.compare(x, y, sum) })
	a.table.measure(&a.cells, a.List.list)

	if a.Want != "" && a.room.Team.Find(a.Want) != nil {
		a.List.Sel, a.Want = a.Want, ""
	}
	a.List.keepMarker()
}

func (a *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case room.AgentsMsg, room.PastMsg, room.FilteredMsg:
		a.Read = a.room.Link.Team
		a.sort()
	case room.TemperaturesMsg:
		a.table.measure(&a.cells, a.List.list)
	case branchesMsg:
		a.cells.branches.take(msg)
		a.table.measure(&a.cells, a.List.list)
	case terminalMsg:
		if a.preview.take(msg) {
			return a.preview.look(a.List.selected(), previewEvery)
		}
	case room.SettledMsg:
		if a.preview.turnTo(a.List.Sel) {
			return tea.Batch(a.preview.look(a.List.selected(), 0), a.askInView())
		}
		return a.askInView()
	case room.ShownMsg:
		a.preview.id = ""
	}

	return nil
}

// askInView reads what else is told of the agents that are drawn: the temperatures of their conversations, and their
// branches.
func (a *Screen) askInView() tea.Cmd {
	if a.room.At != room.AtAgents {
		return nil
	}

	past := a.room.AskPast()
	var in []string
	for _, e := range a.List.inView() {
		if e.agent != nil {
			in = append(in, a.room.Temperatures.Of(e.agent.ID, a.room.Now)...)
		}
	}

	return tea.Batch(past, a.room.AskTemperatures(in...), a.cells.branches.ask(a.room, a.List.inView()))
}

func (a *Screen) About() room.Subject {
	s := a.List.selected()
	if s == nil {
		return room.Subject{}
	}
	return room.Subject{Agent: s, PartnerID: s.ID, Partner: s.Name}
}

// Named returns the agents, to go to.
func Named(a *Screen) (all []room.Named) {
	for i := range a.room.Team.List {
		s := &a.room.Team.List[i]
		about := []string{string(s.State)}
		for _, words := range []string{kit.SafeLine(s.Role), op.Runs(s), branch(s)} {
			if words != "" {
				about = append(about, words)
			}
		}
		all = append(all, room.Named{
			Kind: "agent", Name: s.Name, About: strings.Join(about, " · "), Go: goingTo(a, s.ID),
		})
	}
	return all
}

// goingTo returns the way to an agent, for a list of names.
func goingTo(a *Screen, id string) func() tea.Cmd {
	return func() tea.Cmd {
		a.Filter.Drop()
		a.sort()
		a.List.Sel = id
		return a.room.GoTo(room.AtAgents)
	}
}

func (a *Screen) Point(p kit.Pointer) tea.Cmd {
	listW, listH, _, viewH := a.Parts(p.W, p.H)
	switch {
	case p.Wheel != 0:
		return kit.Times(p.Wheel, a.Move)
	case viewH > 0 && p.Second(a.room.Tier, listW, listH), p.Y == 0:
		return nil
	case p.Y < agentsHead:
		shown := a.table.shrunk(listW)
		if o, ok := shown.orderAt(p.X); ok {
			a.List.order = o
			a.sort()
			a.room.Tell("Ordered " + orderNames[o] + ".")
		}
		return nil
	}

	if all := a.List.entries(); a.List.top+p.Y-agentsHead < len(all) {
		switch e := all[a.List.top+p.Y-agentsHead]; {
		case e.agent != nil:
			a.List.Sel = e.agent.ID
			if p.Twice {
				return a.acts.Attach()
			}
		case len(e.folded) > 0:
			a.List.unfold(e.head)
		}
	}

	return nil
}

// Screen is the screen of the team, those in trouble first, with the terminal of
// the one under the marker.
type Screen struct {
	room *room.Shared
	acts *room.Actions
	room.Listed
	List    agentList
	Want    string // the id of one that was launched: the marker goes to it
	cells   cells
	table   agentTable
	preview preview
	Zoom    func(id string) tea.Cmd // shows a terminal alone
}
