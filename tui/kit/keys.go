package kit

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
)

// Scope is where a key means something.
type Scope int

// InShell are the keys that mean the same on every screen.
const InShell Scope = 0

// Binding is one line of the key table.
type Binding struct {
	Scope Scope
	Keys  []string // as Bubble Tea names them
	Show  string   // the keys that the help shows
	Does  string
	Run   func() tea.Cmd
	Verbs []string    // what the keys do, in the words of the table of verbs
	Hint  string      // the word in the key line at the bottom; "" leaves it out
	rare  bool        // other keys come before it in the key line
	Name  string      // the name in the palette; "" leaves it out
	usual []string    // keys, unless the settings say otherwise
	idle  func() bool // reports that the key has nothing to work on; nil for never
}

// shownKeys are the keys whose name in the help is not Bubble Tea's.
var shownKeys = map[string]string{"→": "right", "←": "left", "↑": "up", "↓": "down", "pgdn": "pgdown"}

// Bind makes a line of the table for the keys that show names, separated by
// spaces, and for more that the help leaves out.
func Bind(show, does string, run func() tea.Cmd, more ...string) Binding {
	var keys []string
	for key := range strings.FieldsSeq(show) {
		if name, ok := shownKeys[key]; ok {
			key = name
		}
		keys = append(keys, key)
	}
	keys = append(keys, more...)
	return Binding{Show: show, Does: does, Run: run, Keys: keys, usual: keys}
}

// shownWidth are the columns that the help has for keys.
const shownWidth = 12

// With adds the keys of another binding, and shows the first of them if there is room.
func (b Binding) With(other Binding) Binding {
	if show := b.Show + " " + First(other.Show); Width(show) <= shownWidth {
		b.Show = show
	}
	b.Keys = slices.Concat(b.Keys, other.Keys)
	b.usual, b.Verbs = b.Keys, slices.Concat(b.Verbs, other.Verbs)
	return b
}

// Hinted puts the keys into the key line.
func (b Binding) Hinted(word string) Binding { b.Hint = word; return b }

// Rarely puts the keys behind the others in the key line.
func (b Binding) Rarely() Binding { b.rare = true; return b }

// Named puts the keys into the palette.
func (b Binding) Named(name string) Binding { b.Name = name; return b }

// Unless leaves the keys out of the key line while idle is true.
func (b Binding) Unless(idle func() bool) Binding { b.idle = idle; return b }

// Keymap is the table of keys. The help, the key line, the palette and the docs
// are read off it.
type Keymap struct {
	All   []Binding
	Names []string    // of the scopes
	First []Essential // what the help begins with
}

// Find returns the binding of a key in a scope, or nil.
func (k *Keymap) Find(s Scope, key string) *Binding {
	for i := range k.All {
		if b := &k.All[i]; b.Scope == s && slices.Contains(b.Keys, key) {
			return b
		}
	}
	return nil
}

// Of returns the binding of a verb in a scope, or nil.
func (k *Keymap) Of(s Scope, verb string) *Binding {
	for i := range k.All {
		if b := &k.All[i]; b.Scope == s && slices.Contains(b.Verbs, verb) {
			return b
		}
	}
	return nil
}

// In returns the bindings of a scope.
func (k *Keymap) In(s Scope) []Binding {
	return slices.DeleteFunc(slices.Clone(k.All), func(b Binding) bool { return b.Scope != s })
}

// Hints returns the words of the key line in some scopes, the most useful first. The two that lead on from anywhere, to
// the help and out, are the last.
func (k *Keymap) Hints(in ...Scope) []string {
	var words, rare []string
	for _, s := range in {
		for i := range k.All {
			b := &k.All[i]
			if b.Scope == s && b.Hint != "" && (b.idle == nil || !b.idle()) {
				key, _, _ := strings.Cut(b.Show, " ")
				if b.rare {
					rare = append(rare, key+" "+b.Hint)
				} else {
					words = append(words, key+" "+b.Hint)
				}
			}
		}
	}
	return slices.Insert(words, max(0, len(words)-2), rare...)
}

// First returns the first of the keys that the help shows.
func First(show string) string {
	key, _, _ := strings.Cut(show, " ")
	return key
}

// usually returns the binding that a key has unless the settings say otherwise, in a scope or
// everywhere; nil if it has none.
func (k *Keymap) usually(s Scope, key string) *Binding {
	for _, in := range []Scope{s, InShell} {
		for i := range k.All {
			if b := &k.All[i]; b.Scope == in && slices.Contains(b.usual, key) {
				return b
			}
		}
	}
	return nil
}

// Shown returns the key that does what a key usually does, for texts that name it; "" if none does.
func (k *Keymap) Shown(s Scope, usual string) string {
	b := k.usually(s, usual)
	if b == nil || slices.Contains(b.Keys, usual) {
		return usual
	}
	return First(b.Show)
}

// The letters of the Cyrillic layouts, and the keys at the same places of a Latin keyboard. Where layouts differ, the
// letters do, too.
const (
	cyrillicKeys = "йцукенгшщзхъфывапролджэячсмитьбюё" + "іїєўґ"
	latinKeys    = "qwertyuiop[]asdfghjkl;'zxcvbnm,.`" + "s]'o\\"
	shiftedKeys  = "QWERTYUIOP{}ASDFGHJKL:\"ZXCVBNM<>~" + "S}\"O|"
)

// latin returns the key of a Latin keyboard at the place of a letter, 0 if it is not known.
func latin(letter, base rune) rune {
	isUpper := unicode.IsUpper(letter)
	if base > 0 && base < utf8.RuneSelf {
		if isUpper {
			return unicode.ToUpper(base)
		}
		return base
	}

	keys := []rune(latinKeys)
	if isUpper {
		keys = []rune(shiftedKeys)
	}
	before, _, found := strings.Cut(cyrillicKeys, string(unicode.ToLower(letter)))
	if !found {
		return 0
	}

	return keys[utf8.RuneCountInString(before)]
}

// LatinKey returns the key as a Latin layout has it, for keys that are commands. A key that is a letter of another
// script is the one at its place: what the terminal says of it, or that of the Cyrillic layouts. A Latin letter is
// itself wherever it is on the keyboard.
func LatinKey(key tea.KeyPressMsg) tea.KeyPressMsg {
	letter, size := utf8.DecodeRuneInString(key.Text)
	if key.Text == "" {
		letter = key.Code
	}
	base := key.BaseCode
	key.BaseCode = 0 // Bubble Tea would name the key by its place, also for Latin layouts such as AZERTY
	if letter < utf8.RuneSelf || len(key.Text) > size || letter >= tea.KeyExtended {
		return key
	}

	at := latin(letter, base)
	if at == 0 {
		return key
	}
	key.Code = at
	if key.Text != "" {
		key.Text = string(at)
	}

	return key
}

// LatinChord is LatinKey where letters are text: only what is held with ctrl or alt is a command.
func LatinChord(key tea.KeyPressMsg) tea.KeyPressMsg {
	if key.Text == "" {
		return LatinKey(key)
	}
	key.BaseCode = 0
	return key
}
