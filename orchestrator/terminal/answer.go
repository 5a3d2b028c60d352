package terminal

import (
	"context"
	"errors"
	"log/slog"
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

const (
	screenShown = 12 // lines of a screen with an answer

	lookEvery   = 50 * time.Millisecond
	answerWorks = 20 * time.Second // bounds an answer, which takes some tenths of a second
	typingEnds  = 3 * time.Second  // for a message that is just being typed
	markMoves   = 3 * time.Second  // after an arrow key, or a text
	dialogReact = 5 * time.Second  // after the last key
	screenRests = 300 * time.Millisecond
)

// AnswerDialog does op.AnswerDialog. It presses nothing but what chooses the option:
// arrow keys until the screen shows it marked, and then Enter; or its digit.
func (ts *Terminals) AnswerDialog(
	ctx context.Context, req parley.AnswerDialogRequest,
) (*parley.AnswerDialogResult, error) {
	by, err := ts.roster.Caller(ctx)
	if err != nil {
		return nil, err
	}
	m, t, err := ts.terminalOf(req.Agent)
	if err != nil {
		return nil, err
	}

	ctx, cancel := context.WithTimeoutCause(ctx, answerWorks, errTmuxSilent)
	defer cancel()

	a := &answer{m: m, t: t, req: req, since: ts.now().Add(-time.Second), now: ts.now, log: ts.log}
	a.typing, a.chosen = -1, -1
	if err := a.look(ctx); err != nil {
		return nil, lookError(m, t, err)
	}
	if req.Forget {
		return a.forget(ctx)
	}
	if !req.Answers() {
		return a.result(), nil
	}

	defer m.Wake()
	defer ts.watcher.lookSoon()

	err = a.give(ctx)
	given := a.given
	if given == "" {
		given = strings.Join(a.sent, ", ")
	}
	if given == "" {
		return nil, err
	}
	// It is logged even if the caller has gone.
	logged := ts.store.Agents.LogDialog(context.WithoutCancel(ctx), m.ID, by.Name, a.question, given)
	if err != nil {
		return nil, err
	}
	return a.result(), logged
}

type answer struct {
	m     *team.Member
	t     *team.Terminal
	req   parley.AnswerDialogRequest
	since time.Time
	now   func() time.Time
	log   *slog.Logger

	screen    tmux.Screen // as seen last
	takesKeys bool        // it does not show a program that waits for a prompt
	menu      profile.Menu
	unsettled sight.Unsettled // what menu asks of the operator's word
	open      bool            // the screen shows a dialog: menu
	typing    int             // the index of the option whose label is being replaced by a text; -1: none

	question string   // that was answered
	sent     []string // the keys and texts that went in
	given    string   // the answer in words; "" while none is given
	settled  bool     // it was the operator's word, which presses no key
	chosen   int      // the index of the option that was chosen; -1: none
	ticked   []bool   // which options had a tick before
}

// look reads the screen. A dialog is open while its program has the terminal.
func (a *answer) look(ctx context.Context) error {
	screen, err := a.t.Pane.Screen(ctx, tmux.ScreenOptions{Colours: true})
	if err != nil {
		return err
	}

	a.screen = screen.WithoutColours()
	a.menu, a.unsettled, a.open = menuOf(a.t, a.screen)
	// A program that ended or waits leaves its dialog on the screen; what no markers know is the operator's to judge.
	own := !a.t.Profile.HasMarkers() || !sight.HasOther(a.t) || settlesSomething(&a.menu)
	a.open = a.open && own
	a.takesKeys = own && takesKeys(a.t, a.screen)
	if a.typing >= 0 && a.typing < len(a.menu.Options) {
		a.menu.Options[a.typing].Text = true
	}

	return nil
}

// same reports whether what was asked for is still there: the dialog, or the screen.
func (a *answer) same() bool {
	if len(a.req.Keys) > 0 {
		return a.takesKeys && screenID(a.screen) == a.req.Dialog
	}
	return a.open && a.menu.ID() == a.req.Dialog
}

// changed returns DIALOG_CHANGED with the dialog that is open now.
func (a *answer) changed() error {
	if len(a.req.Keys) > 0 {
		return a.keysRefused()
	}
	e := parley.
		Errorf(parley.DialogChanged, "no dialog is open in %s's terminal any more; %s", a.m.Name, a.wasSent()).
		Suggest("See what its screen shows: parley screen %s", a.m.Name)
	if a.open {
		e = parley.Errorf(parley.DialogChanged,
			"%s asks something else than what was seen; %s", a.m.Name, a.wasSent()).
			With("dialog", dialogOf(a.t, &a.menu)).
			Suggest("Look at it before you answer: parley answer %s", a.m.Name)
	}
	return a.withSent(e)
}

// wasSent says which keys went in before an answer failed.
func (a *answer) wasSent() string {
	if len(a.sent) == 0 {
		return "nothing was sent"
	}
	return "only " + strings.Join(a.sent, ", ") + " was sent"
}

// withSent adds to an error which keys went in before.
func (a *answer) withSent(e *parley.Error) *parley.Error {
	if len(a.sent) > 0 {
		e = e.With("sent", a.sent)
	}
	return e.With("agent", a.m.Name)
}

// give presses what answers, and waits until the program has reacted. Nothing else is typed meanwhile: what
// this answer closes would not be there any more when the next key is read.
func (a *answer) give(ctx context.Context) error {
	if !a.same() {
		return a.changed()
	}
	var want chosen
	if len(a.req.Keys) == 0 {
		var err error
		if want, err = a.want(); err != nil {
			return err
		}
	}

	typing, cancel := context.WithTimeout(ctx, typingEnds)
	defer cancel()
	if wait.Until(typing, lookEvery, func() (bool, error) { return a.m.Typing.TryLock(), nil }) != nil {
		return parley.
			Errorf(parley.AgentUnavailable, "a message or another answer is just being typed into %s's terminal",
				a.m.Name).
			Suggest("Try again in some seconds.")
	}
	defer a.m.Typing.Unlock()

	a.question, a.ticked = a.menu.Question, ticksOf(&a.menu)
	if a.settles(want) {
		return a.settle(ctx, want)
	}

	press := func(ctx context.Context) error { return a.steps(ctx, want) }
	if len(a.req.Keys) > 0 {
		press = a.keys
	}
	if err := press(ctx); err != nil {
		return err
	}
	if err := a.follow(ctx); err != nil {
		a.log.Warn("look at what followed an answer", "agent", a.m.Name, "error", err)
	}

	return nil
}

// steps presses one key after another until the option is chosen. Each is for the screen that was
// looked at last.
func (a *answer) steps(ctx context.Context, want chosen) error {
	for range 4*len(a.menu.Options) + 4 {
		if err := a.look(ctx); err != nil {
			return lookError(a.m, a.t, err)
		}
		if !a.same() {
			return a.changed()
		}

		s, ok := next(&a.menu, want)
		if !ok {
			break
		}
		if pressed, err := a.press(ctx, s, a.menu.Top, a.menu.End); err != nil || !pressed {
			if err != nil {
				return err
			}
			continue // the screen has changed since the look
		}
		if s.last {
			a.given, a.chosen = want.words, want.option
			return nil
		}

		if s.text != "" {
			want.typed, a.typing = true, want.option
		}
		if err := a.moved(ctx, s); err != nil {
			return err
		}
		if want.typed && want.option >= 0 && a.menu.Options[want.option].Checked { // the text itself ticks it
			a.given, a.chosen = want.words, want.option
			return nil
		}
	}

	return a.stuck()
}

// stuck returns the error for a dialog that does not react as its profile says.
func (a *answer) stuck() error {
	return a.withSent(parley.
		Errorf(parley.AgentUnavailable, "%s's dialog did not react as expected; %s", a.m.Name, a.wasSent()).
		Suggest("Look at it, and send it keys: parley answer %s --keys KEY", a.m.Name))
}

// press carries out a step, if the screen still shows what was looked at, and the program has read all that
// was typed before: what it reads later can change what the step is for.
func (a *answer) press(ctx context.Context, s step, from, to int) (pressed bool, err error) {
	if sight.Unread(a.t) > 0 {
		return false, wait.Pause(ctx, lookEvery)
	}
	refusal, detail, err := a.t.Pane.Press(ctx, tmux.Keypress{
		Owner: a.m.ID, On: a.t.Instance, Untouched: a.since, Ahead: a.screen.Ahead(a.now()),
		Screen: a.screen, From: from, To: to, Key: s.key, Text: s.text,
	})

	switch {
	case err != nil:
		// It wraps nothing: the end of a wait would count as one in which nothing was sent.
		return false, parley.Errorf(parley.TmuxUnavailable, "whether the key went to %s's dialog is not known: %v",
			a.m.Name, err).Suggest("Look before you answer again: parley answer %s", a.m.Name)
	case refusal == tmux.NoRefusal:
		a.note(s)
		return true, nil
	case refusal == tmux.Changed:
		return false, nil
	}

	return false, a.withSent(parley.
		Errorf(parley.AgentUnavailable, "%s's terminal takes no keys now, %s: %s", a.m.Name, a.wasSent(), detail).
		Suggest("Try again when that has passed, or answer it there: parley attach %s", a.m.Name))
}

// note keeps what went in.
func (a *answer) note(s step) {
	if s.text != "" {
		a.sent = append(a.sent, "“"+plain.Truncate(s.text, 80)+"”")
	}
	if s.key != "" {
		a.sent = append(a.sent, string(s.key))
	}
}

// moved waits until the screen shows the effect of a step that was not the last.
func (a *answer) moved(ctx context.Context, s step) error {
	marked := a.menu.Marked()
	within, cancel := context.WithTimeout(ctx, markMoves)
	defer cancel()

	err := wait.Until(within, lookEvery, func() (bool, error) {
		if err := a.look(within); err != nil || !a.same() {
			return false, err // it may be drawing
		}
		switch {
		case s.text != "":
			return profile.Holds(a.screen.Text(), s.text), nil
		case s.opens:
			return a.hasField(), nil
		}
		return a.menu.Marked() != marked, nil
	})

	switch {
	case !errors.Is(err, context.DeadlineExceeded):
		return err
	case !a.same():
		return a.changed()
	}

	return a.stuck()
}

// hasField reports whether the field of an option is open.
func (a *answer) hasField() bool {
	return slices.ContainsFunc(a.menu.Options, func(o profile.Option) bool { return o.Field != profile.FieldClosed })
}

// follow waits until the dialog has reacted to its answer and the screen rests.
func (a *answer) follow(ctx context.Context) error {
	reacts, cancel := context.WithTimeout(ctx, dialogReact)
	defer cancel()
	answered := a.screen
	err := wait.Until(reacts, lookEvery, func() (bool, error) {
		err := a.look(reacts)
		if a.same() {
			return a.ticks() && !slices.Equal(a.ticked, ticksOf(&a.menu)), err
		}
		return !slices.Equal(answered.Styled, a.screen.Styled), err
	})
	if err != nil {
		return ignoreDeadline(err)
	}

	var still team.Stillness
	return ignoreDeadline(wait.Until(reacts, lookEvery, func() (bool, error) {
		err := a.look(reacts)
		now := time.Now()
		return now.Sub(still.Since(now, a.screen)) >= screenRests, err
	}))
}

// ticks reports whether the answer is a tick: the dialog stays open.
func (a *answer) ticks() bool {
	return a.open && a.chosen >= 0 && a.chosen < len(a.menu.Options) && a.menu.Options[a.chosen].Check
}

func ignoreDeadline(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return err
}

// result says what the screen shows now.
func (a *answer) result() *parley.AnswerDialogResult {
	res := &parley.AnswerDialogResult{
		Answer: parley.OK, AgentID: a.m.ID, Name: a.m.Name, Answered: a.given,
		Screen: parley.ScreenEnd(a.screen.Lines, screenShown),
	}
	if a.open {
		res.Dialog = dialogOf(a.t, &a.menu)
	}
	if a.takesKeys {
		res.ScreenID = screenID(a.screen)
	}

	switch {
	case len(a.req.Keys) > 0:
		res.Message = "Sent: " + a.given + "."
	case a.settled:
		res.Message = "What reads " + a.m.Name + "'s terminal takes messages; parley remembers it."
	case a.given == "" && a.open:
		res.Message = a.m.Name + " asks: " + a.menu.Question
	case a.given == "" && a.takesKeys:
		res.Message = a.m.Name + "'s screen shows nothing that parley knows. It can be sent keys."
	case a.given == "":
		res.Message = "No dialog is open in " + a.m.Name + "'s terminal."
	case !a.open:
		res.Message = "Sent: " + a.given + ". The dialog is closed."
	case a.same() && a.ticks() && a.menu.Options[a.chosen].Checked:
		res.Message = "Ticked: " + a.given + ". The dialog is still open."
	case a.same() && a.ticks():
		res.Message = "Not ticked: " + a.given + ". The dialog is still open."
	case a.same():
		res.Message = "Sent: " + a.given + ". The dialog is still open."
	default:
		res.Message = "Sent: " + a.given + ". The next dialog is open."
	}

	return res
}
