package orchestrator

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

// setState records what an agent has come to, in the database first.
func (r *roster) setState(
	ctx context.Context,
	m *member,
	state parley.AgentState,
	evidence string,
	exit *int,
) error {
	now := m.snapshot()
	if now.State == state && now.Evidence == evidence {
		return nil
	}

	since, err := r.store.SetAgentState(ctx, m.id, state, evidence, exit)
	if err != nil {
		return err
	}

	m.mu.Lock()
	m.agent.State, m.agent.Evidence, m.agent.ExitStatus, m.agent.Since = state, evidence, exit, since
	m.mu.Unlock()
	m.nudge()

	return nil
}

// responder returns how a model answers for the member, nil when none does.
func (m *member) responder() *parley.Responder {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.agent.Responder; r != nil && r.AutoRespond && m.agent.Approval == parley.ApprovalGiven &&
		m.agent.State != parley.StateTerminated {
		return r
	}
	return nil
}

// hasNamed reports whether the program, since it was launched, has named any message
// that it was given.
func (m *member) hasNamed() bool {
	m.reports.mu.Lock()
	defer m.reports.mu.Unlock()
	return len(m.reports.named) > 0
}

// member is one agent as the running daemon knows it.
type member struct {
	id, name string           // never change
	kind     parley.AgentKind // a responder's is mailbox here, as it may become one and be one no more
	wake     chan struct{}    // tells the courier that there may be something to do

	changing sync.Mutex // held by launch, stop and restart, one at a time
	typing   sync.Mutex // held by the courier while it has a message in hand
	reports  reports    // what it has said of itself

	mu       sync.Mutex
	agent    parley.Agent
	seen     time.Time       // last call with its key, not yet in the database
	terminal *terminal       // nil when it has none
	arrived  chan struct{}   // closed when a message comes for it
	fresh    []store.Job     // for its terminal, stored since the courier last took them
	insist   map[string]bool // messages that the operator wants typed although the agent is blocked
	turn     *turn           // what it works on; nil: not known to this daemon
	left     leftover        // what keeps its messages waiting
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

// abandoned reports that a member is at its end, and not being launched again.
func (m *member) abandoned() bool {
	if !m.changing.TryLock() {
		return false
	}
	defer m.changing.Unlock()
	return m.place() == nil && m.snapshot().State == parley.StateTerminated
}

// homeless reports that a member should have a terminal and has none: it is being
// launched, or its loss could not be recorded.
func (m *member) homeless() bool {
	return m.kind == parley.KindTerminal && m.snapshot().State.Live()
}

// setAgent replaces what is known of the agent.
func (m *member) setAgent(a parley.Agent) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.agent = a
}

// setApproval takes from a what the operator decided of a responder.
func (m *member) setApproval(a parley.Agent) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.agent.Approval, m.agent.IsSpecial, m.agent.Kind = a.Approval, a.IsSpecial, a.Kind
}

// setTerminal gives the member a terminal, or takes it away with nil.
func (m *member) setTerminal(t *terminal) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.terminal = t
}

// startAnew gives the member the terminal of a launch: whoever launches it begins a new
// chain of messages.
func (m *member) startAnew(t *terminal) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.terminal, m.turn = t, &turn{}
}

// noteSeen notes that the agent made a call. TakeSeen of the roster collects these for
// the database.
func (m *member) noteSeen(at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.agent.LastActive, m.seen = at, at
}

func (m *member) takeSeen() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := m.seen
	m.seen = time.Time{}
	return at
}
