package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
)

func onward() error { return nil }

// rowsOf counts the rows of a table.
func rowsOf(t *testing.T, s *Store, table string) (n int) {
	t.Helper()
	must.Do(t, s.db.read(t.Context(), "counting", &n, `SELECT count(*) FROM `+table))
	return n
}

func TestPruneRemovesOldRowsInSmallSteps(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s := openClocked(t, &now, at(t, filepath.Join(t.TempDir(), "parley.db")))
	addAgents(t, s, 2)
	for range 350 {
		appended(t, s)
	}
	old, last := rowsOf(t, s, "events"), s.Events.LastEvent()
	now = now.Add(100 * 24 * time.Hour)
	appended(t, s)
	kept := now.Add(-time.Hour)

	steps := 0
	done := must.Have(s.Workspace.Prune(t.Context(), Retention{Events: kept, Log: kept},
		func() error { steps++; return nil }))(t)
	if done.Events != int64(old) || done.Log == 0 || steps < 4 {
		t.Errorf("got %+v in %d steps, want %d events in several", done, steps, old)
	}
	if got := rowsOf(t, s, "events"); got != 1 {
		t.Errorf("%d events are left, want the new one", got)
	}
	if got := rowsOf(t, s, "messages"); got != 351 {
		t.Errorf("%d messages are left, want all", got)
	}

	// A number is not given twice.
	must.Have(s.Workspace.Prune(t.Context(), Retention{Events: now.Add(time.Hour)}, onward))(t)
	appended(t, s)
	if got := s.Events.LastEvent(); got != last+2 {
		t.Errorf("the next event is %d, want %d", got, last+2)
	}
}

// What was written while the clock was ahead stays, and keeps nothing else.
func TestPruneGoesOnBehindRowsOfAClockThatWasAhead(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s := openClocked(t, &now, at(t, filepath.Join(t.TempDir(), "parley.db")))
	addAgents(t, s, 2)
	old := rowsOf(t, s, "events") + 10
	now = now.Add(1000 * time.Hour)
	for range 2 * pruneRows {
		appended(t, s)
	}
	now = now.Add(-1000 * time.Hour)
	for range 10 {
		appended(t, s)
	}

	now = now.Add(100 * time.Hour)
	appended(t, s)
	kept := now.Add(-time.Hour)
	done := must.Have(s.Workspace.Prune(t.Context(), Retention{Events: kept, Log: kept}, onward))(t)
	if done.Events != int64(old) || done.Log < 10 {
		t.Errorf("got %+v, want %d events, and no fewer than 10 rows of the log", done, old)
	}
	if got := rowsOf(t, s, "events"); got != 2*pruneRows+1 {
		t.Errorf("%d events are left, want %d", got, 2*pruneRows+1)
	}
}

func TestPruneEndsWithItsPause(t *testing.T) {
	s := openWith(t, 2)
	for range 350 {
		appended(t, s)
	}
	stop := errors.New("stop")
	_, err := s.Workspace.Prune(t.Context(), Retention{Events: time.Now().Add(time.Hour)}, func() error { return stop })
	if got := rowsOf(t, s, "events"); !errors.Is(err, stop) || got == 0 {
		t.Errorf("got %v, and %d events are left", err, got)
	}
}

func TestPruneKeepsTheProofOfOldDeliveries(t *testing.T) {
	line := func(state parley.DeliveryState) string { return stepLine(parley.Step{State: state}) }
	queued, typing := line(parley.DeliveryQueued), line(parley.DeliveryTyping)
	submitted, read := line(parley.DeliverySubmitted), line(parley.DeliveryRead)
	answered := line(parley.DeliveryAnswered)
	for lines, want := range map[string]string{
		"":                                 "",
		queued:                             queued,
		queued + typing + read:             queued + read,
		queued + typing + submitted + read: queued + submitted + read,
		queued + typing + read + answered:  queued + read + answered,
		queued + typing + typing + line("expired"): queued + line("expired"),
	} {
		if got := shortSteps(lines); got != want {
			t.Errorf("%s: got\n%swant\n%s", lines, got, want)
		}
	}
}

func TestPruneShortensSettledDeliveries(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s := openClocked(t, &now, at(t, filepath.Join(t.TempDir(), "parley.db")))
	addAgents(t, s, 2)
	done, open := send(t, s, post(0, 1)), send(t, s, post(0, 1))
	k := Key{done.Seq, agentID(1)}
	must.Do(t,
		s.Deliveries.Advance(t.Context(), k, Change{State: parley.DeliveryHeld, Cause: parley.HoldRefused.With("busy")},
			Change{State: parley.DeliveryHeld, Cause: parley.HoldRefused.With("draft")},
			Change{State: parley.DeliveryRead}))
	must.Do(t, s.Deliveries.Advance(t.Context(), Key{open.Seq, agentID(1)},
		Change{State: parley.DeliveryHeld, Cause: parley.HoldRefused.With("busy")},
		Change{State: parley.DeliveryHeld, Cause: parley.HoldRefused.With("draft")}))

	now = now.Add(time.Hour)
	for _, want := range []int64{1, 0} {
		if got := must.Have(s.Workspace.Prune(t.Context(), Retention{Steps: now}, onward))(t); got.Steps != want {
			t.Errorf("got %+v, want %d deliveries", got, want)
		}
	}
	if got := strings.Join(states(delivery(t, s, done.Message.ID, 1)), " "); got != "queued read" {
		t.Errorf("the settled one: got %s", got)
	}
	if got := strings.Join(states(delivery(t, s, open.Message.ID, 1)), " "); got != "queued held held" {
		t.Errorf("the open one: got %s", got)
	}
}

