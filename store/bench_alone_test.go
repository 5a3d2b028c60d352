package store

import (
	"slices"
	"testing"
	"time"
)

// BenchmarkAppendAlone is one caller that stores one message after the other, each in
// a transaction of its own.
func BenchmarkAppendAlone(b *testing.B) {
	s := openTest(b)
	addAgents(b, s, 2)
	var times []time.Duration
	for b.Loop() {
		begun := time.Now()
		if _, err := s.Append(b.Context(), post(0, 1)); err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Since(begun))
	}
	percentiles(b, times)
}

// percentiles reports the middle of the times and the one that a hundredth exceeds.
func percentiles(b *testing.B, times []time.Duration) {
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Nanoseconds()), "p50-ns")
	b.ReportMetric(float64(times[len(times)*99/100].Nanoseconds()), "p99-ns")
}
