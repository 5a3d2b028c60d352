package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// scope is where a key means something.
type scope int

// inShell are the keys that mean the same on every screen.
const inShell scope = 0

// binding is one line of the key table.
type binding struct {
	scope scope
	keys  []string // as Bubble Tea names them
	show  string   // the keys that the help shows
	does  string
	run   func() tea.Cmd
	hint  string      // the word in the key line at the bottom; "" leaves it out
	name  string      // the name in the palette; "" leaves it out
	usual []string    // keys, unless the settings say otherwise
	idle  func() bool // reports that the key has nothing to work on; nil for never
}

// shownKeys are the keys whose name in the help is not Bubble Tea's.
var shownKeys = map[string]string{"→": "right", "←": "left", "↑": "up", "↓": "down", "pgdn": "pgdown"}

// bind makes a line of the table for the keys that show names, separated by
// spaces, and for more that the help leaves out.
func bind(show, does string, run func() tea.Cmd, more ...string) binding {
	var keys []string
	for key := range strings.FieldsSeq(show) {
		if name, ok := shownKeys[key]; ok {
			key = name
		}
		keys = append(keys, key)
	}
	keys = append(keys, more...)
	return binding{show: show, does: does, run: run, keys: keys, usual: keys}
}

// hinted puts the keys into the key line.
func (b binding) hinted(word string) binding { b.hint = word; return b }

// named puts the keys into the palette.
func (b binding) named(name string) binding { b.name = name; return b }

// unless leaves the keys out of the key line while idle is true.
func (b binding) unless(idle func() bool) binding { b.idle = idle; return b }

// keymap is the table of keys. The help, the key line, the palette and the docs
// are read off it.
type keymap struct {
	all   []binding
	names []string    // of the scopes
	first []essential // what the help begins with
}

// find returns the binding of a key in a scope, or nil.
func (k *keymap) find(s scope, key string) *binding {
	for i := range k.all {
		if b := &k.all[i]; b.scope == s && slices.Contains(b.keys, key) {
			return b
		}
	}
	return nil
}

// in returns the bindings of a scope.
func (k *keymap) in(s scope) []binding {
	return slices.DeleteFunc(slices.Clone(k.all), func(b binding) bool { return b.scope != s })
}

// hints returns the words of the key line in some scopes, the most useful first.
func (k *keymap) hints(in ...scope) []string {
	var words []string
	for _, s := range in {
		for i := range k.all {
			b := &k.all[i]
			if b.scope == s && b.hint != "" && (b.idle == nil || !b.idle()) {
				key, _, _ := strings.Cut(b.show, " ")
				words = append(words, key+" "+b.hint)
			}
		}
	}
	return words
}

func first(show string) string {
	key, _, _ := strings.Cut(show, " ")
	return key
}

// usually returns the binding that a key has unless the settings say otherwise, in a scope or
// everywhere; nil if it has none.
func (k *keymap) usually(s scope, key string) *binding {
	for _, in := range []scope{s, inShell} {
		for i := range k.all {
			if b := &k.all[i]; b.scope == in && slices.Contains(b.usual, key) {
				return b
			}
		}
	}
	return nil
}

// shown returns the key that does what a key usually does, for texts that name it; "" if none does.
func (k *keymap) shown(s scope, usual string) string {
	b := k.usually(s, usual)
	if b == nil || slices.Contains(b.keys, usual) {
		return usual
	}
	return first(b.show)
}
