package orchestrator

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"parley"
	"parley/internal/must"
	"parley/op"
	"parley/tmux"
	"parley/tmux/tmuxtest"
)

// benchText is a message of ordinary length, 198 bytes.
var benchText = strings.Repeat("0123456789 ", 18)

// benchTeam is a team of n agents that discard their input. Their profile waits for nothing,
// so that the benchmark measures parley alone.
type benchTeam struct {
	*testTeam
	names []string
	panes []string
	typed atomic.Int64 // number of texts entered
}

func newBenchTeam(b testing.TB, n int) *benchTeam {
	b.Helper()
	bt := &benchTeam{
		testTeam: newTeam(b,
			func(o *Options) { o.Settings.Watch, o.Settings.MessagesPerMinute = time.Second, 1_000_000_000 }),
	}

	// The operator says of cat that it takes messages: what reads is that, and not the shell which began it.
	bt.start(parley.LaunchAgentRequest{Name: "cat", Profile: "generic", Command: []string{"cat"}})
	bt.stop("cat")

	for i := range n {
		name := "sink" + strconv.Itoa(i)
		bt.start(parley.LaunchAgentRequest{Name: name, Profile: "instant", Width: 80, Height: 24,
			Command: []string{"sh", "-c", `stty raw -echo; printf '\033[?2004hready\r\n'; exec cat >/dev/null`}})
		bt.names = append(bt.names, name)
	}

	bt.couriers.Entered = func() { bt.typed.Add(1) }
	for _, name := range bt.names {
		bt.panes = append(bt.panes, bt.pane(name).ID())
		tmuxtest.WaitFor(b, bt.pane(name), func(s tmux.Screen) bool { return tmuxtest.Shows(s, "ready") })
	}

	// A message to an agent that is not idle is claimed on its own, which is another commit. An agent is idle from the
	// first look at all terminals after its first message.
	for _, name := range bt.names {
		bt.send(name, benchText)
	}
	bt.wait(b, n)
	for _, name := range bt.names {
		bt.inState(name, parley.StateIdle)
	}

	return bt
}

// wait waits until n texts have been entered since the last wait, and their outcome
// is recorded.
func (bt *benchTeam) wait(b testing.TB, n int) {
	b.Helper()
	bt.waitTyped(n)
	for {
		seen := bt.store.Events.LastEvent()
		counts := must.Have(bt.store.Workspace.DeliveryCounts(context.Background()))(b)
		if counts["queued"]+counts["held"]+counts["typing"] == 0 {
			return
		}
		must.Do(b, bt.store.Events.WaitEvent(b.Context(), seen))
	}
}

func (bt *benchTeam) waitTyped(n int) {
	for bt.typed.Load() < int64(n) {
		time.Sleep(100 * time.Microsecond)
	}
	bt.typed.Add(-int64(n))
}

// eventsOf is how many events a message to n agents makes until its last outcome is recorded: its own, and
// typing, submitted and read for each agent.
func eventsOf(n int) int64 { return 1 + 3*int64(n) }

// waitEvent waits until the event with a number is recorded. Whoever follows the events learns of an outcome then.
func (bt *benchTeam) waitEvent(b *testing.B, number int64) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), time.Minute)
	defer cancel()
	for seen := bt.store.Events.LastEvent(); seen < number; seen = bt.store.Events.LastEvent() {
		if err := bt.store.Events.WaitEvent(ctx, seen); err != nil {
			b.Fatalf("event %d did not come, the last is %d: %v", number, seen, err)
		}
	}
}

// readEvents counts the agents that have read a message by an event, since another.
const readEvents = `SELECT count(*) FROM events WHERE seq > ? AND seq <= ? AND state = 'read'
	AND message_seq = (SELECT seq FROM messages WHERE id = ?)`

// counter prepares readEvents, on a connection of its own: to read hundreds of events as parley does takes as long
// as to record them.
func (bt *benchTeam) counter(b *testing.B) *sql.Stmt {
	b.Helper()
	db := must.Have(sql.Open("sqlite", "file:"+filepath.Join(bt.dir, "parley.db")+"?mode=ro"))(b)
	b.Cleanup(func() { _ = db.Close() })
	return must.Have(db.PrepareContext(b.Context(), readEvents))(b)
}

