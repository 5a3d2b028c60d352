package orchestrator

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/orchestrator/team"
	"parley/orchestrator/terminal"
	"parley/store"
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
