package courier

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley"
	"parley/orchestrator/attempt"
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
	unread []*attempt.Typed // entered but not seen to be read; proven if they are read after all
}

// newAttempt returns an attempt to type a message, or to go on with one.
func (y *typist) newAttempt(
	t *team.Terminal, job *store.Job, l letter.Letter, w attempt.Way, resumed bool,
) *attempt.Attempt {
	a := &attempt.Attempt{Way: w, Resumed: resumed, Memory: &y.view.memory}
	a.Text = y.view.memory.TextOf(job, t, l, resumed)
	a.Entered.Named, a.Entered.Mode = y.o.Now(), sight.TTYModeOf(y.o.host, t)
	if resumed {
		// The report may have come before this look.
		a.Entered.Named = attempt.Later(job.Message.Timestamp, job.QueuedAt)
	} else {
		o := sight.Observation{On: t, Profile: t.Profile, Names: y.m.ReportsMessages()}
		a.Entered.Reporting = y.view.memory.Reports(&o)
	}
	a.Entered.Long = a.Text.Lingers
	return a
}

// submit carries an attempt out and records what came of it.
func (y *typist) submit(
	ctx context.Context, t *team.Terminal, job store.Job, a *attempt.Attempt,
) (done bool, err error) {
	if p := y.o.Paused(); p != nil && !a.Resumed { // since the look
		y.view.memory.Cautious = true
		return false, y.ledger.close(ctx, job, change(parley.DeliveryHeld, sight.Held(parley.HoldPaused, p.Words())))
	}

	sub := tmux.Submission{
		Owner: y.m.ID, On: t.Instance, Seq: job.PaneSeq, Text: a.Text.Letter.Text, Key: a.Way.Key,
		LeaveMode: a.Way.By == attempt.PassMode, Resume: a.Resumed, OnEntered: y.o.Entered,
	}
	if a.Resumed || !t.Profile.Instant() {
		sub.Untouched, sub.Ahead = a.Way.Since, a.Way.Ahead
		sub.Next = func(m tmux.Moment) tmux.Step {
			o := y.view.observe(t, &job, m.Screen)
			return a.Next(m.Phase, m.Again, &o)
		}
	} else if t.Stopping.Load() {
		y.view.memory.Cautious = true
		return false, y.ledger.close(ctx, job, change(parley.DeliveryHeld, sight.Held(parley.HoldStopping, "")))
	} else if y.o.leaseOver() {
		y.view.memory.Cautious = true
		return false, y.ledger.close(ctx, job, change(parley.DeliveryHeld, sight.Held(parley.HoldLease, "")))
	}

	out, err := y.o.host.Pane(t).Submit(ctx, sub)
	y.m.Served.Note(y.view.memory.Served)
	if a.Resumed && out.Phase == tmux.Refused {
		out.Phase = tmux.Pasted // by an earlier call: it is not to be typed again
	}
	if out.Phase != tmux.Unknown && out.Phase != tmux.Refused { // until then the operator's wish stands
		y.m.ForgetForced(job.Message.ID)
	}
	if out.KeysWait {
		y.ledger.numbered = false // the next look lets them go
	}
	if a.Entered.Touched {
		y.view.memory.Unread = y.o.Now().Add(attempt.KeysRest)
	}

	switch {
	case job.State == parley.DeliveryUnconfirmed && out.Phase != tmux.Taken:
		return false, err // it stays so; the next look says what stands there
	case err == nil && a.UnshownBy(parley.HoldMixedText, out):
		y.view.memory.Cautious = false
		return false, y.ledger.note(ctx, job, a.Refused)
	case err == nil && out.Phase == tmux.Entered && out.Reason == tmux.NotTaken && !out.Again && a.Entered.Lingering:
		a.Text.Lingers, y.view.memory.Cautious = true, false
		return false, y.ledger.note(ctx, job, sight.Held(parley.HoldLingering, ""))
	}
	return y.conclude(ctx, t, job, a, out, err)
}

