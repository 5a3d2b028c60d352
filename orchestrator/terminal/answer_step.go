package terminal

import (
	"fmt"

	"parley"
	"parley/plain"
	"parley/program/profile"
	"parley/tmux"
)

type chosen struct {
	option int    // its index; -1: only a text
	text   string // to type
	typed  bool   // the text stands there
	words  string
}

// want finds what the request chooses. The error is INVALID_ARGUMENT.
func (a *answer) want() (chosen, error) {
	d := dialogOf(a.t, &a.menu)
	invalid := func(format string, args ...any) error {
		e := parley.Errorf(parley.InvalidArgument, format, args...)
		if len(d.Options) == 0 {
			return e.Suggest("Answer it there: parley attach %s", a.m.Name)
		}
		return e.Suggest("Choose one of: %s.", d.Choices())
	}

	c := chosen{option: -1, text: a.req.Text}
	for i := range d.Options {
		o, found := d.Find(a.req.Choice)
		switch {
		case a.req.Choice != "" && found && d.Options[i] == o, a.req.Choice == "" && d.Options[i].TakesText:
			c.option = i
		}
	}

	switch {
	case d.Secret:
		return c, invalid("%s asks for a secret, which parley does not type", a.m.Name)
	case c.option < 0 && a.req.Choice != "":
		return c, invalid("%s's dialog has no option %q", a.m.Name, plain.Truncate(a.req.Choice, 40))
	case c.option < 0 && !d.TakesText:
		return c, invalid("%s's dialog takes no text", a.m.Name)
	case c.option < 0:
		c.words = "“" + plain.Truncate(c.text, 80) + "”"
		return c, nil
	}

	o := d.Options[c.option]
	c.words = "“" + o.Label + "”"
	if o.Choice != o.Label && o.Choice < "a" {
		c.words = "“" + o.Choice + ". " + o.Label + "”"
	}

	switch {
	case o.TakesText && c.text == "":
		return c, parley.Errorf(parley.InvalidArgument, "option %s takes a text", o.Choice).With("parameter", "text").
			Suggest("Give it: parley answer %s %s --text TEXT", a.m.Name, o.Choice)
	case !o.TakesText && c.text != "":
		return c, invalid("option %s takes no text", o.Choice)
	case o.TakesText:
		c.words += " with “" + plain.Truncate(c.text, 80) + "”"
	case a.menu.Way == profile.ByLine && !a.menu.Options[c.option].Settles:
		c.text = o.Label
	}

	return c, nil
}

// step is a text, a key, or both. The last one chooses the option.
type step struct {
	key   tmux.Key
	text  string
	last  bool
	opens bool // the field for a text
}

// next returns the next step towards an option. It is not ok if the screen does not show how to
// choose it.
func next(menu *profile.Menu, want chosen) (step, bool) {
	confirm := step{key: tmux.Enter, last: true}
	if want.option >= 0 && menu.Options[want.option].Check && menu.TicksBySpace() {
		confirm.key = "Space"
	}
	if want.text != "" && !want.typed {
		confirm = step{text: want.text}
	}

	switch menu.Way {
	case profile.ByLine: // with the text, the line asks nothing any more
		return step{key: tmux.Enter, text: want.text, last: true}, true
	case profile.ByEnter:
		return confirm, true
	case profile.ByDigit:
		return byDigit(&menu.Options[want.option], want, confirm)
	case profile.ByKey:
		return step{key: tmux.Key(menu.Options[want.option].Key), last: true}, true
	case profile.ByMark:
		return towards(menu.Marked(), want.option, tmux.Up, tmux.Down, confirm)
	case profile.ByButton:
		return towards(menu.Marked(), want.option, tmux.Left, tmux.Right, confirm)
	}

	return step{}, false
}

// byDigit chooses an option by its digit. One that takes a text opens its field so; what already stands
// there is somebody else's.
func byDigit(o *profile.Option, want chosen, confirm step) (step, bool) {
	digit := step{key: tmux.Key(fmt.Sprint(o.Number))}
	switch {
	case o.Number < 1 || o.Number >= 10:
		return step{}, false
	case want.text == "":
		digit.last = true
		return digit, true
	case o.Field == profile.FieldClosed:
		digit.opens = true
		return digit, !want.typed
	}
	return confirm, want.typed == (o.Field == profile.FieldFilled)
}

// towards moves the mark by one option, or confirms the marked one.
func towards(marked, want int, back, forth tmux.Key, confirm step) (step, bool) {
	switch {
	case marked < 0:
		return step{}, false
	case want < marked:
		return step{key: back}, true
	case want > marked:
		return step{key: forth}, true
	}
	return confirm, true
}
