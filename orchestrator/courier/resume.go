package courier

import (
	"cmp"
	"context"
	"errors"

	"parley"
	"parley/internal/wait"
	"parley/orchestrator/attempt"
	"parley/orchestrator/letter"
	"parley/orchestrator/sight"
	"parley/orchestrator/team"
	"parley/program/profile"
	"parley/store"
	"parley/tmux"
)

// recovery takes up what earlier attempts left: in `typing`, in the composer, or unread.
type recovery struct {
	*post
	ledger *ledger
	view   *view
	typist *typist
}

// Abandon closes the deliveries that were being typed to a terminal that is gone. They may
// have arrived or not, and are not typed again unless the operator asks for it. One that nobody
// has begun to type is queued again.
func (o *Couriers) Abandon(ctx context.Context, m *team.Member, why string) error {
	if !o.Roster.Hosts.Here(m) {
		return nil
	}
	unbegun := m.Offers.Drop()
	jobs, err := o.Store.Typing(ctx, m.ID)
	if err != nil {
		return err
	}
	for _, job := range jobs {
		if err := ignoreStale(o.Store.Advance(ctx, job.Key, abandoned(m, &job, why, unbegun)...)); err != nil {
			return err
		}
	}
	return nil
}

// abandoned returns what becomes of a delivery at typing when its terminal is gone. unbegun says that
// nobody has begun to type it.
func abandoned(m *team.Member, job *store.Job, why string, unbegun bool) []store.Change {
	if unbegun {
		return []store.Change{ended(parley.DeliveryQueued, parley.EndedInterrupted, "")}
	}
	if job.Door {
		return unseen(m, job, silent(job), why)
	}
	return lost(m, job, why)
}

// resolve takes up one delivery where it was left.
func (r *recovery) resolve(ctx context.Context, t *team.Terminal, job store.Job) (done bool, err error) {
	info, err := r.o.host.Pane(t).Info(ctx)
	if err != nil && !errors.Is(err, tmux.ErrNoPane) {
		return false, err
	}

	switch {
	case err != nil || info.Owner != r.m.ID:
		r.ledger.numbered = false // its text may stand there when the terminal is the agent's again
		return true, r.ledger.close(ctx, job, lost(r.m, &job, "the terminal went away")...)
	case info.Seq < job.PaneSeq:
		return true, r.ledger.close(ctx, job, ended(parley.DeliveryQueued, parley.EndedInterrupted, ""))
	case info.Dead:
		return true, r.ledger.close(ctx, job, lost(r.m, &job, "its program ended")...)
	case info.Seq > job.PaneSeq:
		return true, r.ledger.close(ctx, job, unseen(r.m, &job, parley.EndedOvertaken, "")...)
	}

	l := r.o.recompose(r.m, t.Profile, &job)
	switch {
	case info.Phase == tmux.PanePasted && !reportedSince(r.m, &job, job.Message.Timestamp):
		return r.resume(ctx, t, job, l, pastedAnd)
	case r.view.memory.Lingers(&job):
		return r.goOn(ctx, t, job, l)
	}
	return r.confirm(ctx, t, job, l, info.Phase == tmux.PaneEnteredAgain)
}

// resume goes on at the key of a text that stands in the composer, once the way is free.
// Until then the delivery says why it waits.
func (r *recovery) resume(
	ctx context.Context, t *team.Terminal, job store.Job, l letter.Letter, waits func(sight.Hold) sight.Hold,
) (done bool, err error) {
	x := r.view.memory.TextOf(&job, t, l, true)
	x.Keyless = true
	w, h := r.view.ready(ctx, t, &job, r.o.Now())
	switch x.Keyless = false; {
	case h.None():
	case h.Composed(): // ours, or the attempt finds that it is not
		w.Key = tmux.Key(t.Profile.Key)
	default:
		return false, r.ledger.note(ctx, job, waits(h))
	}
	return r.typist.submit(ctx, t, job, r.typist.newAttempt(t, &job, l, w, true))
}

// goOn goes on with a text that lingered where somebody typed: when it is gone from the
// composer, or the way is free for one more key.
func (r *recovery) goOn(ctx context.Context, t *team.Terminal, job store.Job, l letter.Letter) (done bool, err error) {
	screen, err := r.o.host.Pane(t).Screen(ctx, tmux.ScreenOptions{})
	if err != nil {
		return false, err
	}

	a, o := r.typist.newAttempt(t, &job, l, attempt.Way{}, true), r.view.observe(t, &job, screen)
	if !o.Holds(&l) && !o.Hides() && a.Seen(&o) && !a.Text.Doubted { // it may stand behind what hides the composer
		return r.typist.conclude(ctx, t, job, a, tmux.Outcome{Phase: tmux.Taken}, nil)
	}
	return r.resume(ctx, t, job, l, func(h sight.Hold) sight.Hold {
		return h.With(parley.HoldLingering.Words("")+": ", "")
	})
}

// confirm looks whether an entered text was taken. If it stands in the composer, it goes on with it
// there. again says that its key was pressed twice.
func (r *recovery) confirm(
	ctx context.Context, t *team.Terminal, job store.Job, l letter.Letter, again bool,
) (done bool, err error) {
	a := r.typist.newAttempt(t, &job, l, attempt.Way{}, true)
	a.Entered.Unseen = true
	a.NoteAgain(again)
	within := cmp.Or(t.Profile.TakenWithin, brisk) + t.Profile.RefusesWithin
	soon, cancel := context.WithTimeout(ctx, within)
	defer cancel()

	taken, stop, gone := false, false, false
	var screen tmux.Screen // at the last look that was answered
	err = wait.Until(soon, brisk, func() (bool, error) {
		seen, err := r.o.host.Pane(t).Screen(soon, tmux.ScreenOptions{})
		if err != nil {
			return false, err
		}

		screen = seen
		o := r.view.observe(t, &job, screen)
		a.NoteUnread(&o)
		a.Entered.NoteElsewhere(&o)
		gone = gone || o.Composing && !o.Holds(&l)
		taken, stop = a.Taken(&o)
		taken = taken && (!o.Profile.HasMarkers() || a.Seen(&o)) // nobody looked whether it was cleared away
		if !taken && !a.Followed.Pending() {
			return stop || o.Shows == profile.Dialog, nil
		}

		step := a.FollowUp(&o)
		taken = step.Do == tmux.Done
		return step.Do != tmux.Wait, nil
	})
	if err != nil && soon.Err() == nil {
		return false, err // it could not be looked at
	}

	a.Followed.Refusal = cmp.Or(a.Followed.Refusal, t.Profile.RefusedBy(screen.Lines))
	if taken && a.Followed.Refusal == "" {
		a.Entered.Stands = !gone
		return r.typist.conclude(ctx, t, job, a, tmux.Outcome{Phase: tmux.Taken}, nil)
	}
	if o := r.view.observe(t, &job, screen); o.Profile.HasMarkers() && o.HoldsOnly(&l) && !stop {
		return r.resume(ctx, t, job, l, func(h sight.Hold) sight.Hold { // the key was lost
			return h.With(parley.EndedStanding.Words("")+": ", "")
		})
	}
	out := tmux.Outcome{Phase: tmux.Entered, Reason: tmux.NotTaken, Screen: screen.Lines, Again: again}
	return r.typist.conclude(ctx, t, job, a, out, nil)
}
