package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley"
	"parley/client"
	"parley/internal/daemon"
	"parley/internal/must"
	"parley/internal/testhome"
	"parley/internal/wait"
	"parley/op"
	"parley/store/milliontest"
)

// What the screen promises, with 200 agents and a million messages.
const (
	goalFirstFrame = 120 * time.Millisecond
	goalFrame      = 16 * time.Millisecond // while so many events come in a second:
	goalEvents     = 2000
	goalFilter     = 100 * time.Millisecond
	goalMemory     = 60  // MB
	goalIdle       = 0.3 // percent of a core
)

// BenchmarkScreen measures the whole program in a terminal of 200×60, with 200 agents. The way parley has a
// million messages, small has a thousand, and quiet has a million while nothing else happens.
func BenchmarkScreen(b *testing.B) {
	for _, size := range []struct {
		way      string
		messages int
	}{{"small", 1000}, {"parley", milliontest.Million}} {
		workspace := sync.OnceValue(func() *benchWorkspace { return newBenchWorkspace(b, 200, size.messages) })
		run := func(figure, way string, f func(*testing.B, *benchWorkspace)) {
			b.Run(figure+"/way="+way, func(b *testing.B) { f(b, workspace()) })
		}

		run("first frame", size.way, func(b *testing.B, w *benchWorkspace) {
			percentiles(b, goalFirstFrame, func() time.Duration {
				s := openBenchScreen(b, w.home)
				defer s.close()
				return s.until(b, "200 idle", "At rest 200", "agent-049")
			})
		})

		for _, filter := range []struct{ name, text, want string }{
			{"a rare word", fmt.Sprintf("number%d", size.messages/20), milliontest.Seldom},
			{"frequent words", "rebase build green", "or more"},
			{"a state", "is:held", milliontest.Seldom},
		} {
			run("filter, "+filter.name, size.way, func(b *testing.B, w *benchWorkspace) {
				benchFilter(b, w, filter.text, filter.want)
			})
		}

		run("idle", size.way, benchScreenIdle)
		if size.messages == milliontest.Million {
			run("key to frame", "quiet", benchKey)
		}
		run("key to frame", size.way, func(b *testing.B, w *benchWorkspace) {
			stop := w.stir(b)
			benchKey(b, w)
			b.ReportMetric(stop(), "events/s")
			b.ReportMetric(goalEvents, "goal-events/s") // on a machine that makes fewer, the times say less
		})
		run("memory", size.way, benchScreenMemory)
	}
}

// benchFilter is from a filter to the first page of what it finds.
func benchFilter(b *testing.B, w *benchWorkspace, text, want string) {
	s := w.traffic(b)
	defer s.close()

	percentiles(b, goalFilter, func() time.Duration {
		s.press(b, "/")
		s.until(b, "keep")
		s.press(b, "\x1b[200~"+text+"\x1b[201~")
		took := s.until(b, want)
		s.press(b, "\x1b")
		s.until(b, "quit")
		return took
	})
}

// benchKey is from a key that moves the marker to the frame that shows it.
func benchKey(b *testing.B, w *benchWorkspace) {
	s := w.traffic(b)
	defer s.close()
	for range 9 {
		s.press(b, "k")
		s.untilForms(b, markerMoved)
	}

	n := 0
	percentiles(b, goalFrame, func() time.Duration {
		n++
		_ = wait.Pause(b.Context(), 20*time.Millisecond) // a person's keys do not come as fast as frames
		s.press(b, []string{"k", "j"}[n%2])
		return s.untilForms(b, markerMoved)
	})
}

// benchScreenMemory reports what the screen has in memory after a tour.
func benchScreenMemory(b *testing.B, w *benchWorkspace) {
	for b.Loop() {
		s := w.traffic(b)
		stop := w.stir(b)
		for range 60 { // far back, page by page
			s.press(b, "\x1b[5~")
			_ = wait.Pause(b.Context(), 50*time.Millisecond)
		}
		for _, key := range []string{"2", "3", "4", "5", "1", "/", "\x1b[200~hello\x1b[201~", "\x1b"} {
			s.press(b, key)
			_ = wait.Pause(b.Context(), 500*time.Millisecond)
		}

		stop()
		b.ReportMetric(s.memory(b), "MB")
		s.close()
	}
	b.ReportMetric(goalMemory, "goal-MB")
}

// benchScreenIdle reports the share of a core that an idle screen takes.
func benchScreenIdle(b *testing.B, w *benchWorkspace) {
	s := openBenchScreen(b, w.home)
	defer s.close()
	s.until(b, "200 idle")
	_ = wait.Pause(b.Context(), 6*time.Second) // it reads the past

	for b.Loop() {
		before, begun := s.processorTime(b), time.Now()
		_ = wait.Pause(b.Context(), 12*time.Second)
		b.ReportMetric(100*float64(s.processorTime(b)-before)/float64(time.Since(begun)), "%core")
	}
	b.ReportMetric(goalIdle, "goal-%core")
}

