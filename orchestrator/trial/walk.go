package trial

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"parley"
	"parley/internal/wait"
	"parley/orchestrator/letter"
	"parley/orchestrator/sight"
	"parley/orchestrator/team"
	"parley/plain"
	"parley/program/profile"
	"parley/tmux"
)

const (
	lookEvery = 100 * time.Millisecond
	// steady is how long a screen must show rest: some programs show it for a moment while they start.
	steady = time.Second
	// drawn is how long a program may take to show what was typed. On a machine with two cores and a load of 20 it
	// was 3 s.
	drawn = 10 * time.Second
	// settled is how long after an Escape the composer is looked at.
	settled = time.Second
)

// draft is what is typed as a person would.
const draft = "half a thought"

// mark stands in the footer of the messages of a trial.
const mark = "msg 5f0c21aa"

var errEnded = errors.New("the program has ended")

// walk is a trial on its way.
type walk struct {
	opts     *Options
	t        *team.Terminal
	script   profile.Scripted
	dir      string // where the program runs
	private  string // the directory of its handover
	entered  bool   // its door was opened
	findings []Finding
	left     string // why nothing more may be tried; "": more may be
	singly   bool   // it deletes only when the keys for that come one by one

	upToFailure bool // nothing is tried after what fails
}

// seen is what a look showed.
type seen struct {
	tmux.Screen
	profile.Reading
}

// all tries all guarantees.
func (w *walk) all(ctx context.Context) ([]Finding, error) {
	if err := w.begin(ctx); err != nil {
		return w.findings, w.explain(ctx, err)
	}
	for _, g := range WithoutModel() {
		if err := w.unlessLeft(ctx, g, w.try); err != nil {
			return w.findings, w.explain(ctx, err)
		}
	}
	for _, g := range WithModel() {
		if w.opts.Model == "" {
			w.note(g, NotTried, NoModel)
		} else if err := w.unlessLeft(ctx, g, (&modelWalk{w}).try); err != nil {
			return w.findings, w.explain(ctx, err)
		}
	}
	return w.findings, nil
}

// begin answers what a program asks at its first start in the home directory of the trial, see profile.Scripted.
func (w *walk) begin(ctx context.Context) error {
	if w.script.First == "" {
		return nil
	}
	rests := func(s seen) bool { return s.Shows == profile.Dialog || s.Shows == profile.Idle }
	s, ok, err := w.until(ctx, w.opts.Patience, rests)
	if err != nil || !ok || s.Shows != profile.Dialog {
		return err // what it shows in place of rest is told by the first guarantee
	}
	return w.t.Pane.Repeat(ctx, tmux.Key(w.script.First), 1)
}

// unlessLeft tries a guarantee, unless nothing more may be tried.
func (w *walk) unlessLeft(ctx context.Context, g Guarantee, try func(context.Context, Guarantee) error) error {
	if w.left != "" {
		w.note(g, NotTried, w.left)
		return nil
	}
	err := try(ctx, g)
	if len(w.findings) > 0 && w.findings[len(w.findings)-1].Verdict == Fails && w.upToFailure {
		w.left = triedAgain
	}
	return err
}

func (w *walk) note(g Guarantee, v Verdict, saw string) {
	f := Finding{g, v, saw}
	w.findings = append(w.findings, f)
	if w.opts.Tell != nil {
		w.opts.Tell(f)
	}
}

func (w *walk) try(ctx context.Context, g Guarantee) error {
	switch g {
	case Rest:
		return w.rests(ctx)
	case Draft:
		return w.drafts(ctx)
	case Escape:
		return w.escapes(ctx)
	case Short:
		return w.pastes(ctx, g, "please look at this")
	case Lines:
		if w.opts.Profile.OneLine {
			w.note(g, NotTried, "messages to it are one line")
			return nil
		}
		return w.pastes(ctx, g, "please look\nat this")
	case Signs:
		return w.pastes(ctx, g, "Grüße, 世界 🦊 é")
	}
	return w.pastes(ctx, g, longText)
}

// look reads the screen as the courier does.
func (w *walk) look(ctx context.Context) (s seen, err error) {
	if s.Screen, err = sight.ReadScreen(ctx, w.t); err != nil {
		return s, err
	}
	if s.Dead {
		return s, errEnded
	}
	s.Reading = w.opts.Profile.Read(sight.ScreenOf(s.Screen))
	return s, nil
}

