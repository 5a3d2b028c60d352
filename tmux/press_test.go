package tmux_test

import (
	"testing"
	"time"

	"parley/internal/must"
	"parley/tmux"
	"parley/tmux/tmuxtest"
)

// screenful draws a menu with signs that mean something to tmux and in regular expressions, and then
// echoes what is typed below it.
const screenful = `stty -echo raw; printf 'Allow this?\r\n'
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do printf ' │ a,b} #{pane_id} #S $HOME "x" (.*) [%%H] row %%i \\ ~ 日本 ❯ %s\r\n' $i; done
printf '❯ 1. Yes; and #[x]\r\n  2. No\r\n'; dd bs=1 count=1 2>/dev/null | od -An -c; cat`

func TestPressDependsOnTheRowsThatWereSeen(t *testing.T) {
	s := tmuxtest.Start(t)
	pane, owner := ownedShell(t, s, screenful)
	seen := tmuxtest.WaitFor(t, pane, func(s tmux.Screen) bool { return tmuxtest.Shows(s, "2. No") })

	press := tmux.Keypress{Owner: owner, Screen: seen, To: 15, Key: "2"}
	for name, change := range map[string]func(*tmux.Keypress){
		"row":    func(p *tmux.Keypress) { p.Screen.Lines[14] = "  2. Nope" },
		"place":  func(p *tmux.Keypress) { p.Screen.Lines = append([]string{"new"}, p.Screen.Lines...) },
		"screen": func(p *tmux.Keypress) { p.Screen.AltScreen = true },
	} {
		other := press
		other.Screen.Lines = append([]string{}, seen.Lines...)
		change(&other)
		if refusal, detail, err := pane.Press(t.Context(), other); refusal != tmux.Changed || err != nil {
			t.Errorf("another %s: got %q (%s), %v; want %q", name, refusal, detail, err, tmux.Changed)
		}
	}

	foreign := press
	foreign.Owner = "somebody"
	if refusal, _, err := pane.Press(t.Context(), foreign); refusal != tmux.Foreign || err != nil {
		t.Errorf("another owner: got %q, %v; want %q", refusal, err, tmux.Foreign)
	}

	if refusal, detail, err := pane.Press(t.Context(), press); refusal != tmux.NoRefusal || err != nil {
		t.Fatalf("got %q (%s), %v", refusal, detail, err)
	}
	after := tmuxtest.WaitFor(t, pane, func(s tmux.Screen) bool { return tmuxtest.Shows(s, "   2") })

	if refusal, _, err := pane.Press(t.Context(), tmux.Keypress{
		Owner: owner, Screen: after, To: 15, Text: "grün ; \"x\" #{pid}", Untouched: time.Now(),
	}); refusal != tmux.NoRefusal || err != nil {
		t.Fatalf("a text: got %q, %v", refusal, err)
	}
	tmuxtest.WaitFor(t, pane, func(s tmux.Screen) bool { return tmuxtest.Shows(s, `grün ; "x" #{pid}`) })
}

func TestPressRefusesWhatIsNoKey(t *testing.T) {
	pane := new(tmux.Server).Pane("%1")
	screen := tmux.Screen{Lines: []string{"x"}}
	for _, p := range []tmux.Keypress{
		{Owner: "me", Screen: screen, To: 1, Key: "C-c"},
		{Owner: "me", Screen: screen, To: 1, Key: "12"},
		{Owner: "me", Screen: screen, To: 1},
		{Owner: "me", Screen: screen, To: 1, Text: "a\nb"},
		{Owner: "me", Screen: screen, To: 1, Text: "\x1b[201~"},
		{Owner: "me", Screen: screen, To: 2, Key: "1"},
		{Owner: "me", Screen: screen, Key: "1"},
		{Screen: screen, To: 1, Key: "1"},
	} {
		if _, _, err := pane.Press(t.Context(), p); err == nil {
			t.Errorf("%+v was not refused", p)
		}
	}
}

// ownedShell runs a script in a pane that is owned.
func ownedShell(t *testing.T, s *tmux.Server, script string) (*tmux.Pane, string) {
	t.Helper()
	const owner = "0b5f6c1e-7f5e-4d4f-9d51-6d6f0f5b3c11"
	info := must.Have(s.NewSession(t.Context(), tmux.SessionOptions{
		Name: "shell", Owner: owner, Argv: []string{"sh", "-c", script}, Width: 100, Height: 40,
	}))(t)
	return s.Pane(info.ID), owner
}