// recipe types the same text into a pane by the guarded recipe alone.
func (bt *benchTeam) recipe(ctx context.Context, i int, seq *atomic.Uint64) error {
	m := bt.roster.ByName(bt.names[i])
	out, err := m.Terminal().Pane.Submit(ctx, tmux.Submission{Owner: m.ID, Seq: 1<<50 + seq.Add(1), Text: benchText})
	if err == nil && out.Phase != tmux.Entered {
		err = fmt.Errorf("%+v", out)
	}
	return err
}

// firstRecipe types the text by the guarded commands of parley's first version. They do not change, so goals can be
// set in their terms: what is saved in the guard shows in the ratio.
func (bt *benchTeam) firstRecipe(ctx context.Context, i int, file string) error {
	m, pane := bt.roster.ByName(bt.names[i]), bt.panes[i]
	seq := 1<<50 + benchSeq.Add(1)
	said, err := m.Terminal().Pane.Run(ctx, func(token string) string {
		return fmt.Sprintf("load-buffer -b first%[1]d %[2]s ; "+
			`if-shell -F -t %[3]s "#{||:#{||:#{pane_dead},#{pane_input_off}},`+
			`#{||:#{pane_in_mode},#{||:#{!=:#{@parley_agent},%[4]s},#{e|>=:#{@parley_seq},%[1]d}}}}" `+
			`{ delete-buffer -b first%[1]d ; display-message -p -t %[3]s "%[5]s no" } `+
			`{ paste-buffer -p -r -d -b first%[1]d -t %[3]s ; send-keys -t %[3]s Enter ; `+
			`set-option -p -t %[3]s @parley_seq %[1]d ; set-option -p -t %[3]s @parley_phase entered ; `+
			`display-message -p "%[5]s yes" }`, seq, file, pane, m.ID, token)
	})
	if err == nil && strings.TrimSpace(said) != "yes" {
		err = fmt.Errorf("tmux said %q", said)
	}
	return err
}

// commit makes one durable commit of one row.
func (bt *benchTeam) commit(ctx context.Context) error {
	return bt.store.Agents.TouchAgents(ctx, map[string]time.Time{bt.roster.Operator().ID: time.Now()})
}

// middle returns the median of the times, which it sorts.
func middle(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}

// median reports the median of the times.
func median(b *testing.B, times []time.Duration, unit string) {
	b.ReportMetric(float64(middle(times).Nanoseconds()), unit)
	b.ReportMetric(0, "ns/op") // it includes what is not measured
}

// restBetween is a pause after which programs and couriers are idle again.
const restBetween = 3 * time.Millisecond

// medianOf reports the median of the times that something takes, each time from rest. A time counts unless counts,
// which is asked afterwards and may be nil, says no. If none counts, as can be on a busy machine, a hundred more are
// taken.
func medianOf(b *testing.B, do func(), counts func() bool) {
	var times []time.Duration
	measure := func() {
		time.Sleep(restBetween)
		start := time.Now()
		do()
		took := time.Since(start)
		if counts == nil || counts() {
			times = append(times, took)
		}
	}
	for b.Loop() {
		measure()
	}
	for range 100 {
		if len(times) > 0 {
			break
		}
		measure()
	}
	if len(times) == 0 {
		b.Fatal("no time counts")
	}
	median(b, times, "p50-ns")
}

var benchSeq atomic.Uint64

