package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// bringBack restarts all agents that have lost their terminals.
func (n *needs) bringBack() tea.Cmd {
	return n.run(action{do: func(ctx context.Context, s parley.Service) (string, error) {
		status, err := s.GetAgentStatus(ctx, parley.AgentStatusRequest{})
		if err != nil {
			return "", err
		}

		var back []string
		var failed error
		for _, a := range status.Agents {
			if !a.Lost() {
				continue
			}
			if _, err := s.RestartAgent(ctx, parley.RestartAgentRequest{Agent: a.ID}); err != nil {
				failed = errors.Join(failed, fmt.Errorf("restart %s: %w", a.Name, err))
				continue
			}
			back = append(back, safeLine(a.Name))
		}

		return "Brought back: " + strings.Join(back, ", ") + ".", failed
	}})
}

// startAfresh restarts an agent with a new conversation. It asks first: the next restart does not come
// back to the old one.
func (n *needs) startAfresh() tea.Cmd {
	agent := n.about().agent
	if agent == nil {
		n.tell(whichAgent)
		return nil
	}

	r := parley.RestartAgentRequest{Agent: agent.ID, Fresh: true}
	question := fmt.Sprintf("Start %s with a new conversation? parley forgets its old one.", agent.Name)

	return n.askTo(question, actSaying(agent.Name+" started afresh.", parley.Service.RestartAgent, r))
}