// until looks until a fact is seen, and returns the last look. It is not ok if the fact was not seen in time.
func (w *walk) until(ctx context.Context, patience time.Duration, fact func(s seen) bool) (s seen, ok bool, err error) {
	limit, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err = wait.Until(limit, lookEvery, func() (bool, error) {
		var err error
		s, err = w.look(ctx)
		return err == nil && fact(s), err
	})
	if limit.Err() != nil && ctx.Err() == nil && !errors.Is(err, errEnded) {
		return s, false, nil
	}
	return s, err == nil, err
}

// rests waits until the program waits for its first prompt.
func (w *walk) rests(ctx context.Context) error {
	var since time.Time
	s, ok, err := w.until(ctx, w.opts.Patience, func(s seen) bool {
		resting := s.Shows == profile.Idle && s.Composing && s.Composer == ""
		switch {
		case !resting:
			since = time.Time{}
		case since.IsZero():
			since = time.Now()
		}
		return resting && time.Since(since) >= steady
	})
	if err != nil {
		return err
	}
	if ok {
		w.note(Rest, Holds, "")
		return nil
	}

	w.left = "it never came to rest"
	verdict, saw := Fails, ""
	switch {
	case s.Shows == profile.Dialog:
		verdict, saw = NotTried, "it asks something first. Answer it once in a directory of yours, and check it there"
		w.left = "it asks something first"
	case s.Shows == profile.Blocked:
		verdict, saw = NotTried, "it is blocked: "+s.Cause
		w.left = saw
	case s.Asks.For != "":
		verdict, saw = NotTried, fmt.Sprintf("it seems to ask for %s: %q", s.Asks.For, s.Asks.Words)
		w.left = "it seems to ask something first"
	case s.Composing && s.Composer != "":
		saw = fmt.Sprintf("%q is read as a draft in its empty composer", plain.Truncate(s.Composer, 60))
	case s.Composing:
		saw = fmt.Sprintf("its composer is seen, and it looks %s", s.Shows)
	default:
		saw = fmt.Sprintf("its composer is not seen, and it looks %s", s.Shows)
	}
	w.note(Rest, verdict, saw)

	return nil
}

// drafts types as a person does. The draft stays for the Escape.
func (w *walk) drafts(ctx context.Context) error {
	if err := w.t.Pane.TypeUnguarded(ctx, draft); err != nil {
		return err
	}
	s, ok, err := w.until(ctx, drawn, func(s seen) bool { return s.Composer == draft })
	if err != nil {
		return err
	}
	if ok {
		w.note(Draft, Holds, "")
		return nil
	}

	w.note(Draft, Fails, fmt.Sprintf("%q was typed, and %q is read", draft, plain.Truncate(s.Composer, 60)))
	w.left = "a draft is not read"

	return nil
}

// escapes presses Escape while a draft is there, and deletes the draft.
func (w *walk) escapes(ctx context.Context) error {
	if err := w.t.Pane.Repeat(ctx, "Escape", 1); err != nil {
		return err
	}
	if err := wait.Pause(ctx, settled); err != nil {
		return err
	}
	s, err := w.look(ctx)
	if err != nil {
		return err
	}
	if s.Composer == draft {
		w.note(Escape, Holds, "")
	} else {
		w.note(Escape, Fails, fmt.Sprintf("the composer holds %q after it", plain.Truncate(s.Composer, 60)))
	}

	return w.clear(ctx)
}

// message returns a message with a body as the courier types it: a line feed in a text of one line would submit it.
func (w *walk) message(body, mark string) string {
	p := w.opts.Profile
	if most := p.InlineChars - 150; p.OneLine && most > 0 { // a longer one is announced
		body = plain.Truncate(body, most)
	}
	return letter.Layout(p, "[AGENT 00000000 TO AGENT 00000000]: ", body, "(check · "+mark+" · seal check)")
}