// BenchmarkAcceptedToEntered measures one message into one pane, from its acceptance until tmux
// has entered it. The baseline `recipe` is the guarded recipe and two durable commits.
func BenchmarkAcceptedToEntered(b *testing.B) {
	b.Run("way=recipe", func(b *testing.B) {
		bt := newBenchTeam(b, 1)
		var times []time.Duration
		for b.Loop() {
			start := time.Now()
			must.Do(b, bt.recipe(b.Context(), 0, &benchSeq))

			for range 2 {
				must.Do(b, bt.commit(b.Context()))
			}

			times = append(times, time.Since(start))
		}

		median(b, times, "p50-ns/msg")
	})

	b.Run("way=forked", func(b *testing.B) {
		bt := newBenchTeam(b, 1)
		var times []time.Duration
		for b.Loop() {
			start := time.Now()
			must.Do(b, tmuxtest.Forked(b.Context(), bt.terminals.Server(), bt.panes[0], benchText))
			times = append(times, time.Since(start))
		}

		median(b, times, "p50-ns/msg")
	})

	b.Run("way=parley", func(b *testing.B) {
		bt := newBenchTeam(b, 1)
		entered := make(chan time.Time, 1)
		bt.couriers.Entered = func() { bt.typed.Add(1); entered <- time.Now() }
		var times []time.Duration
		for b.Loop() {
			bt.send(bt.names[0], benchText)
			accepted := time.Now() // a delivery faster than this line counts as 0
			times = append(times, max(0, (<-entered).Sub(accepted)))
			bt.wait(b, 1)
		}

		median(b, times, "p50-ns/msg")
	})
}

// BenchmarkBroadcast measures one text into many panes until tmux has entered all of them.
// parley's variant includes the whole record.
func BenchmarkBroadcast(b *testing.B) {
	for _, n := range []int{10, 50, 200} {
		b.Run(fmt.Sprintf("panes=%d", n), func(b *testing.B) {
			b.Run("way=forked", func(b *testing.B) {
				bt := newBenchTeam(b, n)
				medianOf(b, func() { bt.forkAll(b, bt.panes) }, nil)
			})

			b.Run("way=bare", func(b *testing.B) {
				bt := newBenchTeam(b, n)
				bare := openBare(b, bt.terminals.Server())
				medianOf(b, func() { must.Do(b, bare.SendAll(bt.panes, benchText)) }, nil)
			})

			b.Run("way=recipe", func(b *testing.B) {
				bt := newBenchTeam(b, n)
				medianOf(b, func() {
					bt.all(b, func(i int) error { return bt.recipe(b.Context(), i, &benchSeq) })
				}, nil)
			})

			b.Run("way=recipe-first", func(b *testing.B) {
				bt := newBenchTeam(b, n)
				file := filepath.Join(b.TempDir(), "text")
				must.Do(b, os.WriteFile(file, []byte(benchText), 0o600))
				medianOf(b, func() {
					bt.all(b, func(i int) error { return bt.firstRecipe(b.Context(), i, file) })
				}, nil)
			})

			b.Run("way=parley", func(b *testing.B) {
				bt := newBenchTeam(b, n)
				counter, id, first := bt.counter(b), "", int64(0)
				medianOf(b, func() {
					first = bt.store.Events.LastEvent()
					id = must.Have(op.BroadcastMessage.Call(bt.operator(), bt,
						parley.BroadcastMessageRequest{Text: benchText}))(b).MessageID
					bt.waitEvent(b, first+eventsOf(n))
				}, func() bool { // unless something else happened meanwhile, and its event was counted
					read := 0
					must.Do(b, counter.QueryRowContext(b.Context(), first, first+eventsOf(n), id).Scan(&read))
					return read == n
				})
			})
		})
	}
}

// all types into all panes at once.
func (bt *benchTeam) all(b *testing.B, send func(i int) error) {
	var all errgroup.Group
	for i := range bt.panes {
		all.Go(func() error { return send(i) })
	}
	must.Do(b, all.Wait())
}

// forkAll runs a tmux process per pane, four at a time, which was the fastest.
func (bt *benchTeam) forkAll(b *testing.B, panes []string) {
	var all errgroup.Group
	all.SetLimit(4)
	for _, pane := range panes {
		all.Go(func() error { return tmuxtest.Forked(b.Context(), bt.terminals.Server(), pane, benchText) })
	}
	must.Do(b, all.Wait())
}

func openBare(b *testing.B, s *tmux.Server) *tmuxtest.Bare {
	b.Helper()
	bare := must.Have(tmuxtest.OpenBare(s))(b)
	b.Cleanup(func() { _ = bare.Close() })
	return bare
}

