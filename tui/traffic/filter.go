package traffic

import (
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/op"
	"parley/plain"
	"parley/tui/kit"
	"parley/tui/verb"
)

// filterHint tells what may be written, while nothing is.
const filterHint = "words, is: from: to: agent: thread: since: on: has: type: priority:"

// Keys returns the keys while a filter is written.
func (f *filter) Keys() []kit.Binding {
	return []kit.Binding{
		verb.Accept.To("keep the filter", f.keep).Hinted("keep"),
		verb.Complete.To("complete the word", f.complete).Hinted("complete").Unless(f.noCandidates),
		verb.Rub.To("", f.rub),
		verb.RubWord.To("", f.rubWord),
		verb.Close.To("show everything", f.drop, verb.ShowAll).Hinted("show all"),
	}
}

// noCandidates reports that no word completes what is written.
func (f *filter) noCandidates() bool { return len(f.candidates()) == 0 }

// Line draws the line as it is written, with its end in sight.
func (f *filter) Line(w int) string { return "/" + kit.Tail(f.Text, w-2) }

// LineWithHint draws the line, with what may follow.
func (f *filter) LineWithHint(w int) string {
	line := f.Line(w)
	hint := filterHint
	if len(f.room.Saved) > 0 {
		hint = strings.Join(filterNames(f.room.Saved, "@"), " ") + " " + hint
	}
	if f.Text != "" {
		hint = strings.Join(f.candidates(), " ")
	}
	if f.query.problem != "" && hint == "" && f.room.Link.Team {
		hint = f.query.problem
	}
	if hint == "" {
		return line
	}
	return line + f.room.Theme.Dim.Render(kit.Fit("  "+hint, w-kit.Width(line)))
}

// word splits the line before its last word.
func (f *filter) word() (before, word string) {
	i := strings.LastIndex(f.Text, " ") + 1
	return f.Text[:i], f.Text[i:]
}

// candidates returns what the last word may become.
func (f *filter) candidates() []string {
	_, word := f.word()
	place, value, ok := strings.Cut(word, ":")
	if !ok {
		if strings.HasPrefix(word, "@") {
			return filterNames(f.room.Saved, word)
		}
		all := op.FilterPlaces()
		for _, name := range op.FilterValues("agent:", f.names()) {
			all = append(all, "agent:"+name)
		}
		return slices.DeleteFunc(all, func(p string) bool { return !begins(p, word) && !begins(p, "agent:"+word) })
	}

	done := ""
	if i := strings.LastIndex(value, ","); i >= 0 {
		done, value = value[:i+1], value[i+1:]
	}

	var all []string
	for _, v := range op.FilterValues(strings.ToLower(place)+":", f.names()) {
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
		f.Set(before + all[0])
	}
	return nil
}

// Start opens the line of the filter.
func (f *filter) Start() tea.Cmd { f.Open = true; return nil }

func (f *filter) keep() tea.Cmd { f.Open = false; return nil }

func (f *filter) drop() tea.Cmd {
	f.Open = false
	f.Set("")
	return nil
}

func (f *filter) rub() tea.Cmd {
	if r := []rune(f.Text); len(r) > 0 {
		f.Set(string(r[:len(r)-1]))
	}
	return nil
}

func (f *filter) rubWord() tea.Cmd {
	l := kit.Line(f.Text)
	l.Press(tea.KeyPressMsg{Code: 'w', Mod: tea.ModCtrl})
	f.Set(string(l))
	return nil
}

// Set asks for what matches a text, as it is typed.
func (f *filter) Set(text string) {
	f.Text = kit.Visible(strings.ReplaceAll(text, "\n", " "))
	f.query = f.parseQuery(f.Text)
	f.hunt.again = true
	f.switchRecord(!f.query.empty())
}

// learn reads the text again if it names what was not known: an agent may have come since.
func (f *filter) learn() {
	if f.query.problem != "" {
		f.Set(f.Text)
	}
}

// clear shows everything.
func (f *filter) clear() {
	f.Open = false
	f.Set("")
}

// empty reports whether the filter lets everything through, as one does that is only begun.
func (q *query) empty() bool { return !q.asks }

// parseQuery parses a filter, in which names of saved ones may stand.
func (f *filter) parseQuery(text string) query {
	p := op.ParseFilter(expandFilters(f.room.Saved, text), f.names(), f.room.Now)
	return query{text: strings.TrimSpace(text), request: p.Request, asks: p.Asks, problem: p.Problem}
}

func (f *filter) names() []string {
	all := make([]string, len(f.room.Team.List))
	for i := range f.room.Team.List {
		all[i] = f.room.Team.List[i].Name
	}
	return all
}

// CheckFilters reports what is wrong with the filters of the settings, which are given by name.
func CheckFilters(filters map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(filters)) {
		refused := parley.Errorf(parley.InvalidArgument, "filters has %q", plain.CleanLine(name)).With("setting",
			"filters")
		switch {
		case strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "":
			return refused.Suggest("Give it a name of small letters, digits, - and _.")
		case strings.TrimSpace(filters[name]) == "" || strings.Contains(filters[name], "@"):
			return refused.Suggest("Give it what the filter line takes, such as is:held to:coder.")
		}
	}
	return nil
}

// expandFilters replaces the names of saved filters in a text by the filters: @name stands for one.
func expandFilters(saved map[string]string, text string) string {
	if !strings.Contains(text, "@") {
		return text
	}
	words := strings.Split(text, " ")
	for i, word := range words {
		if name, ok := strings.CutPrefix(word, "@"); ok && saved[name] != "" {
			words[i] = saved[name]
		}
	}
	return strings.Join(words, " ")
}

// filterNames returns the names of saved filters, with their mark, that a word may become.
func filterNames(saved map[string]string, word string) []string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(saved)) {
		if begins("@"+name, word) && "@"+name != word {
			all = append(all, "@"+name)
		}
	}
	return all
}
