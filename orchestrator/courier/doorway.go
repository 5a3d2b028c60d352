package courier

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"parley"
	"parley/orchestrator/attempt"
	"parley/orchestrator/letter"
	"parley/orchestrator/sight"
	"parley/orchestrator/team"
	"parley/program/door"
	"parley/store"
)

// A program can have a door of its own, see package door. It is the second way to carry a message out: the claim
// names it, and what the courier makes of it is the same as of a typed one. What was claimed for the door is never
// typed unless the program says that it does not have it.

const (
	// doorPatience is how long a message waits for its terminal before it goes through the program's door instead,
	// which then has it within a second.
	doorPatience = 500 * time.Millisecond
	// doorSilence is how long a program that has nothing to do may say nothing of a message that it was given.
	doorSilence = 30 * time.Second
	// doorAnswers bounds one call of a door.
	doorAnswers = 10 * time.Second
	// doorShut is how long a door that was closed is left alone, doubling to doorShutLong.
	doorShut, doorShutLong = 10 * time.Second, 10 * time.Minute
	// doorPause is the same for one that takes another letter soon.
	doorPause = 2 * time.Second
	// doorLies is how long an idle program may keep a message before parley takes it back, where it can.
	doorLies = 15 * time.Second
	// doorAgain is how often a program is asked of what is unconfirmed: only a later turn can take it along.
	doorAgain = 10 * time.Second
	// doorFresh is how long after it was given a message is expected to be read at any moment.
	doorFresh = 10 * time.Second
)

// handed is a message that a program was given through its door, or may have been, and whose fate is open.
type handed struct {
	store.Job
	on     *team.Terminal
	shown  letter.Letter
	steer  bool        // it goes into a turn that runs
	past   string      // what held it back in the terminal, in words; "" if nothing did, or an earlier daemon knew it
	given  time.Time   // when it was handed over, or when this daemon found it
	claim  time.Time   // no report of it can be older
	never  bool        // the door was closed: it was not handed over
	told   bool        // it is unconfirmed, and asked for all the same: a later turn can take it along
	again  time.Time   // when it is asked for next, if it is told
	idle   time.Time   // since when the program has had nothing to do, and says nothing of it; zero: it has
	worked bool        // it was seen at work
	answer door.Answer // the last one
	read   time.Time   // when it said first that a turn has it, if the program may have refused it
	hooked bool        // a hook took it
	older  bool        // a program before the one that runs may have had it
	copies int         // on the screen before it was given: one that is sent again may stand there from the first time
}

// letter returns the message as its program gets it.
func (x *handed) letter() door.Letter {
	return door.Letter{
		ID: x.Message.ID, Text: x.shown.Text, Mark: x.shown.Mark, Steer: x.steer, Sent: x.Message.Timestamp,
	}
}

// inside are the messages that the program was given, or may have been, in that order.
type inside []*handed

// ahead holds what comes after a message that the program has not begun on: nothing may be typed before that.
func (in inside) ahead() (h sight.Hold) {
	for _, x := range in {
		switch {
		case x.told:
		case x.Argument:
			return sight.Held(parley.HoldNotBegun, "")
		default:
			h = sight.Held(parley.HoldInside, "a message before this one")
		}
	}
	return h
}

// hooked reports whether what it has not begun on was all taken by hooks: its turn has that in a moment.
func (in inside) hooked() bool {
	return !slices.ContainsFunc(in, func(x *handed) bool { return !x.told && !x.hooked })
}

// behind returns those that it was given after a message and has not begun on, the last one first.
func (in inside) behind(x *handed) (later []*handed) {
	for _, y := range in[slices.Index(in, x)+1:] {
		if !y.told {
			later = append([]*handed{y}, later...)
		}
	}
	return later
}

// forget asks no more for a message.
func (in *inside) forget(x *handed) {
	*in = slices.DeleteFunc(*in, func(y *handed) bool { return y == x })
}

// doorway is what a courier knows of the door of its program.
type doorway struct {
	v    *view
	open inside
	last *team.Terminal // that the rest is of
	shut time.Time      // it was closed, and is left alone until then
	rest time.Duration  // for how long

	recalled bool               // what an earlier daemon had told is asked for
	typed    map[store.Key]bool // what was claimed for the door before: a claim to type it forgets that

	hook hookway

	eager bool   // a message goes through it soon, unless its terminal is free before that
	unfit string // why the last message did not go through it, as a clause
	newer string // the same while it is closed to its program's version
}

