package tui

import (
	"context"
	"errors"
	"reflect"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
)

const (
	heartbeat = 3 * time.Second       // a stream that reconnects by itself does not report a loss: look
	fullBeat  = 5                     // every so many of them, all agents are looked at
	atOnce    = 50 * time.Millisecond // after a change of an agent: gathers a burst of changes
	atLeisure = 2 * time.Second       // after a change of a delivery: counts may lag this much
)

// tickMsg tells the time, and that all agents are to be looked at.
type tickMsg time.Time

// beatMsg tells the time between two ticks.
type beatMsg time.Time

// pulseMsg is a look at the workspace alone.
type pulseMsg struct {
	workspace *parley.WorkspaceStatusResult
	err       error
}

// agentsMsg is a look at the agents and the workspace.
type agentsMsg struct {
	soon      bool // asked for at once, not at leisure
	asked     time.Time
	agents    []parley.AgentStatus
	workspace *parley.WorkspaceStatusResult
	err       error
}

// lane is one kind of request: one at a time, and once more afterwards if
// something asked for it meanwhile.
type lane struct{ busy, again bool }

// connection is what the screen knows of the daemon.
type connection struct {
	do     commands
	lost   error // why the daemon is away; nil while it is there
	events bool  // the past was read
	team   bool  // the agents were read
	status *parley.WorkspaceStatusResult
	asked  time.Time // when the newest answer about agents was asked for
	soon   lane
	later  lane
	pulse  bool // one is being read
}

// gone reports whether err means that the daemon is away, and remembers it.
func (c *connection) gone(err error) bool {
	if parley.ErrorCode(err) != parley.DaemonUnavailable && !errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	c.lost = err
	return true
}

// lookFirst looks without a wait: nothing is shown yet.
func (c *connection) lookFirst() tea.Cmd {
	c.soon.busy = true
	return c.do.call(lookAtAgents(c.do.now, true))
}

func (c *connection) lookSoon() tea.Cmd  { return c.look(&c.soon, atOnce) }
func (c *connection) lookLater() tea.Cmd { return c.look(&c.later, atLeisure) }

func (c *connection) look(l *lane, wait time.Duration) tea.Cmd {
	if l.busy {
		l.again = true
		return nil
	}
	l.busy = true
	return c.do.later(wait, lookAtAgents(c.do.now, wait == atOnce))
}

// feelPulse looks at the workspace alone.
func (c *connection) feelPulse() tea.Cmd {
	if c.pulse {
		return nil
	}
	c.pulse = true
	return c.do.call(func(ctx context.Context, s parley.Service) tea.Msg {
		workspace, err := s.GetWorkspaceStatus(ctx, parley.WorkspaceStatusRequest{})
		return pulseMsg{workspace, err}
	})
}

// felt looks at all agents when anything has happened since they were looked at.
func (c *connection) felt(msg pulseMsg) tea.Cmd {
	c.pulse = false
	switch {
	case msg.err != nil:
		c.gone(msg.err)
		return c.lookLater()
	case !reflect.DeepEqual(msg.workspace, c.status):
		return c.lookSoon()
	}
	return nil
}

// looked frees the lane of an answer, or asks again.
func (c *connection) looked(soon bool) tea.Cmd {
	l, wait := &c.later, atLeisure
	if soon {
		l, wait = &c.soon, atOnce
	}

	again := l.again
	*l = lane{}
	if again {
		return c.look(l, wait)
	}

	return nil
}

func lookAtAgents(now func() time.Time, soon bool) request {
	return func(ctx context.Context, s parley.Service) tea.Msg {
		msg := agentsMsg{soon: soon, asked: now()}
		agents, err := s.GetAgentStatus(ctx, parley.AgentStatusRequest{})
		if err != nil {
			msg.err = err
			return msg
		}

		msg.agents = agents.Agents
		msg.workspace, msg.err = s.GetWorkspaceStatus(ctx, parley.WorkspaceStatusRequest{})

		return msg
	}
}
