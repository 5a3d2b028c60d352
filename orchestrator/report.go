package orchestrator

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
const maxNamed = 64

// reports is what an agent has said of itself since it was launched, as far as this
// daemon knows.
type reports struct {
	mu     sync.Mutex
	last   report // that said something of its state
	queued bool   // it has taken a prompt while it was at work
	heard  time.Time
	named  []naming // the oldest first

	late []store.Witness // to be recorded when the courier has nothing in hand
}

// naming is a message that an agent says it was given.
type naming struct {
	shortID string
	at      time.Time
}

// reported returns the agent's last report with a state, if there is one.
func (m *member) reported() (report, bool) {
	m.reports.mu.Lock()
	defer m.reports.mu.Unlock()
	r := m.reports.last
	r.heard = m.reports.heard
	return r, r.state != ""
}

// namedSince returns when the agent last said that it was given the message with these
// first eight characters of an id, if it did. A prompt may quote what was said of a
// message before it was typed: what counts comes after that.
func (m *member) namedSince(shortID string) (time.Time, bool) {
	m.reports.mu.Lock()
	defer m.reports.mu.Unlock()
	i := slices.IndexFunc(m.reports.named, func(n naming) bool { return n.shortID == shortID })
	if i < 0 {
		return time.Time{}, false
	}
	return m.reports.named[i].at, true
}

// forget drops what was said by a program that is no more.
func (r *reports) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last, r.queued, r.heard, r.named = report{}, false, time.Time{}, nil
}

// note keeps a report, unless a later one is known, and what it names. Reports come
// out of order: each by a process of its own, or by way of the spool. It returns
// whether a prompt that the report speaks of is certainly being worked upon.
func (r *reports) note(said report, prompted bool, named []string) (begun bool) {
	r.mu.Lock()
	defer r.mu.Unlock()

	if said.at.After(r.heard) {
		r.heard = said.at
	}

	for _, id := range named {
		r.name(naming{parley.Short(id), said.at})
	}

	if said.state == "" || said.at.Before(r.last.at) {
		return false
	}

	switch working := r.last.state == parley.StateBusy || r.last.state == parley.StateBlocked; {
	case prompted:
		begun, r.queued = !working, working
	case said.state == parley.StateIdle && r.queued:
		// What it had queued begins now, if it has not taken it into the work that is
		// done: programs do either and report neither.
		said.state, r.queued = "", false
	}

	r.last = said

	return begun
}

// name remembers the last time that a message was named.
func (r *reports) name(n naming) {
	i := slices.IndexFunc(r.named, func(known naming) bool { return known.shortID == n.shortID })
	switch {
	case i < 0:
		r.named = append(r.named, n)
	case r.named[i].at.Before(n.at):
		r.named = append(slices.Delete(r.named, i, i+1), n)
	}
	r.named = slices.Delete(r.named, 0, max(0, len(r.named)-maxNamed))
}

// hear takes a report of m's own and returns the messages that it names.
func (r *roster) hear(ctx context.Context, m *member, req parley.ReportStateRequest) ([]string, error) {
	at := r.now()
	if req.At != nil && req.At.Before(at) {
		at = *req.At
	}

	said := report{event: parley.CleanLine(req.Event), detail: parley.CleanLine(req.Detail), at: at}
	signal := signalOf(m, req)
	if t := m.place(); t != nil && !at.Before(t.started) { // else a program before this one said it
		said.state, said.detail = signal.State, cmp.Or(signal.Why, said.detail)
	}

	begun := m.reports.note(said, signal.Prompted, req.MessageIDs)
	defer m.nudge()

	if len(req.MessageIDs) == 0 {
		return nil, nil
	}

	w := store.Witness{
		RecipientID: m.id,
		Refs:        req.MessageIDs,
		Evidence:    fmt.Sprintf("its own report (%s) names the message", said.event),
	}

	if begun {
		w.TurnStarted = at
	}

	return r.attest(ctx, m, w)
}

// signalOf says what a report means: by its own word, or else by the profile.
func signalOf(m *member, req parley.ReportStateRequest) profile.Signal {
	if req.State != "" {
		s, _ := profile.ParseSignal(req.State)
		return s
	}
	if t := m.place(); t != nil {
		s, _ := t.profile.Report(req.Event)
		return s
	}
	return profile.Signal{}
}

// attest records which messages an agent was given, by its own report. While its
// courier has one in hand that waits until it has laid it down, and the report is
// answered at once: hooks must not be delayed.
func (r *roster) attest(ctx context.Context, m *member, w store.Witness) ([]string, error) {
	if m.typing.TryLock() {
		defer m.typing.Unlock()
		return r.store.Attest(ctx, w)
	}

	if r.closed.Load() || !m.reports.postpone(w) {
		return nil, nil
	}

	ctx = context.WithoutCancel(ctx)
	r.late.Go(func() {
		m.typing.Lock()
		defer m.typing.Unlock()

		for _, w := range m.reports.postponed() {
			if _, err := r.store.Attest(ctx, w); err != nil {
				r.log.Error("record what an agent reports", "agent", m.name, "error", err)
			}
		}

		m.nudge()
	})

	return nil, nil
}

// postpone keeps what is to be recorded, the newest of it if it is too much, and
// reports whether somebody has to see to that: nobody does yet.
func (r *reports) postpone(w store.Witness) (first bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	first = len(r.late) == 0
	r.late = append(r.late, w)
	r.late = slices.Delete(r.late, 0, max(0, len(r.late)-maxNamed))
	return first
}

func (r *reports) postponed() []store.Witness {
	r.mu.Lock()
	defer r.mu.Unlock()
	late := r.late
	r.late = nil
	return late
}
