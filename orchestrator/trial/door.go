package trial

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"parley"
	"parley/internal/wait"
	"parley/orchestrator/sight"
	"parley/orchestrator/terminal"
	"parley/plain"
	"parley/program/door"
	"parley/program/profile"
	"parley/program/typed"
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

// hookScript stands for parley where a program's hooks are tried, beside the files of its name: it keeps what the
// program says, and prints what the trial has for that hook.
const hookScript = `#!/bin/sh
[ "$1" = hook ] || exit 0
cat > "$0.said.$2.$$"
[ "$3" = --wait ] && mv "$0.give.$2" "$0.given" 2>/dev/null && cat "$0.given"
exit 0
`

// standInFor returns what stands for parley in what is handed over, in a directory of the trial. Without hooks to try,
// the program's MCP server and its reports end at once. parley itself would start a daemon for the directory.
func (o *Options) standInFor(dir string) (path string, err error) {
	if o.Model == "" || o.Profile.Door.Hooks.End.Event == "" {
		return "true", nil
	}
	path = filepath.Join(dir, "parley")
	if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(path, []byte(hookScript), 0o700)); err != nil {
		return "", fmt.Errorf("write what stands for parley: %w", err)
	}
	return path, nil
}

// hooked gives the program a message by the hook at the end of its turn, which has to go on with that.
func (w *modelWalk) hooked(ctx context.Context) error {
	hooks := &w.walk.opts.Profile.Door.Hooks
	if hooks.End.Event == "" {
		w.walk.note(Hooks, NotTried, "no hook of it is known that takes messages")
		return nil
	}
	base, err := w.walk.opts.standInFor(w.walk.private)
	if err != nil {
		return err
	}
	const given = "msg 5f0c21bc"
	prints, err := hooks.End.Print(w.walk.message("and this", given))
	if err == nil {
		err = os.WriteFile(base+".give."+hooks.End.Event, []byte(prints), 0o600)
	}
	if err != nil {
		return fmt.Errorf("write what a hook prints: %w", err)
	}

	if ok, err := w.submit(ctx, Hooks, work, mark, w.walk.opts.Profile.Key); !ok || err != nil {
		return err
	}
	if ok, err := w.works(ctx, Hooks); !ok || err != nil {
		return err
	}
	has, called, rested := false, false, w.rested()
	_, _, ok, err := w.stands(ctx, w.walk.opts.Patience, func(s *sight.Standing, at *seen) bool {
		_, waits := os.Stat(base + ".give." + hooks.End.Event)
		called, has = waits != nil, has || hasGiven(hooks, base, given)
		return rested(s, at) && (has || !called)
	})
	switch {
	case err != nil:
		return err
	case !called:
		w.walk.note(Hooks, NotTried, "the program called none")
	case !has:
		w.walk.note(Hooks, Fails, "nothing that it writes names the message that its hook printed")
	case !ok:
		w.walk.note(Hooks, Fails, "it does not rest after what its hook printed")
		w.walk.left = "what came before did not hold"
	default:
		w.walk.note(Hooks, Holds, "")
	}
	return nil
}

// hasGiven reports whether the program says that a turn has the message: in its transcript, or in what it reports.
func hasGiven(hooks *profile.Hooks, base, mark string) bool {
	said, _ := filepath.Glob(base + ".said.*") // the pattern is well formed, unless the directory's name is not
	if hooks.End.IsReported() {
		return slices.ContainsFunc(said, func(name string) bool {
			text, err := os.ReadFile(name)
			var prompt struct{ Prompt string }
			return err == nil && json.Unmarshal(text, &prompt) == nil && len(typed.Find(prompt.Prompt)) > 0 &&
				bytes.Contains(text, []byte(mark))
		})
	}
	return slices.ContainsFunc(said, func(name string) bool {
		text, err := os.ReadFile(name)
		var at struct {
			Path string `json:"transcript_path"`
		}
		if err != nil || json.Unmarshal(text, &at) != nil || at.Path == "" {
			return false
		}
		if hooks.File != "" {
			at.Path = filepath.Join(filepath.Dir(at.Path), hooks.File)
		}
		lines, _ := os.ReadFile(at.Path) // the program may write it later
		return slices.ContainsFunc(bytes.Split(lines, []byte("\n")), func(line []byte) bool {
			return bytes.Contains(line, []byte(mark)) && hooks.End.Read.Match(line)
		})
	})
}
