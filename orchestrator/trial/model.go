package trial

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/wait"
	"parley/orchestrator/sight"
	"parley/orchestrator/team"
	"parley/plain"
	"parley/program/profile"
	"parley/tmux"
)

// The guarantees that only a model can show, in the order in which they are tried.
const (
	Turn  Guarantee = "turn"  // a message is taken, its work is seen, and so is its end
	Queue Guarantee = "queue" // its queue takes a message while it works
	// messages go in by its own door beside a draft and behind work, and the draft is left
	Door    Guarantee = "entrance"
	Hooks   Guarantee = "hooks"   // its turn goes on with a message that its hook prints at the end of it
	Dialogs Guarantee = "dialogs" // its question is seen, and nothing answers that
	Refusal Guarantee = "refusal" // that the model's server refuses is seen
)

// WithModel lists them in that order. Once a question is refused, a program can leave alone what comes by its door.
func WithModel() []Guarantee { return []Guarantee{Turn, Queue, Door, Hooks, Dialogs, Refusal} }

// NoModel says why they are not tried without a model.
const NoModel = "they take a scripted model: --model"

// kept are the variables that a program keeps that talks to a scripted model. A key of the user's could reach the
// user's own model, and a variable could name the user's own settings.
var kept = []string{"PATH", "LANG", "TERM", "COLORTERM", "TMPDIR", "USER", "LOGNAME", "SHELL", "TZ"}

// scripted returns the variables and arguments with which a program talks to the scripted model, and writes its
// configuration.
func (o *Options) scripted(home, dir string) (s profile.Scripted, env []string, err error) {
	if s, err = o.Profile.Scripted.On(profile.Scene{URL: o.Model, Dir: dir,
		File: filepath.Join(dir, forbidden)}); err != nil {
		return s, nil, err
	}
	for name, text := range s.Files {
		path := filepath.Join(home, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700),
			os.WriteFile(path, []byte(text), 0o600)); err != nil {
			return s, nil, fmt.Errorf("write a configuration for the trial: %w", err)
		}
	}

	for _, kv := range o.Env {
		name, _, _ := strings.Cut(kv, "=")
		if slices.Contains(kept, name) || strings.HasPrefix(name, "LC_") {
			env = append(env, kv)
		}
	}
	env = append(env, "HOME="+home)
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		env = append(env, name+"="+s.Env[name])
	}
	return s, env, nil
}

// forbidden is the file that a program asks to make.
const forbidden = "asked-for"

// checkModel returns an error if the profile does not say how its program talks to a scripted model.
func (o *Options) checkModel() error {
	if o.Model == "" || o.Profile.Scripted.Known() {
		return nil
	}
	return parley.Errorf(parley.InvalidArgument,
		"the profile %s does not say how its program is made to talk to a scripted model", o.Profile.Name).
		Suggest("Add a section scripted to it in parley.yaml, as in parley profiles claude, or check it without " +
			"--model.")
}

// modelWalk is the part of a walk that takes a model.
type modelWalk struct{ walk *walk }

// try tries what only a model can show.
func (w *modelWalk) try(ctx context.Context, g Guarantee) error {
	switch g {
	case Turn:
		return w.turns(ctx)
	case Queue:
		return w.queues(ctx)
	case Door:
		return w.enters(ctx)
	case Hooks:
		return w.hooked(ctx)
	case Dialogs:
		return w.asks(ctx)
	}
	return w.isRefused(ctx)
}

// standing says what the program does, by its screen and its title, as the watcher would.
func (w *modelWalk) standing(ctx context.Context) (s sight.Standing, at seen, err error) {
	if at, err = w.walk.look(ctx); err != nil {
		return s, at, err
	}
	return sight.ReadStanding(w.walk.t, time.Now(), at.Screen, team.Report{}), at, nil
}

// stands waits until the program does something. It is not ok if it does not in time.
func (w *modelWalk) stands(
	ctx context.Context, patience time.Duration, fact func(s *sight.Standing, at *seen) bool,
) (s sight.Standing, at seen, ok bool, err error) {
	limit, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err = wait.Until(limit, lookEvery, func() (bool, error) {
		var err error
		s, at, err = w.standing(ctx)
		return err == nil && fact(&s, &at), err
	})
	if limit.Err() != nil && ctx.Err() == nil && !errors.Is(err, errEnded) {
		return s, at, false, nil
	}
	return s, at, err == nil, err
}

func isState(state parley.AgentState) func(*sight.Standing, *seen) bool {
	return func(s *sight.Standing, _ *seen) bool { return s.State == state }
}

// rested reports whether the program waits for a prompt, and has done so for a moment.
func (w *modelWalk) rested() func(*sight.Standing, *seen) bool {
	var since time.Time
	return func(s *sight.Standing, at *seen) bool {
		switch {
		case s.State != parley.StateIdle || !at.Composing || at.Composer != "":
			since = time.Time{}
		case since.IsZero():
			since = time.Now()
		}
		return !since.IsZero() && time.Since(since) >= max(steady, w.walk.opts.Profile.Quiet, w.walk.opts.Profile.Still)
	}
}

// submit types a message as the courier does, and presses a key once it stands in the composer. It is not ok, and
// no key was pressed, if it does not.
func (w *modelWalk) submit(ctx context.Context, g Guarantee, prompt, mark, key string) (ok bool, err error) {
	text := w.walk.message(prompt, mark)
	if err := w.walk.t.Pane.Paste(ctx, text); err != nil {
		return false, err
	}
	s, ok, err := w.walk.until(ctx, drawn, func(s seen) bool {
		_, only := sight.Sees(w.walk.opts.Profile, s.Screen, text, mark)
		return only
	})
	if err != nil {
		return false, err
	}
	if !ok {
		w.walk.note(g, Fails, fmt.Sprintf("the composer holds %q", plain.Truncate(s.Composer, 80)))
		w.walk.left = "a message is not seen in its composer"
		return false, nil
	}

	if err := wait.Pause(ctx, w.walk.opts.Profile.Settle); err != nil {
		return false, err
	}
	return true, w.walk.t.Pane.Repeat(ctx, tmux.Key(key), 1)
}

