package courier

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley"
	"parley/orchestrator/letter"
	"parley/orchestrator/sight"
	"parley/orchestrator/team"
	"parley/program/profile"
	"parley/store"
	"parley/tmux"
)

// typist carries attempts out, and records what came of them.
type typist struct {
	*post
	ledger *ledger
	view   *view
	unread []*typed // entered but not seen to be read; proven if they are read after all
}

// newAttempt returns an attempt to type a message, or to go on with one.
func (y *typist) newAttempt(t *team.Terminal, job *store.Job, l letter.Letter, w way, resumed bool) *attempt {
	a := &attempt{way: w, resumed: resumed, memory: &y.view.memory}
	a.text = y.view.memory.textOf(job, t, l, resumed)
	a.entered.named, a.entered.mode = y.o.Now(), sight.TTYModeOf(y.o.host, t)
	if resumed {
		a.entered.named = later(job.Message.Timestamp, job.QueuedAt) // the report may have come before this look
	} else {
		o := sight.Observation{On: t, Profile: t.Profile, Names: y.m.ReportsMessages()}
		a.entered.reporting = y.view.memory.reports(&o)
	}
	a.entered.long = a.text.lingers
	return a
}

// submit carries an attempt out and records what came of it.
func (y *typist) submit(ctx context.Context, t *team.Terminal, job store.Job, a *attempt) (done bool, err error) {
	if p := y.o.Paused(); p != nil && !a.resumed { // since the look
		y.view.memory.cautious = true
		return false, y.ledger.close(ctx, job, change(parley.DeliveryHeld, sight.Held(parley.HoldPaused, p.Words())))
	}

	sub := tmux.Submission{
		Owner: y.m.ID, On: t.Instance, Seq: job.PaneSeq, Text: a.text.letter.Text, Key: a.way.key,
		LeaveMode: a.way.by == passMode, Resume: a.resumed, OnEntered: y.o.Entered,
	}
	if a.resumed || !t.Profile.Instant() {
		sub.Untouched, sub.Ahead = a.way.since, a.way.ahead
		sub.Next = func(m tmux.Moment) tmux.Step {
			o := y.view.observe(t, &job, m.Screen)
			return a.next(m.Phase, m.Again, &o)
		}
	} else if t.Stopping.Load() {
		y.view.memory.cautious = true
		return false, y.ledger.close(ctx, job, change(parley.DeliveryHeld, sight.Held(parley.HoldStopping, "")))
	} else if y.o.leaseOver() {
		y.view.memory.cautious = true
		return false, y.ledger.close(ctx, job, change(parley.DeliveryHeld, sight.Held(parley.HoldLease, "")))
	}

	out, err := y.o.host.Pane(t).Submit(ctx, sub)
	y.m.Served.Note(y.view.memory.served)
	if a.resumed && out.Phase == tmux.Refused {
		out.Phase = tmux.Pasted // by an earlier call: it is not to be typed again
	}
	if out.Phase != tmux.Unknown && out.Phase != tmux.Refused { // until then the operator's wish stands
		y.m.ForgetForced(job.Message.ID)
	}
	if out.KeysWait {
		y.ledger.numbered = false // the next look lets them go
	}
	if a.entered.touched {
		y.view.memory.unread = y.o.Now().Add(keysRest)
	}

	switch {
	case job.State == parley.DeliveryUnconfirmed && out.Phase != tmux.Taken:
		return false, err // it stays so; the next look says what stands there
	case err == nil && a.unshownBy(parley.HoldMixedText, out):
		y.view.memory.cautious = false
		return false, y.ledger.note(ctx, job, a.refused)
	case err == nil && out.Phase == tmux.Entered && out.Reason == tmux.NotTaken && !out.Again && a.entered.lingering:
		a.text.lingers, y.view.memory.cautious = true, false
		return false, y.ledger.note(ctx, job, sight.Held(parley.HoldLingering, ""))
	}
	return y.conclude(ctx, t, job, a, out, err)
}

