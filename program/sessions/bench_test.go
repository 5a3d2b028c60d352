package sessions_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/internal/must"
	"parley/program/sessions"
)

// megabytes is the variable that says how large the conversations of the benchmark are together.
const megabytes = "PARLEY_BENCH_SESSIONS_MB"

// BenchmarkTenThousand measures the list and the search of ten thousand conversations, most of whose bytes are of
// tools. The first search finds no index.
func BenchmarkTenThousand(b *testing.B) {
	size, _ := strconv.Atoi(os.Getenv(megabytes))
	h := &home{dir: b.TempDir()}
	tenThousand(b, h, max(size, 100)<<20)
	index := filepath.Join(h.dir, ".cache/parley/sessions.db")

	b.Run("list", func(b *testing.B) {
		for b.Loop() {
			h.archive = sessions.New(h.options(b))
			must.Have(h.archive.List(b.Context(), sessions.Query{Limit: 20}))(b)
		}
	})

	h.archive = sessions.New(h.options(b))
	ctx, cancel := context.WithCancel(b.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		h.archive.Run(ctx)
	}()
	defer func() {
		cancel()
		<-ended
	}()
	search := func(b *testing.B, words string) sessions.Listing {
		b.Helper()
		return must.Have(h.archive.List(b.Context(), sessions.Query{Words: words, Limit: 20}))(b)
	}

	began := time.Now()
	first := search(b, "w77 w78")
	took := time.Since(began)
	for l := first; l.Read < l.Of; l = search(b, "w77 w78") {
	}
	whole := time.Since(began)
	b.Run("first-search", func(b *testing.B) {
		for b.Loop() {
		}
		b.ReportMetric(float64(took.Milliseconds()), "first-ms")
		b.ReportMetric(float64(first.Read), "read-first")
		b.ReportMetric(whole.Seconds(), "whole-s")
		b.ReportMetric(float64(must.Have(os.Stat(index))(b).Size())/1e6, "index-MB")
	})
	for name, words := range map[string]string{"rare": "w19999 w77", "common": "w1 w2"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				search(b, words)
			}
		})
	}
	b.Run("changed", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			h.write(b, fmt.Sprintf(".claude/projects/-p1/%08d-0000-4000-8000-000000000000.jsonl", 1),
				`{"type":"user","message":{"content":"once more"}}`+"\n")
			search(b, "w19999 w77")
		}
	})
}

// tenThousand writes ten thousand conversations of Claude.
func tenThousand(b *testing.B, h *home, bytesOfAll int) {
	b.Helper()
	const all, turns = 10_000, 30
	random := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(random, 1.2, 20, 20_000)
	said := func(n int) string {
		var words strings.Builder
		for range n {
			fmt.Fprintf(&words, "w%d ", zipf.Uint64())
		}
		return words.String()
	}
	tool := strings.Repeat("x = compile(y); ", max(1, bytesOfAll/all/turns-900)/16)

	var text bytes.Buffer
	for i := range all {
		text.Reset()
		for range turns {
			fmt.Fprintf(&text, `{"type":"user","cwd":"/src/p%d","gitBranch":"main","message":{"content":"%s"}}`+"\n"+
				`{"type":"assistant","message":{"content":[{"type":"text","text":"%s"},{"type":"tool_use","id":"1"}]}}`+"\n"+
				`{"type":"user","message":{"content":[{"type":"tool_result","content":"%s"}]}}`+"\n",
				i%50, said(20), said(80), tool)
		}
		name := fmt.Sprintf(".claude/projects/-p%d/%08d-0000-4000-8000-000000000000.jsonl", i%50, i)
		path := filepath.Join(h.dir, name)
		must.Do(b, os.MkdirAll(filepath.Dir(path), 0o700))
		must.Do(b, os.WriteFile(path, text.Bytes(), 0o600))
	}
}
