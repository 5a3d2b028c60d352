package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"parley"
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
	if _, err := te.roster.SwapKeys(context.Background(), m, stored, (*team.Key).IsAny); err != nil {
		te.t.Fatal(err)
	}
	return key
}

func (te *testTeam) spool(key string, req parley.ReportStateRequest) {
	te.t.Helper()
	if err := terminal.Spool(context.Background(), te.opts.Spool, key, req); err != nil {
		te.t.Fatal(err)
	}
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

	jobs, err := te.opts.Store.Pending(te.operator(), te.roster.ByName("deaf").ID, 1)
	if err != nil || len(jobs) != 1 {
		t.Fatal(jobs, err)
	}

	key := te.keyOf("deaf")
	if err := te.opts.Store.Claim(te.operator(), jobs[0].Key, 99, false); err != nil { // as left by a daemon that was killed while typing
		t.Fatal(err)
	}

	te.close()
	at := time.Now().Add(-time.Second).UTC()
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

func TestSpoolOwnedByOthersIsIgnored(t *testing.T) {
	t.Parallel()
	te := newTeam(t, talking(t), spooling)
	te.launch("coder", "talker", tmuxtest.Agent{})
	key := te.keyOf("coder")
	te.as("mailbox")
	te.spool("a key that is nobody's", parley.ReportStateRequest{Event: "Ask"})
	te.spool(te.keyOf("mailbox"), parley.ReportStateRequest{Event: "Ask"})

	f, err := os.OpenFile(te.opts.Spool, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}

	fmt.Fprintf(f,
		"nonsense\n\n{\"key_hash\":\"zz\"}\n{\"key_hash\":\"%x\",\"report\":{\"event\":\"Ask\",\"agent\":\"x\"}}\n",
		team.HashKey(key))

	if err := f.Close(); err != nil {
		t.Fatal(err)
	}

	te.spool(key, parley.ReportStateRequest{Event: "Done"}) // earlier garbage does no harm
	te.spoolIsGone()
	if r, _ := te.roster.ByName("coder").LastReport(); r.State != parley.StateIdle {
		t.Errorf("it reported %+v, want what it spooled itself", r)
	}
}

// Writers and the daemon take turns: no line is lost and none is cut.
func TestNoSpooledReportIsLostBetweenWritersAndReader(t *testing.T) {
	t.Parallel()
	te := newTeam(t, talking(t), spooling)
	te.launch("coder", "talker", tmuxtest.Agent{})
	key, m := te.keyOf("coder"), te.roster.ByName("coder")
	var writers sync.WaitGroup
	ids := make([]string, team.MaxNamed)
	for i := range ids {
		ids[i] = team.NewID()
		writers.Go(func() { te.spool(key, parley.ReportStateRequest{Event: "Life", MessageIDs: ids[i : i+1]}) })
		if i%8 == 0 {
			te.terminals.TakeSpool(t.Context())
		}
	}

	writers.Wait()
	te.spoolIsGone()
	for _, id := range ids {
		if _, ok := m.NamedAt(parley.Short(id)); !ok {
			t.Errorf("the report of %s was lost", id)
		}
	}
}

// A process that locks the spool file, or replaces it, does not block the daemon.
func TestForeignSpoolDoesNotHangTheDaemon(t *testing.T) {
	t.Parallel()
	te := newTeam(t, talking(t), spooling)
	if err := syscall.Mkfifo(te.opts.Spool, 0o600); err != nil {
		t.Fatal(err)
	}

	te.spoolIsGone()
	if err := os.Symlink(filepath.Join(te.dir, "elsewhere"), te.opts.Spool); err != nil {
		t.Fatal(err)
	}
	if err := terminal.Spool(t.Context(), te.opts.Spool, "k", parley.ReportStateRequest{Event: "Done"}); err == nil {
		t.Error("it was written through a link")
	}
	if err := os.Remove(te.opts.Spool); err != nil {
		t.Fatal(err)
	}

	f, err := os.OpenFile(te.opts.Spool, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()

	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}

	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()

	if err := terminal.Spool(ctx, te.opts.Spool, "k", parley.ReportStateRequest{Event: "Done"}); !errors.Is(err,
		context.DeadlineExceeded) {
		t.Errorf("got %v, want that its time was over", err)
	}

	te.close() // returns
	te.open()
}
