package terminal

import (
	"fmt"
	"slices"
	"strings"

	"parley"
	"parley/orchestrator/courier"
	"parley/orchestrator/team"
	"parley/program/profile"
	"parley/tmux"
)

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
		Secret: menu.Secret || courier.HidesInput(t) && !t.Profile.HasMarkers(), Hints: parley.ScreenLine(menu.Hints),
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

// ticksOf returns which options have a tick.
func ticksOf(m *profile.Menu) (ticks []bool) {
	for _, o := range m.Options {
		ticks = append(ticks, o.Checked)
	}
	return ticks
}
