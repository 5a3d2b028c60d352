package orchestrator

import (
	"bytes"
	"fmt"
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
	"parley/tmux"
	"parley/tmux/tmuxtest"
)

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
