package courier

import (
	"errors"

	"parley"
	"parley/orchestrator/sight"
	"parley/orchestrator/team"
	"parley/program/door"
	"parley/store"
)

// A hook of a program that waits for what it may print is a door for a moment. It is one of those of its program:
// what a hook took is followed as what any door did.

// hookway is what a courier knows of the hooks of its program.
type hookway struct {
	v      *view
	call   hook           // that waits in this round; nil: none does
	waits  bool           // it is asked again soon, when its turn is seen to have what the last hook took
	deaf   *team.Terminal // whose program has said nothing of what a hook took: its hooks get no more
	rested *team.Terminal // whose program was seen at rest

	missed map[store.Key]bool // what a hook had gone on without: it goes to the next one

	told    bool // whether hooks in the turn are to ask
	beckons bool // they are
}

// begin begins a round with the hook that waits, if one does. The function ends it: the hook has gone on with a message
// by then, waits on, or is told that there is none for it.
func (w *hookway) begin() (end func()) {
	call := w.v.o.calls.first(w.v.m.ID)
	w.call, w.waits = call, false
	return func() {
		switch {
		case call == nil:
		case w.waits:
			w.v.ledger.soon = true
		default:
			call.Pass()
		}
	}
}

// takes returns the hook that a message goes to, nil if none waits for it.
func (w *hookway) takes(t *team.Terminal, job *store.Job, h sight.Hold) hook {
	if w.call == nil || w.deaf == t || job.State == parley.DeliveryTyping ||
		!h.None() && !h.Code().OpenDoor(true) || !w.v.isServed(t) || w.hasQueue(t) {
		return nil
	}
	at := w.call.Moment()
	if !at.AtEnd && !team.IsUrgent(*job) || at.Marks && w.v.isFromPerson(job) || at.Alters(w.v.textOf(t, job)) {
		return nil
	}
	return w.call
}

// hasQueue reports whether the program may have a text in its own queue, which a hook would overtake: what was typed
// last came while it worked, or was typed by an earlier daemon.
func (w *hookway) hasQueue(t *team.Terminal) bool {
	last := w.v.memory.Last()
	if last.On != t {
		return w.rested != t
	}
	said, ok := w.v.m.LastReport()
	return last.Queued && !(ok && said.State == parley.StateIdle && said.At.After(last.Entered))
}

// noteRest notes that the program of a terminal rests, and has taken what was in its queue.
func (w *hookway) noteRest(t *team.Terminal) { w.rested, w.v.memory.Last().Queued = t, false }

// awaits reports whether the turn that is all that holds a message back ends at a hook: another door would not
// bring it to the model before that.
func (w *hookway) awaits(t *team.Terminal, h sight.Hold) bool {
	return t != nil && t.Profile.Door.Hooks.End.Event != "" && w.deaf != t &&
		h.Code().LastsWith(parley.StateBusy)
}

// beckon says whether hooks in the turn are to ask for a message, as they do while an urgent one waits. To ask costs
// its program some time. job is nil if none waits.
func (w *hookway) beckon(t *team.Terminal, job *store.Job) {
	if t == nil || t.Profile.Door.Hooks.Tool.Event == "" {
		return
	}
	up := job != nil && w.deaf != t && team.IsUrgent(*job) &&
		!(t.Profile.Door.Hooks.Tool.Marks && w.v.isFromPerson(job))
	if !w.told || w.beckons != up {
		w.told, w.beckons = true, up
		w.v.o.host.Beckon(w.v.m, up)
	}
}

// refused notes that a door took nothing. That a hook has gone on says nothing of another door.
func (d *doorway) refused(x *handed, err error) {
	switch {
	case x.hooked:
		if d.hook.missed == nil {
			d.hook.missed = map[store.Key]bool{}
		}
		d.hook.missed[x.Key] = true
	case errors.Is(err, door.ErrNotNow):
		d.shut, d.rest = d.v.o.Now().Add(doorPause), 0
	default:
		d.close()
	}
}
