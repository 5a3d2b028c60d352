package courier

import (
	"context"
	"time"

	"parley"
	"parley/orchestrator/attempt"
	"parley/orchestrator/letter"
	"parley/orchestrator/sight"
	"parley/orchestrator/team"
	"parley/store"
	"parley/tmux"
)

// view is what a courier knows of its terminal: the last look, and what earlier attempts left. It types nothing.
type view struct {
	ledger *ledger
	*post
	memory   attempt.Memory // of earlier attempts
	stranded *attempt.Typed // the text typed last, while it may stand in the terminal unproven; nil: it does not
	future   time.Time      // of a person's last key, if the last look found it there
}

// inspect collects the facts of a member's terminal, which may be nil. What has the terminal may be
// told as it was at the time since.
func (v *view) inspect(t *team.Terminal, since time.Time) sight.Facts {
	f := sight.Facts{Pause: v.o.Paused(), Agent: v.m.Agent()}
	if v.o.Spent != nil {
		f.Spent = v.o.Spent(v.m.ID)
	}
	f.LeaseOver = v.o.leaseOver()
	if t == nil {
		return f
	}

	f.Launched, f.SameServer = true, t.Instance == v.o.host.Instance(t)
	f.Adopted, f.Takes = t.Adopted(), t.Takes
	f.Ask = func() (tmux.Reader, error) { return v.o.host.Reader(t, since) }
	if t.Known != nil {
		f.Unmatched = func() bool { p, ok := v.o.host.Program(t); return ok && p != t.Profile }
	}
	f.Unread = v.o.unread(t)

	// After what is unread: what a program had not read when it died is gone.
	f.Stopping, f.Alive = t.Stopping.Load(), v.o.host.Alive(t)
	return f
}

// observe collects what is known of a terminal with this screen, for one message.
func (v *view) observe(t *team.Terminal, job *store.Job, screen tmux.Screen) sight.Observation {
	// What is unread comes before the mode: a program that changes the mode may drop it,
	// and after that nothing is unread although nothing was read.
	facts := v.inspect(t, v.o.Now())
	o := sight.Look(v.o.host, v.o.readings, t, v.o.Now(), screen)
	o.Facts = facts
	o.Report, _ = v.m.LastReport() // heeded once it is known for how long the screen has lasted
	o.Named, _ = v.m.NamedAt(parley.Short(job.Message.ID))
	o.Before, _ = v.m.NamedAt(v.memory.Last().ShortID())
	o.Names = v.m.ReportsMessages()
	return o
}

// lookForStranded finds out whether the text typed last is known to have been given to the
// program, when this daemon does not remember it, and reads again what the operator wants.
// It also reads the last sequence number that the terminal remembers: what was claimed with a
// higher one was never pasted.
func (v *view) lookForStranded(ctx context.Context, t *team.Terminal) error {
	s := v.stranded
	if s != nil && s.On != t {
		s, v.stranded = nil, nil
	}
	if s == nil && v.ledger.numbered {
		return nil // this daemon knows what came of it
	}

	info, err := v.o.host.Pane(t).Info(ctx)
	if err != nil {
		return err
	}
	if v.ledger.seq = max(v.ledger.seq, info.Seq); v.ledger.seq == 0 {
		v.ledger.seq = uint64(v.o.Now().UnixMilli()) // the numbers of an earlier pane are not given again
	}
	if !v.ledger.numbered {
		if err := v.o.releaseKeys(ctx, &v.memory, t); err != nil {
			return err
		}
	}

	job, err := v.o.Store.TypedAs(ctx, v.m.ID, info.Seq)
	if err != nil {
		return err
	}

	v.ledger.numbered = !v.o.leaseOver()
	if job == nil || info.Seq == 0 {
		v.stranded = nil // proven, or typed by nobody
		return nil
	}
	if s == nil || s.Key != job.Key {
		s = v.memory.NewText(t)
		s.Letter = v.o.recompose(v.m, t.Profile, &job.Job)
		s.Left = job.Code().LeftComposer()
	}
	s.TypedJob, s.Phase, v.stranded = *job, info.Phase, s

	return nil
}

// releaseKeys lets go of a person's keys that an attempt which was cut off may have kept back. A daemon that is not the
// host any more leaves that to the one that is, which has to know when it happens.
func (o *Couriers) releaseKeys(ctx context.Context, m *attempt.Memory, t *team.Terminal) error {
	if o.leaseOver() {
		return nil
	}
	waited, err := o.host.Pane(t).ReleaseKeys(ctx)
	if waited { // the program shows them after that
		m.Unread = o.Now().Add(attempt.KeysRest)
	}
	if err == nil {
		m.Released = o.Now()
	}
	return err
}

func (o *Couriers) leaseOver() bool { return o.LeaseOver != nil && o.LeaseOver() }

// unread returns how many bytes wait in a terminal for its program, 0 if that is unknown.
func (o *Couriers) unread(t *team.Terminal) int {
	n, err := o.host.Unread(t)
	if err != nil {
		return 0
	}
	return n
}

// isServed reports whether the program of a terminal is signed in, as far as that shows.
func (v *view) isServed(t *team.Terminal) bool {
	return t.Profile.RefusesWithin == 0 || v.memory.Served == t
}

func (v *view) isFromPerson(job *store.Job) bool {
	sender := v.o.Roster.ByID(job.Message.SenderID)
	return sender != nil && sender.Kind == parley.KindHuman
}

// textOf returns a message as it goes through a door.
func (v *view) textOf(t *team.Terminal, job *store.Job) string {
	return letter.Whole(t.Profile, v.o.Roster.Names.FillIn(&job.Message), v.m, v.o.ShortFooter).Text
}