// pastes pastes a message with a body, as it is typed, and removes it again.
func (w *walk) pastes(ctx context.Context, g Guarantee, body string) error {
	text := w.message(body, mark)
	if s, err := w.look(ctx); err != nil { // a dead pane must not be pasted into
		return err
	} else if s.Composer != "" {
		return fmt.Errorf("something stands in the composer: %q", s.Composer)
	}
	if err := w.t.Pane.Paste(ctx, text); err != nil {
		return err
	}

	s, ok, err := w.until(ctx, drawn, func(s seen) bool {
		_, only := sight.Sees(w.opts.Profile, s.Screen, text, mark)
		return only
	})
	if err != nil {
		return err
	}
	if ok {
		w.note(g, Holds, "")
	} else {
		w.note(g, Fails, fmt.Sprintf("the composer holds %q", plain.Truncate(s.Composer, 80)))
	}

	if g == Long && w.opts.Model == "" {
		return nil // the program ends now
	}
	return w.clear(ctx)
}

// clear deletes what stands in the composer, as a person does. What is left ends the trial.
func (w *walk) clear(ctx context.Context) error {
	s, err := w.look(ctx)
	if err != nil || isEmpty(s) {
		return err
	}
	length := len([]rune(s.Composer)) + 10
	if !w.singly {
		if err := w.t.Pane.Repeat(ctx, "BSpace", length); err != nil {
			return err
		}
		if _, ok, err := w.until(ctx, drawn, isEmpty); ok || err != nil {
			return err
		}
		w.singly = true
	}

	ok, err := w.erase(ctx, length, isEmpty)
	if err == nil && !ok {
		w.left = "what was typed before cannot be deleted"
	}
	return err
}

func isEmpty(s seen) bool { return s.Composing && s.Composer == "" }

// keyDrawn is how long a program may take to show that it has taken a key, before the next one comes.
const keyDrawn = 300 * time.Millisecond

// erase presses the key that deletes, until what was typed is gone. It is not ok if that does not go. The keys come
// one by one: some programs take several that they read at once for a text, which they then hold, too.
func (w *walk) erase(ctx context.Context, length int, gone func(s seen) bool) (ok bool, err error) {
	until := time.Now().Add(drawn + time.Duration(3*length)*keyDrawn)
	for time.Now().Before(until) {
		s, err := w.look(ctx)
		if err != nil || gone(s) {
			return err == nil, err
		}
		if err = w.t.Pane.Repeat(ctx, "BSpace", 1); err != nil {
			return false, err
		}
		if _, _, err = w.until(ctx, keyDrawn, func(now seen) bool { return now.Text() != s.Text() }); err != nil {
			return false, err
		}
	}
	return false, nil
}

// lastWords is how long a program that has ended may take to have its last lines kept: tmux does that a moment later.
const lastWords = 5 * time.Second

// lastLine returns the last line that a program showed before it ended, "" if it showed none.
func (w *walk) lastLine(ctx context.Context) (last string) {
	limit, cancel := context.WithTimeout(ctx, lastWords)
	defer cancel()
	_ = wait.Until(limit, lookEvery, func() (bool, error) { // without one there is nothing to tell
		// tmux writes that it is dead below all, so a short text is above the screen. An error may pass.
		screen, _ := w.t.Pane.Screen(ctx, tmux.ScreenOptions{History: 100})
		for _, line := range screen.Lines {
			line = strings.TrimSpace(plain.CleanLine(line))
			if line != "" && !strings.HasPrefix(line, "Pane is dead") {
				last = line
			}
		}
		return last != "", nil
	})
	return last
}

// explain says what a program showed that has ended.
func (w *walk) explain(ctx context.Context, err error) error {
	if !errors.Is(err, errEnded) {
		return err
	}

	e := parley.Errorf(parley.AgentUnavailable, "%s ended during the check", w.opts.Program)
	if last := w.lastLine(ctx); last != "" {
		e = parley.Errorf(parley.AgentUnavailable, "%s ended during the check. Its last line: %s",
			w.opts.Program, plain.Truncate(last, 200))
	}
	e = e.With("program", w.opts.Program)
	if w.opts.Profile.Name == profile.Default { // it is being learned
		return e.Suggest("Start it by hand once, in an empty directory. If it needs another one, give that: --dir")
	}
	return e.Suggest("Start it by hand once. If it no longer knows a flag of the profile, correct the profile in " +
		"parley.yaml.")
}
