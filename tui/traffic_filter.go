package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// filter is the line in which the operator says what to look for in the traffic.
type filter struct {
	*shared
	traffic *traffic
	open    bool
	text    string
	query   query
	hunt    hunt
}

// filterHint tells what may be written, while nothing is.
const filterHint = "words, is: from: to: agent: thread: since: on: has: type: priority:"

func (f *filter) keys() []binding {
	return []binding{
		bind("enter", "keep the filter", f.keep).hinted("keep"),
		bind("tab", "complete the word", f.complete).hinted("complete").unless(f.noCandidates),
		bind("backspace", "delete a character", f.rub, "ctrl+h"),
		bind("ctrl+w", "delete a word", f.rubWord, "alt+backspace"),
		bind("esc", "show everything", f.drop, "ctrl+c", "ctrl+u").hinted("show all"),
	}
}

// noCandidates reports that no word completes what is written.
func (f *filter) noCandidates() bool { return len(f.candidates()) == 0 }

// line draws the line as it is written, with its end in sight.
func (f *filter) line(w int) string { return "/" + tail(f.text, w-2) }

// lineWithHint draws the line, with what may follow.
func (f *filter) lineWithHint(w int) string {
	line := f.line(w)
	hint := filterHint
	if len(f.saved) > 0 {
		hint = strings.Join(filterNames(f.saved, "@"), " ") + " " + hint
	}
	if f.text != "" {
		hint = strings.Join(f.candidates(), " ")
	}
	if f.query.problem != "" && hint == "" {
		hint = f.query.problem
	}
	if hint == "" {
		return line
	}
	return line + f.theme.dim.Render(fit("  "+hint, w-width(line)))
}

// word splits the line before its last word.
func (f *filter) word() (before, word string) {
	i := strings.LastIndex(f.text, " ") + 1
	return f.text[:i], f.text[i:]
}

// candidates returns what the last word may become.
func (f *filter) candidates() []string {
	_, word := f.word()
	place, value, ok := strings.Cut(word, ":")
	if !ok {
		if strings.HasPrefix(word, "@") {
			return filterNames(f.saved, word)
		}
		all := slices.Clone(filterPlaces)
		for _, name := range f.filterValues("agent:") {
			all = append(all, "agent:"+name)
		}
		return slices.DeleteFunc(all, func(p string) bool { return !begins(p, word) && !begins(p, "agent:"+word) })
	}

	done := ""
	if i := strings.LastIndex(value, ","); i >= 0 {
		done, value = value[:i+1], value[i+1:]
	}

	var all []string
	for _, v := range f.filterValues(strings.ToLower(place) + ":") {
		if begins(v, value) && v != value {
			all = append(all, place+":"+done+v)
		}
	}

	return all
}

func begins(s, with string) bool { return strings.HasPrefix(strings.ToLower(s), strings.ToLower(with)) }

// complete makes the last word into the first that it may become.
func (f *filter) complete() tea.Cmd {
	before, _ := f.word()
	if all := f.candidates(); len(all) > 0 {
		f.set(before + all[0])
	}
	return nil
}

func (f *filter) start() tea.Cmd { f.open = true; return nil }

func (f *filter) keep() tea.Cmd { f.open = false; return nil }

func (f *filter) drop() tea.Cmd {
	f.open = false
	f.set("")
	return nil
}

func (f *filter) rub() tea.Cmd {
	if r := []rune(f.text); len(r) > 0 {
		f.set(string(r[:len(r)-1]))
	}
	return nil
}

func (f *filter) rubWord() tea.Cmd {
	l := line(f.text)
	l.press(tea.KeyPressMsg{Code: 'w', Mod: tea.ModCtrl})
	f.set(string(l))
	return nil
}

// set asks for what matches a text, as it is typed.
func (f *filter) set(text string) {
	f.text = visible(strings.ReplaceAll(text, "\n", " "))
	f.query = f.parseQuery(f.text)
	f.hunt.again = true
	f.traffic.switchRecord(!f.query.empty())
}

// learn reads the text again if it names what was not known: an agent may have come since.
func (f *filter) learn() {
	if f.query.problem != "" {
		f.set(f.text)
	}
}

// clear shows everything.
func (f *filter) clear() {
	f.open = false
	f.set("")
}
