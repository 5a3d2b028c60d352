package orchestrator

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"parley"
	"parley/conversation"
	"parley/profile"
	"parley/store"
	"parley/tmux"
)

// member is one agent as the running daemon knows it.
type member struct {
	id, name string           // never change
	kind     parley.AgentKind // a responder's is mailbox here, as it may become one and be one no more
	wake     chan struct{}    // tells the courier that there may be something to do

	changing sync.Mutex // held by launch, stop and restart, one at a time
	typing   sync.Mutex // held by the courier while it has a message in hand
	reports  reports    // what it has said of itself
	page     page       // what a responder's model wrote
	asking   int        // calls to that model; under changing
	quota    quota      // what it may still send

	mu       sync.Mutex
	agent    parley.Agent
	seen     time.Time          // last call with its key, not yet in the database
	launch   *launch            // how it was launched, while this daemon remembers
	terminal *terminal          // nil when it has none
	arrived  chan struct{}      // closed when a message comes for it
	fresh    []store.Job        // for its terminal, stored since the courier last took them
	insist   map[string]bool    // messages that the operator wants typed although the agent is blocked
	turn     *conversation.Link // of what it works on; nil: not known to this daemon
	left     left               // what keeps its messages waiting
}

// terminal is where an agent runs now.
type terminal struct {
	server   *tmux.Server
	pane     *tmux.Pane
	profile  *profile.Profile
	pid      int
	born     string // when the process was, "" if it is dead: the pid may be given again
	tty      string
	instance string      // of the tmux server
	started  time.Time   // when it was launched; zero if by a daemon before this one
	ended    atomic.Bool // it is being stopped: nothing may be typed any more
	sight    sight
	output   atomic.Int64 // when the watcher last saw output, in nanoseconds since 1970

	runs func(argv []string) bool // tells the program of an adopted agent; nil for one that was launched, whose pane runs nothing else

	// The watcher's own.
	info    tmux.PaneInfo // as last seen
	read    time.Time     // the output that was last looked at
	still   stillness
	loud    time.Time // since when the output has not paused
	drafted time.Time // since when something stands in its composer
	dead    time.Time // when its program was first seen to have ended

	keepsSize bool // it could not be given the size of its launch back
}

func (o *Orchestrator) newTerminal(p *profile.Profile, info tmux.PaneInfo) *terminal {
	t := &terminal{
		server:   o.tmux,
		pane:     o.tmux.Pane(info.ID),
		profile:  p,
		pid:      info.PID,
		tty:      info.TTY,
		instance: o.tmux.Instance(),
	}

	t.saw(info)
	if !info.Dead {
		t.born = birth(info.PID)
	}

	return t
}

// saw notes what the watcher saw of the pane.
func (t *terminal) saw(info tmux.PaneInfo) {
	t.info = info
	t.output.Store(info.Activity.UnixNano())
}

func newMember(a parley.Agent) *member {
	kind := a.Kind
	if kind == parley.KindResponder {
		kind = parley.KindMailbox
	}
	return &member{id: a.ID, name: a.Name, kind: kind, agent: a,
		wake: make(chan struct{}, 1), arrived: make(chan struct{})}
}

// snapshot returns the agent as it is now.
func (m *member) snapshot() parley.Agent {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.agent
}

// place returns the member's terminal, nil if it has none.
func (m *member) place() *terminal {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.terminal
}

// nudge wakes the courier; it never blocks.
func (m *member) nudge() {
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// announce wakes whoever waits for a message of this member's.
func (m *member) announce() {
	m.mu.Lock()
	defer m.mu.Unlock()
	close(m.arrived)
	m.arrived = make(chan struct{})
}

// hand gives the courier a message that was just stored, so that it need not be
// read again. The database stays the queue: what is lost here is found there.
func (m *member) hand(job store.Job) {
	m.mu.Lock()
	m.fresh = append(m.fresh, job)
	m.mu.Unlock()
	m.nudge()
}

// takeFresh returns what was handed over, urgent first, then in the order of
// acceptance.
func (m *member) takeFresh() []store.Job {
	m.mu.Lock()
	defer m.mu.Unlock()

	jobs := m.fresh
	m.fresh = nil
	slices.SortFunc(jobs, func(a, b store.Job) int {
		switch {
		case urgent(a) && !urgent(b):
			return -1
		case urgent(b) && !urgent(a):
			return 1
		}

		return cmp.Compare(a.Key.MessageSeq, b.Key.MessageSeq)
	})

	return jobs
}

// insists reports whether the operator wants a message typed although the agent is
// blocked.
func (m *member) insists(messageID string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.insist[messageID]
}

// insisted are the ids of all such messages.
func (m *member) insisted() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Sorted(maps.Keys(m.insist))
}

// insistNoMore ends that: a wish counts once.
func (m *member) insistNoMore(messageID string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.insist, messageID)
}

