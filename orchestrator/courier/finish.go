package courier

import (
	"context"
	"errors"

	"parley"
	"parley/orchestrator/attempt"
	"parley/orchestrator/sight"
	"parley/orchestrator/team"
	"parley/store"
	"parley/tmux"
)

// settleStranded does what the last look at the stranded text makes possible, before job is typed.
// It reports whether that is the end of the round for job, and whether the next may follow.
func (r *recovery) settleStranded(
	ctx context.Context, t *team.Terminal, job *store.Job, w attempt.Way,
) (over, done bool, err error) {
	s := r.view.stranded
	same := s.Key == job.Key
	switch {
	case s.Fate == attempt.FateShown:
		r.view.stranded = nil
		r.noteShown(t, s)
		evidence := parley.ProofShown.Words("") + s.Together()
		return same, true, errors.Join(r.typist.giveBack(ctx, s), ignoreStale(r.o.Store.Advance(ctx, s.Key,
			typedRungs(s.WasEntered(), parley.ProofShown, evidence, &s.Job)...)))
	case s.Pressable():
		done, err = r.pressStranded(ctx, t, w)
		return true, done && same, err
	case s.Fate == attempt.FateGone && same && s.Stood && s.Waits():
		return true, true, r.giveUpStranded(ctx)
	}
	r.view.stranded = nil
	return false, false, nil
}

// noteShown notes a text that its program was given after all, perhaps just now.
func (r *recovery) noteShown(t *team.Terminal, s *attempt.Typed) {
	now := r.o.Now()
	o := sight.Observation{On: t, Profile: t.Profile, Names: r.m.ReportsMessages()}
	unreported := r.view.memory.Reports(&o) && !reportedSince(r.m, &s.Job, s.Message.Timestamp)
	s.Given = attempt.Given{
		Entered: now, Told: now, Taken: true, Gone: true, Typed: s.Message.Timestamp, Unreported: unreported,
		Queued: true,
	}
	r.view.memory.Given = s
}

// pressStranded goes on at the key of the stranded text.
func (r *recovery) pressStranded(ctx context.Context, t *team.Terminal, w attempt.Way) (done bool, err error) {
	ctx, cancel := unhurried(ctx)
	defer cancel()

	s := r.view.stranded
	job := s.Job
	r.view.memory.Text = s
	a := r.typist.newAttempt(t, &job, s.Letter, w, true)
	if a.Asked = s.Waits(); a.Asked {
		if err := r.o.Store.Claim(ctx, job.Key, job.PaneSeq, s.Announced); err != nil {
			return false, ignoreStale(err)
		}
		r.ledger.leave(t)
		job.State = parley.DeliveryTyping
	}
	r.m.StartTurn(&job.Message)

	return r.typist.submit(ctx, t, job, a)
}

// giveUpStranded closes a retried delivery whose text stood in the terminal, and is gone: somebody
// has sent or cleared it. Only one more retry types it again.
func (r *recovery) giveUpStranded(ctx context.Context) error {
	s := r.view.stranded
	r.view.stranded = nil
	if err := r.o.Store.Claim(ctx, s.Key, s.PaneSeq, s.Announced); err != nil {
		return ignoreStale(err)
	}
	return r.ledger.close(ctx, s.Job, unseen(r.m, &s.Job, parley.EndedVanished, "")...)
}

// noteUndone notes that the program has given back the text that it was given last, and reports whether it did.
func (r *recovery) noteUndone(ctx context.Context) (undone bool, err error) {
	s := r.view.memory.Undone
	r.view.memory.Undone = nil
	if s == nil || s != r.view.memory.Given {
		return false, nil
	}
	if err := r.o.Store.Advance(ctx, s.Key, ended(parley.DeliveryUnconfirmed, parley.EndedUndone, "")); err != nil {
		s.Kept = true // it was answered
		return false, ignoreStale(err)
	}
	s.State, s.Cause, s.Dismissed = parley.DeliveryUnconfirmed, parley.EndedUndone.With(""), false
	s.Stranded = attempt.Stranded{Phase: tmux.PaneEntered, Stood: true, Fate: attempt.FateAlone}
	r.view.stranded, r.view.memory.Given = s, nil
	return true, nil
}

// watchGiven looks whether the program gives the text back that it was given last, while no message waits: the courier
// is woken when it comes to rest. It reports whether to come back.
func (r *recovery) watchGiven(ctx context.Context) (again bool, err error) {
	t := r.m.Terminal()
	r.view.memory.NoteNamed(r.m, t)
	s := r.view.memory.Given
	if s == nil || s.Kept || s.Above == nil || t == nil || s.On != t || r.m.Agent().State == parley.StateBusy {
		return false, nil
	}

	r.m.Typing.Lock()
	defer r.m.Typing.Unlock()
	facts := r.view.inspect(t, r.o.Now())
	h := r.view.look(ctx, t, &s.Job, &facts)
	undone, err := r.noteUndone(ctx)
	return undone || h.Brief(), err
}

// watchStranded looks after a text that stands in the terminal while no message waits. It reports
// whether to come back.
func (r *recovery) watchStranded(ctx context.Context) (again bool, err error) {
	s, t := r.view.stranded, r.m.Terminal()
	if s == nil || t == nil || s.On != t {
		r.view.stranded = nil
		return false, nil
	}

	r.m.Typing.Lock()
	defer r.m.Typing.Unlock()

	w, h := r.view.ready(ctx, t, &s.Job, r.o.Now())
	r.m.NoteLeftover(parley.Cause{}, "", false, r.o.Now()) // it keeps nobody waiting
	if r.view.stranded == nil || !h.None() {
		return r.view.stranded != nil, nil
	}
	_, _, err = r.settleStranded(ctx, t, &s.Job, w)
	return r.view.stranded != nil, err
}