// conclude records the outcome of an attempt. What is not known stays in `typing`, to be
// resolved by what the pane remembers.
func (y *typist) conclude(
	ctx context.Context, t *team.Terminal, job store.Job, a *attempt, out tmux.Outcome, failure error,
) (done bool, err error) {
	if errors.Is(failure, context.DeadlineExceeded) && out.Phase == tmux.Pasted && out.Reason == tmux.InMode {
		ctx, failure = context.WithoutCancel(ctx), nil // a person who scrolls for long is no error
	}
	if failure != nil && out.Phase != tmux.Taken {
		return false, failure
	}
	if y.certain(t, &job, a, &out) {
		out.Phase = tmux.Taken
	}

	y.view.memory.cautious = out.Phase == tmux.Refused
	if out.Phase == tmux.Taken || !out.EnteredAt.IsZero() {
		y.remember(t, &job, a, out)
	}

	switch {
	case out.Phase == tmux.Taken, out.Phase == tmux.Entered && out.Reason == tmux.NoRefusal:
		y.view.stranded = nil
		if !t.Profile.HasMarkers() {
			t.NoteTaken(y.view.memory.place)
		}
		if a.asked && a.pasted.where == "" && !t.Profile.HasMarkers() {
			y.view.memory.mute = t
		}
		err := errors.Join(y.ledger.close(ctx, job, y.proven(t, &job, a, out)...), y.giveBack(ctx, a.text))
		if err == nil && out.Phase == tmux.Taken {
			err = y.o.Roster.NotePrompt(ctx, y.m)
		}
		return true, err
	case out.Phase == tmux.Refused && out.Reason == tmux.Repeated:
		y.ledger.numbered = false // the database is older than the pane: count on from the pane
		return false, y.ledger.close(ctx, job, ended(parley.DeliveryQueued, parley.EndedOutOfStep, ""))
	case out.Phase == tmux.Refused:
		return false, y.ledger.close(ctx, job, change(parley.DeliveryHeld, a.refusal(out, y.m)))
	case out.Phase == tmux.Pasted && passing(out.Reason) && !t.Stopping.Load():
		return false, y.ledger.note(ctx, job, pastedAnd(a.refusal(out, y.m)))
	case a.unshownBy(parley.HoldDialogOpened, out):
		y.view.memory.cautious = true
		return false, y.ledger.close(ctx, job, change(parley.DeliveryQueued, a.refused))
	case a.followed.refusal != "" && (out.Phase == tmux.Entered || out.Phase == tmux.Pasted):
		refused := ended(parley.DeliveryUnconfirmed, parley.EndedRefused, a.followed.refusal)
		return true, errors.Join(y.ledger.close(ctx, job, refused), y.o.tellRefused(ctx, y.m, &job, refused.Words()))
	case out.Reason == tmux.NotTaken && t.Profile.Look(out.Screen) == profile.Dialog:
		return false, y.ledger.note(ctx, job, sight.Held(parley.EndedDialog, ""))
	case out.Phase == tmux.Entered, out.Reason == tmux.NotTaken: // a person may have pressed the key
		if y.o.unread(t) > 0 && a.provable() {
			a.text.mode = sight.TTYModeOf(y.o.host, t)
			y.unread = append(y.unread, a.text)
		}
		y.view.stranded = a.text.strand(job, a, out)
		return true, y.ledger.close(ctx, job, ended(parley.DeliveryUnconfirmed, a.notTaken(out, y.o.unread(t)), ""))
	}

	y.view.stranded = a.text.strand(job, a, out)
	why := a.refusal(out, y.m).Words()
	return true, y.ledger.close(ctx, job, ended(parley.DeliveryUnconfirmed, parley.EndedNotEntered, why))
}

// certain reports whether the program itself has said that it was given the text, so long ago that a
// refusal would have followed. The report can come after the last look, or the program can be gone by
// then.
func (y *typist) certain(t *team.Terminal, job *store.Job, a *attempt, out *tmux.Outcome) bool {
	at, named := y.m.NamedAt(parley.Short(job.Message.ID))
	typed := out.Phase == tmux.Pasted || out.Phase == tmux.Entered
	if !typed || !named || at.Before(a.entered.named) || y.o.Now().Sub(at) < t.Profile.RefusesWithin {
		return false
	}
	return !y.m.Served.MayRefuse(at) && a.followed.refusal == "" && t.Profile.RefusedBy(out.Screen) == ""
}

// passing reports whether a refusal of the key is expected to pass: the pasted text waits.
func passing(why tmux.Refusal) bool {
	switch why {
	case tmux.Blocked, tmux.NotReady, tmux.InMode, tmux.Touched:
		return true
	}
	return false
}