// insistOn asks for a message to be typed although the agent is blocked.
func (m *member) insistOn(messageID string) {
	m.mu.Lock()
	if m.insist == nil {
		m.insist = map[string]bool{}
	}
	m.insist[messageID] = true
	m.mu.Unlock()
	m.nudge()
}

// pressed reports whether an urgent message was handed over and not yet taken.
func (m *member) pressed() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.ContainsFunc(m.fresh, urgent)
}

func urgent(j store.Job) bool { return j.Message.Priority == parley.PriorityUrgent }

// next returns a channel that is closed when the next message comes.
func (m *member) next() <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.arrived
}

// roster is everyone, by id and by name. Members are added, never removed.
type roster struct {
	mu     sync.RWMutex
	byID   map[string]*member
	byName map[string]*member // lower case
	keys   keyring

	founding sync.Mutex // held while parley's own member is made
}

func loadRoster(ctx context.Context, s *store.Store) (*roster, error) {
	agents, err := s.Agents(ctx)
	if err != nil {
		return nil, err
	}

	r := &roster{byID: map[string]*member{}, byName: map[string]*member{}}
	for _, a := range agents {
		r.add(newMember(a))
	}

	keys, err := s.Keys(ctx)
	for i := range keys {
		r.keys.add(r.byID[keys[i].AgentID], &keys[i])
	}

	return r, err
}

func (r *roster) add(m *member) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.byID[m.id] = m
	r.byName[strings.ToLower(m.name)] = m
}

func (r *roster) id(id string) *member {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.byID[id]
}

func (r *roster) named(name string) *member {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.byName[strings.ToLower(name)]
}

// all returns everyone by name, but not parley itself, which is nobody's address.
func (r *roster) all() []*member {
	r.mu.RLock()
	defer r.mu.RUnlock()
	members := make([]*member, 0, len(r.byID))
	for _, m := range r.byID {
		if m.kind != parley.KindSystem {
			members = append(members, m)
		}
	}
	slices.SortFunc(members, func(a, b *member) int { return cmp.Compare(a.name, b.name) })
	return members
}

// find resolves a name, an id, or the unambiguous beginning of an id.
func (r *roster) find(ref string) (*member, error) {
	ref = strings.TrimSpace(ref)
	for _, m := range []*member{r.named(ref), r.id(strings.ToLower(ref))} {
		if m != nil && m.kind != parley.KindSystem {
			return m, nil
		}
	}

	var found []*member
	if len(ref) >= parley.ShortID {
		for _, m := range r.all() {
			if strings.HasPrefix(m.id, strings.ToLower(ref)) {
				found = append(found, m)
			}
		}
	}

	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return nil, r.notFound(ref)
	}

	return nil, parley.Errorf(parley.AgentNotFound, "%q is the beginning of %d agents' ids", ref, len(found)).
		Suggest("Use the agent's name, or more of its id.")
}

func (r *roster) notFound(ref string) error {
	var names []string
	for _, m := range r.all() {
		if m.snapshot().State != parley.StateTerminated {
			names = append(names, m.name)
		}
	}

	err := parley.Errorf(parley.AgentNotFound, "there is no agent %q", parley.CleanLine(parley.Truncate(ref, 64))).
		With("agents", names)
	switch {
	case strings.EqualFold(ref, parley.Everyone):
		return err.Suggest(`"ALL" is everyone where it is the only recipient; else name one agent after the other.`)
	case strings.ContainsAny(ref, ",;"):
		return err.Suggest("Give several names as a list, one item for each.")
	}

	if near := parley.Nearest(ref, names); near != "" {
		return err.Suggest("Did you mean %s?", near)
	}

	return err.Suggest("These are there: %s.", strings.Join(names, ", "))
}

// system is parley as a sender. It is made when it first says something.
func (o *Orchestrator) system(ctx context.Context) (*member, error) {
	o.roster.founding.Lock()
	defer o.roster.founding.Unlock()

	if m := o.roster.named(parley.SystemName); m != nil {
		return m, nil
	}

	now := o.now()
	a := parley.Agent{ID: newID(), Name: parley.SystemName, Description: "parley itself",
		Kind: parley.KindSystem, State: parley.StateIdle, Since: now, CreatedAt: now, LastActive: now}
	if err := o.store.CreateAgent(ctx, a, nil); err != nil {
		return nil, fmt.Errorf("create the sender of parley's own words: %w", err)
	}

	m := newMember(a)
	o.roster.add(m)

	return m, nil
}

// ensureOperator makes the person at the keyboard an address like any other.
func (o *Orchestrator) ensureOperator(ctx context.Context) error {
	if o.roster.named(parley.OperatorName) != nil {
		return nil
	}
	now := o.now()
	a := parley.Agent{ID: newID(), Name: parley.OperatorName, Description: "the person at the keyboard",
		Kind: parley.KindHuman, State: parley.StateIdle, Since: now, CreatedAt: now, LastActive: now}
	if err := o.store.CreateAgent(ctx, a, nil); err != nil {
		return fmt.Errorf("create the operator: %w", err)
	}
	o.roster.add(newMember(a))
	return nil
}
