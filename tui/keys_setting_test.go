package tui

import (
	"fmt"
	"strings"
	"testing"

	"parley"
	"parley/tui/kit"
	"parley/tui/room"
	"parley/tui/traffic"
)

// Each key of a screen has an action by which the settings know it.
func TestEveryKeyOfAScreenHasAnAction(t *testing.T) {
	seen := map[string]string{}
	for _, b := range bindings() {
		if b.Scope > room.InHealth {
			continue
		}
		action := actionOf(&b)
		if action == "" || strings.HasSuffix(action, ".") {
			t.Errorf("%s in %q has no action", b.Show, scopeName(b.Scope))
		}
		if seen[action] != "" {
			t.Errorf("%s and %s are both %s", seen[action], b.Show, action)
		}
		seen[action] = b.Show
	}
}

func TestKeysAreSet(t *testing.T) {
	set := func(keys map[string]string) *stage {
		return newScreen(t, busyTeam(), 160, 40, func(o *Options) { o.Keys = keys })
	}

	s := set(map[string]string{"tiles": "f5 X", "undo": "ctrl+z", "agents.stop": "K", "quit": "Q", "help": "f1"})
	s.press("X")
	s.shows("Tiles")
	s.press("esc", "t")
	s.shows("t does nothing on this screen; f1 lists the keys.")
	s.press("u", "p", "y")
	s.shows("ctrl+z resumes them.")
	s.press("2", "K")
	s.shows("Stop scout?")
	s.press("n", "?")
	s.shows("? does nothing")
	s.send(keyMsg("f1"))
	s.shows("Keys", "f5 X", "ctrl+z", "f1          all keys", "Q           quit")
	s.press("esc", "q")
	if s.quit {
		t.Error("q quits, and Q is set")
	}
	s.press("ctrl+c")
	if !s.quit {
		t.Error("ctrl+c does not quit any longer")
	}

	s = set(map[string]string{"broadcast": "none"})
	s.press("b")
	s.shows("b does nothing")
}

func TestWrongKeysAreRefused(t *testing.T) {
	for _, c := range []struct{ action, key, message, next string }{
		{"tile", "x", `keys has "tile", which is no action`, "Did you mean tiles?"},
		{"agents.stp", "x", `keys has "agents.stp", which is no action`, "Did you mean agents.stop?"},
		{"tiles", "b", "the key b is bound twice: to broadcast and to tiles", "another key"},
		{"traffic.retry", "t", "the key t is bound twice: to tiles and to traffic.retry", "another key"},
		{"traffic.retry", "F", "the key F is bound twice: to traffic.follow and to traffic.retry", "another key"},
		{"tiles", "ctrl+strange", `the key of tiles is "ctrl+strange"`, "Give keys such as"},
		{"quit", "none", `the key of quit is "none"`, "must stay within reach"},
	} {
		e := parley.AsError(CheckKeys(map[string]string{c.action: c.key}))
		if e == nil || e.Message != c.message || !strings.Contains(e.Action, c.next) {
			t.Errorf("%s: %s: got %v, want %q and %q", c.action, c.key, e, c.message, c.next)
		}
	}

	// Two actions may change their keys with each other.
	if err := CheckKeys(map[string]string{"tiles": "b", "broadcast": "t", "agents.fold": "F"}); err != nil {
		t.Error(err)
	}
}

func TestThemesHaveTheirColours(t *testing.T) {
	for _, name := range kit.Themes {
		s := newScreen(t, busyTeam(), 120, 30, func(o *Options) { o.Theme = name; *o = o.withDefaults() })
		content := s.m.View().Content
		sixteen := colour.MatchString(content)
		exact := strings.Contains(content, "38;2;")
		want := fmt.Sprint(name == kit.ThemeTerminal, name == kit.ThemeLight || name == kit.ThemeDark)
		if got := fmt.Sprint(sixteen && !exact, exact); got != want {
			t.Errorf("%s has sixteen colours, or exact ones: %s, want %s", name, got, want)
		}
	}
}

func TestWrongFiltersAreRefused(t *testing.T) {
	for _, f := range []map[string]string{{"My one": "x"}, {"a": " "}, {"a": "@b"}} {
		if err := traffic.CheckFilters(f); err == nil || parley.AsError(err).Action == "" {
			t.Errorf("%q: got %v, want a refusal with a next step", f, err)
		}
	}
	if err := traffic.CheckFilters(map[string]string{"mine": "is:held to:you"}); err != nil {
		t.Error(err)
	}
}
