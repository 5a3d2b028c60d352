package tmux_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/must"
	"parley/tmux"
	"parley/tmux/tmuxtest"
)

// tmuxCommand runs a tmux command against the server, as a person would.
func tmuxCommand(t testing.TB, s *tmux.Server, args ...string) string {
	t.Helper()
	out, err := exec.Command(tmuxtest.Binary(), append([]string{"-S", s.SocketPath()}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("tmux %q: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// agent starts a fake agent with a log.
func agent(t testing.TB, s *tmux.Server, a tmuxtest.Agent) (pane *tmux.Pane, owner, log string) {
	t.Helper()
	if a.Log == "" {
		a.Log = filepath.Join(t.TempDir(), "log")
	}
	info := a.Launch(t, s)
	return s.Pane(info.ID), info.Owner, a.Log
}

// ends submits a text and fails the test unless the attempt ends in a phase, for a reason.
func ends(t testing.TB, pane *tmux.Pane, sub tmux.Submission, phase tmux.Phase, reason tmux.Refusal) tmux.Outcome {
	t.Helper()
	out, err := pane.Submit(t.Context(), sub)
	if err != nil || out.Phase != phase || out.Reason != reason {
		t.Fatalf("message %d: got %+v, %v; want %v, %q", sub.Seq, out, err, phase, reason)
	}
	return out
}

// enters submits a text and fails the test unless it is entered.
func enters(t testing.TB, pane *tmux.Pane, sub tmux.Submission) {
	t.Helper()
	ends(t, pane, sub, tmux.Entered, tmux.NoRefusal)
}

// gets expects that a fake agent has got these texts, whole.
func gets(t testing.TB, log string, texts ...string) {
	t.Helper()
	var want []tmuxtest.Message
	for _, text := range texts {
		want = append(want, tmuxtest.Message{Text: text, Framed: true})
	}

	if diff := cmp.Diff(want, tmuxtest.WaitMessages(t, log, len(want))); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}

func TestSubmitTypesExactBytes(t *testing.T) {
	s := tmuxtest.Start(t)
	for _, text := range []string{
		"hello", "two\nlines", "\ttabs\tand trailing blank ", "trailing ;", "a\\;", "-l",
		"#{pane_id} #(id) $(id) `id` ~",
		"'\"{}%if", "Enter", "C-c", "ÄÖÜ 漢字 👩‍👩‍👧 e\u0301 \u200d", strings.Repeat("long ", 20000), "\n\n", "!ls", "@x",
	} {
		t.Run(fmt.Sprintf("%.12q", text), func(t *testing.T) {
			t.Parallel()
			pane, owner, log := agent(t, s, tmuxtest.Agent{})
			var facts []string
			enters(t, pane, tmux.Submission{
				Owner: owner, Seq: 1, Text: text,
				OnPasted:  func() { facts = append(facts, "pasted") },
				OnEntered: func() { facts = append(facts, "entered") },
			})
			if diff := cmp.Diff([]string{"pasted", "entered"}, facts); diff != "" {
				t.Error(diff)
			}

			gets(t, log, text)
			info, err := pane.Info(t.Context())
			if err != nil || info.Seq != 1 || info.Phase != "entered" {
				t.Errorf("the pane records %d %q, %v; want 1 entered", info.Seq, info.Phase, err)
			}
		})
	}
}

func TestSubmitLooksBeforeAndAfterTheKey(t *testing.T) {
	s := tmuxtest.Start(t)
	pane, owner, log := agent(t, s, tmuxtest.Agent{})
	ends(t, pane, tmux.Submission{
		Owner: owner, Seq: 7, Text: "look at me", Next: guide{shown: shows("look at me"), taken: emptied}.next(),
	}, tmux.Taken, tmux.NoRefusal)
	gets(t, log, "look at me")
}

func TestSubmitRefuses(t *testing.T) {
	s := tmuxtest.Start(t)
	nothing := func(*testing.T, tmux.PaneInfo) {}
	command := func(name string, args ...string) func(*testing.T, tmux.PaneInfo) {
		return func(t *testing.T, i tmux.PaneInfo) {
			tmuxCommand(t, s, append([]string{name, "-t", i.ID}, args...)...)
		}
	}

	t.Cleanup(func() { // when all have ended
		if buffers := tmuxCommand(t, s, "list-buffers"); strings.Contains(buffers, "never") {
			t.Errorf("a buffer is left: %s", buffers)
		}
	})
	recorded := func(progress string) func(*testing.T, tmux.PaneInfo) {
		return func(t *testing.T, i tmux.PaneInfo) { setProgress(t, s, i.ID, progress) }
	}

	for _, tt := range []struct {
		want    tmux.Refusal
		prepare func(t *testing.T, info tmux.PaneInfo)
		change  func(*tmux.Submission)
	}{
		{tmux.InputOff, command("select-pane", "-d"), nil},
		{tmux.InMode, command("copy-mode"), nil},
		{tmux.InMode, command("clock-mode"), nil},
		{tmux.Foreign, command("set", "-p", "@parley_agent", "x"), nil},
		{tmux.Foreign, command("set", "-pu", "@parley_agent"), nil},
		{tmux.Repeated, command("set", "-p", "@parley_seq", "3"), nil}, // as versions up to 0.9 did
		{tmux.Repeated, recorded("3.2"), nil},
		{tmux.Repeated, recorded("10"), nil},
		{tmux.NotReady, nothing, func(s *tmux.Submission) {
			s.Next = func(tmux.Moment) tmux.Step {
				return tmux.Step{Do: tmux.Stop, Reason: tmux.NotReady,
					Detail: "busy"}
			}
		}},
		{tmux.Repeated, nothing, func(s *tmux.Submission) { s.Resume = true }},
		{tmux.Gone, command("kill-pane"), nil},
		{tmux.Dead, func(t *testing.T, i tmux.PaneInfo) {
			kill(t, i.PID)
			tmuxtest.Poll(t, func() bool { now, _ := s.Pane(i.ID).Info(t.Context()); return now.ExitKnown },
				func() string { return "not dead" })
		}, nil},
	} {
		t.Run(string(tt.want), func(t *testing.T) {
			t.Parallel()
			log := filepath.Join(t.TempDir(), "log")
			info := tmuxtest.Agent{Log: log}.Launch(t, s)
			tt.prepare(t, info)
			pane := s.Pane(info.ID)
			before, _ := pane.Screen(t.Context(), tmux.ScreenOptions{})
			sub := tmux.Submission{Owner: info.Owner, Seq: 3, Text: "never"}
			if tt.change != nil {
				tt.change(&sub)
			}

			out, err := pane.Submit(t.Context(), sub)
			if err != nil || out.Phase != tmux.Refused || out.Reason != tt.want || out.Detail == "" {
				t.Errorf("got %+v, %v; want refused, %s", out, err, tt.want)
			}
			if n, err := tmux.Unread(info.TTY); err == nil && n != 0 {
				t.Errorf("%d bytes were typed", n)
			}

			after, _ := pane.Screen(t.Context(), tmux.ScreenOptions{})
			if diff := cmp.Diff(before.Lines, after.Lines); diff != "" {
				t.Error(diff)
			}
			if got := tmuxtest.Messages(t, log); len(got) != 0 {
				t.Errorf("typed %+v", got)
			}
		})
	}
}

func TestSubmitRefusesUnsafeText(t *testing.T) {
	s := tmuxtest.Start(t)
	for _, text := range []string{
		"", "a\x1b[201~b", "a\rb", "nul\x00", "\x7f", "\u0085", "\u202e", "\u2066", "\xff", "bad \xc3",
	} {
		out, err := s.Pane("%0").Submit(t.Context(), tmux.Submission{Owner: "x", Seq: 1, Text: text})
		if !errors.Is(err, tmux.ErrUnsafeText) || out.Phase != tmux.Refused {
			t.Errorf("%q: got %+v, %v; want ErrUnsafeText", text, out, err)
		}
	}
}

func TestSubmitRefusesBadArguments(t *testing.T) {
	s := tmuxtest.Start(t)
	for _, sub := range []tmux.Submission{
		{Owner: "", Seq: 1, Text: "x"}, {Owner: "a,b", Seq: 1, Text: "x"}, {Owner: "a}", Seq: 1, Text: "x"},
		{Owner: "#{x}", Seq: 1, Text: "x"}, {Owner: "a", Seq: 0, Text: "x"}, {Owner: "a", Seq: 1 << 60, Text: "x"},
		{Owner: "a", Seq: 1, Text: "x", Key: "C-c"},
	} {
		if out, err := s.Pane("%0").Submit(t.Context(), sub); !errors.Is(err, tmux.ErrInvalid) ||
			out.Phase != tmux.Refused {
			t.Errorf("%+v: got %+v, %v; want ErrInvalid", sub, out, err)
		}
	}

	_, err := s.Pane("name").Submit(t.Context(), tmux.Submission{Owner: "a", Seq: 1, Text: "x"})
	if !errors.Is(err, tmux.ErrInvalid) {
		t.Errorf("a name as a pane: got %v, want ErrInvalid", err)
	}
}

func TestSubmitWaitsForAModeBetweenPasteAndKey(t *testing.T) {
	s := tmuxtest.Start(t)
	pane, owner, log := agent(t, s, tmuxtest.Agent{})
	done := make(chan error, 1)
	pasted := make(chan struct{})
	go func() {
		out, err := pane.Submit(t.Context(), tmux.Submission{
			Owner: owner, Seq: 1, Text: "patience", Next: guide{}.next(),
			OnPasted: func() { tmuxCommand(t, s, "copy-mode", "-t", pane.ID()); close(pasted) },
		})
		if err == nil && out.Phase != tmux.Entered {
			err = fmt.Errorf("outcome %+v", out)
		}

		done <- err
	}()

	<-pasted
	select {
	case err := <-done:
		t.Fatalf("Submit ended while in copy mode: %v", err)
	case <-time.After(300 * time.Millisecond):
	}

	if got := tmuxtest.Messages(t, log); len(got) != 0 {
		t.Fatalf("entered while in copy mode: %+v", got)
	}

	tmuxCommand(t, s, "copy-mode", "-q", "-t", pane.ID())
	must.Do(t, <-done)
	gets(t, log, "patience")
}

func TestSubmitCancelledInAModeReportsPasted(t *testing.T) {
	s := tmuxtest.Start(t)
	pane, owner, log := agent(t, s, tmuxtest.Agent{})
	ctx, cancel := context.WithCancel(t.Context())
	out, err := pane.Submit(ctx, tmux.Submission{
		Owner: owner, Seq: 1, Text: "patience", Next: guide{}.next(),
		OnPasted: func() {
			tmuxCommand(t, s, "copy-mode", "-t", pane.ID())
			time.AfterFunc(300*time.Millisecond, cancel)
		},
	})
	if !errors.Is(err, context.Canceled) || out.Phase != tmux.Pasted || out.Reason != tmux.InMode {
		t.Fatalf("got %+v, %v; want pasted, in-mode, canceled", out, err)
	}

	tmuxCommand(t, s, "copy-mode", "-q", "-t", pane.ID())
	enters(t, pane, tmux.Submission{Owner: owner, Seq: 1, Resume: true})
	gets(t, log, "patience")
}

func TestSubmitDoesNotPressForAnotherMessage(t *testing.T) {
	s := tmuxtest.Start(t)
	for _, remembered := range []string{"1.2", "2.1", "0"} {
		pane, owner, log := agent(t, s, tmuxtest.Agent{})
		ends(t, pane, tmux.Submission{
			Owner: owner, Seq: 1, Text: "mine", Next: guide{}.next(),
			OnPasted: func() { setProgress(t, s, pane.ID(), remembered) },
		}, tmux.Pasted, tmux.Repeated)
		if got := tmuxtest.Messages(t, log); len(got) != 0 {
			t.Errorf("%s: entered: %+v", remembered, got)
		}
	}
}

// setProgress records a pane's progress as tmux does it for parley.
func setProgress(t *testing.T, s *tmux.Server, pane, progress string) {
	t.Helper()
	tmuxCommand(t, s, "set-environment", "-gh", "PARLEY_SEQ_"+pane[1:], progress)
}

func TestSubmitLeavesAModeWhenAllowed(t *testing.T) {
	s := tmuxtest.Start(t)
	pane, owner, log := agent(t, s, tmuxtest.Agent{})
	tmuxCommand(t, s, "copy-mode", "-t", pane.ID())
	enters(t, pane, tmux.Submission{Owner: owner, Seq: 1, Text: "urgent", LeaveMode: true})
	gets(t, log, "urgent")
}

func TestSubmitReportsAMissingText(t *testing.T) {
	opts := tmuxtest.Options(t)
	s := tmuxtest.StartWith(t, opts)
	pane, owner, log := agent(t, s, tmuxtest.Agent{})

	// The server is stopped, so that the file can be removed before tmux reads it.
	pid := serverPID(t, s)
	done := make(chan error, 1)
	must.Do(t, syscall.Kill(pid, syscall.SIGSTOP))

	go func() {
		out, err := pane.Submit(t.Context(), tmux.Submission{Owner: owner, Seq: 1, Text: strings.Repeat("long ", 1000)})
		if err == nil || out.Phase == tmux.Refused {
			done <- err
			return
		}
		done <- fmt.Errorf("outcome %+v, %v", out, err)
	}()

	var files []string
	tmuxtest.Poll(t, func() bool {
		files, _ = filepath.Glob(filepath.Join(opts.Dir, "parley-texts-*", "[0-9]*"))
		return len(files) == 1
	}, func() string { return "no file appeared" })

	if info, err := os.Stat(files[0]); err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v, %v; want 0600", info.Mode(), err)
	}
	if err := os.Remove(files[0]); err != nil {
		t.Error(err)
	}
	must.Do(t, syscall.Kill(pid, syscall.SIGCONT))
	if err := <-done; !errors.Is(err, tmux.ErrNoBody) {
		t.Errorf("got %v, want ErrNoBody", err)
	}

	enters(t, pane, tmux.Submission{Owner: owner, Seq: 1, Text: "again"})
	gets(t, log, "again")
}

func serverPID(t testing.TB, s *tmux.Server) int {
	t.Helper()
	pid, _, _ := strings.Cut(s.Instance(), "/")
	return must.Have(strconv.Atoi(pid))(t)
}

// FuzzQuoting proves that every byte string without NUL gets through the command line of
// a real tmux unchanged.
func FuzzQuoting(f *testing.F) {
	opts := tmuxtest.Options(f)
	s := tmuxtest.StartWith(f, opts)
	for _, seed := range []string{
		"a", "~", "\xff\xfe", "; kill-server", "\"", "\\", "$HOME", "#{pid}", "{", "'", "\r\n", "\x1b", "%if", "é\x80",
	} {
		f.Add(seed)
	}

	f.Fuzz(func(t *testing.T, text string) {
		if strings.ContainsRune(text, 0) || len(text) == 0 {
			t.Skip()
		}

		got, err := tmux.RoundTrip(t.Context(), s, text, filepath.Join(t.TempDir(), "out"))
		if err != nil || got != text {
			t.Fatalf("got %q, %v; want %q", got, err, text)
		}
	})
}

func TestSubmitWithoutFraming(t *testing.T) {
	s := tmuxtest.Start(t)
	for _, mode := range []tmuxtest.Mode{tmuxtest.Raw, tmuxtest.Canonical} {
		pane, owner, log := agent(t, s, tmuxtest.Agent{Mode: mode})
		enters(t, pane, tmux.Submission{Owner: owner, Seq: 1, Text: "one line"})
		got := tmuxtest.WaitMessages(t, log, 1)
		if diff := cmp.Diff([]tmuxtest.Message{{Text: "one line"}}, got); diff != "" {
			t.Errorf("%s: %s", mode, diff)
		}
	}
}
