package terminal

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"parley"
	"parley/internal/wait"
	"parley/orchestrator/sight"
	"parley/orchestrator/team"
	"parley/plain"
	"parley/program/profile"
	"parley/tmux"
)

// Where a screen is not known, the operator says which keys it takes. Each is pressed only while the screen is
// still the one that it was decided for: all of it for the first key, and for each one after it its words, but
// for the row of the cursor.

// keyShows is how long a key may take to show an effect before the next one is pressed. Not every key has one.
const keyShows = time.Second

// screenID identifies a screen by what it shows.
func screenID(s tmux.Screen) string {
	sum := sha256.Sum256([]byte(s.Text()))
	return hex.EncodeToString(sum[:4])
}

// takesKeys reports whether a screen may be sent keys: its program neither waits for a prompt nor works, as far
// as anything is known of it.
func takesKeys(t *team.Terminal, screen tmux.Screen) bool {
	if screen.Dead || screen.InMode || sight.HidesInput(t) {
		return false
	}
	r := t.Profile.Read(sight.ScreenOf(screen))
	switch {
	case !t.Profile.HasMarkers():
		return sight.UnsettledOn(t, screen).IsNew || r.Asks != (profile.Question{})
	case r.Shows == profile.Dialog:
		return true
	}
	return r.Shows == profile.Unknown && strings.TrimSpace(screen.Text()) != ""
}

// keys presses the keys of the request.
func (a *answer) keys(ctx context.Context) error {
	a.question = "its screen"
	if end := parley.ScreenEnd(a.screen.Lines, 1); len(end) > 0 {
		a.question = plain.CleanLine(end[len(end)-1])
	}

	for i, key := range a.req.Keys {
		if err := a.key(ctx, i, tmux.Key(key)); err != nil {
			return err
		}
		a.given = strings.Join(a.req.Keys[:i+1], ", ")
	}
	return nil
}

// key presses one of the keys, for the screen that was seen last.
func (a *answer) key(ctx context.Context, i int, key tmux.Key) error {
	within, cancel := context.WithTimeout(ctx, markMoves)
	defer cancel()

	seen, menu := a.screen, a.menu
	if i > 0 {
		a.rest(within, seen)
	}
	err := wait.Until(within, lookEvery, func() (bool, error) {
		if err := a.look(within); err != nil {
			return false, lookError(a.m, a.t, err)
		}
		if !a.takesKeys || i == 0 && !a.same() || i > 0 && !alike(seen, a.screen) && !a.stillAsks(&menu) {
			return false, a.keysRefused()
		}
		return a.press(within, step{key: key}, 0, len(a.screen.Lines))
	})
	if errors.Is(err, context.DeadlineExceeded) {
		return a.keysRefused()
	}
	return err
}

// rest waits until the last key has shown an effect, and the screen rests.
func (a *answer) rest(ctx context.Context, before tmux.Screen) {
	ctx, cancel := context.WithTimeout(ctx, keyShows)
	defer cancel()

	var still team.Stillness
	_ = wait.Until(ctx, lookEvery, func() (bool, error) {
		err := a.look(ctx)
		now := time.Now()
		rests := now.Sub(still.SinceText(now, strings.Join(a.screen.Styled, "\n"))) >= 2*lookEvery
		return rests && !slices.Equal(a.screen.Styled, before.Styled), err
	})
}

// stillAsks reports whether the dialog is the one that was seen: its hints and ticks may be others.
func (a *answer) stillAsks(seen *profile.Menu) bool {
	return a.open && len(seen.Options) > 0 && seen.ID() == a.menu.ID()
}

// alike reports whether two screens show the same words, but for the row of the cursor: whatever marks an option
// is no letter and no digit.
func alike(a, b tmux.Screen) bool {
	if len(a.Lines) != len(b.Lines) || a.AltScreen != b.AltScreen {
		return false
	}
	for i := range a.Lines {
		if i != a.CursorY && i != b.CursorY && lettersOf(a.Lines[i]) != lettersOf(b.Lines[i]) {
			return false
		}
	}
	return true
}

func lettersOf(row string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, row)
}

// keysRefused returns DIALOG_CHANGED for a screen that the next key is not for.
func (a *answer) keysRefused() error {
	return a.withSent(parley.
		Errorf(parley.DialogChanged, "%s's screen is not the one that the keys are for; %s", a.m.Name, a.wasSent()).
		Suggest("Check its screen first: parley answer %s", a.m.Name))
}

// DialogOn returns the dialog that a screen shows, nil if it shows none.
func DialogOn(t *team.Terminal, screen tmux.Screen) *parley.Dialog {
	menu, _, open := menuOf(t, screen)
	if !open {
		return nil
	}
	return dialogOf(t, &menu)
}

