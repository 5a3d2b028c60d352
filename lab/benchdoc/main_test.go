package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/must"
)

const output = `date: 2026-11-21
goos: linux
cpu: Some CPU
pkg: parley/orchestrator
BenchmarkBroadcast/panes=50/way=forked-2         	      10	480000000 ns/op	       104.5 msgs/s
BenchmarkBroadcast/panes=50/way=parley-2         	     100	 20000000 ns/op	      2500 msgs/s	   1500 p50-ns/msg
BenchmarkBroadcast/panes=50/way=parley-2         	     100	 40000000 ns/op	      2500 msgs/s	   1500 p50-ns/msg
BenchmarkBroadcast/panes=50/way=bare-2           	     100	 15000000 ns/op
PASS
ok  	parley/orchestrator	3.1s
goos: linux
pkg: parley
BenchmarkClean
BenchmarkClean-2	 5000000	       210.4 ns/op	      24 B/op
PASS
`

func TestTablesSetParleyAgainstEachBaseline(t *testing.T) {
	var out strings.Builder
	must.Do(t, run(strings.NewReader(output), &out))

	_, got, _ := strings.Cut(out.String(), "\ndate: ")
	const want = `2026-11-21 · goos: linux · cpu: Some CPU

## Broadcast, panes 50

| way | time per op | msgs/s | p50 time per msg |
| --- | ---: | ---: | ---: |
| forked | 480 ms | 104 | – |
| parley | 30 ms | 2500 | 1.5 µs |
| bare | 15 ms | – | – |
| **parley ÷ forked** | **0.0625×** | **23.9×** | – |
| **parley ÷ bare** | **2×** | – | – |

## Clean

| way | time per op | B/op |
| --- | ---: | ---: |
| measured | 210 ns | 24 |
`

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("page (-want +got):\n%s", diff)
	}
}

func TestABadRunWritesNothing(t *testing.T) {
	tests := []struct{ name, output, want string }{
		{"failed package", output + "FAIL\tparley/tmux\t0.1s\n", "the run failed"},
		{"failed build", output + "FAIL\tparley/tmux [build failed]\n", "the run failed"},
		{"failed benchmark", output + "--- FAIL: BenchmarkX\n", "the run failed"},
		{"nothing measured", "goos: linux\nPASS\n", "measured nothing"},
		{"broken line", "BenchmarkX-2 10 fast ns/op\n", "invalid syntax"},
		{"half a line", "BenchmarkX-2 10 5\n", "pairs of value and unit"},
	}

	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var out strings.Builder
			err := run(strings.NewReader(test.output), &out)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
			if out.Len() != 0 {
				t.Errorf("wrote %q", out.String())
			}
		})
	}
}
