package terminal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/orchestrator/team"
	"parley/program/profile"
	"parley/store"
	"parley/store/storetest"
)

// spoolStage is a spool, and a team of one agent with a terminal.
type spoolStage struct {
	t testing.TB
	*spoolReader
	agent *team.Member
}

const spoolKey = "the key of the agent"

func newSpoolStage(t testing.TB) *spoolStage {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	roster := must.Have(team.Load(t.Context(), storetest.Open(t), time.Now, log))(t)
	t.Cleanup(roster.Close)

	s := &spoolStage{t: t, agent: team.NewMember(parley.Agent{ID: team.NewID(),
		Name: "coder", Kind: parley.KindTerminal})}
	s.agent.SetTerminal(&team.Terminal{Profile: &profile.Profile{}})
	s.add(s.agent, roster, spoolKey)
	s.spoolReader = &spoolReader{
		ts:   &Terminals{roster: roster, log: log, watcher: &watcher{look: make(chan struct{}, 1)}},
		path: filepath.Join(t.TempDir(), "spool"),
	}

	return s
}

func (s *spoolStage) add(m *team.Member, roster *team.Roster, key string) {
	roster.Add(m)
	roster.Keys.Add(m, &store.APIKey{Hash: team.HashKey(key), Key: parley.Key{KeyID: key, Origin: parley.KeyLaunched}})
}

func (s *spoolStage) write(key string, req parley.ReportStateRequest) {
	s.t.Helper()
	must.Do(s.t, Spool(context.Background(), s.path, key, req))
}

// wantTaken takes the spool and expects that it is gone afterwards.
func (s *spoolStage) wantTaken() {
	s.t.Helper()
	s.take(context.Background())
	if _, err := os.Lstat(s.path); !errors.Is(err, fs.ErrNotExist) {
		s.t.Errorf("the spool is still there (%v)", err)
	}
}

func TestSpoolIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "spool")
	must.Do(t, os.WriteFile(path, make([]byte, maxSpool-100), 0o600))
	req := parley.ReportStateRequest{Event: "Done", Detail: strings.Repeat("x", 200)}
	if err := Spool(t.Context(), path, "k", req); !errors.Is(err, errSpoolFull) {
		t.Errorf("got %v, want that it is full", err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() > maxSpool {
		t.Errorf("it has %d bytes (%v)", info.Size(), err)
	}
}

func TestSpoolOwnedByOthersIsIgnored(t *testing.T) {
	s := newSpoolStage(t)
	mailbox := team.NewMember(parley.Agent{ID: team.NewID(), Name: "mailbox", Kind: parley.KindMailbox})
	s.add(mailbox, s.ts.roster, "the key of a mailbox")
	s.write("a key that is nobody's", parley.ReportStateRequest{Event: "Ask", State: "waiting"})
	s.write("the key of a mailbox", parley.ReportStateRequest{Event: "Ask", State: "waiting"})

	f := must.Have(os.OpenFile(s.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600))(t)
	fmt.Fprintf(f, "nonsense\n\n{\"key_hash\":\"zz\"}\n"+
		"{\"key_hash\":\"%x\",\"report\":{\"event\":\"Ask\",\"state\":\"waiting\",\"agent\":\"x\"}}\n", team.HashKey(
		spoolKey))
	must.Do(t, f.Close())

	s.write(spoolKey, parley.ReportStateRequest{Event: "Done", State: "idle"}) // earlier garbage does no harm
	s.wantTaken()
	if r, _ := s.agent.LastReport(); r.State != parley.StateIdle {
		t.Errorf("it reported %+v, want what it spooled itself", r)
	}
	if r, ok := mailbox.LastReport(); ok {
		t.Errorf("the mailbox reported %+v", r)
	}
}

// Writers and the reader take turns: no line is lost and none is cut.
func TestNoSpooledReportIsLostBetweenWritersAndReader(t *testing.T) {
	const reports = 60 // an agent's last 64 are remembered
	s := newSpoolStage(t)
	var writers sync.WaitGroup
	ids := make([]string, reports)
	for i := range ids {
		ids[i] = team.NewID()
		writers.Go(func() { s.write(spoolKey, parley.ReportStateRequest{Event: "Life", MessageIDs: ids[i : i+1]}) })
		if i%8 == 0 {
			s.take(t.Context())
		}
	}

	writers.Wait()
	s.wantTaken()
	for _, id := range ids {
		if _, ok := s.agent.NamedAt(parley.Short(id)); !ok {
			t.Errorf("the report of %s was lost", id)
		}
	}
}

// A process that locks the spool file, or replaces it, does not block the daemon.
func TestForeignSpoolDoesNotHangTheDaemon(t *testing.T) {
	s := newSpoolStage(t)
	must.Do(t, syscall.Mkfifo(s.path, 0o600))
	writer := must.Have(os.OpenFile(s.path, os.O_RDWR, 0))(t) // so that a reader would wait
	s.wantTaken()
	must.Do(t, writer.Close())

	must.Do(t, os.Symlink(filepath.Join(filepath.Dir(s.path), "elsewhere"), s.path))
	if err := Spool(t.Context(), s.path, "k", parley.ReportStateRequest{Event: "Done"}); err == nil {
		t.Error("it was written through a link")
	}
	must.Do(t, os.Remove(s.path))

	f := must.Have(os.OpenFile(s.path, os.O_CREATE|os.O_WRONLY, 0o600))(t)
	defer f.Close()
	must.Do(t, syscall.Flock(int(f.Fd()), syscall.LOCK_EX))

	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()

	err := Spool(ctx, s.path, "k", parley.ReportStateRequest{Event: "Done"})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want that its time was over", err)
	}

	s.take(t.Context()) // returns
	if _, err := os.Lstat(s.path); err != nil {
		t.Errorf("a spool that another process holds was taken: %v", err)
	}
}
