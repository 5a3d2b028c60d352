package terminal

import (
	"slices"
	"testing"

	"parley/program/profile"
	"parley/tmux"
)

// Enter is pressed only for the option that the screen shows marked.
func TestMarkMovesToTheOptionBeforeEnter(t *testing.T) {
	for name, c := range map[string]struct {
		way    profile.Way
		marked int
		want   chosen
		keys   []tmux.Key
	}{
		"down":             {profile.ByMark, 0, chosen{option: 2}, []tmux.Key{tmux.Down, tmux.Down, tmux.Enter}},
		"up":               {profile.ByMark, 2, chosen{option: 1}, []tmux.Key{tmux.Up, tmux.Enter}},
		"there":            {profile.ByMark, 1, chosen{option: 1}, []tmux.Key{tmux.Enter}},
		"buttons":          {profile.ByButton, 2, chosen{option: 0}, []tmux.Key{tmux.Left, tmux.Left, tmux.Enter}},
		"buttons, right":   {profile.ByButton, 0, chosen{option: 1}, []tmux.Key{tmux.Right, tmux.Enter}},
		"a digit":          {profile.ByDigit, -1, chosen{option: 1}, []tmux.Key{"2"}},
		"a key":            {profile.ByKey, -1, chosen{option: 1}, []tmux.Key{"b"}},
		"with a text":      {profile.ByMark, 1, chosen{option: 2, text: "x"}, []tmux.Key{tmux.Down, "", tmux.Enter}},
		"a line":           {profile.ByLine, -1, chosen{option: -1, text: "x"}, []tmux.Key{tmux.Enter}},
		"any key":          {profile.ByEnter, -1, chosen{}, []tmux.Key{tmux.Enter}},
		"no mark is shown": {profile.ByMark, -1, chosen{option: 1}, nil},
		"unknown":          {profile.NoWay, -1, chosen{}, nil},
	} {
		menu := profile.Menu{Way: c.way, Options: make([]profile.Option, 3)}
		for i := range menu.Options {
			menu.Options[i] = profile.Option{Number: i + 1, Key: string(rune('a' + i)), Marked: i == c.marked}
		}

		var keys []tmux.Key
		for range 10 {
			s, ok := next(&menu, c.want)
			if !ok {
				break
			}
			keys = append(keys, s.key)
			if s.last {
				break
			}
			c.want.typed = c.want.typed || s.text != ""
			move(menu.Options, s.key)
		}
		if !slices.Equal(keys, c.keys) {
			t.Errorf("%s: got %q, want %q", name, keys, c.keys)
		}
	}
}

// move moves the mark as a program would.
func move(options []profile.Option, key tmux.Key) {
	by := map[tmux.Key]int{tmux.Up: -1, tmux.Left: -1, tmux.Down: 1, tmux.Right: 1}[key]
	at := slices.IndexFunc(options, func(o profile.Option) bool { return o.Marked })
	if by != 0 {
		options[at].Marked, options[at+by].Marked = false, true
	}
}

// Where Space ticks, Enter goes on without the tick.
func TestTickIsSetByTheKeyThatTheDialogNames(t *testing.T) {
	for hints, want := range map[string]tmux.Key{
		"Enter to select · Tab/Arrow keys to navigate":   tmux.Enter,
		"↑/↓: Navigate | Space: Toggle | Enter: Confirm": "Space",
		"Space to scroll, Enter to select":               tmux.Enter,
	} {
		menu := profile.Menu{Way: profile.ByMark, Hints: hints, Options: []profile.Option{{Check: true, Marked: true}}}
		if s, ok := next(&menu, chosen{}); !ok || s.key != want || !s.last {
			t.Errorf("%q: got %+v, %v, want %q", hints, s, ok, want)
		}
	}
}

// An option without a number has a letter, and no digit of another.
func TestOptionWithoutANumberHasALetter(t *testing.T) {
	menu := profile.Menu{Options: []profile.Option{
		{Number: 1, Label: "Red"}, {Label: "Next"}, {Label: "Never"}, {Number: 2, Label: "Chat"},
	}}
	var got []string
	for i := range menu.Options {
		got = append(got, choiceOf(&menu, i))
	}
	if want := []string{"1", "n", "e", "2"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A tenth option has no digit.
func TestOptionWithoutAKeyIsNotChosen(t *testing.T) {
	menu := profile.Menu{Way: profile.ByDigit, Options: []profile.Option{{Number: 10}}}
	if s, ok := next(&menu, chosen{}); ok {
		t.Errorf("got %+v, want no step", s)
	}
}

// The digit opens the field, and only a text of our own is entered.
func TestFieldOfADigitIsOpenedAndFilled(t *testing.T) {
	for name, c := range map[string]struct {
		field profile.Field
		want  chosen
		step  step
		ok    bool
	}{
		"closed": {profile.FieldClosed, chosen{text: "x"}, step{key: "3", opens: true}, true},
		"open":   {profile.FieldEmpty, chosen{text: "x"}, step{text: "x"}, true},
		"filled": {profile.FieldFilled, chosen{text: "x", typed: true}, step{key: tmux.Enter, last: true},
			true},
		"another's text": {profile.FieldFilled, chosen{text: "x"}, step{}, false},
		"gone":           {profile.FieldEmpty, chosen{text: "x", typed: true}, step{}, false},
		"closed again":   {profile.FieldClosed, chosen{text: "x", typed: true}, step{}, false},
	} {
		menu := profile.Menu{Way: profile.ByDigit, Options: []profile.Option{{}, {},
			{Number: 3, Text: true, Field: c.field}}}
		c.want.option = 2
		if got, ok := next(&menu, c.want); ok != c.ok || ok && got != c.step {
			t.Errorf("%s: got %+v, %v", name, got, ok)
		}
	}
}