// wants returns the door by which a message goes, and whether it goes there: where its agent allows that and the
// terminal holds it back. A message is typed if it was claimed for the door before, if it stands in the terminal
// already, or if the operator wants it there. h is what holds it back in the terminal.
func (d *doorway) wants(ctx context.Context, t *team.Terminal, job *store.Job, h sight.Hold) (openDoor, bool) {
	d.unfit = ""
	setting := d.v.m.Agent().Door
	_, forced := d.v.m.IsForced(job.Message.ID)
	typed := job.Door && !d.hook.missed[job.Key] || d.typed[job.Key] ||
		d.v.stranded != nil && d.v.stranded.Key == job.Key || forced
	starts := d.open.ahead().Code() == parley.HoldNotBegun
	if t == nil || setting == DoorNever || typed || starts {
		return nil, false
	}
	if call := d.hook.takes(t, job, h); call != nil {
		if d.open.ahead().None() {
			return call, true
		}
		d.hook.waits = d.open.hooked()
	}
	if !d.patient(job, h, setting == doorAlways) {
		return nil, false
	}
	if d.last != t {
		d.last, d.shut, d.rest, d.newer = t, time.Time{}, 0, ""
	}
	if d.unfit = d.newer; d.v.o.Now().Before(d.shut) || !d.heeds(t, job) {
		return nil, false
	}

	opening, over := context.WithTimeout(ctx, doorAnswers) // a stop waits for it
	defer over()
	e, err := d.v.o.host.Door(opening, d.v.m, t, setting != "")
	if d.newer = untried(err); err != nil {
		d.unfit = d.newer
		d.close()
		return nil, false
	}
	return e, e != nil
}

// untried says that a door is closed to a version of its program, "" if the error is another.
func untried(err error) string {
	if u, ok := errors.AsType[*door.UntriedError](err); ok {
		return "its program's door is closed, since nothing shows that it holds in version " + u.Version +
			" (profiles check --model tries that)"
	}
	return ""
}

// patient reports whether a message has waited long enough for its terminal. What is claimed on an offer is given back
// first.
func (d *doorway) patient(job *store.Job, h sight.Hold, always bool) bool {
	v := d.v
	switch {
	case job.State == parley.DeliveryTyping:
		return false
	case h.None():
		return always || !d.open.ahead().None()
	case !h.Code().OpenDoor(false), d.hook.awaits(v.m.Terminal(), h) && !always:
		return false
	case always, team.IsUrgent(*job):
		return true
	}
	if v.ledger.waiting == job.Key && v.o.Now().Sub(v.ledger.since) >= doorPatience {
		return true
	}
	d.eager = v.m.Terminal().Profile.Door.Kind != ""
	return false
}

const typedSince = "it is typed, since its program's door would "

// heeds reports whether the program would heed the message as it would a typed one: it is signed in, tells its model
// nothing else of who sent it, and leaves the text as it is.
func (d *doorway) heeds(t *team.Terminal, job *store.Job) bool {
	switch {
	case !d.v.isServed(t):
		return false
	case t.Profile.Door.Marks && d.v.isFromPerson(job):
		d.unfit = typedSince + "mark it as not from you"
	case t.Profile.IsAltered(d.v.textOf(t, job)):
		d.unfit = typedSince + "change its text"
	default:
		return true
	}
	return false
}

// tell says of what holds a message back in its terminal why it does not go through the door.
func (d *doorway) tell(h sight.Hold) sight.Hold {
	if d.unfit == "" || h.None() {
		return h
	}
	return h.With("", "; "+d.unfit)
}

// close notes that the door was closed.
func (d *doorway) close() {
	d.rest = min(max(doorShut, 2*d.rest), doorShutLong)
	d.shut = d.v.o.Now().Add(d.rest)
}

// give claims a message for the door and hands it over once. It is done when the next message may follow.
func (d *doorway) give(
	ctx context.Context, t *team.Terminal, job store.Job, e openDoor, h sight.Hold,
) (done bool, err error) {
	v := d.v
	ctx, cancel := unhurried(ctx)
	defer cancel()

	msg := v.o.Roster.Names.FillIn(&job.Message)
	l := letter.Whole(t.Profile, msg, v.m, v.o.ShortFooter)
	_, hooked := e.(hook)
	if hooked {
		d.hook.call = nil // it takes one
	}
	x := &handed{Job: job, on: t, shown: l, past: h.Words(), hooked: hooked, claim: v.o.Now()}
	x.steer = team.IsUrgent(job) && v.m.Agent().Interruptible

	delete(d.hook.missed, x.Key)
	claimed, err := d.claim(ctx, x)
	if !claimed {
		return err == nil, err
	}

	// The claim can take long, and the facts have changed.
	f := v.inspect(t, v.o.Now())
	f.Spent, f.Unread = "", 0
	if still := f.Hold(); !still.None() {
		return false, d.end(ctx, x, change(parley.DeliveryHeld, still))
	}

	d.open, x.copies = append(d.open, x), v.memory.Copies(l.Mark)
	calling, over := context.WithTimeout(ctx, doorAnswers)
	defer over()
	err = e.Give(calling, x.letter())
	x.given = v.o.Now()
	if errors.Is(err, door.ErrClosed) {
		x.never = true
		d.refused(x, err)
		closed := sight.Held(parley.HoldRefused, "its own door is closed")
		return false, d.end(ctx, x, change(parley.DeliveryHeld, closed))
	}

	d.rest, v.ledger.soon, v.ledger.waiting = 0, true, store.Key{}
	if err != nil {
		v.o.Log.Info("a door did not answer", "agent", v.m.Name, "message", x.shown.Mark, "error", err)
	}
	return true, nil
}

