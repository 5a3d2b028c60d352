package tmux_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/must"
	"parley/tmux"
	"parley/tmux/tmuxtest"
)

// joined starts somebody else's server with one fake agent, and joins it.
func joined(t *testing.T) (theirs, ours *tmux.Server, pane *tmux.Pane) {
	t.Helper()
	opts := tmuxtest.Options(t)
	theirs = tmuxtest.StartWith(t, opts)

	info := must.Have(theirs.NewSession(t.Context(), tmux.SessionOptions{Name: "theirs",
		Argv: tmuxtest.Agent{}.Argv()}))(t)

	tmuxtest.WaitFor(t, theirs.Pane(info.ID), func(s tmux.Screen) bool { return tmuxtest.Shows(s, tmuxtest.Prompt) })
	opts.Join, opts.Dir = true, t.TempDir()

	ours = must.Have(tmux.Open(t.Context(), opts))(t)

	t.Cleanup(func() {
		if err := ours.Close(); err != nil {
			t.Error(err)
		}
	})

	return theirs, ours, ours.Pane(info.ID)
}

func TestJoinedServerHasNoClientOfOurs(t *testing.T) {
	theirs, ours, pane := joined(t)
	before := clients(t, theirs)
	must.Do(t, pane.Claim(t.Context(), "me"))

	var seen []int
	const text = "héllo ─ ❯ $HOME `x` \"q\" #{pane_id}"
	enters(t, pane, tmux.Submission{
		Owner: "me", Seq: 1, Text: text,
		Next: guide{shown: func(s tmux.Screen) bool {
			seen = append(seen, clients(t, theirs))
			return tmuxtest.Shows(s, text)
		}}.next(),
	})
	if len(seen) == 0 || slices.Max(seen) != before {
		t.Errorf("clients while typing: %v, want %d", seen, before)
	}

	out, err := pane.Submit(t.Context(), tmux.Submission{Owner: "me", Seq: 1, Text: "again"})
	if err != nil || out.Reason != tmux.Repeated {
		t.Errorf("a second time: %+v, %v", out, err)
	}

	if ours.Instance() != theirs.Instance() || ours.SocketPath() != theirs.SocketPath() ||
		!ours.Version().AtLeast(3, 3) {
		t.Errorf("it is %s at %s, %s", ours.Instance(), ours.SocketPath(), ours.Version())
	}
}

func TestClaimIsForOne(t *testing.T) {
	_, _, pane := joined(t)
	owners := []string{"a", "b", "c", "d", "e", "f"}
	errs := make([]error, len(owners))
	var group sync.WaitGroup
	for i, owner := range owners {
		group.Go(func() { errs[i] = pane.Claim(t.Context(), owner) })
	}

	group.Wait()
	info := must.Have(pane.Info(t.Context()))(t)

	for i, owner := range owners {
		if owner == info.Owner && errs[i] != nil || owner != info.Owner && !errors.Is(errs[i], tmux.ErrClaimed) {
			t.Errorf("%s: %v; the owner is %s", owner, errs[i], info.Owner)
		}
	}

	if err := pane.Claim(t.Context(), info.Owner); err != nil {
		t.Errorf("its owner's again: %v", err)
	}
	if err := pane.Release(t.Context(), "stranger"); err != nil {
		t.Error(err)
	}
	if now, err := pane.Info(t.Context()); err != nil || now.Owner != info.Owner {
		t.Errorf("released by a stranger: %+v, %v", now, err)
	}
}

func TestClaimWantsALivePane(t *testing.T) {
	theirs, ours, _ := joined(t)
	dead := must.Have(theirs.NewSession(t.Context(), tmux.SessionOptions{Name: "dead",
		Argv: []string{"sh", "-c", "exit 0"}}))(t)

	tmuxtest.Poll(t, func() bool {
		now, err := ours.Pane(dead.ID).Info(t.Context())
		return err == nil && now.Dead
	}, func() string { return "the pane does not die" })

	if err := ours.Pane(dead.ID).Claim(t.Context(), "me"); !errors.Is(err, tmux.ErrInvalid) {
		t.Errorf("dead: %v, want ErrInvalid", err)
	}
	if err := ours.Pane("%99").Claim(t.Context(), "me"); !errors.Is(err, tmux.ErrNoPane) {
		t.Errorf("gone: %v, want ErrNoPane", err)
	}
	if err := ours.Pane("%99").Release(t.Context(), "me"); err != nil {
		t.Errorf("release of one that is gone: %v", err)
	}
	if err := ours.Pane("%1; kill-server").Release(t.Context(), "me"); !errors.Is(err, tmux.ErrInvalid) {
		t.Errorf("no id: %v, want ErrInvalid", err)
	}
}

