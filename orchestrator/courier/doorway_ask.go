package courier

import (
	"context"
	"slices"
	"time"

	"parley"
	"parley/orchestrator/sight"
	"parley/orchestrator/team"
	"parley/program/door"
	"parley/program/profile"
	"parley/store"
)

// witnesses tell what has become of a message at the door. They are asked in this order, until one knows.
var witnesses = []func(d *doorway, ctx context.Context, x *handed) (told bool, err error){
	(*doorway).wasShut, (*doorway).isReported, (*doorway).hasEnded,
	(*doorway).shows, (*doorway).answers, (*doorway).rests,
}

// ask asks of one of them.
func (d *doorway) ask(ctx context.Context, x *handed) error {
	for _, witness := range witnesses {
		if told, err := witness(d, ctx, x); told || err != nil {
			return err
		}
	}
	return nil
}

// wasShut tells of a message that met a closed door, if the database did not take that.
func (d *doorway) wasShut(ctx context.Context, x *handed) (told bool, err error) {
	if !x.never {
		return false, nil
	}
	return true, d.end(ctx, x, absent("its door is closed"))
}

// absent returns what becomes of a message that was claimed for a door, and that the program does not have.
func absent(why string) store.Change {
	return ended(parley.DeliveryQueued, parley.EndedDoorAbsent, why)
}

// isReported tells by the program's own report of a prompt.
func (d *doorway) isReported(ctx context.Context, x *handed) (told bool, err error) {
	at, named := x.named(d.v.m)
	if !named || d.v.m.Served.MayRefuse(at) {
		return false, nil
	}
	return true, d.prove(ctx, x, parley.ProofReport, parley.ProofReport.Words(""))
}

// named returns when the program of a member reported a message.
func (x *handed) named(m *team.Member) (at time.Time, named bool) {
	at, named = m.NamedAt(parley.Short(x.Message.ID))
	return at, named && !at.Before(x.claim)
}

// hasEnded tells that the program has ended with a message. A queue can outlive that: the program is asked for it again
// once it is back.
func (d *doorway) hasEnded(ctx context.Context, x *handed) (told bool, err error) {
	t := d.v.m.Terminal()
	runs := t != nil && d.v.o.host.Alive(t)
	switch {
	case runs && t == x.on:
		return false, nil
	case x.told && x.Argument: // it is told to no other
		d.open.forget(x)
		return true, nil
	case runs && x.told:
		x.on, x.older = t, true
		return false, nil
	case x.told:
		return true, nil
	}

	ended := unseen(d.v.m, &x.Job, silent(&x.Job), "its program has ended")
	if ended[0].State != parley.DeliveryUnconfirmed {
		return true, d.end(ctx, x, ended...)
	}
	err = ignoreStale(d.v.o.Store.Advance(ctx, x.Key, ended...))
	x.told = err == nil
	return true, err
}

// shows tells by the screen of a message that its program has named so long ago that a refusal would stand there.
// It is for what an earlier daemon gave: this one has seen no turn of the program yet.
func (d *doorway) shows(ctx context.Context, x *handed) (told bool, err error) {
	at, reported := x.named(d.v.m)
	proof, words := parley.ProofReport, parley.ProofReport.Words("")
	if !reported {
		at, proof, words = x.read, parley.ProofDoor, x.answer.Evidence
	}
	if at.IsZero() || d.v.o.Now().Sub(at) < x.on.Profile.RefusesWithin {
		return false, nil
	}

	o, err := d.look(ctx, x)
	switch {
	case err != nil, o.Hides():
		return true, nil // the next look tells
	case o.Refusal() != "" && x.told && !reported: // it may be of another, and a later turn has this one too
		x.read = time.Time{}
		return true, nil
	case o.Refusal() != "":
		return true, d.end(ctx, x, ended(parley.DeliveryUnconfirmed, parley.EndedRefused, o.Refusal()))
	}
	if !x.older {
		d.v.memory.Served = x.on
		d.v.m.Served.Note(x.on)
	}

	return true, d.prove(ctx, x, proof, words)
}

// answers tells by what the program says at its door.
func (d *doorway) answers(ctx context.Context, x *handed) (told bool, err error) {
	if now := d.v.o.Now(); x.told && now.Before(x.again) {
		return true, nil
	} else if x.told {
		x.again = now.Add(doorAgain)
	}

	x.answer = d.v.answerOf(ctx, x)
	switch f := x.answer.Fate; {
	case f == door.Read && d.v.m.Served.MayRefuse(d.v.o.Now()): // its session has what it refuses, too
		if x.read.IsZero() {
			x.read = d.v.o.Now()
		}
		return true, nil
	case f == door.Read:
		return true, d.prove(ctx, x, parley.ProofDoor, x.answer.Evidence)
	case f != door.Dropped && f != door.Absent:
		return x.told, nil // a later turn can take along what is unconfirmed
	case x.told:
		d.open.forget(x)
		return true, nil
	case f == door.Absent:
		d.close()
		if _, err := d.takeBehind(ctx, x); err != nil {
			return true, err
		}
		return true, d.end(ctx, x, absent(x.answer.Evidence))
	}
	return true, d.end(ctx, x, ended(parley.DeliveryUnconfirmed, parley.EndedDoorDropped, x.answer.Evidence))
}

// withdraw takes back what the program keeps, and reports whether it did.
func (v *view) withdraw(ctx context.Context, x *handed) bool {
	ctx, over := context.WithTimeout(ctx, doorAnswers)
	defer over()

	e, err := v.o.host.Door(ctx, v.m, x.on, true)
	if err != nil || e == nil {
		return false
	}
	back, err := e.Withdraw(ctx, x.letter())
	if err != nil {
		v.o.Log.Info("a door did not give a message back",
			"agent", v.m.Name, "message", x.shown.Mark, "error", err)
	}
	return back
}

