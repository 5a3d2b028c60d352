package team

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"parley"
	"parley/store"
)

// Responder returns how a model answers for the member, nil when no approved one does so
// automatically.
func (m *Member) Responder() *parley.Responder {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.agent.Responder; r != nil && r.AutoRespond && m.agent.Approval == parley.ApprovalGiven &&
		m.agent.State != parley.StateTerminated {
		return r
	}
	return nil
}

// ReportsMessages reports whether the program has named any message that it was given since it was
// launched.
func (m *Member) ReportsMessages() bool {
	m.Reports.mu.Lock()
	defer m.Reports.mu.Unlock()
	return len(m.Reports.named) > 0
}

// Member is one agent as the running daemon knows it. Its methods are safe for concurrent use.
//
// Changing is taken before Typing by a goroutine that needs both.
type Member struct {
	ID, Name string           // never change
	Kind     parley.AgentKind // never changes: a responder counts as a mailbox here, which it can become again
	Wakeups  chan struct{}    // tells the courier that there may be something to do
	Missed   atomic.Bool      // the database may hold a message for it that was not enqueued
	Started  atomic.Bool      // its program was started with a message as an argument

	Changing sync.Mutex // held while the agent is launched, stopped, observed or otherwise changed
	Served   Served     // whether its program takes what it reports
	Typing   sync.Mutex // held by the courier while it types a message
	Reports  Reports    // made by the agent's program
	Offers   Offers     // made by its courier
	queue
	arrivals
	leftovers

	mu       sync.Mutex
	agent    parley.Agent
	seen     time.Time // last call with its key, not yet in the database
	terminal *Terminal // nil when it has none
	turn     *turn     // the work of the agent; nil when this daemon does not know it
}

// NewMember returns the member of an agent, without a terminal.
func NewMember(a parley.Agent) *Member {
	kind := a.Kind
	if kind == parley.KindResponder {
		kind = parley.KindMailbox
	}
	return &Member{ID: a.ID, Name: a.Name, Kind: kind, agent: a,
		Wakeups: make(chan struct{}, 1), arrivals: arrivals{next: make(chan struct{})}}
}

// Agent returns a copy of the agent as it is now.
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

// Wake wakes the member's courier. It never blocks.
func (m *Member) Wake() {
	select {
	case m.Wakeups <- struct{}{}:
	default:
	}
}

// Enqueue gives the courier a message that was just stored, which saves reading it. The database
// stays the queue: a message that is lost here is found there. One that is at `typing` was claimed
// on an offer.
func (m *Member) Enqueue(job store.Job) {
	if job.State == parley.DeliveryTyping {
		m.Offers.claim(job)
		m.Wake()
		return
	}

	m.add(job)
	m.Wake()
}

// Force records that the operator wants a message typed although the agent is blocked, or although exactly the text
// over stands in its composer ("": none), and wakes the courier.
func (m *Member) Force(messageID, over string) {
	m.force(messageID, over)
	m.Wake()
}

// IsGone reports whether the agent is terminated and nothing launches it again. It reports false
// while Changing is held.
func (m *Member) IsGone() bool {
	if !m.Changing.TryLock() {
		return false
	}
	defer m.Changing.Unlock()
	return m.Terminal() == nil && m.Agent().State == parley.StateTerminated
}

// NeedsTerminal reports whether a member without a terminal should have one: it is just being
// launched, or the loss of its terminal could not be recorded. It does not look at the terminal
// itself.
func (m *Member) NeedsTerminal() bool {
	return m.Kind == parley.KindTerminal && m.Agent().State.Live()
}

// SetAgent replaces the copy of the agent in memory. The database is the caller's business.
func (m *Member) SetAgent(a parley.Agent) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.agent = a
}

// SetApproval takes over the operator's decision about a responder from a: its approval and kind.
func (m *Member) SetApproval(a parley.Agent) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.agent.Approval, m.agent.IsSpecial, m.agent.Kind = a.Approval, a.IsSpecial, a.Kind
}

// SetTerminal gives the member a terminal, or takes it away with nil. Once the couriers run,
// the caller must hold Changing.
func (m *Member) SetTerminal(t *Terminal) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.terminal = t
	if m.Served.runs(t); t == nil {
		m.agent.Runs = ""
	}
}

// StartTerminal gives the member the terminal of a new launch, which begins a new chain of messages.
// The caller must hold Changing.
func (m *Member) StartTerminal(t *Terminal) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.terminal, m.turn, m.agent.Runs = t, &turn{}, ""
	m.Served.runs(t)
}

