package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// scope is where a key means something.
type scope int

const (
	inShell   scope = iota // on every screen
	inTraffic              // on one of them
	inAgents
	inThreads
	inNeeds
	inHealth
	inCompose // in what lies over them
	inTo
	inPalette
	inFilter
	inHelp
	inConfirm
	inPrompt
)

var scopes = []scope{
	inShell,
	inTraffic,
	inAgents,
	inThreads,
	inNeeds,
	inHealth,
	inCompose,
	inTo,
	inPalette,
	inFilter,
	inHelp,
	inConfirm,
	inPrompt,
}

var scopeNames = map[scope]string{inShell: "Everywhere", inTraffic: "Traffic", inAgents: "Agents", inThreads: "Threads",
	inNeeds: "Needs you", inHealth: "Health", inCompose: "Writing", inTo: "Naming who gets it", inPalette: "Choosing what to do", inFilter: "Filtering", inHelp: "Reading a page", inConfirm: "Being asked", inPrompt: "Asked for a line"}

// screenScope is the scope of a screen's own keys.
func screenScope(p place) scope { return inTraffic + scope(p) }

// newLineKeys break a line in the box: enter sends. The second and third are for
// terminals that can tell them from enter.
var newLineKeys = []string{"ctrl+j", "alt+enter", "shift+enter"}

// binding is a line of the key table: what is pressed where, what it does, and
// how that is said. hint is its word in the line at the bottom, if it is there.
type binding struct {
	scope scope
	keys  []string
	show  string
	does  string
	hint  string
	run   func(*model) tea.Cmd
	name  string // in the palette; "" for what only moves
}

// named gives names to bindings, for the palette: the first word is its key.
func named(all []binding, names ...string) []binding {
	for _, n := range names {
		key, name, _ := strings.Cut(n, " ")
		for i := range all {
			if slices.Contains(all[i].keys, key) {
				all[i].name = name
			}
		}
	}
	return all
}

// motion is how the marker is moved.
type motion int

const (
	lineUp motion = iota
	lineDown
	pageUp
	pageDown
	toTop
	toBottom
)

func moving(by motion) func(*model) tea.Cmd {
	return func(m *model) tea.Cmd { return m.screen().move(by) }
}

func going(p place) func(*model) tea.Cmd {
	return func(m *model) tea.Cmd { return m.goTo(p) }
}

// bindings is the table of keys. Help, the hints, and the tests are read off it.
func bindings() []binding {
	all := shellKeys()
	for _, s := range []screen{&traffic{}, &agents{}, &threads{}, &needs{}, &health{}} {
		all = append(all, s.keys()...)
	}
	return append(append(all, overKeys()...), promptKeys()...)
}

func shellKeys() []binding {
	return named([]binding{
		{inShell, []string{"1", "T"}, "1 T", "traffic: every message as it goes", "", going(atTraffic), ""},
		{inShell, []string{"2", "A"}, "2 A", "agents: who is there, problems first", "", going(atAgents), ""},
		{inShell, []string{"3", "D"}, "3 D", "threads: discussions of several", "", going(atThreads), ""},
		{inShell, []string{"4", "N", "n"}, "4 N n", "needs you: what waits for a person", "", going(atNeeds), ""},
		{inShell, []string{"5", "H"}, "5 H", "health: the daemon and its figures", "", going(atHealth), ""},
		{inShell, []string{"right", "]"}, "→ ]", "next screen", "", (*model).nextScreen, ""},
		{inShell, []string{"left", "["}, "← [", "previous screen", "", (*model).previousScreen, ""},
		{inShell, []string{"c"}, "c", "write to the agent", "write", (*model).writeTo, ""},
		{inShell, []string{"w"}, "w", "write to several, a group, or all", "", (*model).writeNew, ""},
		{inShell, []string{"r"}, "r", "reply to the message", "reply", (*model).reply, ""},
		{inShell, []string{"b"}, "b", "broadcast to all", "broadcast", (*model).broadcast, ""},
		{inShell, []string{"s"}, "s", "steer the agent: guidance it must see", "steer", (*model).steer, ""},
		{inShell, []string{"a"}, "a", "attach to the agent's terminal", "attach", (*model).attach, ""},
		{inShell, []string{"p"}, "p", "pause all messages, or let them go on", "", (*model).pauseAll, ""},
		{inShell, []string{"L"}, "L", "launch an agent", "", (*model).launch, ""},
		{
			inShell,
			[]string{":", "ctrl+p"},
			": ctrl+p",
			"find anything that can be done",
			"do",
			(*model).openPalette,
			"",
		},
		{inShell, []string{"u"}, "u", "undo what was just done", "", (*model).takeBack, ""},
		{inShell, []string{"up", "k"}, "↑ k", "up", "", moving(lineUp), ""},
		{inShell, []string{"down", "j"}, "↓ j", "down", "", moving(lineDown), ""},
		{inShell, []string{"pgup", "ctrl+u"}, "pgup ctrl+u", "a page up", "", moving(pageUp), ""},
		{inShell, []string{"pgdown", "ctrl+d"}, "pgdn ctrl+d", "a page down", "", moving(pageDown), ""},
		{inShell, []string{"g", "home"}, "g home", "to the top", "", moving(toTop), ""},
		{inShell, []string{"G", "end"}, "G end", "to the bottom, the newest", "", moving(toBottom), ""},
		{inShell, []string{"?"}, "?", "all keys", "help", (*model).openHelp, ""},
		{inShell, []string{"q", "ctrl+c"}, "q ctrl+c", "quit; agents go on", "quit", (*model).quit, ""},
	}, "1 show traffic", "2 show agents", "3 show threads", "4 show needs", "5 show health", "c write", "w write to several", "r reply",
		"b broadcast", "s steer", "a attach", "p pause or resume", "u undo", "L launch", "? help", "q quit")
}

