package needs

import (
	"context"
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/tui/kit"
	"parley/tui/room"
)

// bringBack restarts all agents that have lost their terminals.
func (n *Screen) bringBack() tea.Cmd {
	return n.Run(room.Action{Do: func(ctx context.Context, s parley.Service) (string, error) {
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
			back = append(back, kit.SafeLine(a.Name))
		}

		return "Brought back: " + strings.Join(back, ", ") + ".", failed
	}})
}

// startAfresh restarts an agent with a new conversation. It asks first: the next restart does not come
// back to the old one.
func (n *Screen) startAfresh() tea.Cmd {
	agent := n.About().Agent
	if agent == nil {
		n.Lacks(room.WhichAgent)
		return nil
	}

	r := parley.RestartAgentRequest{Agent: agent.ID, Fresh: true}
	question := fmt.Sprintf("Start %s with a new conversation? parley forgets its old one.", agent.Name)

	return n.AskTo(question, room.ActSaying(agent.Name+" started afresh.", parley.Service.RestartAgent, r))
}
