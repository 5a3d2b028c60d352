// Package agents is the screen of the team, with the live terminal of one agent, or of several as tiles.
package agents

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/tui/kit"
	"parley/tui/room"
	"parley/tui/team"
	"parley/tui/verb"
)

// New returns the screen with the columns that the settings name; "" are those that fit.
func New(a room.Actions, columns string, colours bool) *Screen {
	return &Screen{
		Actions: a, Listed: room.Listed{Noun: "agent"}, colours: colours, folds: folds{},
		table:    agentTable{columns: agentColumnsOf(columns)},
		preview:  preview{shown: &wrapped{}},
		branches: branches{known: map[string]parley.WorktreeStatus{}, asked: map[string]time.Time{}},
	}
}

func (a *Screen) Title() string { return "Agents" }

func (a *Screen) Badge() room.Badge {
	n := 0
	for i := range a.Team.List {
		if team.Section(&a.Team.List[i]) == team.InTrouble {
			n++
		}
	}
	return room.Badge{Count: n, Grave: true}
}

func (a *Screen) Keys() []kit.Binding {
	some := func(f func()) func() tea.Cmd {
		return func() tea.Cmd {
			if len(a.list) == 0 {
				a.Lacks("No agents yet. " + a.Key("L") + " launches one.")
				return nil
			}
			f()
			return nil
		}
	}

	return []kit.Binding{
		verb.Open.To("its terminal alone, live; again attaches", a.enter).Hinted("open"),
		verb.View.To("show its terminal here, or hide it", some(a.togglePreview)).
			Hinted("view").Rarely().Named("view terminal"),
		verb.Fold.To("fold a group, a host, or healthy agents", some(a.fold)).Hinted("fold").Rarely().Named("fold"),
		verb.Order.To("order by trouble, group, name, messages, …", some(a.nextOrder)).Named("order"),
		verb.Select.To("select it, or no longer", a.selectRow).Named("select"),
		verb.Back.To("clear the selection", a.dropSelection).Hinted("clear").Unless(a.noneSelected),
		verb.Release.To("release what a conversation's budget holds", a.Release).Named("release"),
		verb.Restart.To("restart it, with its conversation", a.RestartChosen).
			Hinted("restart").Rarely().Named("restart"),
		verb.Stop.To("stop it; its messages are kept", a.StopChosen).Hinted("stop").Rarely().Named("stop"),
	}
}

// selectRow selects the agent under the marker and goes on to the next.
func (a *Screen) selectRow() tea.Cmd {
	if a.SelectAgent() {
		return a.Move(kit.LineDown)
	}
	return nil
}

func (a *Screen) noneSelected() bool { return a.Picked.Count() == 0 }

func (a *Screen) dropSelection() tea.Cmd {
	if !a.Unselect() {
		a.Tell("Nothing is selected. space selects.")
	}
	return nil
}

func (a *Screen) togglePreview() { a.preview.toggle(a.seen) }

// nextOrder orders the list in the next way. There is nothing to order by host while all are on one.
func (a *Screen) nextOrder() {
	a.order = (a.order + 1) % orders
	if a.order == byHost && !a.table.hosts {
		a.order++
	}
	a.sort()
}

// enter shows the terminal of the agent under the marker alone, or unfolds what is folded there.
func (a *Screen) enter() tea.Cmd {
	if strings.HasPrefix(a.Sel, atHead) {
		a.unfold(a.headAt())
		return nil
	}
	if s := a.selected(); s != nil {
		return a.Zoom(s.ID)
	}
	a.Lacks(room.WhichAgent)
	return nil
}

func (a *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case room.AgentsMsg, room.PastMsg, room.FilteredMsg:
		a.Read = a.Link.Team
		a.sort()
	case room.TemperaturesMsg:
		a.measure()
	case branchesMsg:
		a.branches.take(msg)
		a.measure()
	case terminalMsg:
		if msg.turn == a.preview.turn {
			a.preview.screen, a.preview.err = msg.screen, msg.err
			return a.look(previewEvery)
		}
	case room.SettledMsg:
		if a.preview.id != a.Sel && !a.preview.shut {
			a.preview.id, a.preview.screen, a.preview.err = a.Sel, nil, nil
			return tea.Batch(a.look(0), a.askInView())
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
	if a.At != room.AtAgents {
		return nil
	}

	past := a.AskPast()
	var in []string
	for _, e := range a.inView() {
		if e.agent != nil {
			in = append(in, a.Temperatures.Of(e.agent.ID, a.Now)...)
		}
	}

	return tea.Batch(past, a.AskTemperatures(in...), a.askBranchesInView())
}

// look reads the terminal of the agent under the marker, while that is shown.
func (a *Screen) look(after time.Duration) tea.Cmd {
	a.preview.turn++
	s := a.selected()
	switch {
	case a.At != room.AtAgents || a.preview.shut || s == nil:
		a.preview.id = ""
		return nil
	case !team.Readable(s):
		return nil
	}
	return a.Do.Later(after, readTerminal(s.ID, a.preview.turn, a.colours))
}

func (a *Screen) About() room.Subject {
	s := a.selected()
	if s == nil {
		return room.Subject{}
	}
	return room.Subject{Agent: s, PartnerID: s.ID, Partner: s.Name}
}
