package room

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/op"
	"parley/tui/kit"
	"parley/tui/team"
)

// Each is a call for each of several agents or messages.
type Each[T any] struct {
	Of   []T
	Name func(T) string
	Did  string // "restarted": what was done to those that it worked for
	Call func(context.Context, parley.Service, T) error
}

// eachAgent is a call for each of several agents, as they are now: the list changes while the calls are made.
func eachAgent(
	agents []*parley.AgentStatus, did string, call func(context.Context, parley.Service, parley.AgentStatus) error,
) Each[parley.AgentStatus] {
	e := Each[parley.AgentStatus]{Did: did, Call: call, Name: func(a parley.AgentStatus) string { return a.Name }}
	for _, a := range agents {
		e.Of = append(e.Of, *a)
	}
	return e
}

// Action makes the calls one after the other. One that fails does not keep the
// others from being made; the error names it.
func (e Each[T]) Action() Action {
	return Action{Do: func(ctx context.Context, s parley.Service) (string, error) {
		var names, faults []string
		var first *parley.Error
		for _, x := range e.Of {
			err := e.Call(ctx, s, x)
			if err == nil {
				names = append(names, e.Name(x))
				continue
			}
			problem := parley.AsError(err)
			faults = append(faults, e.Name(x)+": "+problem.Message)
			if first == nil {
				first = problem
			}
		}

		if first == nil {
			return fmt.Sprintf("%d %s: %s.", len(names), e.Did, strings.Join(names, ", ")), nil
		}
		return "", parley.Errorf(first.Code, "%d of %d %s; %s", len(names), len(e.Of), e.Did,
			strings.Join(faults, "; ")).Suggest("%s", first.Action)
	}}
}

// Picks reports whether keys act on the selected agents: there are some, and the screen shows
// them. Elsewhere a forgotten selection changes nothing.
func (d *Shared) Picks() bool { return d.Picked.Count() > 0 && (d.At == AtAgents || d.Over != nil) }

// RestartChosen restarts the selected agents, else the one under the marker.
func (a *Actions) RestartChosen() tea.Cmd {
	if a.Room.Picks() {
		return a.chosen().restart()
	}
	return a.Restart()
}

// StopChosen stops the selected agents, else the one under the marker.
func (a *Actions) StopChosen() tea.Cmd {
	if a.Room.Picks() {
		return a.chosen().stop()
	}
	return a.Stop()
}

// Release lets the message go that the conversation protocol holds for each agent
// that is chosen, the first of each.
func (a *Actions) Release() tea.Cmd { return a.chosen().release() }

// chosen returns the selected agents, else the one under the marker.
func (a *Actions) chosen() chosen {
	if a.Room.Picks() {
		return chosen{a, a.Room.Picked.In(&a.Room.Team)}
	}
	if agent := a.Room.About().Agent; agent != nil {
		return chosen{a, []*parley.AgentStatus{agent}}
	}
	return chosen{a, nil}
}

// chosen are agents that something is done with at once.
type chosen struct {
	acts   *Actions
	agents []*parley.AgentStatus
}

// restart asks once for all of them.
func (c chosen) restart() tea.Cmd {
	x := eachAgent(c.agents, "restarted", func(ctx context.Context, s parley.Service, agent parley.AgentStatus) error {
		_, err := op.RestartAgent.Call(ctx, s, parley.RestartAgentRequest{Agent: agent.ID})
		return err
	})
	return c.acts.AskTo(fmt.Sprintf("Restart %s: %s? What they are doing is interrupted; messages are kept.",
		kit.Plural(len(c.agents), "agent"), namesOf(c.agents)), x.Action())
}

// stop asks once for all of them.
func (c chosen) stop() tea.Cmd {
	x := eachAgent(c.agents, "stopped", func(ctx context.Context, s parley.Service, agent parley.AgentStatus) error {
		_, err := op.StopAgent.Call(ctx, s, parley.StopAgentRequest{Agent: agent.ID})
		return err
	})
	return c.acts.AskTo(fmt.Sprintf("Stop %s: %s? Their processes and context are lost; messages are kept.",
		kit.Plural(len(c.agents), "agent"), namesOf(c.agents)), x.Action())
}

