package tui

import (
	"slices"
	"strings"
	"unicode/utf8"

	"parley"
	"parley/plain"
	"parley/tui/kit"
	"parley/tui/room"
)

// actionOf returns the name by which the settings know what a key does, "" if its key is fixed.
func actionOf(b *kit.Binding) string {
	if b.Scope > room.InHealth {
		return ""
	}

	name := b.Name
	if name == "" {
		name = b.Hint
	}
	if name == "" {
		name = b.Verbs[0]
	}
	name = strings.ReplaceAll(name, " ", "-")
	if b.Scope == kit.InShell || name == "" {
		return name
	}

	return Screens[b.Scope-room.InTraffic] + "." + name
}

// CheckKeys reports what is wrong with the keys of the settings, which are given by action.
func CheckKeys(keys map[string]string) error {
	_, err := rebind(newModel(Options{}.withDefaults(), room.Commands{}).bindings(), keys)
	return err
}

// fixedKeys quit and get out whatever the settings say.
var fixedKeys = []string{"ctrl+c"}

// rebind gives actions other keys. Several keys have spaces between them, and none takes an
// action's keys away.
func rebind(all []kit.Binding, keys map[string]string) ([]kit.Binding, error) {
	for _, action := range sorted(keys) {
		i := slices.IndexFunc(all, func(b kit.Binding) bool { return actionOf(&b) == action })
		if i < 0 {
			return nil, noAction(all, action)
		}

		b, text := all[i], strings.TrimSpace(keys[action])
		if (text == "none" || text == "") && (action == "quit" || action == "help") {
			return nil, wrongKey(action, text, "A key: "+action+" must stay within reach.")
		}

		changed := kit.Binding{}
		if text != "none" {
			changed = kit.Bind(text, b.Does, b.Run)
		}
		for _, key := range changed.Keys {
			if !knownKey(key) {
				return nil, wrongKey(action, text,
					"Keys such as x, X, f5, ctrl+x or alt+enter, with a space between two.")
			}
		}

		kept := slices.DeleteFunc(slices.Clone(b.Keys), func(k string) bool { return !slices.Contains(fixedKeys, k) })
		all[i].Keys, all[i].Show = append(changed.Keys, kept...), changed.Show
	}

	return all, twice(all, keys)
}

func sorted(keys map[string]string) []string {
	var actions []string
	for action := range keys {
		actions = append(actions, action)
	}
	slices.Sort(actions)
	return actions
}

func wrongKey(action, keys, instead string) error {
	return parley.Errorf(parley.InvalidArgument, "the key of %s is %q", plain.CleanLine(action),
		plain.CleanLine(keys)).
		With("setting", "keys").
		Suggest("Give %s", kit.LowerFirst(instead))
}

// noAction says that there is no such action, and which one is meant.
func noAction(all []kit.Binding, action string) error {
	e := parley.Errorf(parley.InvalidArgument, "keys has %q, which is no action", plain.CleanLine(action)).
		With("setting", "keys")

	best, score := "", 0
	for i := range all {
		if name := actionOf(&all[i]); name != "" {
			if n := kit.Fuzzy(action, name); n > score {
				best, score = name, n
			}
		}
	}
	if best == "" {
		return e.Suggest("The table of keys in docs/screen.md names the actions.")
	}

	return e.Suggest("Did you mean %s? The table of keys in docs/screen.md names the actions.", best)
}

// twice refuses a key with two meanings on one screen, if the settings bring that about.
func twice(all []kit.Binding, keys map[string]string) error {
	for i := range all {
		for j := range all[:i] {
			a, b := &all[j], &all[i]
			_, changedA := keys[actionOf(a)]
			_, changedB := keys[actionOf(b)]
			if !meet(a, b) || !changedA && !changedB {
				continue
			}

			if n := slices.IndexFunc(b.Keys, func(key string) bool { return slices.Contains(a.Keys, key) }); n >= 0 {
				return parley.Errorf(parley.InvalidArgument, "the key %s is bound twice: to %s and to %s",
					plain.CleanLine(b.Keys[n]), actionOf(a), actionOf(b)).
					With("setting", "keys").
					Suggest("Give one of them another key, or none.")
			}
		}
	}

	return nil
}

// meet reports whether two bindings hold on one screen; the first is the earlier in the table.
func meet(a, b *kit.Binding) bool {
	return a.Scope == b.Scope || a.Scope == kit.InShell && b.Scope <= room.InHealth
}

// namedKeys are the keys that are no character.
var namedKeys = []string{
	"enter", "tab", "space", "esc", "up", "down", "left", "right", "home", "end", "pgup", "pgdown",
	"backspace", "delete",
	"insert", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "f12",
}

// knownKey reports whether a terminal can send a key.
func knownKey(key string) bool {
	for _, mod := range []string{"ctrl+", "alt+", "shift+"} {
		if rest, ok := strings.CutPrefix(key, mod); ok && rest != "" {
			key = rest
		}
	}
	return slices.Contains(namedKeys, key) || utf8.RuneCountInString(key) == 1 && kit.SafeLine(key) == key
}
