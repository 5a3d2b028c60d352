package orchestrator

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/op"
	"parley/tmux/tmuxtest"
)

// TestNothingIsTypedTwiceWhileAgentsComeAndGo keeps sending while agents are
// restarted, stopped, launched twice at once, and lose their tmux server.
func TestNothingIsTypedTwiceWhileAgentsComeAndGo(t *testing.T) {
	t.Parallel()
	const agents, messages, changes = 3, 20, 4
	te := newTeam(t)
	logs := make([]string, agents)
	var work sync.WaitGroup
	var mu sync.Mutex
	var killServer sync.Once
	sent := map[string]bool{}
	for i := range agents {
		name := fmt.Sprintf("agent%d", i)
		logs[i] = te.launch(name, "framed", tmuxtest.Agent{})
	}

	server := te.tmuxPID()
	for i := range agents {
		name := fmt.Sprintf("agent%d", i)
		work.Go(func() {
			for n := range messages {
				res, err := op.SendMessage.Call(te.operator(), te, parley.SendMessageRequest{
					To:     parley.Names{name},
					Text:   fmt.Sprint("message ", n),
					Urgent: n%5 == 0,
				})
				if err == nil && res.Success {
					mu.Lock()
					sent[res.MessageID] = true
					mu.Unlock()
				}

				time.Sleep(time.Duration(rand.IntN(40)) * time.Millisecond)
			}
		})

		work.Go(func() {
			launch := parley.LaunchAgentRequest{
				Name:    name,
				Profile: "framed",
				Command: tmuxtest.Agent{Log: filepath.Join(te.dir, name+".log")}.Argv(),
			}

			for range changes {
				switch rand.IntN(4) {
				case 0:
					_, _ = op.RestartAgent.Call(te.operator(), te, parley.RestartAgentRequest{Agent: name})
				case 1:
					_, _ = op.StopAgent.Call(te.operator(), te, parley.StopAgentRequest{Agent: name})
					var twice sync.WaitGroup
					for range 2 {
						twice.Go(func() { _, _ = op.LaunchAgent.Call(te.operator(), te, launch) })
					}
					twice.Wait()
				case 2:
					if p := te.roster.ByName(name).Terminal(); p != nil {
						_ = syscall.Kill(p.PID, syscall.SIGKILL)
					}
				case 3:
					killServer.Do(func() { _ = syscall.Kill(server, syscall.SIGKILL) })
				}

				time.Sleep(time.Duration(rand.IntN(200)) * time.Millisecond)
			}
		})
	}

	work.Wait()
	for i := range agents {
		must.Have(op.RestartAgent.Call(te.operator(), te, parley.RestartAgentRequest{Agent: fmt.Sprintf("agent%d",
			i)}))(t)
	}

	var counts map[string]int
	tmuxtest.Poll(t, func() bool {
		counts, _ = te.opts.Store.Workspace.DeliveryCounts(t.Context())
		return counts["queued"]+counts["held"]+counts["typing"] == 0
	}, func() string { return fmt.Sprint("not settled: ", counts) })

	t.Logf("%d messages; not delivered: %v", len(sent), counts)
	got := map[string]int{}
	for _, log := range logs {
		for _, m := range tmuxtest.Messages(t, log) {
			_, after, _ := strings.Cut(m.Text, "· msg ")
			got[after[:parley.ShortID]]++
			if strings.Count(m.Text, "· msg ") != 1 {
				t.Errorf("two messages in one: %q", m.Text)
			}
		}
	}

	for id := range sent {
		state := te.delivery(id).State
		n := got[parley.Short(id)]
		if n > 1 || n == 0 && state == parley.DeliveryRead {
			t.Errorf("message %s was typed %d times and is %s", id, n, state)
		}
	}
}
