package terminal

import (
	"context"
	"fmt"
	"slices"

	"parley"
	"parley/orchestrator/courier"
	"parley/orchestrator/team"
	"parley/program/profile"
	"parley/tmux"
)

// menuOf returns the dialog that a screen shows, and what only the operator can say there.
func menuOf(t *team.Terminal, screen tmux.Screen) (m profile.Menu, u courier.Unsettled, open bool) {
	if screen.Dead {
		return m, u, false
	}
	s := courier.ScreenOf(screen)
	if menu, open := t.Profile.Menu(s); open {
		return menu, u, true
	}
	if u = courier.UnsettledOn(t, screen); u.IsNew {
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
	if now := courier.UnsettledOn(a.t, a.screen); u.Program == "" || now.Program != u.Program {
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
	u := courier.UnsettledOn(a.t, a.screen)
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
