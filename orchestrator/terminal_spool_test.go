package orchestrator

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/op"
	"parley/orchestrator/team"
	"parley/orchestrator/terminal"
	"parley/store"
	"parley/tmux"
	"parley/tmux/tmuxtest"
)

// spooling configures a spool.
func spooling(o *Options) { o.Spool = filepath.Join(o.Workspace, "spool") }

// keyOf issues a key for an agent.
func (te *testTeam) keyOf(name string) string {
	te.t.Helper()
	m, key := te.roster.ByName(name), "the key of "+name
	stored := &store.APIKey{Hash: team.HashKey(key), Key: parley.Key{KeyID: key, Origin: parley.KeyLaunched}}
	must.Have(te.roster.SwapKeys(context.Background(), m, stored, (*team.Key).IsAny))(te.t)
	return key
}

func (te *testTeam) spool(key string, req parley.ReportStateRequest) {
	te.t.Helper()
	must.Do(te.t, terminal.Spool(context.Background(), te.opts.Spool, key, req))
}

// spoolIsGone waits until the daemon has read the spool.
func (te *testTeam) spoolIsGone() {
	te.t.Helper()
	tmuxtest.Poll(te.t, func() bool { _, err := os.Lstat(te.opts.Spool); return errors.Is(err, fs.ErrNotExist) },
		func() string { return "the spool is still there" })
}

func TestNextDaemonReadsSpooledReports(t *testing.T) {
	t.Parallel()
	te := newTeam(t, talking(t), spooling)
	given := te.unconfirmed("deaf")
	begun := te.send("deaf", "and this?")
	te.held(begun, "is not reading")

	jobs, err := te.opts.Store.Deliveries.Pending(te.operator(), te.roster.ByName("deaf").ID, 1)
	if err != nil || len(jobs) != 1 {
		t.Fatal(jobs, err)
	}

	key := te.keyOf("deaf")
	// As left by a daemon that was killed while typing.
	must.Do(t, te.opts.Store.Deliveries.Claim(te.operator(), jobs[0].Key, 99, false))

	te.close()
	at := time.Now().Add(-time.Second).Round(0).UTC() // as the spool has it: without the clock that nobody sets
	for _, id := range []string{given, begun} {
		te.spool(key, parley.ReportStateRequest{Event: "Prompt", MessageIDs: []string{parley.Short(id)}, At: &at})
		te.spool(key, parley.ReportStateRequest{Event: "Done", At: &at})
	}

	info, err := os.Stat(te.opts.Spool)
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("the spool has mode %v (%v), want 0600", info.Mode(), err)
	}

	text, err := os.ReadFile(te.opts.Spool)
	if err != nil || strings.Contains(string(text), key) {
		t.Errorf("the spool has the key in it (%v): %s", err, text)
	}

	te.open()
	for _, id := range []string{given, begun} {
		if d := te.delivery(id); d.State != parley.DeliveryRead || !d.TurnStarted().Equal(at) {
			t.Errorf("delivery is %s, begun %v, want read and %v; steps %+v", d.State, d.TurnStarted(), at, d.Steps)
		}
	}

	if r, ok := te.roster.ByName("deaf").LastReport(); !ok || r.State != parley.StateIdle || !r.At.Equal(at) {
		t.Errorf("it reported %+v (%v), want idle at %v", r, ok, at)
	}

	te.spoolIsGone()
}

func TestSpoolOfARunningDaemonIsTaken(t *testing.T) {
	t.Parallel()
	te := newTeam(t, talking(t), spooling)
	te.launch("coder", "talker", tmuxtest.Agent{})
	te.spool(te.keyOf("coder"), parley.ReportStateRequest{Event: "Ask"})
	te.spoolIsGone()
	if r, _ := te.roster.ByName("coder").LastReport(); r.State != parley.StateWaiting {
		t.Errorf("it reported %+v, want waiting", r)
	}
}

// hasSize waits until an agent's terminal has a size.
func (te *testTeam) hasSize(name string, width, height int) {
	te.t.Helper()
	var info tmux.PaneInfo
	tmuxtest.Poll(te.t, func() bool {
		info, _ = te.pane(name).Info(te.t.Context())
		return info.Width == width && info.Height == height
	}, func() string { return fmt.Sprintf("%+v, want %dx%d", info, width, height) })
}

func TestSizeIsRestoredWhenAPersonLeaves(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	te.launch("coder", "framed", tmuxtest.Agent{})
	te.hasSize("coder", 200, 50)
	person := tmuxtest.Attach(t, te.terminals.Server(), te.pane("coder").ID(), 120, 41)
	te.hasSize("coder", 120, 40)
	te.reach(te.send("coder", "while somebody looks"), parley.DeliveryRead)
	te.hasSize("coder", 120, 40)
	person.Press(tmux.ReturnKey)
	person.WaitLeft()
	te.hasSize("coder", 200, 50)
	te.reach(te.send("coder", "when they have gone"), parley.DeliveryRead)

	// An agent that ends while a person is attached starts again with its own size.
	tmuxtest.Attach(t, te.terminals.Server(), te.pane("coder").ID(), 90, 31)
	te.hasSize("coder", 90, 30)
	must.Have(op.RestartAgent.Call(te.operator(), te, parley.RestartAgentRequest{Agent: "coder"}))(t)

	te.hasSize("coder", 200, 50)
}

// A program that is made to draw its screen again at another size heals what tmux garbled.
func TestUnreadableScreenIsDrawnAgain(t *testing.T) {
	t.Parallel()
	te := newTeam(t, func(o *Options) { o.Settings.RedrawAfter = 50 * time.Millisecond })
	above := filepath.Join(t.TempDir(), "above")
	te.launch("coder", "framed", tmuxtest.Agent{Above: above})
	te.inState("coder", parley.StateIdle)
	must.Do(t, os.WriteFile(above, []byte(tmuxtest.HideComposer), 0o600))

	te.hasSize("coder", 200, 49)
	te.hasSize("coder", 200, 50)
}

func TestAgentIsWatchedThoughItsSizeCannotBeRestored(t *testing.T) {
	t.Parallel()
	var said logged
	te := newTeam(t, func(o *Options) { o.Log = slog.New(slog.NewTextHandler(&said, nil)) })
	te.launch("coder", "framed", tmuxtest.Agent{})
	te.inState("coder", parley.StateIdle)
	te.tmuxRun("set-option", "-s", "command-alias[99]", "resize-window=no-such-command")
	person := tmuxtest.Attach(t, te.terminals.Server(), te.pane("coder").ID(), 120, 41)
	person.Press(tmux.ReturnKey)
	person.WaitLeft()
	tmuxtest.Poll(t, func() bool { return strings.Contains(said.String(), "size of its launch") }, said.String)
	te.hasSize("coder", 120, 40)
	te.tmuxRun("send-keys", "-t", te.pane("coder").ID(), "-l", "a draft")
	te.inState("coder", parley.StateDrafting)
	te.tmuxRun("set-option", "-s", "-u", "command-alias[99]")
	te.hasSize("coder", 200, 50)
}

// logged is a log that a test can read while it is being written.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
