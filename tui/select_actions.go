package tui

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// each is a call for each of several agents or messages.
type each[T any] struct {
	of   []T
	name func(T) string
	did  string // "restarted": what was done to those that it worked for
	call func(context.Context, parley.Service, T) error
}

// eachAgent is a call for each of several agents, as they are now: the list changes while the calls are made.
func eachAgent(
	agents []*parley.AgentStatus, did string, call func(context.Context, parley.Service, parley.AgentStatus) error,
) each[parley.AgentStatus] {
	e := each[parley.AgentStatus]{did: did, call: call, name: func(a parley.AgentStatus) string { return a.Name }}
	for _, a := range agents {
		e.of = append(e.of, *a)
	}
	return e
}

// action makes the calls one after the other. One that fails does not keep the
// others from being made; the error names it.
func (e each[T]) action() action {
	return action{do: func(ctx context.Context, s parley.Service) (string, error) {
		var names, faults []string
		var first *parley.Error
		for _, x := range e.of {
			err := e.call(ctx, s, x)
			if err == nil {
				names = append(names, e.name(x))
				continue
			}
			problem := parley.AsError(err)
			faults = append(faults, e.name(x)+": "+problem.Message)
			if first == nil {
				first = problem
			}
		}

		if first == nil {
			return fmt.Sprintf("%d %s: %s.", len(names), e.did, strings.Join(names, ", ")), nil
		}
		return "", parley.Errorf(first.Code, "%d of %d %s; %s", len(names), len(e.of), e.did,
			strings.Join(faults, "; ")).Suggest("%s", first.Action)
	}}
}

// picks reports whether keys act on the selected agents: there are some, and the screen shows
// them. Elsewhere a forgotten selection changes nothing.
func (a actions) picks() bool { return a.picked.count() > 0 && (a.at == atAgents || a.over != nil) }

// restartChosen restarts the selected agents, else the one under the marker.
func (a actions) restartChosen() tea.Cmd {
	if a.picks() {
		return a.restartSelected()
	}
	return a.restart()
}

// stopChosen stops the selected agents, else the one under the marker.
func (a actions) stopChosen() tea.Cmd {
	if a.picks() {
		return a.stopSelected()
	}
	return a.stop()
}

// restartSelected asks once for all of them.
func (a actions) restartSelected() tea.Cmd {
	agents := a.picked.in(&a.team)
	x := eachAgent(agents, "restarted", func(ctx context.Context, s parley.Service, agent parley.AgentStatus) error {
		_, err := s.RestartAgent(ctx, parley.RestartAgentRequest{Agent: agent.ID})
		return err
	})
	return a.askTo(fmt.Sprintf("Restart %s: %s? What they are doing is interrupted; messages are kept.",
		plural(len(agents), "agent"), namesOf(agents)), x.action())
}

// stopSelected asks once for all of them.
func (a actions) stopSelected() tea.Cmd {
	agents := a.picked.in(&a.team)
	x := eachAgent(agents, "stopped", func(ctx context.Context, s parley.Service, agent parley.AgentStatus) error {
		_, err := s.StopAgent(ctx, parley.StopAgentRequest{Agent: agent.ID})
		return err
	})
	return a.askTo(fmt.Sprintf("Stop %s: %s? Their processes and context are lost; messages are kept.",
		plural(len(agents), "agent"), namesOf(agents)), x.action())
}

// release lets the message go that the conversation protocol holds for each agent
// that is chosen, the first of each.
func (a actions) release() tea.Cmd {
	agents := a.chosen()
	if len(agents) == 0 {
		a.tell(whichAgent)
		return nil
	}

	var held []*parley.AgentStatus
	for _, agent := range agents {
		if agent.HeldCode == parley.HoldConversation && agent.HeldMessage != "" {
			held = append(held, agent)
		}
	}
	if len(held) == 0 {
		a.tell("Nothing to release: no budget of a conversation holds a message for " + namesOf(agents) + ".")
		return nil
	}

	x := eachAgent(held, "released", func(ctx context.Context, s parley.Service, agent parley.AgentStatus) error {
		r := parley.ControlConversationRequest{Action: parley.ActionRelease, MessageID: agent.HeldMessage}
		_, err := s.ControlConversation(ctx, r)
		return err
	})

	return a.run(x.action())
}

// pauseSelected mutes what the selected agents say to each other.
func (a actions) pauseSelected() tea.Cmd {
	agents := a.picked.in(&a.team)
	if len(agents) < 2 {
		a.tell("Select two or more: a pause is between agents. Without a selection, p pauses everything.")
		return nil
	}

	var pairs []string
	for i, one := range agents {
		for _, other := range agents[:i] {
			pairs = append(pairs, one.ID+","+other.ID)
		}
	}

	names := namesOf(agents)
	x := controlPairs(parley.ActionMute, pairs, "Paused what they say to each other: "+names+".")
	back := controlPairs(parley.ActionUnmute, pairs, "They may go on: "+names+".")

	return a.run(x.undoneBy("lets them go on", back))
}

// controlPairs does the same to the conversations of several pairs of agents.
func controlPairs(what parley.ConversationAction, pairs []string, done string) action {
	return action{do: func(ctx context.Context, s parley.Service) (string, error) {
		for i, pair := range pairs {
			_, err := s.ControlConversation(ctx, parley.ControlConversationRequest{Action: what, With: pair})
			if err != nil {
				e := parley.AsError(err)
				return "", parley.Errorf(e.Code, "%s: done for %d of %s; %s", what, i, plural(len(pairs), "pair"),
					e.Message).
					Suggest("%s", e.Action)
			}
		}
		return done, nil
	}}
}