// remember notes the message that was entered last.
func (y *typist) remember(t *team.Terminal, job *store.Job, a *attempt, out tmux.Outcome) {
	typed := later(out.PastedAt, job.Message.Timestamp)
	o := sight.Observation{On: t, Profile: t.Profile, Names: y.m.ReportsMessages()}
	unreported := out.Phase == tmux.Taken && !a.entered.begun && y.view.memory.reports(&o) &&
		!reportedSince(y.m, job, typed)
	entered := a.enteredAt(&out)
	if entered.IsZero() { // by an earlier call, at an unknown time
		entered = y.o.Now()
	}
	told := y.o.Now()
	if at, named := y.m.NamedAt(a.text.shortID()); named && reportedSince(y.m, job, typed) {
		told = at
	}
	a.text.given = given{
		entered: entered, told: told, gone: !a.entered.stands || a.entered.left, typed: typed, unreported: unreported,
		taken: out.Phase == tmux.Taken || out.Reason == tmux.NoRefusal, queued: a.queued || a.resumed,
		unshown: y.view.memory.last().on != t && t.Profile.FirstShown,
	}
	a.text.kept = false
	y.view.memory.given = a.text
}

// reportedSince reports whether the program itself said, since then and since the last retry, that it was given the
// message.
func reportedSince(m *team.Member, job *store.Job, since time.Time) bool {
	at, ok := m.NamedAt(parley.Short(job.Message.ID))
	return ok && !at.Before(since) && !at.Before(job.QueuedAt)
}

// pastedAnd says that a text stands pasted, and why its key waits.
func pastedAnd(h sight.Hold) sight.Hold {
	return h.With("pasted; Enter waits: ", "")
}

// proven returns the rungs that a delivery has reached when its text was taken. The whole
// text counts as read where the program is known, and an announcement of it does not.
func (y *typist) proven(t *team.Terminal, job *store.Job, a *attempt, out tmux.Outcome) []store.Change {
	proof := proofOf(t.Profile, out.Phase, reportedSince(y.m, job, a.entered.named))
	typed := "typed" + a.way.by.note()
	if a.way.spent {
		typed += " although a budget was used up, as the operator asked"
	}
	if out.Again {
		typed += ", with a second " + string(a.way.key)
	}

	separator := ", and "
	if proof == parley.ProofEntered {
		separator = " and "
	}
	evidence := typed + separator + proof.Words("") + a.text.together()
	if proof == parley.ProofRead {
		evidence = typed + a.pasted.seen() + separator + proof.Words("")
	}
	return typedRungs(!a.withheld, proof, evidence, job)
}

// giveBack tells the operator what of theirs went with a message, so that it is not lost.
func (y *typist) giveBack(ctx context.Context, x *typed) error {
	if x.mixed == "" {
		return nil
	}

	text := fmt.Sprintf(
		"What someone typed in the terminal of %s right after the Enter of message %s was submitted with it: “%s”",
		y.m.Name, x.shortID(), x.mixed,
	)
	operator := []*team.Member{y.o.Roster.ByName(parley.OperatorName)}
	err := y.o.Notify(ctx, operator, text, nil, "mingled/"+y.m.ID+"/"+x.Message.ID)
	if parley.ErrorCode(err) == parley.CommunicationDisabled {
		return nil // the evidence has it
	}
	return err
}

// tellRefused tells the agent that sent a message that the program refused it. The operator sees that anyway,
// and parley needs no notice about its own.
func (o *Couriers) tellRefused(ctx context.Context, m *team.Member, job *store.Job, why string) error {
	sender := o.Roster.ByID(job.Message.SenderID)
	if sender == nil || sender.Kind == parley.KindHuman || sender.Kind == parley.KindSystem {
		return nil
	}

	short := parley.Short(job.Message.ID)
	text := fmt.Sprintf("Your message %s to %s did not arrive: it was %s. The operator has been told, and can send it "+
		"again once that is mended.", short, m.Name, why)
	key := fmt.Sprintf("refused/%s/%s/%d", m.ID, job.Message.ID, job.PaneSeq)
	err := o.Notify(ctx, []*team.Member{sender}, text, nil, key)
	if parley.ErrorCode(err) == parley.CommunicationDisabled {
		return nil // messages are paused: the delivery says it
	}
	return err
}
