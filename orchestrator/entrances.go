package orchestrator

import (
	"context"
	"errors"
	"sync"
	"time"

	"parley/orchestrator/door"
	"parley/orchestrator/team"
	"parley/orchestrator/terminal"
)

// entrances keeps the own entrances of programs open, one for each agent. Safe for concurrent use.
type entrances struct {
	dir string // of private files

	mu   sync.Mutex
	open map[string]*keptDoor // by the agent's id
}

// keptDoor is an entrance that was found open.
type keptDoor struct {
	door.Door
	all     *entrances
	agentID string

	on      *team.Terminal
	session string
	any     bool // its version was not asked

	asking sync.Mutex
	asked  time.Time // what it does
	does   door.Doing
}

// at returns the entrance of the program in a terminal, nil if its profile knows none. See courier.Doors.
func (e *entrances) at(ctx context.Context, m *team.Member, t *team.Terminal, any bool) (door.Door, error) {
	p := t.Profile.Door
	if p.Kind == "" {
		return nil, nil
	}
	session := m.Agent().Session.ID

	e.mu.Lock()
	last := e.open[m.ID]
	e.mu.Unlock()
	if last != nil {
		if last.on == t && last.session == session && (any || !last.any) {
			return last, nil
		}
		last.drop()
	}

	program := door.Program{Kind: p.Kind, PID: t.PID, Session: session, Versions: p.Versions}
	if !t.Adopted() {
		program.Dir = terminal.PrivateDir(e.dir, m.ID)
	}
	if any {
		program.Versions = nil
	}
	d, err := door.Open(ctx, program)
	if err != nil {
		return nil, err
	}
	now := &keptDoor{Door: d, all: e, agentID: m.ID, on: t, session: session, any: any}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.open[m.ID] = now
	return now, nil
}

// Give hands a letter over. An entrance that turns out to be closed is looked for anew the next time, unless it only
// does not take this letter now.
func (o *keptDoor) Give(ctx context.Context, l door.Letter) error {
	err := o.Door.Give(ctx, l)
	if errors.Is(err, door.ErrClosed) && !errors.Is(err, door.ErrNotNow) {
		o.drop()
	}
	return err
}

// doingAgain is how often a program is asked what it does.
const doingAgain = time.Second

// Doing asks what the program does now, or did within the last second.
func (o *keptDoor) Doing(ctx context.Context) (door.Doing, error) {
	o.asking.Lock()
	defer o.asking.Unlock()
	if time.Since(o.asked) < doingAgain {
		return o.does, nil
	}
	does, err := o.Door.Doing(ctx)
	if err == nil {
		o.asked, o.does = time.Now(), does
	}
	return does, err
}

// drop forgets the entrance.
func (o *keptDoor) drop() {
	o.all.mu.Lock()
	if o.all.open[o.agentID] == o {
		delete(o.all.open, o.agentID)
	}
	o.all.mu.Unlock()
	_ = o.Door.Close()
}

// Close closes all of them.
func (e *entrances) Close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, o := range e.open {
		_ = o.Door.Close()
	}
	clear(e.open)
}