// NoteSeen notes that the agent made a call. Roster.TakeSeen collects these times for the database.
func (m *Member) NoteSeen(at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.agent.LastActive, m.seen = at, at
}

// takeSeen returns the time of the last call, zero if there was none since it was last taken.
func (m *Member) takeSeen() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := m.seen
	m.seen = time.Time{}
	return at
}

// Reports holds the reports of an agent's program since it was launched, as far as this daemon has
// received them.
type Reports struct {
	mu     sync.Mutex
	last   Report    // the last one with a state
	queued bool      // the program took a prompt while it was working
	heard  time.Time // when the latest event happened
	named  []naming  // the oldest first

	transcript string    // the path that it reported last
	wrote      time.Time // when it did

	late []store.Witness // to be recorded once the courier has finished its message

	session   sync.Mutex // held while a report changes the session
	sessionAt time.Time  // of the report that last changed its id
}

// naming says when a program reported that it was given a message.
type naming struct {
	shortID string
	at      time.Time
}

// Leftover describes what a person has left in a terminal, such as a draft or a shell, while messages wait.
type Leftover struct {
	Hold  parley.Cause // zero when nothing is left
	Draft string       // what stands in the composer, if that is a draft
	Since time.Time
}

// leftovers note what stands in a terminal.
type leftovers struct {
	mu     sync.Mutex
	left   Leftover
	unsent Leftover
}

// NoteUnsent notes why a message that stands in the terminal, pasted or entered, does not get on; nothing if there is
// none. The time of Unsent starts when this is first noted.
func (l *leftovers) NoteUnsent(hold parley.Cause, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if hold.Code() == "" {
		l.unsent = Leftover{}
		return
	}
	if l.unsent.Hold = hold; l.unsent.Since.IsZero() {
		l.unsent.Since = now
	}
}

// Unsent returns why a message that stands in the terminal does not get on, zero if there is none.
func (l *leftovers) Unsent() Leftover {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.unsent
}

// NoteLeftover notes why a message has to wait now. With left, something that a person has left in
// the terminal is the reason, and the time of Leftover starts when this is first noted. Without
// left, for instance while the person types, that time starts over.
func (l *leftovers) NoteLeftover(hold parley.Cause, draft string, left bool, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case !left:
		l.left = Leftover{}
	case l.left.Hold.Code() == "":
		l.left.Since = now
		fallthrough
	default:
		l.left.Hold, l.left.Draft = hold, draft
	}
}

// Leftover returns what a person has left while messages wait, zero if nothing is.
func (l *leftovers) Leftover() Leftover {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.left
}

type queue struct {
	mu     sync.Mutex
	fresh  []store.Job       // stored since the courier last took them
	forced map[string]string // messages that the operator wants typed although the agent is blocked, see Member.Force
}

func (q *queue) add(job store.Job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.fresh = append(q.fresh, job)
}

func (q *queue) force(messageID, over string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.forced == nil {
		q.forced = map[string]string{}
	}
	q.forced[messageID] = over
}

// TakeQueued returns the messages enqueued since the last call: urgent ones first, then in the order
// in which they were accepted.
func (q *queue) TakeQueued() []store.Job {
	q.mu.Lock()
	defer q.mu.Unlock()

	jobs := q.fresh
	q.fresh = nil
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

// IsForced reports whether the operator wants a message typed although the agent is blocked, or its budget
// used up. over is the text in its composer that is no draft by the operator's word, "" if there is none.
func (q *queue) IsForced(messageID string) (over string, forced bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	over, forced = q.forced[messageID]
	return over, forced
}

// Forced returns the ids of the messages that the operator wants typed although the agent is
// blocked, sorted.
func (q *queue) Forced() []string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Sorted(maps.Keys(q.forced))
}

// ForgetForced drops the operator's wish to have the message typed: it counts until the text is pasted.
func (q *queue) ForgetForced(messageID string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.forced, messageID)
}

// HasUrgent reports whether an urgent message is enqueued that TakeQueued has not returned yet.
func (q *queue) HasUrgent() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.ContainsFunc(q.fresh, IsUrgent)
}

// IsUrgent reports whether the message of a job has the priority urgent.
func IsUrgent(j store.Job) bool { return j.Message.Priority == parley.PriorityUrgent }