func TestShutdownLeavesAJoinedServerAlive(t *testing.T) {
	theirs, ours, pane := joined(t)
	if err := ours.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := pane.Info(t.Context()); !errors.Is(err, tmux.ErrClosed) {
		t.Errorf("after: %v, want ErrClosed", err)
	}
	if out := tmuxCommand(t, theirs, "list-sessions"); !strings.Contains(out, "theirs") {
		t.Errorf("sessions: %s", out)
	}
}

func TestJoinedServerThatEndsOrRestartsIsNoticed(t *testing.T) {
	opts := tmuxtest.Options(t)
	theirs := tmuxtest.StartWith(t, opts)
	tmuxtest.Agent{}.Launch(t, theirs)
	join := opts
	join.Join, join.Dir = true, t.TempDir()

	ours := must.Have(tmux.Open(t.Context(), join))(t)
	defer ours.Close()

	first := ours.Instance()
	must.Do(t, theirs.Shutdown(t.Context()))
	if _, err := ours.Panes(t.Context()); !errors.Is(err, tmux.ErrNoServer) || ours.Instance() != "" {
		t.Errorf("ended: %v, instance %q", err, ours.Instance())
	}

	tmuxtest.StartWith(t, opts)
	if _, err := ours.Panes(t.Context()); err != nil || ours.Instance() == "" || ours.Instance() == first {
		t.Errorf("another: %v, instance %q, first %q", err, ours.Instance(), first)
	}
}

func TestJoinNeedsAServerAndChangesNothing(t *testing.T) {
	opts := tmuxtest.Options(t)
	opts.Join = true
	if _, err := tmux.Open(t.Context(), opts); !errors.Is(err, tmux.ErrNoServer) {
		t.Fatalf("got %v, want ErrNoServer", err)
	}

	owner := tmuxtest.Options(t)
	theirs := tmuxtest.StartWith(t, owner)

	info := must.Have(theirs.NewSession(t.Context(), tmux.SessionOptions{Name: "theirs",
		Argv: tmuxtest.Agent{}.Argv()}))(t)

	tmuxtest.WaitFor(t, theirs.Pane(info.ID), func(s tmux.Screen) bool { return tmuxtest.Shows(s, tmuxtest.Prompt) })
	describe := func() string {
		return tmuxCommand(t, theirs, "show-options", "-g") + tmuxCommand(t, theirs, "show-options", "-s") +
			tmuxCommand(t, theirs, "show-options", "-wg") +
			tmuxCommand(t, theirs, "list-sessions", "-F", "#{session_name} #{window_width}x#{window_height}")
	}

	before := describe()
	owner.Join, owner.Dir = true, t.TempDir()

	joined := must.Have(tmux.Open(t.Context(), owner))(t)
	defer joined.Close()

	pane := joined.Pane(info.ID)
	must.Do(t, pane.Claim(t.Context(), "me"))
	if err := pane.Claim(t.Context(), "you"); err == nil {
		t.Error("a claimed pane was claimed by another")
	}

	enters(t, pane, tmux.Submission{Owner: "me", Seq: 1, Text: "hello"})
	_, err := joined.NewSession(t.Context(), tmux.SessionOptions{Name: "x", Argv: []string{"sleep", "1"}})
	if !errors.Is(err, tmux.ErrInvalid) {
		t.Errorf("a session on a joined server: %v", err)
	}

	if err := pane.Release(t.Context(), "me"); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(before, describe()); diff != "" {
		t.Error(diff)
	}
	if now, err := pane.Info(t.Context()); err != nil || now.Owner != "" || now.Seq != 0 || now.Phase != "" {
		t.Errorf("released: %+v, %v", now, err)
	}
}
