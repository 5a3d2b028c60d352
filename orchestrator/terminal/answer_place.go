package terminal

import (
	"context"
	"fmt"

	"parley"
	"parley/orchestrator/courier"
	"parley/orchestrator/team"
	"parley/profile"
	"parley/tmux"
)

// menuOf returns the dialog that a screen shows.
func menuOf(t *team.Terminal, screen tmux.Screen) (profile.Menu, bool) {
	if screen.Dead {
		return profile.Menu{}, false
	}
	s := courier.ScreenOf(screen)
	if menu, open := t.Profile.Menu(s); open {
		return menu, true
	}
	if _, _, words, isNew := courier.NewPlace(t, screen); isNew {
		return profile.PlaceMenu(s, words), true
	}
	return profile.Menu{}, false
}

// settles reports whether the answer says that messages belong where the cursor stands.
func (a *answer) settles(want chosen) bool {
	return len(a.req.Keys) == 0 && want.option >= 0 && a.menu.Options[want.option].Settles
}

// settle keeps that the program takes messages there. It presses no key.
func (a *answer) settle(ctx context.Context, want chosen) error {
	at, program, _, _ := courier.NewPlace(a.t, a.screen)
	a.given = want.words
	return a.t.Places.Add(ctx, program, at)
}

// forget takes back the operator's word of where the program takes messages.
func (a *answer) forget(ctx context.Context) (*parley.AnswerDialogResult, error) {
	_, program, _, _ := courier.NewPlace(a.t, a.screen)
	if program == "" {
		return nil, parley.Errorf(parley.InvalidArgument, "nothing was said of where %s takes messages", a.m.Name).
			With("parameter", "forget").Suggest("What is known of its program tells that: parley doctor.")
	}
	n, err := a.t.Places.Forget(ctx, program)
	if err != nil {
		return nil, err
	}

	res := a.result()
	res.Message = fmt.Sprintf("Nothing was said of where %s takes messages.", program)
	if n > 0 {
		res.Message = fmt.Sprintf("Forgotten: where %s takes messages. What comes next waits for your word again.",
			program)
	}
	return res, nil
}
