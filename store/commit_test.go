package store

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"parley"
	"parley/internal/must"
)

// hold keeps the writing goroutine busy until the returned function is called.
func hold(t *testing.T, s *Store) (release func()) {
	t.Helper()
	begun, free := make(chan struct{}), make(chan struct{})
	var once sync.Once
	ended := make(chan error, 1)
	go func() {
		ended <- s.db.write(context.Background(), "holding", func(*tx) error {
			once.Do(func() { close(begun) })
			<-free
			return nil
		})
	}()

	<-begun

	return sync.OnceFunc(func() {
		close(free)
		if err := <-ended; err != nil {
			t.Errorf("the write that held the others: %v", err)
		}
	})
}

// waitQueued waits until n writes wait for the writing goroutine.
func waitQueued(t *testing.T, s *Store, n int) {
	t.Helper()
	must.Become(t, fmt.Sprint(n, " writes are waiting"), func() bool { return s.db.base.Queue.Len() >= n })
}

func TestOneWriteOfManyFailsAlone(t *testing.T) {
	s := openWith(t, 2)
	release := hold(t, s)
	defer release()

	boom := errors.New("boom")
	const many = 30
	errs := make([]error, many)
	var wg sync.WaitGroup
	for i := range many {
		wg.Go(func() {
			if i%10 != 5 {
				_, errs[i] = s.Messages.Append(t.Context(), post(0, 1))
				return
			}

			errs[i] = s.db.write(t.Context(), "failing", func(tx *tx) error {
				if err := (posting{tx, new(post(0, 1)), &Appended{}}).append(); err != nil {
					return err
				}
				return boom
			})
		})
	}

	waitQueued(t, s, many)
	release()
	wg.Wait()
	for i, err := range errs {
		if failed := i%10 == 5; failed != (err != nil) {
			t.Errorf("write %d: got error %v, want one: %t", i, err, failed)
		}
	}

	wantMessages(t, s, many-3)
	if got, want := s.Events.LastEvent(), int64(2+many-3); got != want {
		t.Errorf("LastEvent: got %d, want %d", got, want)
	}
}

func TestRefusedWriteLeavesItsGroupAlone(t *testing.T) {
	s := openWith(t, 2)
	release := hold(t, s)
	defer release()

	var runs int
	var wg sync.WaitGroup
	var counted, refusal error
	wg.Go(func() {
		counted = s.db.write(t.Context(), "counting", func(tx *tx) error {
			runs++
			return nil
		})
	})

	wg.Go(func() { refusal = s.Deliveries.Claim(t.Context(), Key{77, agentID(1)}, 1, false) })
	waitQueued(t, s, 2)
	release()
	wg.Wait()
	if counted != nil || !errors.Is(refusal, ErrStale) || runs != 1 {
		t.Errorf("got %v, %v, %d runs, want nil, ErrStale, 1 run", counted, refusal, runs)
	}
}

func TestQueuedWriteIsDroppedWhenItsContextEnds(t *testing.T) {
	s := openWith(t, 2)
	release := hold(t, s)
	defer release()

	ctx, cancel := context.WithCancel(t.Context())
	got := make(chan error)
	go func() {
		_, err := s.Messages.Append(ctx, post(0, 1))
		got <- err
	}()

	waitQueued(t, s, 1)
	cancel()
	if err := <-got; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's end", err)
	}

	release()
	wantMessages(t, s, 0)
}

func TestBegunWriteIsFinishedWhenItsContextEnds(t *testing.T) {
	s := openWith(t, 2)
	ctx, cancel := context.WithCancel(t.Context())
	err := s.db.write(ctx, "storing", func(tx *tx) error {
		cancel()
		return posting{tx, new(post(0, 1)), &Appended{}}.append()
	})
	must.Do(t, err)
	wantMessages(t, s, 1)
}

func TestCloseWritesWhatIsQueued(t *testing.T) {
	s, path := openNew(t, 2)
	release := hold(t, s)
	const many = 100 // more than one batch
	errs := make(chan error, many)
	for range many {
		go func() {
			_, err := s.Messages.Append(context.Background(), post(0, 1))
			errs <- err
		}()
	}

	waitQueued(t, s, many)
	closed := make(chan error)
	go func() { closed <- s.Close() }()
	release()
	for range many {
		if err := <-errs; err != nil {
			t.Errorf("Append: %v", err)
		}
	}

	if err := <-closed; err != nil {
		t.Errorf("Close: %v", err)
	}

	wantMessages(t, openAt(t, path), many)
}

