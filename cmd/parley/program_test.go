package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"parley"
	"parley/internal/daemon"
	"parley/internal/must"
)

func TestEveryCommandIsExplained(t *testing.T) {
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			if sub.Hidden {
				continue
			}
			if sub.Short == "" || len(sub.Short) > 62 || sub.Example == "" {
				t.Errorf("%s lacks a short text that fits its line, or an example", sub.CommandPath())
			}
			for line := range strings.Lines(helpText(sub, 80)) {
				if ansi.StringWidth(strings.TrimRight(line, "\n")) > 80 && !strings.HasPrefix(line, "  parley ") {
					t.Errorf("the help of %s is wider than 80 columns: %q", sub.CommandPath(), line)
				}
			}

			walk(sub)
		}
	}

	walk(newRoot((newCLI(program{}))))
}

// Help without more fits a terminal, and everything is one word away.
func TestHelpBeginsWithWhatIsNeededMost(t *testing.T) {
	c := newCLI(program{})
	root := newRoot(c)
	brief, all := overview(c.out, root, false), overview(c.out, root, true)
	if lines := strings.Count(brief, "\n") + 1; lines > 24 {
		t.Errorf("it has %d lines, want 24 at most:\n%s", lines, brief)
	}
	for line := range strings.Lines(brief) {
		if ansi.StringWidth(strings.TrimRight(line, "\n")) > 80 {
			t.Errorf("wider than 80 columns: %q", line)
		}
	}
	for _, cmd := range available(root) {
		if !strings.Contains(all, "\n  "+pad(cmd.Name(), 14)+" "+cmd.Short) && cmd.Name() != "help" {
			t.Errorf("%s is not listed", cmd.Name())
		}
	}
}

func TestTableAlignsWhatIsShown(t *testing.T) {
	var tab table
	tab.add("\x1b[1mname\x1b[0m", "state")
	tab.add("日本", "idle")
	tab.add("x", "")
	if got, want := strings.Join(tab.lines(0), "\n"), "\x1b[1mname\x1b[0m  state\n日本  idle\nx"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestEventLines(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.Local)
	for _, test := range []struct {
		event parley.Event
		want  string
	}{
		{parley.Event{Type: parley.EventDirectMessage, Time: at, Sender: "coder", Recipient: "planner",
			Preview: "two\nlines"},
			"03:04:05  coder → planner           sent         two lines"},
		{parley.Event{Type: parley.EventBroadcast, Time: at, Sender: "coder", RecipientCount: 3, Preview: "x",
			Priority: parley.PriorityUrgent},
			"03:04:05  coder → 3 agents          urgent       x"},
		{parley.Event{Type: parley.EventDelivery, Time: at, Sender: "coder", Recipient: "planner",
			MessageID: "5f0c21aa-1", State: "held", Detail: "a person scrolls"},
			"03:04:05  coder → planner           held         5f0c21aa a person scrolls"},
		{parley.Event{Type: parley.EventThreadMessage, Time: at, Sender: "coder", ThreadID: "1", Thread: "the parser",
			RecipientCount: 3, Preview: "x"},
			"03:04:05  coder → thread the parser  sent         x"},
		{parley.Event{Type: parley.EventThreadUpdated, Time: at, Sender: "parley", Agent: "coder", State: "joined",
			Preview: "coder joined"},
			"03:04:05  coder                     joined       coder joined"},
		{parley.Event{Type: parley.EventAgent, Time: at, Agent: "coder", State: "idle"},
			"03:04:05  coder                     idle"},
	} {
		if got := (eventPrinter{&output{}}).line(test.event); got != test.want {
			t.Errorf("got  %q\nwant %q", got, test.want)
		}
	}
}

