package trial

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"parley"
	"parley/internal/wait"
	"parley/orchestrator/terminal"
	"parley/plain"
	"parley/program/door"
)

// enters gives the program two messages through its own door while a person's draft stands in the composer: the
// second one comes while it works on the first.
func (w *modelWalk) enters(ctx context.Context) error {
	switch {
	case w.walk.opts.Profile.Door.Kind == "":
		w.walk.note(Door, NotTried, "none of its own is known")
		return nil
	case !w.walk.entered:
		w.walk.note(Door, NotTried, "its command or its environment settles it")
		return nil
	}

	if err := w.walk.t.Pane.TypeUnguarded(ctx, draft); err != nil {
		return err
	}
	if s, ok, err := w.walk.until(ctx, drawn, func(s seen) bool { return s.Composer == draft }); err != nil {
		return err
	} else if !ok {
		return w.shut(ctx, fmt.Sprintf("%q was typed, and %q is read", draft, plain.Truncate(s.Composer, 60)))
	}
	d, err := w.openDoor(ctx)
	if err != nil {
		w.walk.note(Door, Fails, fmt.Sprintf("it is closed: %v", err))
		return w.walk.clear(ctx)
	}
	why := w.hands(ctx, d)
	_ = d.Close() // nothing more comes
	if why != "" {
		return w.shut(ctx, why)
	}

	s, ok, err := w.walk.until(ctx, w.walk.opts.Patience, func(s seen) bool { return s.Composer == draft })
	if err != nil {
		return err
	}
	if !ok {
		return w.shut(ctx, fmt.Sprintf("the draft was not left: the composer holds %q",
			plain.Truncate(s.Composer, 60)))
	}
	if err := w.walk.clear(ctx); err != nil {
		return err
	}
	if w.walk.left != "" {
		return w.shut(ctx, w.walk.left)
	}
	now, at, ok, err := w.stands(ctx, w.walk.opts.Patience, w.rested())
	if err != nil {
		return err
	}
	if !ok {
		w.fails(Door, "it does not rest after what came through it", now, at)
		return nil
	}
	w.walk.note(Door, Holds, "")
	return nil
}

// shut notes that the door does not hold, and ends the trial: what went in can still come.
func (w *modelWalk) shut(ctx context.Context, saw string) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	w.walk.note(Door, Fails, saw)
	w.walk.left = "what came before did not hold"
	return nil
}

// openDoor waits until the door is open, whatever the version. Some belong to the session, which may not be found
// at once.
func (w *modelWalk) openDoor(ctx context.Context) (d door.Door, err error) {
	limit, cancel := context.WithTimeout(ctx, begins)
	defer cancel()
	kind := w.walk.opts.Profile.Door.Kind
	_ = wait.Until(limit, lookEvery, func() (bool, error) {
		at := door.Program{Kind: kind, PID: w.walk.t.PID, Dir: w.walk.private}
		if door.OfSession(kind) {
			// What cannot be read now can be at the next look.
			at.Session, _ = terminal.SessionOf(limit, w.walk.t, time.Time{}, func(string) bool { return true })
		}
		d, err = door.Open(limit, at)
		return err == nil, nil
	})
	return d, err
}

// hands hands the messages over, and waits until turns of the program's session have them. It returns why they do not.
func (w *modelWalk) hands(ctx context.Context, d door.Door) (why string) {
	var letters []door.Letter
	for i, body := range []string{work, "and this"} {
		id := fmt.Sprintf("5f0c21b%d-0000-4000-8000-000000000000", i)
		mark := "msg " + parley.Short(id)
		l := door.Letter{ID: id, Text: w.walk.message(body, mark), Mark: mark, Sent: w.walk.opts.Now()}
		if err := d.Give(ctx, l); err != nil {
			return fmt.Sprintf("a message is not taken: %v", err)
		}
		letters = append(letters, l)
	}

	limit, cancel := context.WithTimeout(ctx, w.walk.opts.Patience)
	defer cancel()
	for _, l := range letters {
		var answer door.Answer
		err := wait.Until(limit, lookEvery, func() (bool, error) {
			answer, _ = d.Ask(limit, l) // an error may pass
			return answer.Fate == door.Read, nil
		})
		if err != nil {
			return fmt.Sprintf("a message was given, and is %s: %s", answer.Fate, cmp.Or(answer.Evidence, err.Error()))
		}
	}
	return ""
}