// release lets the first message go that is held for each of them.
func (c chosen) release() tea.Cmd {
	if len(c.agents) == 0 {
		c.acts.Room.Lacks(WhichAgent)
		return nil
	}

	var held []*parley.AgentStatus
	for _, agent := range c.agents {
		if agent.HeldCode == parley.HoldConversation && agent.HeldMessage != "" {
			held = append(held, agent)
		}
	}
	if len(held) == 0 {
		c.acts.Room.Tell("Nothing to release: no budget of a conversation holds a message for " + namesOf(c.agents) +
			".")
		return nil
	}

	x := eachAgent(held, "released", func(ctx context.Context, s parley.Service, agent parley.AgentStatus) error {
		r := parley.ControlConversationRequest{Action: parley.ActionRelease, MessageID: agent.HeldMessage}
		_, err := op.ControlConversation.Call(ctx, s, r)
		return err
	})

	return c.acts.Run(x.Action())
}

// pause mutes what they say to each other.
func (c chosen) pause() tea.Cmd {
	if len(c.agents) < 2 {
		c.acts.Room.Tell("Select two or more: a pause is between agents. Without a selection, p pauses everything.")
		return nil
	}

	var pairs []string
	for i, one := range c.agents {
		for _, other := range c.agents[:i] {
			pairs = append(pairs, one.ID+","+other.ID)
		}
	}

	names := namesOf(c.agents)
	x := controlPairs(parley.ActionMute, pairs, "Paused what they say to each other: "+names+".")
	back := controlPairs(parley.ActionUnmute, pairs, "They may go on: "+names+".")

	return c.acts.Run(x.UndoneBy("lets them go on", back))
}

// controlPairs does the same to the conversations of several pairs of agents.
func controlPairs(what parley.ConversationAction, pairs []string, done string) Action {
	return Action{Do: func(ctx context.Context, s parley.Service) (string, error) {
		for i, pair := range pairs {
			_, err := op.ControlConversation.Call(ctx, s, parley.ControlConversationRequest{Action: what, With: pair})
			if err != nil {
				e := parley.AsError(err)
				return "", parley.Errorf(e.Code, "%s: done for %d of %s; %s", what, i, kit.Plural(len(pairs), "pair"),
					e.Message).
					Suggest("%s", e.Action)
			}
		}
		return done, nil
	}}
}

// IDsOf returns the ids of messages.
func IDsOf(rows []*team.Row) []string {
	ids := make([]string, len(rows))
	for i, r := range rows {
		ids[i] = r.ID
	}
	return ids
}

// namesOf joins the names of agents, as many as are read at a glance.
func namesOf(agents []*parley.AgentStatus) string {
	const most = 6
	var names []string
	for i, a := range agents {
		if i == most {
			names = append(names, fmt.Sprintf("%d more", len(agents)-most))
			break
		}
		names = append(names, a.Name)
	}
	return strings.Join(names, ", ")
}

// SelectAgent selects the agent under the marker, or no longer.
func (a *Actions) SelectAgent() bool {
	agent := a.Room.About().Agent
	if agent == nil {
		a.Room.Lacks(WhichAgent)
		return false
	}

	a.Room.Picked.Toggle(agent.ID)
	if a.Room.Picked.Count() == 0 {
		a.Room.Tell("Nothing is selected.")
		return true
	}
	a.Room.Tell(fmt.Sprintf("%s: %s. %s writes to them, %s restarts, %s stops, %s pauses, %s releases; %s clears.",
		kit.Plural(a.Room.Picked.Count(), "agent"), namesOf(a.Room.Picked.In(&a.Room.Team)),
		a.Room.Key("b"), a.Room.Key("R"), a.Room.Key("S"), a.Room.Key("p"), a.Room.Key("l"), a.Room.Key("esc")))

	return true
}

// Unselect clears the selection, and reports whether there was one.
func (a *Actions) Unselect() bool {
	if a.Room.Picked.Count() == 0 {
		return false
	}
	a.Room.Picked.Clear()
	a.Room.Tell("Nothing is selected.")
	return true
}
