package terminal

import (
	"context"

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