func TestClosedStoreSaysSo(t *testing.T) {
	s := openTest(t)
	must.Do(t, s.Close())

	_, err := s.Messages.Append(t.Context(), post(0, 1))
	wantCode(t, "Append", err, parley.StorageUnavailable)
	_, err = s.Agents.List(t.Context())
	wantCode(t, "Agents", err, parley.StorageUnavailable)
	_, err = s.Inbox.Counts(t.Context())
	wantCode(t, "Counts", err, parley.StorageUnavailable)
	_, err = s.Workspace.Backup(t.Context(), filepath.Join(t.TempDir(), "copy"))
	wantCode(t, "Backup", err, parley.StorageUnavailable)
	wantCode(t, "WaitEvent", s.Events.WaitEvent(t.Context(), 0), parley.StorageUnavailable)
	if err := s.Close(); err != nil {
		t.Errorf("closing again: %v", err)
	}
}

func TestLibrariesPrintNothing(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childVar+"=quiet", childVar+"_DB="+filepath.Join(t.TempDir(), "parley.db"))
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("got %q, %v, want silence", out, err)
	}
}

func TestManyAtOnce(t *testing.T) {
	s := openTest(t)
	const agents, each = 8, 20
	addAgents(t, s, agents)
	var wg sync.WaitGroup
	for n := range agents {
		wg.Go(func() { // a sender
			for range each {
				if _, err := s.Messages.Append(t.Context(), post(n, (n+1)%agents, (n+2)%agents)); err != nil {
					t.Errorf("Append: %v", err)
				}
			}
		})

		wg.Go(func() { courier(t, s, n, 2*each) })
		wg.Go(func() { // a screen
			for after := int64(0); after < agents+agents*each; {
				if err := s.Events.WaitEvent(t.Context(), after); err != nil {
					t.Errorf("WaitEvent: %v", err)
					return
				}

				events, err := s.Events.List(t.Context(), EventQuery{After: after, Limit: 50})
				if err != nil || len(events) == 0 {
					t.Errorf("Events: got %d, %v", len(events), err)
					return
				}

				after = events[len(events)-1].Seq
			}
		})
	}

	wg.Wait()
	if counts, err := s.Inbox.Counts(t.Context()); err != nil || len(counts) != 0 {
		t.Errorf("Counts: got %v, %v, want none", counts, err)
	}
}

// courier delivers to an agent until it has delivered want messages.
func courier(t *testing.T, s *Store, n, want int) {
	var after int64
	for pane := uint64(1); pane <= uint64(want); {
		jobs, err := s.Deliveries.Pending(t.Context(), agentID(n), 5)
		if err != nil {
			t.Errorf("Pending: %v", err)
			return
		}

		for _, j := range jobs {
			err := errors.Join(s.Deliveries.Claim(t.Context(), j.Key, pane, false),
				s.Deliveries.Advance(t.Context(), j.Key,
					Change{State: parley.DeliverySubmitted}, Change{State: parley.DeliveryRead}))
			if err != nil {
				t.Errorf("delivering: %v", err)
				return
			}

			pane++
		}

		if len(jobs) == 0 {
			if err := s.Events.WaitEvent(t.Context(), after); err != nil {
				t.Errorf("WaitEvent: %v", err)
				return
			}
			after = s.Events.LastEvent()
		}
	}
}

// A killed process stands for a killed daemon: everything that it acknowledged is stored,
// and complete.
func TestKilledProcessLosesNothingAcknowledged(t *testing.T) {
	s, path := openNew(t, 2)
	must.Do(t, s.Close())

	acknowledged := map[string]bool{}
	for round := range 5 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childVar+"=append", childVar+"_DB="+path, childVar+"_URL="+at(t, path).URL)
		cmd.Stderr = os.Stderr

		out := must.Have(cmd.StdoutPipe())(t)
		must.Do(t, cmd.Start())

		lines := bufio.NewScanner(out)
		for n := 0; lines.Scan(); n++ {
			if len(lines.Text()) == 36 { // not a cut one
				acknowledged[lines.Text()] = true
			}

			if n == 50+37*round {
				must.Do(t, cmd.Process.Kill())
			}
		}

		_ = cmd.Wait()
	}

	s = openAt(t, path)
	if len(acknowledged) < 5*50 {
		t.Fatalf("only %d messages were acknowledged", len(acknowledged))
	}

	for id := range acknowledged {
		if _, deliveries, err := s.Messages.Message(t.Context(), id); err != nil || len(deliveries) != 1 {
			t.Errorf("message %s: got %d deliveries, %v", id, len(deliveries), err)
		}
	}

	log := agentLog(t, s, 1)
	page, err := s.Inbox.Page(t.Context(), InboxQuery{RecipientID: agentID(1), Limit: 1})
	if err != nil || page.Total < len(acknowledged) {
		t.Fatalf("%d messages, want %d or more (%v)", page.Total, len(acknowledged), err)
	}

	// Each message has one row of the log (the agent itself has one more) and one event.
	if got, want := len(log), page.Total+1; got != want {
		t.Errorf("agent log: got %d rows, want %d", got, want)
	}

	events, err := s.Events.List(t.Context(), EventQuery{Limit: 1_000_000})
	if got, want := len(events), page.Total+2; got != want || err != nil {
		t.Errorf("events: got %d, %v, want %d", got, err, want)
	}
}
