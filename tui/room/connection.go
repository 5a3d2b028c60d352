package room

import (
	"context"
	"errors"
	"reflect"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/op"
)

const (
	Heartbeat = 3 * time.Second       // a stream that reconnects by itself does not report a loss: look
	FullBeat  = 5                     // every so many of them, all agents are looked at
	atOnce    = 50 * time.Millisecond // after a change of an agent: gathers a burst of changes
	atLeisure = 2 * time.Second       // after a change of a delivery: counts may lag this much
)

// TickMsg tells the time, and that all agents are to be looked at.
type TickMsg time.Time

// BeatMsg tells the time between two ticks.
type BeatMsg time.Time

// PulseMsg is a look at the workspace alone.
type PulseMsg struct {
	Workspace *parley.WorkspaceStatusResult
	Err       error
}

// AgentsMsg is a look at the agents and the workspace.
type AgentsMsg struct {
	soon      bool // asked for at once, not at leisure
	asked     time.Time
	agents    []parley.AgentStatus
	workspace *parley.WorkspaceStatusResult
	Err       error
}

// lane is one kind of request: one at a time, and once more afterwards if
// something asked for it meanwhile.
type lane struct{ busy, again bool }

// connection is what the screen knows of the daemon.
type connection struct {
	do     Commands
	Lost   error // why the daemon is away; nil while it is there
	Events bool  // the past was read
	Team   bool  // the agents were read
	Status *parley.WorkspaceStatusResult
	asked  time.Time // when the newest answer about agents was asked for
	soon   lane
	later  lane
	pulse  bool // one is being read
}

// Gone reports whether err means that the daemon is away, and remembers it.
func (c *connection) Gone(err error) bool {
	if parley.ErrorCode(err) != parley.DaemonUnavailable && !errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	c.Lost = err
	return true
}

// LookFirst looks without a wait: nothing is shown yet.
func (c *connection) LookFirst() tea.Cmd {
	c.soon.busy = true
	return c.do.Call(lookAtAgents(c.do.Now, true))
}

// LookSoon looks at all agents, after what else has just changed.
func (c *connection) LookSoon() tea.Cmd { return c.look(&c.soon, atOnce) }

// LookLater looks at all agents when there is time.
func (c *connection) LookLater() tea.Cmd { return c.look(&c.later, atLeisure) }

func (c *connection) look(l *lane, wait time.Duration) tea.Cmd {
	if l.busy {
		l.again = true
		return nil
	}
	l.busy = true
	return c.do.Later(wait, lookAtAgents(c.do.Now, wait == atOnce))
}

// FeelPulse looks at the workspace alone.
func (c *connection) FeelPulse() tea.Cmd {
	if c.pulse {
		return nil
	}
	c.pulse = true
	return c.do.Call(func(ctx context.Context, s parley.Service) tea.Msg {
		workspace, err := op.GetWorkspaceStatus.Call(ctx, s, parley.WorkspaceStatusRequest{})
		return PulseMsg{workspace, err}
	})
}

// Felt looks at all agents when anything has happened since they were looked at.
func (c *connection) Felt(msg PulseMsg) tea.Cmd {
	c.pulse = false
	switch {
	case msg.Err != nil:
		c.Gone(msg.Err)
		return c.LookLater()
	case !reflect.DeepEqual(msg.Workspace, c.Status):
		return c.LookSoon()
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

func lookAtAgents(now func() time.Time, soon bool) Request {
	return func(ctx context.Context, s parley.Service) tea.Msg {
		msg := AgentsMsg{soon: soon, asked: now()}
		agents, err := op.GetAgentStatus.Call(ctx, s, parley.AgentStatusRequest{})
		if err != nil {
			msg.Err = err
			return msg
		}

		msg.agents = agents.Agents
		msg.workspace, msg.Err = op.GetWorkspaceStatus.Call(ctx, s, parley.WorkspaceStatusRequest{})

		return msg
	}
}