// BenchmarkSustained measures messages per second over 50 panes, each to one agent.
// Parley's come from 50 senders at once, are durable, and have their outcome
// recorded. The baselines go one at a time: forked with a tmux process for each
// command, forked-once with one for all three, bare over a control-mode client. It also
// measures what each of parley's messages leaves in the tmux server's memory.
func BenchmarkSustained(b *testing.B) {
	const panes = 50
	for way, fork := range map[string]func(context.Context, *tmux.Server, string, string) error{
		"way=forked": forkEach, "way=forked-once": tmuxtest.Forked,
	} {
		b.Run(way, func(b *testing.B) {
			bt := newBenchTeam(b, panes)
			for i := 0; b.Loop(); i++ {
				must.Do(b, fork(b.Context(), bt.terminals.Server(), bt.panes[i%panes], benchText))
			}

			rate(b)
		})
	}

	b.Run("way=bare", func(b *testing.B) {
		bt := newBenchTeam(b, panes)
		bare := openBare(b, bt.terminals.Server())
		for i := 0; b.Loop(); i++ {
			must.Do(b, bare.Send(bt.panes[i%panes], benchText))
		}

		rate(b)
	})

	b.Run("way=parley", func(b *testing.B) {
		bt := newBenchTeam(b, panes)
		var left atomic.Int64
		left.Store(int64(b.N))
		var senders sync.WaitGroup
		memory := bt.serverMemory(b)
		b.ResetTimer()
		for _, name := range bt.names {
			senders.Go(func() {
				for left.Add(-1) >= 0 {
					bt.send(name, benchText)
				}
			})
		}

		senders.Wait()
		bt.wait(b, b.N)
		rate(b)
		b.ReportMetric((bt.serverMemory(b)-memory)/1000/float64(b.N), "server-kB/msg")
	})
}

// serverMemory returns the bytes that the tmux server holds.
func (bt *benchTeam) serverMemory(b *testing.B) float64 {
	b.Helper()
	got := must.Have(tmux.Inspect(b.Context(), tmuxtest.Binary(), bt.terminals.Server().SocketPath(), os.Environ()))(b)
	return float64(got.Memory)
}

// forkEach types with one tmux process per command: one loads the text, one pastes it, one
// presses Enter.
func forkEach(ctx context.Context, s *tmux.Server, pane, text string) error {
	for _, args := range [][]string{{"load-buffer", "-b", "bench", "-"},
		{"paste-buffer", "-p", "-r", "-d", "-b", "bench", "-t", pane}, {"send-keys", "-t", pane, "Enter"}} {
		cmd := tmuxCommandOn(s, args...)
		if args[0] == "load-buffer" {
			cmd.Stdin = strings.NewReader(text)
		}
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("tmux %s: %w", args[0], err)
		}
	}
	return nil
}

func rate(b *testing.B) { b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "msgs/s") }

// BenchmarkIdle measures the CPU share and memory of a daemon with 50 agents and 100,000 stored
// messages, all of them settled.
func BenchmarkIdle(b *testing.B) {
	bt := newBenchTeam(b, 50)
	bt.fill(b, 100_000)
	for b.Loop() {
		before, start := cpuTime(b), time.Now()
		time.Sleep(3 * time.Second)
		b.ReportMetric(100*(cpuTime(b)-before).Seconds()/time.Since(start).Seconds(), "%core")
	}
	b.ReportMetric(residentMB(b), "MB")
}

// fill stores messages between two mailboxes.
func (bt *benchTeam) fill(b *testing.B, n int) {
	b.Helper()
	from, _ := bt.as("from"), bt.as("to")
	var senders errgroup.Group
	senders.SetLimit(50)
	for range n {
		senders.Go(func() error {
			_, err := op.SendMessage.Call(from, bt, parley.SendMessageRequest{To: parley.Names{"to"}, Text: benchText})
			return err
		})
	}

	must.Do(b, senders.Wait())
}

func residentMB(b *testing.B) float64 {
	b.Helper()
	raw, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		b.Skip("resident memory is read from /proc, which is Linux's")
	}
	pages := must.Have(strconv.ParseFloat(strings.Fields(string(raw))[1], 64))(b)
	return pages * float64(os.Getpagesize()) / 1e6
}
