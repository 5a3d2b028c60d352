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

// Help is the page of all keys, or of an answer.
type Help struct {
	Open  bool
	From  Scope  // whose keys are listed first
	Title string // of an answer
	Text  string // of an answer; "" for the keys
	Pane
}

const helpColumn = 56 // columns that an entry needs to be read in full

func (h *Help) lines(th Theme, keys *Keymap, w int) []string {
	if h.Text != "" {
		return Indent(Wrap(SafeText(h.Text), w-2), 2)
	}

	per := max(1, w/helpColumn)
	entry := w / per
	lines := firstPage(th, keys, per, entry)
	for _, s := range h.order(keys) {
		var cells []string
		for _, b := range keys.In(s) {
			cells = append(cells, keyCell(th, b.Show, b.Does, entry))
		}

		if len(cells) == 0 {
			continue
		}

		lines = append(lines, "", "  "+th.Strong.Render(Fit(keys.Names[s], w-2)))
		lines = append(lines, inColumns(cells, per)...)
	}

	return lines
}

// order returns the scopes as the page lists them: the screen that one comes
// from is the first.
func (h *Help) order(keys *Keymap) []Scope {
	order := []Scope{h.From}
	for i := range keys.Names {
		if s := Scope(i); s != h.From {
			order = append(order, s)
		}
	}
	return order
}

// Essential is something that the help says first: what some keys do.
type Essential struct {
	Keys []string
	Show string
	Does string
}

func firstPage(th Theme, keys *Keymap, per, entry int) []string {
	var cells []string
	for _, e := range keys.First {
		cells = append(cells, keyCell(th, keys.shownKeys(e.Keys, e.Show), e.Does, entry))
	}
	return inColumns(cells, per)
}

// shownKeys returns the text for some usual keys, or those that are set instead of them.
func (k *Keymap) shownKeys(usual []string, show string) string {
	var now []string
	for _, key := range usual {
		at := InShell
		for int(at) < len(k.Names) && k.usually(at, key) == nil {
			at++
		}
		now = append(now, k.Shown(at, key))
	}
	if slices.Equal(now, usual) {
		return show
	}
	return strings.Join(now, " ")
}

func keyCell(th Theme, show, does string, entry int) string {
	return "  " + th.Accent.Render(Pad(show, shownWidth)) + Pad(does, entry-14)
}

// inColumns sets cells into columns, reading down.
func inColumns(cells []string, per int) []string {
	rows := (len(cells) + per - 1) / per
	lines := make([]string, rows)
	for i, cell := range cells {
		lines[i%rows] += cell
	}
	return lines
}

// View draws the page, with its title.
func (h *Help) View(th Theme, keys *Keymap, w int) []string {
	name := "Keys"
	if h.Text != "" {
		name = SafeLine(h.Title)
	}
	lines := h.lines(th, keys, w)
	return h.Pane.View(th.Rule(name, h.Note(len(lines)), w, true), lines)
}

// Settle sets the height of the page.
func (h *Help) Settle(th Theme, keys *Keymap, w, height int) {
	if h.Height = height - 1; h.Open {
		h.Pane.Settle(len(h.lines(th, keys, w)))
	}
}