// The deliveries of one message may belong to two steps of Prune.
func TestPruneShortensAllDeliveriesOfAMessage(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s := openClocked(t, &now, at(t, filepath.Join(t.TempDir(), "parley.db")))
	addAgents(t, s, 3)
	shorten := func(p Post, to ...int) {
		t.Helper()
		a := send(t, s, p)
		for _, n := range to {
			held := Change{State: parley.DeliveryHeld, Cause: parley.HoldRefused.With("busy")}
			read := Change{State: parley.DeliveryRead}
			must.Do(t, s.Deliveries.Advance(t.Context(), Key{a.Seq, agentID(n)}, held, read))
		}
	}
	shorten(post(0, 1), 1)
	for range pruneRows / 2 {
		shorten(post(0, 1, 2), 1, 2)
	}

	now = now.Add(time.Hour)
	for _, want := range []int64{pruneRows + 1, 0} {
		if got := must.Have(s.Workspace.Prune(t.Context(), Retention{Steps: now}, onward))(t); got.Steps != want {
			t.Errorf("got %+v, want %d deliveries", got, want)
		}
	}
}

// Each message is told by its text; agent 2 is a mailbox.
func TestPruneSparesWhatIsNotFinished(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s := openClocked(t, &now, at(t, filepath.Join(t.TempDir(), "parley.db")))
	addAgents(t, s, 2)
	mailbox := testAgent(2)
	mailbox.Kind = parley.KindMailbox
	must.Do(t, s.Agents.CreateAgent(t.Context(), mailbox, nil))

	text := func(text string, p Post) Post { p.Message.Text = text; return p }
	settle := func(p Post, n int, states ...parley.DeliveryState) {
		a := send(t, s, p)
		for _, state := range states {
			must.Do(t, s.Deliveries.Advance(t.Context(), Key{a.Seq, agentID(n)},
				Change{State: state, Cause: parley.HoldRefused.With("because")}))
		}
	}
	settle(text("read", post(0, 1)), 1, parley.DeliveryRead)
	settle(text("expired", post(0, 1)), 1, parley.DeliveryExpired)
	settle(text("queued", post(0, 1)), 1)
	settle(text("unread", post(0, 2)), 2, parley.DeliverySubmitted)
	settle(text("fetched", post(0, 2)), 2, parley.DeliveryRead)
	owed := text("owed", post(0, 1))
	owed.Message.RequiresResponse = true
	owed.Message.ResponseDeadline = new(now.Add(time.Hour))
	settle(owed, 1, parley.DeliveryRead)
	settle(text("newest", post(0, 1)), 1, parley.DeliveryRead)

	now = now.Add(100 * 24 * time.Hour)
	got := must.Have(s.Workspace.Prune(t.Context(), Retention{Messages: now.Add(-time.Hour)}, onward))(t)
	var left []string
	must.Do(t, s.db.read(t.Context(), "reading", &left, `SELECT text FROM messages ORDER BY seq`))
	if want := "queued unread owed newest"; strings.Join(left, " ") != want || got.Messages != 3 {
		t.Errorf("got %+v, left are %s, want %s", got, left, want)
	}

	wantMessages(t, s, 3)
	if err := s.Workspace.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestPrunedMessagesAreNotFoundByWords(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	o := at(t, filepath.Join(t.TempDir(), "parley.db"))
	s := openClocked(t, &now, o)
	addAgents(t, s, 2)
	for i := range 40 {
		p := post(0, 1)
		p.Message.Text = fmt.Sprintf("zebra number%d 你好", i)
		a := send(t, s, p)
		must.Do(t, s.Deliveries.Advance(t.Context(), Key{a.Seq, agentID(1)}, Change{State: parley.DeliveryRead}))
	}
	now = now.Add(time.Hour)
	must.Have(s.Workspace.Prune(t.Context(), Retention{Messages: now}, onward))(t)

	var found []int64
	index := wordsOf(s.db.base.SQL)
	match, args := index.match([][]string{{stretchMark(1, shortStretch)}}, []wordsTerm{{text: "zebra"}})
	must.Do(t, s.db.read(t.Context(), "searching", &found, `SELECT `+index.seq+` FROM message_words w WHERE `+match, args...))
	if len(found) != 1 {
		t.Errorf("the index finds %v, want the newest message alone", found)
	}
	if _, err := Inspect(t.Context(), o); err != nil {
		t.Errorf("the database is not whole: %v", err)
	}
}

func TestPruneGivesSpaceBack(t *testing.T) {
	needsFile(t)
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	path := filepath.Join(t.TempDir(), "parley.db")
	s := openClocked(t, &now, Options{Path: path})
	addAgents(t, s, 2)
	p := post(0, 1)
	p.Message.Text = strings.Repeat("a long story ", 3000)
	for i := range 100 {
		p.Message.ID = fmt.Sprintf("%08x-long", i)
		a := send(t, s, p)
		must.Do(t, s.Deliveries.Advance(t.Context(), Key{a.Seq, agentID(1)}, Change{State: parley.DeliveryRead}))
	}
	size := func() int64 {
		must.Have(s.db.base.WriterConn.ExecContext(t.Context(), `PRAGMA wal_checkpoint(TRUNCATE)`))(t)
		return must.Have(os.Stat(path))(t).Size()
	}

	before := size()
	now = now.Add(time.Hour)
	must.Have(s.Workspace.Prune(t.Context(), Retention{Messages: now}, onward))(t)
	if after := size(); after > before/2 {
		t.Errorf("the file had %d bytes, and has %d", before, after)
	}
}
