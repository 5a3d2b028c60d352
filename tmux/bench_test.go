package tmux_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"parley/internal/must"
	"parley/tmux"
	"parley/tmux/tmuxtest"
)

// sinks starts n panes that read their input and drop it.
func sinks(b testing.TB, s *tmux.Server, n int) []tmux.PaneInfo {
	b.Helper()
	panes := make([]tmux.PaneInfo, n)
	var all sync.WaitGroup
	for i := range panes {
		all.Go(func() {
			name := tmuxtest.Name("sink")
			info, err := s.NewSession(context.Background(), tmux.SessionOptions{
				Name: name, Owner: name, Width: 80, Height: 24,
				Argv: []string{"sh", "-c", `stty raw -echo; printf '\033[?2004hready'; exec cat >/dev/null`},
			})
			if err != nil {
				b.Error(err)
			}

			panes[i] = info
		})
	}

	all.Wait()
	for _, p := range panes {
		tmuxtest.WaitFor(b, s.Pane(p.ID), func(s tmux.Screen) bool { return tmuxtest.Shows(s, "ready") })
	}

	return panes
}

// measure runs f b.N times and also reports the CPU time of the server for each run, which
// does not depend on the load of the machine.
func measure(b *testing.B, s *tmux.Server, f func()) {
	b.Helper()
	pid, _, _ := strings.Cut(s.Instance(), "/")
	cpu := func() float64 {
		raw, _ := os.ReadFile("/proc/" + pid + "/schedstat")
		ns, _ := strconv.ParseFloat(strings.Split(string(raw)+" ", " ")[0], 64)
		return ns / 1000
	}

	before, n := cpu(), 0
	for b.Loop() {
		f()
		n++
	}

	b.ReportMetric((cpu()-before)/float64(n), "server-us/op")
}

var fanSeq atomic.Uint64 // rises through all runs of a benchmark function

var body = strings.Repeat("0123456789 ", 18) // 198 bytes

func BenchmarkForked(b *testing.B) {
	s := tmuxtest.Start(b)
	pane := sinks(b, s, 1)[0]
	measure(b, s, func() {
		must.Do(b, tmuxtest.Forked(b.Context(), s, pane.ID, body))
	})
}

func BenchmarkBareControl(b *testing.B) {
	s := tmuxtest.Start(b)
	pane := sinks(b, s, 1)[0]
	bare := openBare(b, s)
	measure(b, s, func() {
		must.Do(b, bare.Send(pane.ID, body))
	})
}

func openBare(b *testing.B, s *tmux.Server) *tmuxtest.Bare {
	b.Helper()
	bare := must.Have(tmuxtest.OpenBare(s))(b)
	b.Cleanup(func() { bare.Close() })
	return bare
}

func BenchmarkGuarded(b *testing.B) {
	s := tmuxtest.Start(b)
	info := sinks(b, s, 1)[0]
	seq := uint64(0)
	measure(b, s, func() {
		seq++
		submit(b, s, info, seq)
	})
}

func submit(b *testing.B, s *tmux.Server, info tmux.PaneInfo, seq uint64) {
	out, err := s.Pane(info.ID).Submit(context.Background(), tmux.Submission{Owner: info.Owner, Seq: seq, Text: body})
	if err != nil || out.Phase != tmux.Entered {
		b.Errorf("%+v, %v", out, err)
	}
}

// BenchmarkFanOut sends one message to every pane, until the last is acknowledged.
func BenchmarkFanOut(b *testing.B) {
	for _, n := range []int{10, 50, 200} {
		b.Run(fmt.Sprintf("panes=%d", n), func(b *testing.B) {
			s := tmuxtest.Start(b)
			panes := sinks(b, s, n)
			ids := make([]string, n)
			for i, p := range panes {
				ids[i] = p.ID
			}

			b.Run("forked", func(b *testing.B) {
				measure(b, s, func() {
					for _, id := range ids {
						must.Do(b, tmuxtest.Forked(b.Context(), s, id, body))
					}
				})
			})

			b.Run("bare", func(b *testing.B) {
				bare := openBare(b, s)
				measure(b, s, func() {
					must.Do(b, bare.SendAll(ids, body))
				})
			})

			b.Run("guarded", func(b *testing.B) {
				measure(b, s, func() {
					seq := fanSeq.Add(1)
					var all sync.WaitGroup
					for _, p := range panes {
						all.Go(func() { submit(b, s, p, seq) })
					}
					all.Wait()
				})
			})
		})
	}
}
