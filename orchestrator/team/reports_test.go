package team

import (
	"log/slog"
	"runtime"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/program/profile"
	"parley/store/storetest"
)

// The hooks of a compaction that ends at once may arrive in either order.
func TestReportsCountInTheOrderOfTheirTimes(t *testing.T) {
	start := time.Unix(1, 0)
	compacts := Report{Event: "PreCompact", State: parley.StateBlocked, Passing: true, At: start}
	done := Report{Event: "PostCompact", State: parley.StateIdle, At: start.Add(20 * time.Millisecond)}
	for _, order := range [][]Report{{compacts, done}, {done, compacts}} {
		m := &Member{}
		for _, said := range order {
			m.Reports.Note(said, false, nil)
		}
		if got, _ := m.LastReport(); got.State != parley.StateIdle {
			t.Errorf("after %s and %s it is %s (%s), want idle", order[0].Event, order[1].Event, got.State, got.Event)
		}
	}
}

// A program with a queued prompt reports at the end of its turn that it stopped, but not that
// it goes on.
func TestEndOfATurnWithAQueueIsNotIdle(t *testing.T) {
	m := &Member{}
	say := func(second int, state parley.AgentState, prompted bool) {
		t.Helper()
		m.Reports.Note(Report{Event: string(state), State: state, At: time.Unix(int64(second), 0)}, prompted, nil)
	}

	say(1, parley.StateBusy, true)
	say(2, parley.StateBusy, true)
	say(3, parley.StateIdle, false)
	if got, ok := m.LastReport(); ok {
		t.Errorf("it says that it is %s, want nothing", got.State)
	}

	say(4, parley.StateIdle, false)
	if got, _ := m.LastReport(); got.State != parley.StateIdle {
		t.Errorf("after the queued turn it is %q, want idle", got.State)
	}

	say(5, parley.StateBusy, true)
	say(6, parley.StateIdle, false)
	if got, _ := m.LastReport(); got.State != parley.StateIdle {
		t.Errorf("after a turn without a queue it is %q, want idle", got.State)
	}
}

func TestNumberOfRememberedReportsIsBounded(t *testing.T) {
	var r Reports
	for i := range 3 * maxNamed {
		r.Note(Report{At: time.Unix(int64(i), 0)}, false, []string{NewID()})
	}
	if len(r.named) != maxNamed {
		t.Errorf("%d are remembered, want %d", len(r.named), maxNamed)
	}
}

// A wall clock that was ahead during a report is put right afterwards: the report must not lie in the future then,
// and hold messages until the clock has caught up.
func TestReportStaysAsLongAgoWhenTheClockIsSet(t *testing.T) {
	roster := must.Have(Load(t.Context(), storetest.Open(t), time.Now, slog.New(slog.DiscardHandler)))(t)
	defer roster.Close()

	m := NewMember(parley.Agent{ID: NewID(), Name: "coder", Kind: parley.KindTerminal})
	m.SetTerminal(&Terminal{Profile: &profile.Profile{}})
	said := time.Now().Add(-time.Minute).Round(0) // without the reading of the clock that nobody sets
	req := parley.ReportStateRequest{Event: "Busy", State: string(parley.StateBusy), At: &said}
	must.Have(roster.Report(t.Context(), m, req))(t)

	got, ok := m.LastReport()
	if !ok || !got.At.Round(0).Equal(said) || got.At == got.At.Round(0) {
		t.Errorf("got %v, %v, want %v with the reading of the clock that nobody sets", got.At, ok, said)
	}
}

func TestReportsDuringADeliveryDoNotPileUp(t *testing.T) {
	roster := must.Have(Load(t.Context(), storetest.Open(t), time.Now, slog.New(slog.DiscardHandler)))(t)
	defer roster.Close()

	m := NewMember(parley.Agent{ID: NewID(), Name: "coder", Kind: parley.KindTerminal})
	m.Typing.Lock()
	defer m.Typing.Unlock()

	before := runtime.NumGoroutine()
	for range 500 {
		req := parley.ReportStateRequest{Event: "Stop", MessageIDs: []string{"12345678"}}
		if named, err := roster.Report(t.Context(), m, req); err != nil || named != nil {
			t.Fatal(named, err)
		}
	}

	if more := runtime.NumGoroutine() - before; more > 100 {
		t.Errorf("%d goroutines wait", more)
	}
	if n := len(m.Reports.takePostponed()); n == 0 || n > maxNamed {
		t.Errorf("%d reports are kept", n)
	}
}
