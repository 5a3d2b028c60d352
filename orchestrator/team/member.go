package team

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"parley"
	"parley/store"
)

// SetState records what an agent has come to, in the database first.
func (r *Roster) SetState(
	ctx context.Context,
	m *Member,
	state parley.AgentState,
	evidence string,
	exit *int,
) error {
	now := m.Agent()
	if now.State == state && now.Evidence == evidence {
		return nil
	}

	since, err := r.store.SetAgentState(ctx, m.ID, state, evidence, exit)
	if err != nil {
		return err
	}

	m.mu.Lock()
	m.agent.State, m.agent.Evidence, m.agent.ExitStatus, m.agent.Since = state, evidence, exit, since
	m.mu.Unlock()
	m.Wake()

	return nil
}

// Responder returns how a model answers for the member, nil when none does.
func (m *Member) Responder() *parley.Responder {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.agent.Responder; r != nil && r.AutoRespond && m.agent.Approval == parley.ApprovalGiven &&
		m.agent.State != parley.StateTerminated {
		return r
	}
	return nil
}

// ReportsMessages reports whether the program, since it was launched, has named any message
// that it was given.
func (m *Member) ReportsMessages() bool {
	m.Reports.mu.Lock()
	defer m.Reports.mu.Unlock()
	return len(m.Reports.Named) > 0
}

// Member is one agent as the running daemon knows it.
type Member struct {
	ID, Name string           // never change
	Kind     parley.AgentKind // a responder's is mailbox here, as it may become one and be one no more
	Wakeups  chan struct{}    // tells the courier that there may be something to do

	Changing sync.Mutex // held by launch, stop and restart, one at a time
	Typing   sync.Mutex // held by the courier while it has a message in hand
	Reports  Reports    // what it has said of itself

	mu       sync.Mutex
	agent    parley.Agent
	seen     time.Time       // last call with its key, not yet in the database
	terminal *Terminal       // nil when it has none
	arrived  chan struct{}   // closed when a message comes for it
	fresh    []store.Job     // for its terminal, stored since the courier last took them
	insist   map[string]bool // messages that the operator wants typed although the agent is blocked
	turn     *turn           // what it works on; nil: not known to this daemon
	left     leftover        // what keeps its messages waiting
}

func NewMember(a parley.Agent) *Member {
	kind := a.Kind
	if kind == parley.KindResponder {
		kind = parley.KindMailbox
	}
	return &Member{ID: a.ID, Name: a.Name, Kind: kind, agent: a,
		Wakeups: make(chan struct{}, 1), arrived: make(chan struct{})}
}

// Agent returns the agent as it is now.
func (m *Member) Agent() parley.Agent {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.agent
}

// Terminal returns the member's terminal, nil if it has none.
func (m *Member) Terminal() *Terminal {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.terminal
}

// Wake wakes the courier; it never blocks.
func (m *Member) Wake() {
	select {
	case m.Wakeups <- struct{}{}:
	default:
	}
}

// Announce wakes whoever waits for a message of this member's.
func (m *Member) Announce() {
	m.mu.Lock()
	defer m.mu.Unlock()
	close(m.arrived)
	m.arrived = make(chan struct{})
}

// Enqueue gives the courier a message that was just stored, so that it need not be
// read again. The database stays the queue: what is lost here is found there.
func (m *Member) Enqueue(job store.Job) {
	m.mu.Lock()
	m.fresh = append(m.fresh, job)
	m.mu.Unlock()
	m.Wake()
}

// TakeQueued returns what was handed over, urgent first, then in the order of
// acceptance.
func (m *Member) TakeQueued() []store.Job {
	m.mu.Lock()
	defer m.mu.Unlock()

	jobs := m.fresh
	m.fresh = nil
	slices.SortFunc(jobs, func(a, b store.Job) int {
		switch {
		case IsUrgent(a) && !IsUrgent(b):
			return -1
		case IsUrgent(b) && !IsUrgent(a):
			return 1
		}

		return cmp.Compare(a.Key.MessageSeq, b.Key.MessageSeq)
	})

	return jobs
}

// Insists reports whether the operator wants a message typed although the agent is
// blocked.
func (m *Member) Insists(messageID string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.insist[messageID]
}

// Insisted are the ids of all such messages.
func (m *Member) Insisted() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Sorted(maps.Keys(m.insist))
}

// ForgetInsist ends that: a wish counts once.
func (m *Member) ForgetInsist(messageID string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.insist, messageID)
}

// InsistOn asks for a message to be typed although the agent is blocked.
func (m *Member) InsistOn(messageID string) {
	m.mu.Lock()
	if m.insist == nil {
		m.insist = map[string]bool{}
	}
	m.insist[messageID] = true
	m.mu.Unlock()
	m.Wake()
}

// HasUrgent reports whether an urgent message was handed over and not yet taken.
func (m *Member) HasUrgent() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.ContainsFunc(m.fresh, IsUrgent)
}

func IsUrgent(j store.Job) bool { return j.Message.Priority == parley.PriorityUrgent }

// Arrival returns a channel that is closed when the next message comes.
func (m *Member) Arrival() <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.arrived
}

// Abandoned reports that a member is at its end, and not being launched again.
func (m *Member) Abandoned() bool {
	if !m.Changing.TryLock() {
		return false
	}
	defer m.Changing.Unlock()
	return m.Terminal() == nil && m.Agent().State == parley.StateTerminated
}

// LacksTerminal reports that a member should have a terminal and has none: it is being
// launched, or its loss could not be recorded.
func (m *Member) LacksTerminal() bool {
	return m.Kind == parley.KindTerminal && m.Agent().State.Live()
}

// SetAgent replaces what is known of the agent.
func (m *Member) SetAgent(a parley.Agent) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.agent = a
}

// SetApproval takes from a what the operator decided of a responder.
func (m *Member) SetApproval(a parley.Agent) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.agent.Approval, m.agent.IsSpecial, m.agent.Kind = a.Approval, a.IsSpecial, a.Kind
}

// SetTerminal gives the member a terminal, or takes it away with nil.
func (m *Member) SetTerminal(t *Terminal) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.terminal = t
}

// StartTerminal gives the member the terminal of a launch: whoever launches it begins a new
// chain of messages.
func (m *Member) StartTerminal(t *Terminal) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.terminal, m.turn = t, &turn{}
}

// NoteSeen notes that the agent made a call. TakeSeen of the roster collects these for
// the database.
func (m *Member) NoteSeen(at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.agent.LastActive, m.seen = at, at
}

func (m *Member) takeSeen() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := m.seen
	m.seen = time.Time{}
	return at
}
