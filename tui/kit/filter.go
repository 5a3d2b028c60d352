package kit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// Filter narrows the list of a screen to what has some words.
type Filter struct {
	Open       bool // its line is being written
	text       Line
	shown, all int // of the list, as it was narrowed last
	ranked     Line
}

// Active reports whether the filter leaves anything out.
func (f *Filter) Active() bool { return strings.TrimSpace(string(f.text)) != "" }

// Start opens the line of the filter.
func (f *Filter) Start() { f.Open = true }

// Keep closes the line. The list stays narrow.
func (f *Filter) Keep() { f.Open = false }

// Drop closes the line and shows the whole list.
func (f *Filter) Drop() { *f = Filter{} }

// Press takes a key that is text, or deletes some.
func (f *Filter) Press(key tea.KeyPressMsg) { f.text.Press(key) }

// Insert adds a text, as one line.
func (f *Filter) Insert(text string) { f.text.Insert(text) }

// Matches reports whether something passes: it must have each word of the filter in its name, letters in between
// left out, or in one of the other texts.
func (f *Filter) Matches(name string, others ...string) bool {
	for word := range strings.FieldsSeq(strings.ToLower(string(f.text))) {
		found := Fuzzy(word, name) > 0
		for _, text := range others {
			found = found || strings.Contains(strings.ToLower(text), word)
		}
		if !found {
			return false
		}
	}
	return true
}

// Best sorts a list by how well the names fit the words, the best first; those that fit alike are compared. It reports
// whether a marker goes to the first one: the words are others than when they were asked for last.
func Best[T any](f *Filter, list []T, name func(*T) string, compare func(x, y *T) int) (first bool) {
	rank := func(x *T) (all int) {
		for word := range strings.FieldsSeq(string(f.text)) {
			all += Fuzzy(word, name(x))
		}
		return all
	}
	slices.SortStableFunc(list, func(x, y T) int { return cmp.Or(rank(&y)-rank(&x), compare(&x, &y)) })

	changed := f.ranked != f.text
	f.ranked = f.text

	return changed && f.Active() && len(list) > 0
}

// AsTheyAre compares what keeps its order.
func AsTheyAre[T any](_, _ *T) int { return 0 }

// Empty reports whether nothing passed when the list was narrowed last.
func (f *Filter) Empty() bool { return f.shown == 0 }

// Counted notes how many of all there are pass.
func (f *Filter) Counted(shown, all int) { f.shown, f.all = shown, all }

// Note returns what the title of the list says, with what it says anyway.
func (f *Filter) Note(anyway string) string {
	if !f.Active() {
		return anyway
	}
	words := f.count() + " · /" + SafeLine(string(f.text))
	if !f.Open {
		words += " · esc shows all"
	}
	if anyway != "" {
		words += " · " + anyway
	}
	return words
}

// Nothing says that nothing passes.
func (f *Filter) Nothing(noun string) string {
	return "No " + noun + " matches /" + SafeLine(string(f.text)) + ". esc shows all " + fmt.Sprint(f.all) + "."
}

func (f *Filter) count() string { return fmt.Sprintf("%d of %d", f.shown, f.all) }

// Line draws the line as it is written, with its end in sight.
func (f *Filter) Line(w int) string { return "/" + Tail(string(f.text), w-2) }

// LineWithCount draws the line, with how many pass.
func (f *Filter) LineWithCount(th Theme, w int) string {
	line := f.Line(w)
	hint := "letters of a name, or words"
	if f.Active() {
		hint = f.count()
	}
	return line + th.Dim.Render(Fit("  "+hint, w-Width(line)))
}
