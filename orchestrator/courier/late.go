package courier

import (
	"context"
	"errors"

	"parley"
	"parley/orchestrator/attempt"
	"parley/orchestrator/letter"
	"parley/orchestrator/sight"
	"parley/orchestrator/team"
	"parley/program/profile"
	"parley/store"
	"parley/tmux"
)

// What a program had not read when its delivery was closed as unconfirmed is proven if it reads that after all.

// proveLate looks whether a program has read by now what it had not when the
// delivery was closed as unconfirmed.
func (r *recovery) proveLate(ctx context.Context) error {
	t := r.m.Terminal()
	if len(r.typist.unread) == 0 || t == nil {
		r.typist.unread = nil
		return nil
	}

	n, err := r.o.host.Unread(t)
	if !r.o.host.Alive(t) { // what it had not read went with it, and its terminal's name may be another's
		r.typist.unread = nil
		return nil
	}

	if !t.Profile.HasMarkers() && r.typist.unread[0].Read.IsZero() {
		if asks, err := r.o.asks(ctx, t, &r.view.memory, &r.typist.unread[0].Letter); err != nil {
			return err
		} else if asks {
			r.typist.unread = nil // that takes it as its answer
			return nil
		}
	}
	if err != nil || n > 0 {
		return nil
	}
	facts := r.view.inspect(t, r.o.Now())
	if !t.Profile.HasMarkers() && !facts.OtherProgram().None() {
		r.typist.unread = nil // that may have read it
		return nil
	}
	if facts.Unmatched != nil && facts.Unmatched() {
		return nil // it is a known program, and its profile will tell a draft from what it was given
	}

	for i := range r.typist.unread {
		if u := r.typist.unread[i]; u.Read.IsZero() {
			u.Read = r.o.Now()
		}
	}

	taken := func(*attempt.Typed) took { return tookIt }
	if t.Profile.HasMarkers() {
		screen, err := r.o.host.Pane(t).Screen(ctx, tmux.ScreenOptions{})
		if err != nil {
			return err
		}
		taken = func(u *attempt.Typed) took {
			switch {
			case !u.Doubted && r.o.shownAbove(t, screen, u.Letter.Mark):
				return tookIt
			case r.o.Now().Sub(u.Read) < t.Profile.TakenWithin:
				return tookUnseen
			}
			return tookNot
		}
	}

	return r.proveRead(ctx, t, taken)
}

// took says whether what has read a text took it as a prompt.
type took int

const (
	tookUnseen took = iota // nothing shows that yet
	tookIt
	tookNot
)

// proveRead records those of the unproven that were read and, where a key can be lost, are shown as taken.
// Others get some more time to show.
func (r *recovery) proveRead(ctx context.Context, t *team.Terminal, taken func(*attempt.Typed) took) error {
	entered := r.typist.unread
	r.typist.unread = nil
	for _, u := range entered {
		if u.On != t || u.Mode != sight.TTYModeOf(r.o.host, t) {
			continue // it may have been dropped with the change
		}
		switch taken(u) {
		case tookUnseen:
			r.typist.unread = append(r.typist.unread, u)
			continue
		case tookNot:
			continue
		}

		const words = "its program took it from the terminal later; nothing more is known of this program"
		late := store.Change{State: parley.DeliverySubmitted, Cause: parley.ProofRead.In(words)}
		if err := r.o.Store.Advance(ctx, u.Key, late); err != nil && !errors.Is(err, store.ErrStale) {
			return err
		}
	}

	return nil
}

// shownAbove reports whether a text stands on the screen and not in the composer.
func (o *Couriers) shownAbove(t *team.Terminal, screen tmux.Screen, mark string) bool {
	seen := sight.Look(o.host, o.readings, t, o.Now(), screen)
	_, above := profile.Behind(screen.Lines, mark, 0)
	return above && seen.Composing && !profile.Holds(seen.Composer, mark)
}

// asks reports whether a terminal shows a question now, in place of where a letter was typed.
func (o *Couriers) asks(ctx context.Context, t *team.Terminal, m *attempt.Memory, l *letter.Letter) (bool, error) {
	screen, err := o.host.Pane(t).Screen(ctx, tmux.ScreenOptions{})
	if err != nil {
		return false, err
	}
	seen, at := sight.Look(o.host, o.readings, t, o.Now(), screen), sight.SpotOn(o.host, t, &screen)
	at.IsNew = at.IsNew || at.At.New // also while nothing reads there
	return !seen.Question.None() || m.Leaves(&at, l), nil
}
