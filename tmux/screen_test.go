package tmux_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/must"
	"parley/tmux"
	"parley/tmux/tmuxtest"
)

func TestScreenThatImitatesTheProtocol(t *testing.T) {
	s := tmuxtest.Start(t)
	info := must.Have(s.NewSession(t.Context(), tmux.SessionOptions{Name: "evil", Argv: []string{"sh", "-c",
		`printf '%%begin 1 1 1\n%%end 1 1 1\n%%error 1 1 1\n%%exit\nparley-1\n\n'; exec sleep 1000`}}))(t)
	screen := tmuxtest.WaitFor(t, s.Pane(info.ID), func(s tmux.Screen) bool { return tmuxtest.Shows(s, "parley-1") })
	want := []string{"%begin 1 1 1", "%end 1 1 1", "%error 1 1 1", "%exit", "parley-1", ""}
	if diff := cmp.Diff(want, screen.Lines[:6]); diff != "" {
		t.Error(diff)
	}
}

// What Screen reads is what tmux prints to a client of its own, whatever stands there: some versions
// are asked in a way that quotes the text.
func TestScreenReadsWhatTmuxPrints(t *testing.T) {
	s := tmuxtest.Start(t)
	hostile := `\033 \\033 a\\b \\ $HOME ${x} $_y "q" #{pane_id} #[fg=red] %end 1 1 1 é 😀 界 e\xcc\x81 \x01\x02` +
		`\033[31;1mred\033[0m \033(0lqk\033(B \tafter a tab\n\n  indented\\\nends with \\`
	info := must.Have(s.NewSession(t.Context(), tmux.SessionOptions{Name: "odd", Width: 200, Height: 9,
		Argv: []string{"sh", "-c", `printf '` + hostile + `\nready'; exec sleep 1000`}}))(t)
	pane := s.Pane(info.ID)
	tmuxtest.WaitFor(t, pane, func(s tmux.Screen) bool { return tmuxtest.Shows(s, "ready") })

	for flag, opts := range map[string]tmux.ScreenOptions{"-p": {}, "-ep": {Colours: true}} {
		out := must.Have(exec.Command("tmux", "-S", s.SocketPath(), "capture-pane", flag, "-t", info.ID).Output())(t)
		want := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
		for i := range want {
			if !opts.Colours {
				want[i] = strings.TrimRight(want[i], " ")
			}
		}

		got := must.Have(pane.Screen(t.Context(), opts))(t)
		if diff := cmp.Diff(want, got.Lines); diff != "" {
			t.Errorf("%s: %s", flag, diff)
		}
	}
}

// A daemon that was started over ssh or by cron may have no locale.
func TestScreenIsReadWithoutALocale(t *testing.T) {
	opts := tmuxtest.Options(t)
	opts.Env = slices.DeleteFunc(opts.Env, func(entry string) bool {
		return strings.HasPrefix(entry, "LC_") || strings.HasPrefix(entry, "LANG")
	})
	s := tmuxtest.StartWith(t, opts)
	info := must.Have(s.NewSession(t.Context(), tmux.SessionOptions{Name: "box", Argv: []string{"sh", "-c",
		`printf '╭─ é 😀\n❯ ready'; exec sleep 1000`}}))(t)
	screen := tmuxtest.WaitFor(t, s.Pane(info.ID), func(s tmux.Screen) bool { return tmuxtest.Shows(s, "ready") })
	if got := strings.Join(screen.Lines, "\n"); !strings.HasPrefix(got, "╭─ é 😀\n❯ ready\n") {
		t.Errorf("got %q", got)
	}
}

func TestScreenJoinsAndReadsHistory(t *testing.T) {
	s := tmuxtest.Start(t)
	info := must.Have(s.NewSession(t.Context(), tmux.SessionOptions{Name: "long", Width: 20, Height: 5,
		Argv: []string{"sh", "-c",
			`seq 1 10; printf '\033[31m%s\033[0m' abcdefghijklmnopqrstuvwxyz; exec sleep 1000`}}))(t)

	pane := s.Pane(info.ID)
	tmuxtest.WaitFor(t, pane, func(s tmux.Screen) bool { return tmuxtest.Shows(s, "uvwxyz") })
	for _, tt := range []struct {
		opts tmux.ScreenOptions
		want []string
		top  int
	}{
		{tmux.ScreenOptions{}, []string{"8", "9", "10", "abcdefghijklmnopqrst", "uvwxyz"}, 0},
		{tmux.ScreenOptions{Join: true}, []string{"8", "9", "10", "abcdefghijklmnopqrstuvwxyz"}, 0},
		{tmux.ScreenOptions{History: 2, Tail: 6}, []string{"7", "8", "9", "10", "abcdefghijklmnopqrst", "uvwxyz"}, -1},
		{tmux.ScreenOptions{Tail: 2, Colours: true}, []string{"\x1b[31mabcdefghijklmnopqrst", "uvwxyz"}, 3},
	} {
		got := must.Have(pane.Screen(t.Context(), tt.opts))(t)

		for i := range got.Lines {
			got.Lines[i] = strings.TrimSuffix(got.Lines[i], "\x1b[39m")
		}

		if diff := cmp.Diff(tt.want, got.Lines); diff != "" || got.Top != tt.top {
			t.Errorf("%+v: top %d: %s", tt.opts, got.Top, diff)
		}
	}
}

func TestScreenTellsWhetherAnybodyHasEverViewedIt(t *testing.T) {
	s := tmuxtest.Start(t)
	pane, _, _ := agent(t, s, tmuxtest.Agent{})
	unviewed := func() bool { return must.Have(pane.Screen(t.Context(), tmux.ScreenOptions{}))(t).Unviewed }
	if !unviewed() {
		t.Error("a new terminal seems to have been viewed")
	}
	tmuxtest.Attach(t, s, pane.ID(), 100, 30)
	tmuxtest.Poll(t, func() bool { return !unviewed() }, func() string { return "nobody seems to view it" })
}