func dialogOf(t *team.Terminal, menu *profile.Menu) *parley.Dialog {
	d := &parley.Dialog{
		ID: menu.ID(), Question: parley.ScreenLine(menu.Question), Lines: []string{},
		Options: []parley.DialogOption{}, TakesText: menu.Text,
		Secret: menu.Secret || sight.HidesInput(t) && !t.Profile.HasMarkers(), Hints: parley.ScreenLine(menu.Hints),
	}
	for _, line := range menu.Lines {
		d.Lines = append(d.Lines, parley.ScreenLine(line))
	}
	for i, o := range menu.Options {
		d.Options = append(d.Options, parley.DialogOption{
			Choice: choiceOf(menu, i), Label: parley.ScreenLine(o.Label), Detail: parley.ScreenLine(o.Detail),
			Marked: o.Marked, TakesText: o.Text, Several: o.Check, Ticked: o.Checked,
		})
	}
	return d
}

// choiceOf returns what names an option in an answer.
func choiceOf(menu *profile.Menu, i int) string {
	switch o := menu.Options[i]; {
	case menu.Way == profile.ByLine:
		return o.Label
	case o.Number > 0:
		return fmt.Sprint(o.Number)
	case slices.ContainsFunc(menu.Options, func(o profile.Option) bool { return o.Number > 0 }):
		return letterOf(menu.Options, i)
	}
	return fmt.Sprint(i + 1)
}

// letterOf returns a letter of the label of an option without a number, between others with numbers: one that none
// before it has.
func letterOf(options []profile.Option, i int) (choice string) {
	taken := ""
	for _, o := range options[:i+1] {
		if o.Number > 0 {
			continue
		}
		choice = strings.ToLower(o.Label)
		for _, r := range choice {
			if r >= 'a' && r <= 'z' && !strings.ContainsRune(taken, r) {
				choice = string(r)
				break
			}
		}
		taken += choice
	}
	return choice
}

func ticksOf(m *profile.Menu) (ticks []bool) {
	for _, o := range m.Options {
		ticks = append(ticks, o.Checked)
	}
	return ticks
}

// menuOf returns the dialog that a screen shows, and what only the operator can say there.
func menuOf(t *team.Terminal, screen tmux.Screen) (m profile.Menu, u sight.Unsettled, open bool) {
	if screen.Dead {
		return m, u, false
	}
	s := sight.ScreenOf(screen)
	if menu, open := t.Profile.Menu(s); open {
		return menu, u, true
	}
	if u = sight.UnsettledOn(t, screen); u.IsNew {
		menu := profile.PlaceMenu(s, u.Words)
		if u.At.Lost && t.Takes(u.Reader) { // it would stand for all that hides its cursor
			menu.Options = nil
		}
		return menu, u, true
	}
	return m, u, false
}

// settlesSomething reports whether a menu offers the operator's word.
func settlesSomething(m *profile.Menu) bool {
	return slices.ContainsFunc(m.Options, func(o profile.Option) bool { return o.Settles })
}

// settles reports whether the answer says that messages belong where the cursor stands.
func (a *answer) settles(want chosen) bool {
	return len(a.req.Keys) == 0 && want.option >= 0 && a.menu.Options[want.option].Settles
}

// settle keeps that the program which was seen to read the terminal takes messages, and that they belong where its
// cursor stands, if that was shown. It presses no key.
func (a *answer) settle(ctx context.Context, want chosen) error {
	u := a.unsettled
	if now := sight.UnsettledOn(a.t, a.screen); u.Program == "" || now.Program != u.Program {
		return a.changed()
	}
	if err := a.t.Places.Add(ctx, u.Program, profile.Place{}); err != nil {
		return err
	}
	if u.AtPlace && !u.At.Lost {
		a.t.NoteTaken(u.At)
		if err := a.t.Places.Add(ctx, u.Program, u.At); err != nil {
			return err
		}
	}
	a.given, a.settled = want.words, true
	return a.look(ctx)
}

// forget takes back the operator's word of the program that reads the terminal.
func (a *answer) forget(ctx context.Context) (*parley.AnswerDialogResult, error) {
	u := sight.UnsettledOn(a.t, a.screen)
	if u.Program == "" {
		return nil, parley.Errorf(parley.InvalidArgument, "no program reads the terminal of %s now", a.m.Name).
			With("parameter", "forget").Suggest("Try again when its program is there.")
	}
	n, err := a.t.Places.Forget(ctx, u.Program)
	if err != nil {
		return nil, err
	}

	a.t.NoteSaid("")

	res := a.result()
	res.Message = fmt.Sprintf("Nothing was said of where %s takes messages.", u.Program)
	if n > 0 {
		res.Message = fmt.Sprintf("Forgotten: that %s takes messages. What comes next waits for your word again.",
			u.Program)
	}
	return res, nil
}