// conclude records the outcome of an attempt. What is not known stays in `typing`, to be
// resolved by what the pane remembers.
func (y *typist) conclude(
	ctx context.Context, t *team.Terminal, job store.Job, a *attempt.Attempt, out tmux.Outcome, failure error,
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

	y.view.memory.Cautious = out.Phase == tmux.Refused
	if out.Phase == tmux.Taken || !out.EnteredAt.IsZero() {
		y.remember(t, &job, a, out)
	}

	switch {
	case out.Phase == tmux.Taken, out.Phase == tmux.Entered && out.Reason == tmux.NoRefusal:
		y.view.stranded = nil
		if !t.Profile.HasMarkers() {
			t.NoteTaken(y.view.memory.Place)
		}
		if a.Asked && a.Pasted.Where == "" && !t.Profile.HasMarkers() {
			y.view.memory.Mute = t
		}
		err := errors.Join(y.ledger.close(ctx, job, y.proven(t, &job, a, out)...), y.giveBack(ctx, a.Text))
		if err == nil && out.Phase == tmux.Taken {
			err = y.o.Roster.NotePrompt(ctx, y.m)
		}
		return true, err
	case out.Phase == tmux.Refused && out.Reason == tmux.Repeated:
		y.ledger.numbered = false // the database is older than the pane: count on from the pane
		return false, y.ledger.close(ctx, job, ended(parley.DeliveryQueued, parley.EndedOutOfStep, ""))
	case out.Phase == tmux.Refused:
		return false, y.ledger.close(ctx, job, change(parley.DeliveryHeld, a.Refusal(out, y.m)))
	case out.Phase == tmux.Pasted && passing(out.Reason) && !t.Stopping.Load():
		return false, y.ledger.note(ctx, job, pastedAnd(a.Refusal(out, y.m)))
	case a.UnshownBy(parley.HoldDialogOpened, out):
		y.view.memory.Cautious = true
		return false, y.ledger.close(ctx, job, change(parley.DeliveryQueued, a.Refused))
	case a.Followed.Refusal != "" && (out.Phase == tmux.Entered || out.Phase == tmux.Pasted):
		refused := ended(parley.DeliveryUnconfirmed, parley.EndedRefused, a.Followed.Refusal)
		return true, errors.Join(y.ledger.close(ctx, job, refused), y.o.tellRefused(ctx, y.m, &job, refused.Words()))
	case out.Reason == tmux.NotTaken && t.Profile.Look(out.Screen) == profile.Dialog:
		return false, y.ledger.note(ctx, job, sight.Held(parley.EndedDialog, ""))
	case out.Phase == tmux.Entered, out.Reason == tmux.NotTaken: // a person may have pressed the key
		if y.o.unread(t) > 0 && a.Entered.Provable() {
			a.Text.Mode = sight.TTYModeOf(y.o.host, t)
			y.unread = append(y.unread, a.Text)
		}
		y.view.stranded = a.Text.Strand(job, a, out)
		return true, y.ledger.close(ctx, job, ended(parley.DeliveryUnconfirmed, a.NotTaken(out, y.o.unread(t)), ""))
	}

	y.view.stranded = a.Text.Strand(job, a, out)
	why := a.Refusal(out, y.m).Words()
	return true, y.ledger.close(ctx, job, ended(parley.DeliveryUnconfirmed, parley.EndedNotEntered, why))
}

// certain reports whether the program itself has said that it was given the text, so long ago that a
// refusal would have followed. The report can come after the last look, or the program can be gone by
// then.
func (y *typist) certain(t *team.Terminal, job *store.Job, a *attempt.Attempt, out *tmux.Outcome) bool {
	at, named := y.m.NamedAt(parley.Short(job.Message.ID))
	typed := out.Phase == tmux.Pasted || out.Phase == tmux.Entered
	if !typed || !named || at.Before(a.Entered.Named) || y.o.Now().Sub(at) < t.Profile.RefusesWithin {
		return false
	}
	return !y.m.Served.MayRefuse(at) && a.Followed.Refusal == "" && t.Profile.RefusedBy(out.Screen) == ""
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
func (y *typist) remember(t *team.Terminal, job *store.Job, a *attempt.Attempt, out tmux.Outcome) {
	typed := attempt.Later(out.PastedAt, job.Message.Timestamp)
	o := sight.Observation{On: t, Profile: t.Profile, Names: y.m.ReportsMessages()}
	unreported := out.Phase == tmux.Taken && !a.Entered.Begun && y.view.memory.Reports(&o) &&
		!reportedSince(y.m, job, typed)
	entered := a.Entered.At(&out)
	if entered.IsZero() { // by an earlier call, at an unknown time
		entered = y.o.Now()
	}
	told := y.o.Now()
	if at, named := y.m.NamedAt(a.Text.ShortID()); named && reportedSince(y.m, job, typed) {
		told = at
	}
	a.Text.Given = attempt.Given{
		Entered: entered, Told: told, Gone: !a.Entered.Stands || a.Entered.Left, Typed: typed, Unreported: unreported,
		Taken: out.Phase == tmux.Taken || out.Reason == tmux.NoRefusal, Queued: a.Queued || a.Resumed,
		Unshown: y.view.memory.Last().On != t && t.Profile.FirstShown,
	}
	a.Text.Kept = false
	y.view.memory.Given = a.Text
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
func (y *typist) proven(t *team.Terminal, job *store.Job, a *attempt.Attempt, out tmux.Outcome) []store.Change {
	proof := attempt.ProofOf(t.Profile, out.Phase, reportedSince(y.m, job, a.Entered.Named))
	typed := "typed" + a.Way.By.Note()
	if a.Way.Spent {
		typed += " although a budget was used up, as the operator asked"
	}
	if out.Again {
		typed += ", with a second " + string(a.Way.Key)
	}

	separator := ", and "
	if proof == parley.ProofEntered {
		separator = " and "
	}
	evidence := typed + separator + proof.Words("") + a.Text.Together()
	if proof == parley.ProofRead {
		evidence = typed + a.Pasted.Seen() + separator + proof.Words("")
	}
	return typedRungs(!a.Withheld, proof, evidence, job)
}

// giveBack tells the operator what of theirs went with a message, so that it is not lost.
func (y *typist) giveBack(ctx context.Context, x *attempt.Typed) error {
	if x.Mixed == "" {
		return nil
	}

	text := fmt.Sprintf(
		"What someone typed in the terminal of %s right after the Enter of message %s was submitted with it: “%s”",
		y.m.Name, x.ShortID(), x.Mixed,
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
