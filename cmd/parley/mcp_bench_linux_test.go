package main

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley"
	"parley/internal/must"
	"parley/internal/testhome"
)

const (
	benchBridges     = 10
	benchBridgeCalls = 50

	goalBridgeMemory = 15 // MB
)

// BenchmarkBridge reports what each `parley mcp` of a team of ten has in memory after 50 calls. Pages that
// several processes share, as those of the program are, count in each of them by its share.
func BenchmarkBridge(b *testing.B) {
	b.Run("memory/way=parley", func(b *testing.B) {
		h := testhome.New(b)
		bots := make([]parley.RegisterAgentResult, benchBridges)
		for i := range bots {
			bots[i] = testhome.Run[parley.RegisterAgentResult](b, h, "register", fmt.Sprintf("bot-%d", i))
		}

		for b.Loop() {
			bridges := make([]*exec.Cmd, benchBridges)
			for i, bot := range bots {
				cmd := h.Command("mcp")
				cmd.Env = append(slices.Clone(h.Env), "PARLEY_KEY="+bot.APIKey)
				benchCalls(b, cmd)
				bridges[i] = cmd
			}

			var sum float64
			for _, cmd := range bridges {
				sum += proportionalMemory(b, cmd.Process.Pid)
			}
			b.ReportMetric(sum/benchBridges, "MB")
		}

		b.ReportMetric(goalBridgeMemory, "goal-MB")
	})
}

// benchCalls starts a bridge and calls a tool over it. The bridge ends with the benchmark.
func benchCalls(b *testing.B, bridge *exec.Cmd) {
	b.Helper()
	c := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil)
	session := must.Have(c.Connect(b.Context(), &mcp.CommandTransport{Command: bridge}, nil))(b)
	b.Cleanup(func() { _ = session.Close() })

	for range benchBridgeCalls {
		var inbox parley.CheckInboxResult
		callTool(b, session, "check_inbox", nil, &inbox)
	}
}

var proportional = regexp.MustCompile(`(?m)^Pss: +(\d+) kB$`)

func proportionalMemory(b *testing.B, pid int) float64 {
	b.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		b.Skip("this kernel does not tell how much of its memory a process shares: ", err)
	}
	found := proportional.FindSubmatch(raw)
	if found == nil {
		b.Fatalf("no Pss in %s", raw)
	}
	return must.Have(strconv.ParseFloat(string(found[1]), 64))(b) * 1024 / 1e6
}
