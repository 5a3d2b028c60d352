package team

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/plain"
	"parley/program/profile"
	"parley/store"
)

// maxNamed limits the reported message ids that are kept for each agent, and the reports that wait
// to be recorded: many more than messages can be under way to an agent at a time.
const maxNamed = 64

// LastReport returns the agent's last report with a state, if there is one.
func (m *Member) LastReport() (Report, bool) {
	m.Reports.mu.Lock()
	defer m.Reports.mu.Unlock()
	r := m.Reports.last
	r.Heard = m.Reports.heard
	return r, r.State != ""
}

// NamedAt returns when the agent last reported that it was given the message with this short id, if
// it did. Only a report made after the message was typed proves anything: an earlier prompt may
// have quoted its id.
func (m *Member) NamedAt(shortID string) (time.Time, bool) {
	m.Reports.mu.Lock()
	defer m.Reports.mu.Unlock()
	i := slices.IndexFunc(m.Reports.named, func(n naming) bool { return n.shortID == shortID })
	if i < 0 {
		return time.Time{}, false
	}
	return m.Reports.named[i].at, true
}

// Forget drops all reports, when another program starts in the terminal.
func (r *Reports) Forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last, r.queued, r.heard, r.named = Report{}, false, time.Time{}, nil
	r.transcript, r.wrote = "", time.Time{}
}

// NoteTranscript keeps where the program writes what is said to it, unless a later report said so.
func (r *Reports) NoteTranscript(path string, at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if filepath.IsAbs(path) && !at.Before(r.wrote) {
		r.transcript, r.wrote = filepath.Clean(path), at
	}
}

// Transcript returns the path of the program's transcript, "" if it has not reported one.
func (r *Reports) Transcript() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.transcript
}

// sameTime is how close the times of two reports may be to count in the order in which they came. The wall
// clock and the monotonic one are read one after the other, so shorter times between reports are not known.
const sameTime = time.Millisecond

// Note keeps a report, unless a later one is known, and the ids of the messages that it names.
// Reports come out of order: each is sent by a separate process, or comes from the spool. With
// prompted, the report says that the program has taken a prompt; begun tells whether the program has
// certainly started work on it.
func (r *Reports) Note(said Report, prompted bool, named []string) (begun bool) {
	r.mu.Lock()
	defer r.mu.Unlock()

	if said.At.After(r.heard) {
		r.heard = said.At
	}

	for _, id := range named {
		r.name(naming{parley.Short(id), said.At})
	}

	if said.State == "" || r.last.At.Sub(said.At) > sameTime {
		return false
	}

	switch working := r.last.State == parley.StateBusy || r.last.State == parley.StateBlocked && !r.last.Failed; {
	case prompted:
		begun, r.queued = !working, working
	case said.State == parley.StateIdle && r.queued:
		// Either the queued prompt begins now, or the program has worked on it already: programs
		// do either and report neither.
		said.State, r.queued = "", false
	}

	said.Failed = said.State == parley.StateBlocked && !said.Passing || said.State == parley.StateIdle && r.last.Failed
	r.last = said

	return begun
}

// name keeps the last time at which a message was named. The caller holds r.mu.
func (r *Reports) name(n naming) {
	i := slices.IndexFunc(r.named, func(known naming) bool { return known.shortID == n.shortID })
	switch {
	case i < 0:
		r.named = append(r.named, n)
	case r.named[i].at.Before(n.at):
		r.named = append(slices.Delete(r.named, i, i+1), n)
	}
	r.named = slices.Delete(r.named, 0, max(0, len(r.named)-maxNamed))
}

// Report takes a report that m's program made, wakes m's courier, and returns the ids of the named
// messages that are now recorded as received. They are nil while the courier types: then they are
// recorded afterwards.
func (r *Roster) Report(ctx context.Context, m *Member, req parley.ReportStateRequest) ([]string, error) {
	at := r.now()
	if req.At != nil && req.At.Before(at) {
		at = at.Add(req.At.Sub(at)) // so that it stays as long ago when the clock is set
	}

	said := Report{Event: plain.CleanLine(req.Event), Detail: plain.CleanLine(req.Detail), At: at}
	signal := signalOf(m, req)
	if t := m.Terminal(); t != nil && !at.Before(t.Started) { // else an earlier program reported it
		said.State, said.Detail = signal.State, cmp.Or(signal.Why, said.Detail)
		said.Passing = signal.Passing
		// Else parley would read any file for what runs in a sandbox.
		if !m.Agent().Sandboxed() || strings.Contains(filepath.Clean(req.Transcript), "/"+m.ID+"/") {
			m.Reports.NoteTranscript(req.Transcript, at)
		}
	}

	begun := m.Reports.Note(said, signal.Prompted, req.MessageIDs)
	defer m.Wake()

	if err := r.takeSession(ctx, m, req, signal.Prompted || signal.Resumed, at); err != nil {
		return nil, err
	}

	if len(req.MessageIDs) == 0 {
		return nil, nil
	}

	w := store.Witness{
		RecipientID: m.ID,
		Refs:        req.MessageIDs,
		At:          at,
		Evidence:    fmt.Sprintf("its own report (%s) names the message", said.Event),
	}
	if begun {
		w.TurnStarted = at
	}

	return r.attest(ctx, m, w)
}

// signalOf returns the meaning of a report: the state that it gives, or else the meaning of its event
// in the agent's profile.
func signalOf(m *Member, req parley.ReportStateRequest) profile.Signal {
	if req.State != "" {
		s, _ := profile.ParseSignal(req.State)
		return s
	}
	if t := m.Terminal(); t != nil {
		s, _ := t.Profile.Reports.Signal(req.Event)
		return s
	}
	return profile.Signal{}
}

// attest records the messages that an agent has received according to its own report. While its
// courier types a message, this is postponed until the courier has finished, and attest returns at
// once: the hooks of a program must not be delayed.
func (r *Roster) attest(ctx context.Context, m *Member, w store.Witness) ([]string, error) {
	if m.Typing.TryLock() {
		defer m.Typing.Unlock()
		w.MayRefuse = m.Served.MayRefuse(w.At)
		return r.store.Deliveries.Attest(ctx, w)
	}

	if r.closed.Load() || !m.Reports.postpone(w) {
		return nil, nil
	}

	ctx = context.WithoutCancel(ctx)
	r.late.Go(func() {
		m.Typing.Lock()
		defer m.Typing.Unlock()

		for _, w := range m.Reports.takePostponed() {
			w.MayRefuse = m.Served.MayRefuse(w.At)
			if _, err := r.store.Deliveries.Attest(ctx, w); err != nil {
				r.log.Error("record what an agent reports", "agent", m.Name, "error", err)
			}
		}

		m.Wake()
	})

	return nil, nil
}

// postpone keeps w to be recorded later, at most the newest maxNamed. It reports whether w is the
// first one, for which the caller has to start the recording.
func (r *Reports) postpone(w store.Witness) (first bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	first = len(r.late) == 0
	r.late = append(r.late, w)
	r.late = slices.Delete(r.late, 0, max(0, len(r.late)-maxNamed))
	return first
}

// takePostponed returns the postponed reports, the oldest first, and forgets them.
func (r *Reports) takePostponed() []store.Witness {
	r.mu.Lock()
	defer r.mu.Unlock()
	late := r.late
	r.late = nil
	return late
}