// keeps reports whether the program says that it has a message which it was given before, and which the operator has
// retried since. That one is not typed as well: it is claimed for the door again, and asked for as before.
func (d *doorway) keeps(ctx context.Context, t *team.Terminal, job store.Job) (bool, error) {
	if !job.Door || job.State == parley.DeliveryTyping {
		return false, nil
	}
	x := d.taken(t, job)
	d.open = slices.DeleteFunc(d.open, func(before *handed) bool { return before.Key == job.Key })
	if f := d.v.answerOf(ctx, x).Fate; f != door.Queued && f != door.Read {
		if d.typed == nil {
			d.typed = map[store.Key]bool{}
		}
		d.typed[job.Key] = true
		return false, nil
	}

	claimed, err := d.claim(ctx, x)
	if claimed {
		x.given = d.v.o.Now()
		d.open, d.v.ledger.soon = append(d.open, x), true
	}
	return err == nil, err
}

// claim notes that a message goes through the door, and reports whether that was noted. Without an error it was
// read, or has expired.
func (d *doorway) claim(ctx context.Context, x *handed) (bool, error) {
	err := d.v.o.Store.ClaimDoor(ctx, x.Key)
	if errors.Is(err, store.ErrStale) {
		return false, nil
	}
	if err != nil {
		d.v.ledger.leave(nil) // the claim may have been made
		return false, err
	}
	x.State, x.Door = parley.DeliveryTyping, true
	return true, nil
}

// taken returns a delivery that was claimed for the door before.
func (d *doorway) taken(t *team.Terminal, job store.Job) *handed {
	compose := letter.Whole
	if job.Argument {
		compose = letter.Argument
	}
	l := compose(t.Profile, d.v.o.Roster.Names.FillIn(&job.Message), d.v.m, d.v.o.ShortFooter)
	x := &handed{Job: job, on: t, shown: l, claim: job.QueuedAt}
	if job.QueuedAt.After(job.Message.Timestamp) { // how often it stood there before, only an earlier daemon knew
		x.copies = math.MaxInt
	}
	return x
}

// end ends the time of a message at the door.
func (d *doorway) end(ctx context.Context, x *handed, changes ...store.Change) error {
	if err := ignoreStale(d.v.o.Store.Advance(ctx, x.Key, changes...)); err != nil {
		return err
	}
	d.open.forget(x)
	d.v.ledger.behind = d.v.ledger.behind || changes[0].State == parley.DeliveryQueued
	return nil
}

// follow asks what has become of what the program was given.
func (d *doorway) follow(ctx context.Context) error {
	if err := d.recall(ctx); err != nil {
		return err
	}
	for _, x := range slices.Clone(d.open) {
		if !slices.Contains(d.open, x) {
			continue // it was taken back with the one before
		}
		if err := d.ask(ctx, x); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(d.open, func(x *handed) bool { return d.v.o.Now().Sub(x.given) < doorFresh }) {
		d.v.ledger.soon = true
	}
	return nil
}

// note says why a message is not read yet.
func (d *doorway) note(ctx context.Context, x *handed, why string) error {
	h := sight.Held(kept(&x.Job), why)
	if x.Cause == h.Cause {
		return nil
	}
	err := ignoreStale(d.v.o.Store.Advance(ctx, x.Key, change(parley.DeliveryTyping, h)))
	if err == nil {
		x.Cause = h.Cause
	}
	return err
}

// prove records that the program has a message.
func (d *doorway) prove(ctx context.Context, x *handed, proof parley.ReasonCode, words string) error {
	evidence := parley.ThroughDoor
	if x.Argument {
		evidence = parley.AsArgument
	}
	if x.past != "" {
		evidence += " (" + x.past + ")"
	}
	err := d.end(ctx, x, rungs(proof, evidence+", and "+words, nil)...)
	if err != nil {
		return err
	}
	d.v.m.StartTurn(&x.Message)
	unreported := !x.hooked && proof != parley.ProofReport && d.v.m.ReportsMessages()
	given := attempt.Given{Entered: d.v.o.Now(), Typed: x.claim, Unreported: unreported}
	d.v.memory.NoteHanded(&x.Job, x.on, x.shown, given)
	return d.v.o.Roster.NotePrompt(ctx, d.v.m)
}