// takeBehind takes back what the program keeps of what it was given after a message, the last one first, so that the
// order is kept when that goes back into the queue. It reports whether all of it came back.
func (d *doorway) takeBehind(ctx context.Context, x *handed) (all bool, err error) {
	for _, y := range d.open.behind(x) {
		if back, err := d.takeBack(ctx, y); !back || err != nil {
			return false, err
		}
	}
	return true, nil
}

// takeBack takes back what the program keeps, and reports whether it gave that back.
func (d *doorway) takeBack(ctx context.Context, x *handed) (back bool, err error) {
	if !d.v.withdraw(ctx, x) {
		return false, nil
	}
	return true, d.end(ctx, x, absent("it was taken back, since nothing began on it"))
}

// answerOf asks the program. Its door never had what it was started with.
func (v *view) answerOf(ctx context.Context, x *handed) door.Answer {
	if x.Argument {
		return door.Answer{Fate: door.Unknown, Evidence: "it says nothing of it"}
	}
	ctx, over := context.WithTimeout(ctx, doorAnswers)
	defer over()

	e, err := v.o.host.Door(ctx, v.m, x.on, true)
	if err != nil || e == nil {
		return door.Answer{Fate: door.Unknown, Evidence: "its door is closed"}
	}
	answer, err := e.Ask(ctx, x.letter())
	if err != nil {
		return door.Answer{Fate: door.Unknown, Evidence: "its door does not answer"}
	}
	return answer
}

// restore takes up a delivery that an earlier daemon had claimed for the door, or this one with an error.
func (d *doorway) restore(t *team.Terminal, job store.Job) {
	if !slices.ContainsFunc(d.open, func(x *handed) bool { return x.Key == job.Key }) {
		x := d.taken(t, job)
		x.given = d.v.o.Now()
		d.open = append(d.open, x)
	}
}

// recall takes up what was unconfirmed when this daemon began, since the program had said nothing of it.
func (d *doorway) recall(ctx context.Context) error {
	t := d.v.m.Terminal()
	if d.recalled || t == nil {
		return nil
	}

	jobs, err := d.v.o.Store.Silent(ctx, d.v.m.ID)
	if err != nil {
		return err
	}
	d.recalled = true
	for _, job := range jobs {
		x := d.taken(t, job)
		x.told, x.older = true, true
		d.open = append(d.open, x)
	}

	return nil
}

// look looks at the terminal of the program that a message was given.
func (d *doorway) look(ctx context.Context, x *handed) (sight.Observation, error) {
	looking, over := context.WithTimeout(ctx, lookWithin)
	defer over()
	screen, err := sight.ReadPane(looking, d.v.o.host.Pane(x.on), x.on.Profile, d.v.o.readings)
	if err != nil {
		return sight.Observation{}, err
	}
	return d.v.observe(x.on, &x.Job, screen), nil
}

// rests waits for a program that says nothing of a message, or that it keeps it, until it has long had nothing to do.
func (d *doorway) rests(ctx context.Context, x *handed) (told bool, err error) {
	v, answer := d.v, &x.answer
	o, err := d.look(ctx, x)
	if err != nil {
		return true, nil // the next look tells
	}

	now, why := v.o.Now(), answer.Evidence
	idle := o.Shows == profile.Idle || !x.on.Profile.HasMarkers()
	shown := answer.Fate == door.Unknown && o.ShowsAbove(&x.shown) &&
		profile.Times(o.Above, x.shown.Mark) > x.copies
	if !idle && answer.Fate != door.Queued {
		why = "it says nothing of it while its screen shows " + string(o.Shows)
	}
	switch {
	case shown && o.Refusal() != "":
		return true, d.end(ctx, x, ended(parley.DeliveryUnconfirmed, parley.EndedRefused, o.Refusal()))
	case !idle:
		x.idle, x.worked = time.Time{}, x.worked || o.Shows == profile.Busy
	case x.idle.IsZero():
		x.idle = now
	case shown && now.Sub(x.idle) >= doorPatience && v.hasHeeded(&o, x): // its report is late, or lost
		return true, d.prove(ctx, x, parley.ProofShown, parley.ProofShown.Words(""))
	case answer.Fate == door.Queued && now.Sub(x.idle) >= doorLies:
		back, err := d.takeBehind(ctx, x)
		if back && err == nil {
			back, err = d.takeBack(ctx, x)
		}
		if back || err != nil {
			return true, err
		}
	}
	if !x.idle.IsZero() && now.Sub(x.idle) >= doorSilence {
		err = ignoreStale(v.o.Store.Advance(ctx, x.Key,
			ended(parley.DeliveryUnconfirmed, silent(&x.Job), why)))
		x.told = err == nil // else it is still to be written
		if x.hooked {
			d.hook.deaf = x.on
		}
		return true, err
	}
	if idle && answer.Fate != door.Queued || x.hooked && now.Sub(x.given) < doorFresh {
		return true, nil
	}
	return true, d.note(ctx, x, why)
}

// hasHeeded reports whether a text that its program shows was taken, and not refused: it was answered, or the program
// is signed in. What a program was started with can stand there since its launcher shows what it starts, until a turn
// is seen or words below it. A refusal may have gone again while nobody looked.
func (v *view) hasHeeded(o *sight.Observation, x *handed) bool {
	mark := x.shown.Mark
	answered := o.Profile.Answered(o.Above, mark, x.copies)
	if x.Argument && !x.worked && (!answered || o.Profile.Answered([]string{mark}, mark, 0)) {
		return false
	}
	return answered || !v.memory.MayRefuse(o)
}
