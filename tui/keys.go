package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// scope is where a key means something.
type scope int

const (
	inLists scope = iota
	inCompose
	inFilter
	inHelp
)

var scopeNames = map[scope]string{inLists: "Moving and acting", inCompose: "Writing", inFilter: "Filtering", inHelp: "Reading a page"}

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
}

// bindings is the table of keys. Help, the hints, and the tests are read off it.
func bindings() []binding {
	return []binding{
		{inLists, []string{"enter"}, "enter", "open the message; on an agent: attach", "open", (*model).enter},
		{inLists, []string{"tab"}, "tab", "next pane", "pane", (*model).nextPane},
		{inLists, []string{"c"}, "c", "write to the agent", "write", (*model).writeTo},
		{inLists, []string{"r"}, "r", "reply to the message", "reply", (*model).reply},
		{inLists, []string{"b"}, "b", "broadcast to all", "broadcast", (*model).broadcast},
		{inLists, []string{"a"}, "a", "attach to the agent's terminal", "attach", (*model).attach},
		{inLists, []string{"n"}, "n", "what needs you", "needs you", (*model).openNeeds},
		{inLists, []string{"/"}, "/", "filter by names, state, text", "filter", (*model).openFilter},
		{inLists, []string{"f"}, "f", "follow the newest, or stand still", "follow", (*model).toggleFollow},
		{inLists, []string{"up", "k"}, "↑ k", "up", "", (*model).up},
		{inLists, []string{"down", "j"}, "↓ j", "down", "", (*model).down},
		{inLists, []string{"pgup", "ctrl+u"}, "pgup ctrl+u", "a page up", "", (*model).pageUp},
		{inLists, []string{"pgdown", "ctrl+d"}, "pgdn ctrl+d", "a page down", "", (*model).pageDown},
		{inLists, []string{"g", "home"}, "g home", "to the top", "", (*model).toTop},
		{inLists, []string{"G", "end"}, "G end", "to the newest", "", (*model).toBottom},
		{inLists, []string{"esc"}, "esc", "close, or drop the filter", "", (*model).back},
		{inLists, []string{"?"}, "?", "all keys", "help", (*model).openHelp},
		{inLists, []string{"q", "ctrl+c"}, "q ctrl+c", "quit; agents go on", "quit", (*model).quit},

		{inCompose, []string{"enter"}, "enter", "send", "send", (*model).post},
		{inCompose, newLineKeys, "ctrl+j", "new line", "new line", (*model).newLine},
		{inCompose, []string{"esc", "ctrl+c"}, "esc", "leave; the draft is kept", "leave, draft kept", (*model).leaveCompose},

		{inFilter, []string{"enter"}, "enter", "keep the filter", "keep", (*model).keepFilter},
		{inFilter, []string{"backspace", "ctrl+h"}, "backspace", "delete a character", "", (*model).rubFilter},
		{inFilter, []string{"esc", "ctrl+c", "ctrl+u"}, "esc", "show everything", "show all", (*model).dropFilter},

		{inHelp, []string{"down", "j", "pgdown"}, "↓ j", "further", "further", (*model).helpDown},
		{inHelp, []string{"up", "k", "pgup"}, "↑ k", "back up", "", (*model).helpUp},
		{inHelp, []string{"esc", "?", "q", "enter", "ctrl+c"}, "esc ?", "close", "close", (*model).closeHelp},
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

// hints are the key line's words in a scope, most useful first.
func hints(s scope) []string {
	var words []string
	for _, b := range bindings() {
		if b.scope == s && b.hint != "" {
			key, _, _ := strings.Cut(b.show, " ")
			words = append(words, key+" "+b.hint)
		}
	}
	return words
}
