package team

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"parley"
	"parley/profile"
	"parley/store"
)

// maxNamed is how many messages it is remembered of that an agent has named them:
// many more than can be under way to it at a time.
const MaxNamed = 64

// Reports is what an agent has said of itself since it was launched, as far as this
// daemon knows.
type Reports struct {
	mu     sync.Mutex
	Last   Report // that said something of its state
	queued bool   // it has taken a prompt while it was at work
	heard  time.Time
	Named  []naming // the oldest first

	late []store.Witness // to be recorded when the courier has nothing in hand
}

// naming is a message that an agent says it was given.
type naming struct {
	shortID string
	at      time.Time
}

// LastReport returns the agent's last report with a state, if there is one.
func (m *Member) LastReport() (Report, bool) {
	m.Reports.mu.Lock()
	defer m.Reports.mu.Unlock()
	r := m.Reports.Last
	r.Heard = m.Reports.heard
	return r, r.State != ""
}

// NamedAt returns when the agent last said that it was given the message with these
// first eight characters of an id, if it did. A prompt may quote what was said of a
// message before it was typed: what counts comes after that.
func (m *Member) NamedAt(shortID string) (time.Time, bool) {
	m.Reports.mu.Lock()
	defer m.Reports.mu.Unlock()
	i := slices.IndexFunc(m.Reports.Named, func(n naming) bool { return n.shortID == shortID })
	if i < 0 {
		return time.Time{}, false
	}
	return m.Reports.Named[i].at, true
}

// Forget drops what was said by a program that is no more.
func (r *Reports) Forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Last, r.queued, r.heard, r.Named = Report{}, false, time.Time{}, nil
}

// Note keeps a report, unless a later one is known, and what it names. Reports come
// out of order: each by a process of its own, or by way of the spool. It returns
// whether a prompt that the report speaks of is certainly being worked upon.
func (r *Reports) Note(said Report, prompted bool, named []string) (begun bool) {
	r.mu.Lock()
	defer r.mu.Unlock()

	if said.At.After(r.heard) {
		r.heard = said.At
	}

	for _, id := range named {
		r.name(naming{parley.Short(id), said.At})
	}

	if said.State == "" || said.At.Before(r.Last.At) {
		return false
	}

	switch working := r.Last.State == parley.StateBusy || r.Last.State == parley.StateBlocked; {
	case prompted:
		begun, r.queued = !working, working
	case said.State == parley.StateIdle && r.queued:
		// What it had queued begins now, if it has not taken it into the work that is
		// done: programs do either and report neither.
		said.State, r.queued = "", false
	}

	r.Last = said

	return begun
}

// name remembers the last time that a message was named.
func (r *Reports) name(n naming) {
	i := slices.IndexFunc(r.Named, func(known naming) bool { return known.shortID == n.shortID })
	switch {
	case i < 0:
		r.Named = append(r.Named, n)
	case r.Named[i].at.Before(n.at):
		r.Named = append(slices.Delete(r.Named, i, i+1), n)
	}
	r.Named = slices.Delete(r.Named, 0, max(0, len(r.Named)-MaxNamed))
}

// Report takes a report of m's own and returns the messages that it names.
func (r *Roster) Report(ctx context.Context, m *Member, req parley.ReportStateRequest) ([]string, error) {
	at := r.now()
	if req.At != nil && req.At.Before(at) {
		at = *req.At
	}

	said := Report{Event: parley.CleanLine(req.Event), Detail: parley.CleanLine(req.Detail), At: at}
	signal := signalOf(m, req)
	if t := m.Terminal(); t != nil && !at.Before(t.Started) { // else a program before this one said it
		said.State, said.Detail = signal.State, cmp.Or(signal.Why, said.Detail)
	}

	begun := m.Reports.Note(said, signal.Prompted, req.MessageIDs)
	defer m.Wake()

	if len(req.MessageIDs) == 0 {
		return nil, nil
	}

	w := store.Witness{
		RecipientID: m.ID,
		Refs:        req.MessageIDs,
		Evidence:    fmt.Sprintf("its own report (%s) names the message", said.Event),
	}

	if begun {
		w.TurnStarted = at
	}

	return r.attest(ctx, m, w)
}

// signalOf says what a report means: by its own word, or else by the profile.
func signalOf(m *Member, req parley.ReportStateRequest) profile.Signal {
	if req.State != "" {
		s, _ := profile.ParseSignal(req.State)
		return s
	}
	if t := m.Terminal(); t != nil {
		s, _ := t.Profile.Report(req.Event)
		return s
	}
	return profile.Signal{}
}

// attest records which messages an agent was given, by its own report. While its
// courier has one in hand that waits until it has laid it down, and the report is
// answered at once: hooks must not be delayed.
func (r *Roster) attest(ctx context.Context, m *Member, w store.Witness) ([]string, error) {
	if m.Typing.TryLock() {
		defer m.Typing.Unlock()
		return r.store.Attest(ctx, w)
	}

	if r.closed.Load() || !m.Reports.postpone(w) {
		return nil, nil
	}

	ctx = context.WithoutCancel(ctx)
	r.late.Go(func() {
		m.Typing.Lock()
		defer m.Typing.Unlock()

		for _, w := range m.Reports.Postponed() {
			if _, err := r.store.Attest(ctx, w); err != nil {
				r.log.Error("record what an agent reports", "agent", m.Name, "error", err)
			}
		}

		m.Wake()
	})

	return nil, nil
}

// postpone keeps what is to be recorded, the newest of it if it is too much, and
// reports whether somebody has to see to that: nobody does yet.
func (r *Reports) postpone(w store.Witness) (first bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	first = len(r.late) == 0
	r.late = append(r.late, w)
	r.late = slices.Delete(r.late, 0, max(0, len(r.late)-MaxNamed))
	return first
}

func (r *Reports) Postponed() []store.Witness {
	r.mu.Lock()
	defer r.mu.Unlock()
	late := r.late
	r.late = nil
	return late
}