// overKeys are those of what lies over the screens.
func overKeys() []binding {
	return []binding{
		{inCompose, []string{"enter"}, "enter", "send", "send", (*model).post, ""},
		{inCompose, newLineKeys, "ctrl+j", "new line", "new line", (*model).newLine, ""},
		{inCompose, []string{"tab"}, "tab", "name others to get it", "to", (*model).editTo, ""},
		{
			inCompose,
			[]string{"ctrl+p"},
			"ctrl+p",
			"priority: low, normal, high, urgent",
			"priority",
			(*model).cyclePriority,
			"",
		},
		{inCompose, []string{"ctrl+r"}, "ctrl+r", "require an answer, and by when", "answer", (*model).cycleDue, ""},
		{inCompose, []string{"ctrl+o"}, "ctrl+o", "write in your $EDITOR", "editor", (*model).edit, ""},
		{
			inCompose,
			[]string{"esc", "ctrl+c"},
			"esc",
			"leave; the draft is kept",
			"leave, draft kept",
			(*model).leaveCompose,
			"",
		},

		{inTo, []string{"enter"}, "enter", "on to the text", "text", (*model).leaveTo, ""},
		{inTo, []string{"tab"}, "tab", "complete the name, or on to the text", "complete", (*model).completeTo, ""},
		{
			inTo,
			[]string{"esc", "ctrl+c"},
			"esc",
			"leave; the draft is kept",
			"leave, draft kept",
			(*model).leaveCompose,
			"",
		},

		{inPalette, []string{"enter"}, "enter", "do it", "do it", (*model).choose, ""},
		{
			inPalette,
			[]string{"down", "ctrl+n"},
			"↓ ctrl+n",
			"next; further in the arguments",
			"next",
			paletteMove(1),
			"",
		},
		{inPalette, []string{"up", "ctrl+p"}, "↑ ctrl+p", "the one before; back in them", "", paletteMove(-1), ""},
		{inPalette, []string{"tab"}, "tab", "choose it; then, the next argument", "complete", (*model).complete, ""},
		{inPalette, []string{"esc", "ctrl+c"}, "esc", "back, and away", "back", (*model).leavePalette, ""},

		{inFilter, []string{"enter"}, "enter", "keep the filter", "keep", (*model).keepFilter, ""},
		{inFilter, []string{"backspace", "ctrl+h"}, "backspace", "delete a character", "", (*model).rubFilter, ""},
		{inFilter, []string{"esc", "ctrl+c", "ctrl+u"}, "esc", "show everything", "show all", (*model).dropFilter, ""},

		{inHelp, []string{"down", "j"}, "↓ j", "further", "further", helpBy(1), ""},
		{inHelp, []string{"up", "k"}, "↑ k", "back up", "", helpBy(-1), ""},
		{inHelp, []string{"pgdown", "ctrl+d", "space"}, "pgdn space", "a page further", "", helpBy(helpPage), ""},
		{inHelp, []string{"pgup", "ctrl+u"}, "pgup", "a page back", "", helpBy(-helpPage), ""},
		{inHelp, []string{"esc", "?", "q", "enter", "ctrl+c"}, "esc ?", "close", "close", (*model).closeHelp, ""},

		{inConfirm, []string{"y", "Y"}, "y", "yes, do it", "yes", (*model).agree, ""},
		{inConfirm, []string{"n", "N", "esc", "q", "ctrl+c"}, "n esc", "no, leave it", "no", (*model).decline, ""},
	}
}

// bound returns the binding of a key, nil if it means nothing there.
func bound(s scope, key string) *binding {
	for _, b := range bindings() {
		if b.scope == s && slices.Contains(b.keys, key) {
			return &b
		}
	}
	return nil
}

// hints are the key line's words in some scopes, most useful first.
func (m *model) hints(in ...scope) []string {
	var words []string
	all := bindings()
	for _, s := range in {
		for _, b := range all {
			if b.scope == s && b.hint != "" && !m.idle(&b) {
				key, _, _ := strings.Cut(b.show, " ")
				words = append(words, key+" "+b.hint)
			}
		}
	}
	return words
}

// idle reports whether a key could only say that there is nothing for it to do.
func (m *model) idle(b *binding) bool {
	switch {
	case b.scope == inShell && b.hint == "reply":
		return m.screen().about().message == ""
	case b.scope == inShell && b.hint == "attach" && m.at == atAgents:
		return true // enter does it there
	case b.scope == inShell && (b.hint == "steer" || b.hint == "attach"):
		return m.screen().about().agent == nil
	case b.scope == inCompose && b.hint == "to":
		return !m.compose.draft.named()
	case b.scope == inCompose && (b.hint == "priority" || b.hint == "answer"):
		return !m.compose.draft.formal()
	case b.scope == inPalette && b.hint == "next":
		return m.palette.op != nil
	case b.scope == inNeeds:
		return m.needs.idle(b.hint)
	}

	return false
}
