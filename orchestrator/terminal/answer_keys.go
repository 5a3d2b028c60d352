package terminal

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"

	"parley"
	"parley/internal/wait"
	"parley/orchestrator/courier"
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
	if screen.Dead || screen.InMode || courier.HidesInput(t) {
		return false
	}
	r := t.Profile.Read(courier.ScreenOf(screen))
	switch {
	case !t.Profile.HasMarkers():
		return courier.UnsettledOn(t, screen).IsNew || r.Asks != (profile.Question{})
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

// lettersOf returns the letters and digits of a row.
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
