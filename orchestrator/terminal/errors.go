package terminal

import (
	"context"
	"errors"
	"fmt"

	"parley"
	"parley/orchestrator/team"
	"parley/tmux"
)

// SocketAdvice says what to do when a tmux server does not make its socket again.
const SocketAdvice = "See whether something else is at that path, and whether its directory is yours to write."

// tmuxError wraps err as TMUX_UNAVAILABLE and suggests what to do.
func tmuxError(err error) error {
	if e := parley.Exhausted(parley.TmuxUnavailable, err); e != nil {
		return e
	}

	e := parley.Errorf(parley.TmuxUnavailable, "%w", err)
	switch {
	case errors.Is(err, tmux.ErrNotInstalled):
		return e.Suggest("Install tmux 3.3 or later with your package manager " +
			"(apt-get, dnf, pacman or brew install tmux).")
	case errors.Is(err, tmux.ErrTooOld):
		return e.Suggest("Install tmux 3.3 or later.")
	case errors.Is(err, tmux.ErrNoSocket):
		return e.Suggest("The agents live. " + SocketAdvice)
	}
	return e.Suggest("See whether tmux runs (tmux -V); parley status names the server's socket.")
}

// terminalError wraps an error of tmux about an agent's pane: as AGENT_UNAVAILABLE when the pane is
// gone, else as TMUX_UNAVAILABLE, unless ctx ended.
func terminalError(m *team.Member, err error) error {
	switch {
	case errors.Is(err, tmux.ErrNoPane), errors.Is(err, tmux.ErrNoSession):
		return parley.Errorf(parley.AgentUnavailable, "agent %s has no terminal", m.Name).
			Suggest("Start it again: parley restart %s", m.Name)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("terminal of %s: %w", m.Name, err)
	}
	return tmuxError(err)
}

// ignoreError returns err, or nil if it is harmless.
func ignoreError(err, harmless error) error {
	if errors.Is(err, harmless) {
		return nil
	}
	return err
}