// fails notes that something was not seen, and ends the trial: what follows would be typed into the unknown.
func (w *modelWalk) fails(g Guarantee, what string, s sight.Standing, at seen) {
	composer := "no composer"
	if at.Composing {
		composer = fmt.Sprintf("%q in its composer", plain.Truncate(at.Composer, 60))
	}
	w.walk.note(g, Fails, fmt.Sprintf("%s: it looks %s, with %s", what, s.State, composer))
	w.walk.left = "what came before did not hold"
}

// work is a prompt on which a scripted model is silent for some seconds.
const work = "SLEEP 5 and think"

// turns sends a message and follows it to the end of its turn.
func (w *modelWalk) turns(ctx context.Context) error {
	if ok, err := w.submit(ctx, Turn, work, mark, w.walk.opts.Profile.Key); !ok || err != nil {
		return err
	}
	return w.follow(ctx, Turn, func() error { return nil })
}

// works waits for a turn.
func (w *modelWalk) works(ctx context.Context, g Guarantee) (ok bool, err error) {
	s, at, ok, err := w.stands(ctx, w.walk.opts.Patience, func(s *sight.Standing, at *seen) bool {
		return s.State == parley.StateBusy && at.Composer == ""
	})
	if err == nil && !ok {
		w.fails(g, "its work is not seen", s, at)
	}
	return ok, err
}

// follow waits for a turn, calls what is to happen in it, and waits for its end.
func (w *modelWalk) follow(ctx context.Context, g Guarantee, within func() error) error {
	if ok, err := w.works(ctx, g); !ok || err != nil {
		return err
	}
	if err := within(); err != nil || w.walk.left != "" {
		return err
	}
	s, at, ok, err := w.stands(ctx, w.walk.opts.Patience, w.rested())
	if err != nil {
		return err
	}
	if !ok {
		w.fails(g, "the end of its work is not seen", s, at)
		return nil
	}
	w.walk.note(g, Holds, "")
	return nil
}

// queues gives the program a message while it works on another.
func (w *modelWalk) queues(ctx context.Context) error {
	key := w.walk.opts.Profile.QueueKey
	if key == "" {
		w.walk.note(Queue, NotTried, "no key of it is known that queues, so messages wait for its rest")
		return nil
	}
	if ok, err := w.submit(ctx, Queue, "SLEEP 15 and think", mark, w.walk.opts.Profile.Key); !ok || err != nil {
		return err
	}
	return w.follow(ctx, Queue, func() error {
		if ok, err := w.submit(ctx, Queue, "and this", "msg 5f0c21ab", key); !ok || err != nil {
			return err
		}
		s, at, ok, err := w.stands(ctx, drawn, func(s *sight.Standing, at *seen) bool {
			return s.State == parley.StateBusy && at.Composing && at.Composer == ""
		})
		if err == nil && !ok {
			w.fails(Queue, "its queue does not take a message", s, at)
		}
		return err
	})
}

// asks has the program ask something, and refuses that as a person does.
func (w *modelWalk) asks(ctx context.Context) error {
	if w.walk.script.Ask == "" {
		w.walk.note(Dialogs, NotTried, "nothing is known that makes it ask")
		return nil
	}
	if ok, err := w.submit(ctx, Dialogs, w.walk.script.Ask, mark, w.walk.opts.Profile.Key); !ok || err != nil {
		return err
	}
	s, at, ok, err := w.stands(ctx, w.walk.opts.Patience, isState(parley.StateWaiting))
	if err != nil {
		return err
	}
	if !ok {
		w.fails(Dialogs, "its question is not seen", s, at)
		return nil
	}

	// A question that a program draws in parts takes no key before it is whole.
	if err := wait.Pause(ctx, settled); err != nil {
		return err
	}
	refuse := w.walk.script.Refuse
	if refuse == "" {
		refuse = "Escape"
	}
	if err := w.walk.t.Pane.Repeat(ctx, tmux.Key(refuse), 1); err != nil {
		return err
	}
	if s, at, ok, err = w.stands(ctx, w.walk.opts.Patience, w.rested()); err != nil {
		return err
	}
	_, missing := os.Stat(filepath.Join(w.walk.dir, forbidden))
	switch {
	case missing == nil:
		w.walk.note(Dialogs, Fails, "the file that it asked for is there, although it was refused")
	case !ok:
		w.fails(Dialogs, "it does not rest once its question is refused", s, at)
	default:
		w.walk.note(Dialogs, Holds, "")
	}
	return nil
}

// isRefused has the model's server refuse a prompt.
func (w *modelWalk) isRefused(ctx context.Context) error {
	if len(w.walk.script.Fails) == 0 {
		w.walk.note(Refusal, NotTried, "no status is known after which it does not try again")
		return nil
	}
	prompt := fmt.Sprintf("FAIL %d", w.walk.script.Fails[0])
	if ok, err := w.submit(ctx, Refusal, prompt, mark, w.walk.opts.Profile.Key); !ok || err != nil {
		return err
	}
	s, at, ok, err := w.stands(ctx, w.walk.opts.Patience, isState(parley.StateBlocked))
	if err != nil {
		return err
	}
	if !ok {
		w.fails(Refusal, "that its model failed is not seen", s, at)
		return nil
	}
	w.walk.note(Refusal, Holds, "")
	return nil
}
