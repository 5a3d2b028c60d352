package store

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
)

// BenchmarkAppend1 has 50 callers, each of which stores messages for one recipient.
func BenchmarkAppend1(b *testing.B) {
	s := openWith(b, 2)
	b.SetParallelism(25) // of 2 processors each
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := s.Messages.Append(b.Context(), post(0, 1)); err != nil {
				b.Error(err)
				return
			}
		}
	})

	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "msg/s")
}

// BenchmarkAppend200 stores one broadcast after the other.
func BenchmarkAppend200(b *testing.B) {
	s := openWith(b, 201)
	p := make([]int, 200)
	for i := range p {
		p[i] = i + 1
	}

	b.ResetTimer()
	var times []time.Duration
	for b.Loop() {
		begun := time.Now()
		must.Have(s.Messages.Append(b.Context(), post(0, p...)))(b)
		times = append(times, time.Since(begun))
	}

	percentiles(b, times)
}

// BenchmarkClaimAdvance200 writes what a broadcast to 200 terminals does: all couriers
// claim at once, and all close at once.
func BenchmarkClaimAdvance200(b *testing.B) {
	s := openWith(b, 201)
	to := make([]int, 200)
	for i := range to {
		to[i] = i + 1
	}

	b.ResetTimer()
	var claim, advance time.Duration
	for i := range b.N {
		b.StopTimer()
		must.Have(s.Messages.Append(b.Context(), post(0, to...)))(b)

		b.StartTimer()
		seq := int64(i + 1)
		claim += together(b, to, func(n int) error {
			return s.Deliveries.Claim(b.Context(), Key{seq, agentID(n)}, uint64(seq), false)
		})

		advance += together(b, to, func(n int) error {
			return s.Deliveries.Advance(b.Context(), Key{seq, agentID(n)},
				Change{State: parley.DeliverySubmitted, Cause: parley.ProofDoor.With("the composer is empty")},
				Change{State: parley.DeliveryRead, Cause: parley.ProofDoor.With("the whole text was submitted")})
		})
	}

	b.ReportMetric(float64(claim.Milliseconds())/float64(b.N), "claim-ms")
	b.ReportMetric(float64(advance.Milliseconds())/float64(b.N), "advance-ms")
}

func together(b *testing.B, to []int, do func(int) error) time.Duration {
	begin := time.Now()
	var wg sync.WaitGroup
	for _, n := range to {
		wg.Go(func() {
			if err := do(n); err != nil {
				b.Error(fmt.Errorf("agent %d: %w", n, err))
			}
		})
	}
	wg.Wait()
	return time.Since(begin)
}

// BenchmarkAppendAlone has one caller, which stores one message after the other, each in a
// separate transaction.
func BenchmarkAppendAlone(b *testing.B) {
	s := openWith(b, 2)
	var times []time.Duration
	for b.Loop() {
		begun := time.Now()
		must.Have(s.Messages.Append(b.Context(), post(0, 1)))(b)
		times = append(times, time.Since(begun))
	}
	percentiles(b, times)
}

// percentiles reports the median and the 99th percentile of the times.
func percentiles(b *testing.B, times []time.Duration) {
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Nanoseconds()), "p50-ns")
	b.ReportMetric(float64(times[len(times)*99/100].Nanoseconds()), "p99-ns")
}
