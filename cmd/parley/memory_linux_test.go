package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"parley"
	"parley/internal/must"
	"parley/internal/testhome"
)

// A daemon that gets no more memory may end. What it has accepted is there afterwards, once.
func TestDaemonWithoutMemoryLosesNothing(t *testing.T) {
	t.Parallel()
	h := testhome.New(t)
	testhome.Run[parley.LaunchAgentResult](t, h, "launch", "bot", "--profile", "generic", "--", "cat")
	big := filepath.Join(h.Workspace, "big")
	must.Do(t, os.WriteFile(big, make([]byte, 20<<20), 0o600))
	giveBack := noMoreMemory(t, testhome.Run[parley.WorkspaceStatusResult](t, h, "status").PID)

	var group sync.WaitGroup
	accepted := make([]bool, 60)
	for first := range 4 {
		group.Go(func() {
			for n := first; n < len(accepted); n += 4 {
				accepted[n] = h.Command("send", "bot", fmt.Sprintf("message %d.", n)).Run() == nil
				if n%20 == 0 {
					_ = h.Command("send-file", "bot", big).Run() // it may be refused
				}
			}
		})
	}
	group.Wait()
	giveBack() // what reads it all needs some

	stored := string(must.Have(h.Command("export", "--all", "--format", "jsonl").Output())(t))
	some := false
	for n, ok := range accepted {
		some = some || ok
		if got := strings.Count(stored, fmt.Sprintf(`"text":"message %d."`, n)); ok && got != 1 || got > 1 {
			t.Errorf("message %d, accepted %v, is stored %d times", n, ok, got)
		}
	}
	if !some {
		t.Error("no message was accepted")
	}
}

// noMoreMemory lets a process have 1 MB more than it has, until giveBack is called.
func noMoreMemory(t *testing.T, pid int) (giveBack func()) {
	t.Helper()
	text := string(must.Have(os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)))(t))
	_, text, _ = strings.Cut(text, "VmSize:")
	var has uint64 // kB
	must.Have(fmt.Sscan(text, &has))(t)
	most := (has + 1<<10) << 10
	var before unix.Rlimit
	must.Do(t, unix.Prlimit(pid, unix.RLIMIT_AS, nil, &before))
	must.Do(t, unix.Prlimit(pid, unix.RLIMIT_AS, &unix.Rlimit{Cur: most, Max: before.Max}, nil))
	return func() { _ = unix.Prlimit(pid, unix.RLIMIT_AS, &before, nil) } // it may have ended
}
