package courier

import (
	"context"

	"parley"
	"parley/orchestrator/team"
	"parley/store"
)

// settleStranded does what the last look at the stranded text makes possible, before job is typed.
// It reports whether that is the end of the round for job, and whether the next may follow.
func (r *recovery) settleStranded(
	ctx context.Context, t *team.Terminal, job *store.Job, w way,
) (over, done bool, err error) {
	s := r.stranded
	same := s.Key == job.Key
	switch {
	case s.fate == fateShown:
		r.stranded = nil
		return same, true, ignoreStale(r.o.Store.Advance(ctx, s.Key,
			typedRungs(s.wasEntered(), parley.ProofShown, "", &s.Job)...))
	case s.pressable():
		done, err = r.pressStranded(ctx, t, w)
		return true, done && same, err
	case s.fate == fateGone && same && s.stood && s.Waits():
		return true, true, r.giveUpStranded(ctx)
	}
	r.stranded = nil
	return false, false, nil
}

// pressStranded goes on at the key of the stranded text.
func (r *recovery) pressStranded(ctx context.Context, t *team.Terminal, w way) (done bool, err error) {
	ctx, cancel := unhurried(ctx)
	defer cancel()

	s := r.stranded
	job := s.Job
	r.memory.text = s
	a := r.newAttempt(t, &job, s.letter, w, true)
	if a.asked = s.Waits(); a.asked {
		if err := r.o.Store.Claim(ctx, job.Key, job.PaneSeq, s.Announced); err != nil {
			return false, ignoreStale(err)
		}
		r.open, r.openOn, job.State = true, t, parley.DeliveryTyping
	}
	r.m.StartTurn(&job.Message)

	return r.submit(ctx, t, job, a)
}

// giveUpStranded closes a retried delivery whose text stood in the terminal, and is gone: somebody
// has sent or cleared it. Only one more retry types it again.
func (r *recovery) giveUpStranded(ctx context.Context) error {
	s := r.stranded
	r.stranded = nil
	if err := r.o.Store.Claim(ctx, s.Key, s.PaneSeq, s.Announced); err != nil {
		return ignoreStale(err)
	}
	return r.close(ctx, s.Job, unseen(r.m, &s.Job, parley.EndedVanished, "")...)
}

// watchStranded looks after a text that stands in the terminal while no message waits. It reports
// whether to come back.
func (r *recovery) watchStranded(ctx context.Context) (again bool, err error) {
	s, t := r.stranded, r.m.Terminal()
	if s == nil || t == nil || s.on != t {
		r.stranded = nil
		return false, nil
	}

	r.m.Typing.Lock()
	defer r.m.Typing.Unlock()

	w, h := r.ready(ctx, t, &s.Job, r.o.Now())
	r.m.NoteLeftover(hold{}.Hold, "", false, r.o.Now()) // it keeps nobody waiting
	if r.stranded == nil || !h.none() {
		return r.stranded != nil, nil
	}
	_, _, err = r.settleStranded(ctx, t, &s.Job, w)
	return r.stranded != nil, err
}