// leastSamples are needed for a p95.
const leastSamples = 40

// percentiles measures something as often as the benchmark wants, and at least often enough for its figures.
func percentiles(b *testing.B, goal time.Duration, once func() time.Duration) {
	b.Helper()
	var times []time.Duration
	for b.Loop() {
		times = append(times, once())
	}
	for len(times) < leastSamples {
		times = append(times, once())
	}

	slices.Sort(times)
	b.ReportMetric(0, "ns/op") // with what is not measured
	b.ReportMetric(float64(times[len(times)/2]), "p50-ns")
	b.ReportMetric(float64(times[len(times)*95/100]), "p95-ns")
	b.ReportMetric(float64(goal), "goal-ns")
}

// benchWorkspace is a workspace with a daemon, agents, and messages.
type benchWorkspace struct {
	home   *testhome.Home
	client *client.Client
}

// newBenchWorkspace registers agents, and writes the messages while no daemon runs.
func newBenchWorkspace(b *testing.B, agents, messages int) *benchWorkspace {
	b.Helper()
	h := testhome.New(b)
	h.Env = append(h.Env, "PARLEY_REGISTRATIONS_PER_MINUTE=10000", "PARLEY_MESSAGES_PER_MINUTE=1000000",
		"PARLEY_BROADCASTS_PER_MINUTE=1000000")
	w := &benchWorkspace{home: h}

	w.serve(b)
	var ids []string
	for i := range agents {
		req := parley.RegisterAgentRequest{Username: fmt.Sprintf("agent-%03d", i)}
		ids = append(ids, must.Have(op.RegisterAgent.Call(b.Context(), w.client, req))(b).AgentID)
	}
	w.client.Close()
	must.Do(b, h.Command("down").Run())

	fillWorkspace(b, h, ids, messages)
	w.serve(b)
	b.Cleanup(w.client.Close)
	s := openBenchScreen(b, h) // the first one waits until the daemon has counted everything
	s.until(b, "200 idle")
	s.close()

	return w
}

// traffic opens the screen and goes to the messages.
func (w *benchWorkspace) traffic(b *testing.B) *benchScreen {
	b.Helper()
	s := openBenchScreen(b, w.home)
	s.until(b, "200 idle")
	s.press(b, "1")
	s.until(b, "following")
	return s
}

// fillWorkspace writes messages between agents while no daemon runs.
func fillWorkspace(t testing.TB, h *testhome.Home, ids []string, messages int) {
	t.Helper()
	db := must.Have(sql.Open("sqlite", "file:"+placeOf(h).Database()+
		"?_pragma=journal_mode(WAL)&_pragma=synchronous(OFF)&_pragma=cache_size(-200000)"))(t)
	db.SetMaxOpenConns(1)
	must.Do(t, milliontest.Fill(db, ids, messages))
	must.Do(t, db.Close())
}

// serve starts the daemon.
func (w *benchWorkspace) serve(b *testing.B) {
	b.Helper()
	testhome.Run[daemon.Info](b, w.home, "serve")
	text := must.Have(os.ReadFile(placeOf(w.home).Info()))(b)
	var info daemon.Info
	must.Do(b, json.Unmarshal(text, &info))
	w.client = client.New(client.Options{Socket: info.Socket, Key: operatorKey})
}

// stir makes as many events as the goal says, with one broadcast after another. It returns what ends that, and
// returns how many there were in a second.
func (w *benchWorkspace) stir(b *testing.B) (stop func() float64) {
	b.Helper()
	ctx, cancel := context.WithCancel(b.Context())
	var seen atomic.Int64
	begun, done := time.Now(), make(chan struct{}, 2)
	newest := must.Have(op.ReadEvents.Call(ctx, w.client, parley.ReadEventsRequest{Last: 1, Limit: 1}))(b).Next
	go func() {
		defer func() { done <- struct{}{} }()
		for _, err := range w.client.Events(ctx, newest) {
			if err == nil {
				seen.Add(1)
			}
		}
	}()

	go func() {
		defer func() { done <- struct{}{} }()
		for n := 0; ctx.Err() == nil; n++ {
			due := time.Duration(seen.Load()) * time.Second / goalEvents
			if ahead := due - time.Since(begun); ahead > 0 {
				_ = wait.Pause(ctx, ahead)
			}
			req := parley.BroadcastMessageRequest{Text: fmt.Sprintf("note %d to everybody", n)}
			if _, err := op.BroadcastMessage.Call(ctx, w.client, req); err != nil && ctx.Err() == nil {
				b.Errorf("a broadcast fails: %v", err)
				return
			}
		}
	}()

	return func() float64 {
		rate := float64(seen.Load()) / time.Since(begun).Seconds()
		cancel()
		<-done
		<-done
		return rate
	}
}
