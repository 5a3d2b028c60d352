package agents

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"parley/orchestrator/courier"
	"parley/orchestrator/team"
	"parley/orchestrator/terminal"
	"parley/orchestrator/trial"
	"parley/program/door"
	"parley/program/profile"
)

// Doors keeps the own doors of programs open, one for each agent. Safe for concurrent use.
type Doors struct {
	Dir    string // of private files
	Checks string // what is kept of the programs that were checked

	mu    sync.Mutex
	Open  map[string]*KeptDoor // by the agent's id
	Asked map[string]Asked     // what programs do, by the agent's id
	hooks map[string]*door.Hooks
}

// KeptDoor is a door that was found open.
type KeptDoor struct {
	door.Door
	all     *Doors
	agentID string

	on      *team.Terminal
	session string
	any     bool // its version was not asked
}

// At returns the door of the program in a terminal, nil if its profile knows none. See courier.Doors.
func (e *Doors) At(ctx context.Context, m *team.Member, t *team.Terminal, any bool) (door.Door, error) {
	own, err := e.own(ctx, m, t, any)
	h := &t.Profile.Door.Hooks
	if !any || h.Tool.Event == "" && h.End.Event == "" {
		return own, err
	}
	return &beside{
		Door: own, closed: err, hooks: e.hooksOf(m, t.Profile), private: terminal.PrivateDir(e.Dir, m.ID),
	}, nil
}

// beside is a door whose letters some hook may have taken instead. Give goes to hooks as they call.
type beside struct {
	door.Door
	closed error // why it is nil, if the program has one
	hooks  *door.Hooks

	private string // the agent's private directory
}

// Give implements door.Door.
func (b *beside) Give(ctx context.Context, l door.Letter) error {
	if b.Door == nil {
		return cmp.Or(b.closed, door.ErrClosed)
	}
	return b.Door.Give(ctx, l)
}

// Ask implements door.Door.
func (b *beside) Ask(ctx context.Context, l door.Letter) (door.Answer, error) {
	answer, ours, err := b.hooks.Ask(l)
	switch {
	case ours || err != nil:
		return answer, err
	case b.Door != nil:
		return b.Door.Ask(ctx, l)
	case b.closed != nil:
		return answer, b.closed
	case door.WasGiven(b.private, l):
		return door.Answer{Fate: door.Unknown, Evidence: "it went in through a door that is not used any more"}, nil
	}
	return door.Answer{Fate: door.Absent, Evidence: "no hook of its program took it"}, nil
}

// Withdraw implements door.Door.
func (b *beside) Withdraw(ctx context.Context, l door.Letter) (back bool, err error) {
	if b.Door == nil {
		return false, b.closed
	}
	return b.Door.Withdraw(ctx, l)
}

// hooksOf returns what is known of the letters that hooks of an agent's program took.
func (e *Doors) hooksOf(m *team.Member, p *profile.Profile) *door.Hooks {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.hooks == nil {
		e.hooks = map[string]*door.Hooks{}
	}
	of := m.ID + " " + p.Name
	h := e.hooks[of]
	if h == nil {
		h = &door.Hooks{Dir: terminal.HookDir(e.Dir, m.ID), Holds: map[string]func([]byte) bool{}}
		for _, hook := range p.Door.Hooks.All() {
			if !hook.IsReported() {
				h.Holds[hook.Kind()] = hook.Read.Match
			}
		}
		e.hooks[of] = h
	}
	return h
}

func (e *Doors) own(ctx context.Context, m *team.Member, t *team.Terminal, any bool) (door.Door, error) {
	program := e.program(m, t)
	if program.Kind == "" {
		return nil, nil
	}

	e.mu.Lock()
	last := e.Open[m.ID]
	e.mu.Unlock()
	if last != nil {
		if last.on == t && last.session == program.Session && (any || !last.any) {
			return last, nil
		}
		last.drop()
	}

	if !any {
		program.Versions = e.versions(t.Profile)
	}
	d, err := door.Open(ctx, program)
	if err != nil {
		return nil, err
	}
	now := &KeptDoor{Door: d, all: e, agentID: m.ID, on: t, session: program.Session, any: any}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.Open[m.ID] = now
	return now, nil
}

// program returns what a door must know of the program in a terminal.
func (e *Doors) program(m *team.Member, t *team.Terminal) door.Program {
	p := t.Profile.Door
	if m.Agent().Sandboxed() { // parley would run or read for it what it cannot reach
		p = profile.Door{}
	}
	program := door.Program{Kind: p.Kind, PID: t.PID}
	if door.OfSession(p.Kind) {
		program.Session = m.Agent().Session.ID
	}
	if !t.Adopted() {
		program.Dir = terminal.PrivateDir(e.Dir, m.ID)
	}
	return program
}

// versions lists those of a program to which its door is open, also by a check: empty for any.
func (e *Doors) versions(p *profile.Profile) []string {
	if len(p.Door.Versions) == 0 {
		return nil
	}
	return slices.Concat(p.Door.Versions, trial.Entered(e.Checks, p.Name))
}

// Asked is what a program has said that it does.
type Asked struct {
	on    *team.Terminal
	does  door.Doing // nothing if it did not answer
	again time.Time  // when it is asked again
}

const (
	// doesWithin bounds one question what a program does: the look at its terminal, and at others, waits for that.
	doesWithin = time.Second
	// doesAgain is how often a program is asked, and doesNot that is if it does not answer.
	doesAgain, doesNot = time.Second, 10 * time.Second
)

// Does returns what the program in a terminal says by its own door that it does, unless the agent's door is
// never to be used. It is for screens that tell nothing, and answers nothing.
func (e *Doors) Does(ctx context.Context, m *team.Member, t *team.Terminal) door.Doing {
	if t.Profile.Door.Kind == "" || m.Agent().Door == courier.DoorNever || m.Agent().Sandboxed() {
		return door.Doing{}
	}
	e.mu.Lock()
	last := e.Asked[m.ID]
	e.mu.Unlock()
	if last.on == t && time.Now().Before(last.again) {
		return last.does
	}

	ctx, cancel := context.WithTimeout(ctx, doesWithin)
	defer cancel()
	now, pause := Asked{on: t}, doesAgain
	var err error
	if now.does, err = door.Does(ctx, e.program(m, t)); err != nil {
		now.does, pause = door.Doing{}, doesNot
	}
	now.again = time.Now().Add(pause)

	e.mu.Lock()
	defer e.mu.Unlock()
	e.Asked[m.ID] = now
	return now.does
}

// Give hands a letter over. A door that turns out to be closed is looked for anew the next time, unless it only
// does not take this letter now.
func (o *KeptDoor) Give(ctx context.Context, l door.Letter) error {
	err := o.Door.Give(ctx, l)
	if errors.Is(err, door.ErrClosed) && !errors.Is(err, door.ErrNotNow) {
		o.drop()
	}
	return err
}

func (o *KeptDoor) drop() {
	o.all.mu.Lock()
	if o.all.Open[o.agentID] == o {
		delete(o.all.Open, o.agentID)
	}
	o.all.mu.Unlock()
	_ = o.Door.Close()
}

// Close closes all of them.
func (e *Doors) Close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, o := range e.Open {
		_ = o.Door.Close()
	}
	clear(e.Open)
}
