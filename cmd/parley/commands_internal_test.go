package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/daemon"
	"parley/internal/must"
)

func TestTerminalsShowMoreThanASCIIUnlessTheLocaleSaysNo(t *testing.T) {
	for locale, want := range map[string][]string{
		"":              {"tmux", "-u", "attach-session"},
		"LANG=de.UTF-8": {"tmux", "-u", "attach-session"},
		"LC_ALL=C":      {"tmux", "attach-session"},
	} {
		if got := withUTF8(daemon.Environ{locale}, []string{"tmux", "attach-session"}); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", locale, got, want)
		}
	}
}

func TestAgentsShowWhenAUsageLimitEnds(t *testing.T) {
	ends := time.Date(2030, 1, 2, 15, 4, 0, 0, time.Local)
	a := parley.AgentStatus{Agent: parley.Agent{State: parley.StateBlocked}}
	if got := stateWords(a); got != "blocked" {
		t.Errorf("without an end: %q", got)
	}
	a.LimitedUntil = &ends
	if got := stateWords(a); got != "blocked until 2 Jan 15:04" {
		t.Errorf("got %q", got)
	}
}

// A wrapper that is gone at the first look does not end a bridge; a parent that goes later does.
func TestBridgeEndsWithItsParent(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()

	parents, looks, ended := []int{7, 7, 7, 1}, 0, false
	endWithParent(ctx, func() { ended = true }, func() int {
		looks++
		return parents[min(looks, len(parents))-1]
	})
	if !ended || looks != len(parents) {
		t.Errorf("ended: %v, after %d looks, want %d", ended, looks, len(parents))
	}
}

// What Claude Code and Qwen Code write about a session, shortened.
func TestHookFindsTheSessionsThatARecipientMayMean(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"1.json": `{"pid":11,"sessionId":"aa","name":"ws-6f","peerFeatures":["x"],` +
			`"messagingSocketPath":"/run/cc-socks/11.sock"}`,
		"2.json": `{"pid":22,"sessionId":"bb","name":"ws-6f","ipcPath":"/run/qwen-socks/22.sock"}`,
		"3.json": `{"pid":33,"sessionId":"cc","name":"ws-8d"}`,
		"4.json": `no JSON`,
		"5.key":  `{"name":"ws-8d"}`,
	} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}

	for _, c := range []struct {
		to       string
		sessions []string
	}{
		{"ws-8d", []string{"cc"}}, {"ws-8d [57c5bc]", []string{"cc"}}, {"ws-6f", []string{"aa", "bb"}},
		{"bb", []string{"bb"}}, {"uds:/run/cc-socks/11.sock", []string{"aa"}},
		{"/run/qwen-socks/22.sock", []string{"bb"}},
		{"main", nil}, {"x", nil}, {"[", nil},
	} {
		req := parley.NativeMessageRequest{To: c.to}
		addSessions(&req, dir)
		if diff := cmp.Diff(c.sessions, req.Sessions); diff != "" || len(req.PIDs) != len(c.sessions) {
			t.Errorf("%q: %v (-want +got):\n%s", c.to, req.PIDs, diff)
		}
	}
}
