package courier

import (
	"context"

	"parley/orchestrator/sight"
	"parley/orchestrator/team"
	"parley/program/door"
	"parley/program/profile"
	"parley/store"
	"parley/tmux"
)

// Everything that a courier knows of the world and does to it goes through these
// interfaces, so that it runs in a simulated world as it does in the real one.

// Deliveries is what couriers need of the database.
type Deliveries interface {
	waiting
	ladder
}

// waiting is the database as the queue.
type waiting interface {
	Pending(ctx context.Context, recipientID string, limit int) ([]store.Job, error)
	PendingAmong(ctx context.Context, recipientID string, messageIDs []string) ([]store.Job, error)
	Typing(ctx context.Context, recipientID string) ([]store.Job, error)
	Silent(ctx context.Context, recipientID string) ([]store.Job, error)
	TypedAs(ctx context.Context, recipientID string, paneSeq uint64) (*store.TypedJob, error)
}

// ladder is the database as the record of what became of a delivery.
type ladder interface {
	Claim(ctx context.Context, k store.Key, paneSeq uint64, announced bool) error
	ClaimDoor(ctx context.Context, k store.Key) error
	Advance(ctx context.Context, k store.Key, changes ...store.Change) error
}

// pane is the pane of one terminal.
type pane interface {
	Info(ctx context.Context) (tmux.PaneInfo, error)
	Screen(ctx context.Context, opts tmux.ScreenOptions) (tmux.Screen, error)
	Submit(ctx context.Context, s tmux.Submission) (tmux.Outcome, error)
	ReleaseKeys(ctx context.Context) (waited bool, err error)
}

// host is the machine, and the tmux servers, that terminals are on.
type host interface {
	Pane(t *team.Terminal) pane
	Instance(t *team.Terminal) string                  // of the server that answers for the terminal now
	Program(t *team.Terminal) (*profile.Profile, bool) // that is recognised in it
	Alive(t *team.Terminal) bool
	Door(ctx context.Context, m *team.Member, t *team.Terminal, any bool) (openDoor, error)
	// Beckon has the program's hooks in the turn ask for a message, or no longer.
	Beckon(m *team.Member, up bool)
	sight.Host
}

// machine is the real host.
type machine struct {
	sight.Machine
	doors  Doors
	beckon func(agentID string, up bool) // nil: no hook asks
}

// Beckon puts up the flag of an agent, or takes it down.
func (m machine) Beckon(to *team.Member, up bool) {
	if m.beckon != nil {
		m.beckon(to.ID, up)
	}
}

// Doors opens the own door of the program in a member's terminal, nil where it has none. With any, a version of the
// program counts with which the door was not tried. The error is door.ErrClosed if it is not there now.
type Doors func(ctx context.Context, m *team.Member, t *team.Terminal, any bool) (door.Door, error)

// DoorNever and doorAlways are settings of an agent. Otherwise a message goes where its terminal holds it back; with
// "", only to a version of the program with which the door was tried.
const (
	DoorNever  = "never"
	doorAlways = "always"
)

// Door returns the own door of the program in a terminal, nil if it has none.
func (m machine) Door(ctx context.Context, to *team.Member, t *team.Terminal, any bool) (openDoor, error) {
	if m.doors == nil {
		return nil, nil
	}
	d, err := m.doors(ctx, to, t, any)
	if d == nil || err != nil {
		return nil, err
	}
	return d, nil
}

func (machine) Pane(t *team.Terminal) pane       { return t.Pane }
func (machine) Instance(t *team.Terminal) string { return t.Server.Instance() }

// Program returns the profile of the program that is recognised in a terminal.
func (machine) Program(t *team.Terminal) (*profile.Profile, bool) { return t.Program() }

// openDoor is the own door of a program.
type openDoor interface {
	Give(ctx context.Context, l door.Letter) error
	Ask(ctx context.Context, l door.Letter) (door.Answer, error)
	Withdraw(ctx context.Context, l door.Letter) (back bool, err error)
}