func TestTmuxVariableIsKeptOnlyForTheSameServer(t *testing.T) {
	for socket, told := range map[string]bool{"/tmp/around": true, "/tmp/other": false} {
		user := userTmux{daemon.Environ{"PATH=" + os.Getenv("PATH"), "TMUX=/tmp/around,12,0"}}
		cmd := must.Have(user.client([]string{"tmux", "-S", socket, "attach-session"}))(t)
		if got := slices.Contains(cmd.Env, "TMUX=/tmp/around,12,0"); got != told {
			t.Errorf("a client of %s is told: %v, want %v", socket, got, told)
		}
	}
}

// A daemon has the lock before it has an address.
func TestStartingDaemonRuns(t *testing.T) {
	d := testDoctor(t)
	d.cli.program.in, d.cli.out.now = must.Have(os.Open(os.DevNull))(t), time.Now
	must.Do(t, d.at.Prepare())
	must.Do(t, os.MkdirAll(filepath.Dir(d.at.Database()), 0o700))
	must.Do(t, os.WriteFile(d.at.Database(), nil, 0o600))
	starting := must.Have(d.at.Lock().Await(t.Context()))(t)
	defer starting.Close()

	impatient, cancel := context.WithCancel(t.Context()) // in place of a person who gives up
	cancel()
	for command, ctx := range map[string]context.Context{
		"down": impatient, "uninstall --yes --workspaces": t.Context(),
	} {
		dir := t.TempDir()
		d.cli.out.out = must.Have(os.Create(filepath.Join(dir, "out")))(t)
		d.cli.out.err = must.Have(os.Create(filepath.Join(dir, "err")))(t)
		status := d.cli.program.run(ctx, strings.Fields(command))
		if out := must.Have(os.ReadFile(d.cli.out.out.Name()))(t); status == 0 || len(out) > 0 {
			t.Errorf("%s: exit status %d, %q, want a failure", command, status, out)
		}
		if _, err := os.Stat(d.at.Database()); err != nil {
			t.Fatalf("%s: %v", command, err)
		}
	}
}

// Whatever others have written into a text, it does nothing to the terminal of whom it is shown to.
func TestForeignTextIsHarmless(t *testing.T) {
	c := newCLI(program{})
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.Local)
	foreign := "red \x1b]52;c;aGk=\x07 \u202etxt \u2066x \x9b2J \r end"
	path := filepath.Join(t.TempDir(), "out")
	c.out.out = must.Have(os.Create(path))(t)
	c.out.err, c.out.now = c.out.out, timeNow

	must.Do(t, eventPrinter{c.out}.print(parley.Event{
		Type: parley.EventDirectMessage, Time: at, Sender: "a", Recipient: "b", Preview: foreign,
	}))
	must.Do(t,
		messagePrinter{c.out}.found(&parley.SearchMessagesResult{
			Messages: []parley.FoundMessage{{Snippet: foreign}}}))
	must.Do(t,
		needsCommand{}.print(c.out,
			&parley.GetNeedsResult{Needs: []parley.Need{{Agent: "a", Text: foreign, Action: foreign,
				Command: foreign, Screen: []string{foreign}}}}))
	receipts{c}.printLadders([]parley.Delivery{{Recipient: "a", Reason: foreign,
		Steps: []parley.Step{{Evidence: foreign}}}})
	threadPrinter{c.out}.head(parley.Thread{Title: foreign, ParticipantNames: []string{foreign}})
	must.Do(t, (&answering{c: c}).show(&parley.AnswerDialogResult{Dialog: &parley.Dialog{Question: foreign,
		Lines: []string{foreign}, Options: []parley.DialogOption{{Choice: "1", Label: foreign, Detail: foreign}}}}))
	c.out.fail(parley.Errorf(parley.Internal, "%s", foreign).Suggest("%s", foreign))
	must.Do(t, c.out.out.Close())

	out := string(must.Have(os.ReadFile(path))(t))
	if strings.Count(out, "end") < 10 || strings.ContainsFunc(out, harmful) {
		t.Errorf("it shows %q", out)
	}
}
