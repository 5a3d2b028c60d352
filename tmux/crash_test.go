package tmux_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"parley/internal/must"
	"parley/tmux"
	"parley/tmux/tmuxtest"
)

func kill(t testing.TB, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatalf("kill %d: %v", pid, err)
	}
}

const argSender = "tmux-test-sender"

// senderJob tells the child of the kill test what to do.
type senderJob struct {
	Binary, Path, Dir string // of tmux.Options
	Pane, Owner       string
	Count             int
	Ledger            string // file with the last number that was entered
}

// sender submits the numbers up to Count, each as a message with itself as sequence
// number, and records each in the ledger. It may be killed at any moment, and resumes like
// the daemon: it asks the pane how far it got.
func sender(raw string) int {
	var job senderJob
	if err := json.Unmarshal([]byte(raw), &job); err != nil {
		return fatal(err)
	}

	ctx, cancel := context.WithTimeout(context.Background(), tmuxtest.Patience)
	defer cancel()

	s, err := tmux.Open(ctx, tmux.Options{Binary: job.Binary, Path: job.Path, Dir: job.Dir})
	if err != nil {
		return fatal(err)
	}
	defer s.Close()

	pane := s.Pane(job.Pane)
	for n := done(job.Ledger) + 1; n <= job.Count; n++ {
		info, err := pane.Info(ctx)
		if err != nil {
			return fatal(err)
		}

		seq := uint64(n)
		if info.Seq < seq || info.Phase == "pasted" {
			sub := tmux.Submission{Owner: job.Owner, Seq: seq, Text: fmt.Sprint("message ", n), Resume: info.Seq == seq}
			if n%2 == 1 { // every second message takes two steps
				sub.Next = guide{}.next()
			}
			out, err := pane.Submit(ctx, sub)
			if err != nil || out.Phase != tmux.Entered {
				return fatal(fmt.Errorf("%+v, %w", out, err))
			}
		}

		if err := os.WriteFile(job.Ledger+".new", []byte(strconv.Itoa(n)), 0o600); err != nil {
			return fatal(err)
		}
		if err := os.Rename(job.Ledger+".new", job.Ledger); err != nil {
			return fatal(err)
		}
	}

	return 0
}

func fatal(err error) int {
	fmt.Fprintln(os.Stderr, "sender:", err)
	return 1
}

func done(ledger string) int {
	raw, _ := os.ReadFile(ledger)
	n, _ := strconv.Atoi(string(raw))
	return n
}

func TestKilledSenderNeitherLosesNorDoubles(t *testing.T) {
	opts := tmuxtest.Options(t)
	s := tmuxtest.StartWith(t, opts)
	pane, owner, log := agent(t, s, tmuxtest.Agent{})

	// As after a crash of the daemon, nobody else is connected. This also keeps the
	// clients of two daemons from attaching and leaving at the same moment, which crashes
	// tmux 3.3a: it writes a notification to a client that has not finished attaching.
	must.Do(t, s.Close())

	ledger := filepath.Join(t.TempDir(), "ledger")
	job := func(count int) string {
		return string(must.Have(json.Marshal(senderJob{
			Binary: opts.Binary, Path: opts.Path, Dir: opts.Dir,
			Pane: pane.ID(), Owner: owner, Count: count, Ledger: ledger,
		}))(t))
	}

	const kills = 40
	endless := job(math.MaxInt)
	for killed := 0; killed < kills; {
		if runSender(t, endless, ledger, true) {
			killed++
		}
	}

	count := done(ledger) + 20
	runSender(t, job(count), ledger, false)

	got := tmuxtest.WaitMessages(t, log, count)
	seen := map[string]int{}
	for _, m := range got {
		seen[m.Text]++
	}

	for n := 1; n <= count; n++ {
		if c := seen[fmt.Sprint("message ", n)]; c != 1 {
			t.Errorf("message %d arrived %d times", n, c)
		}
	}

	if len(got) != count {
		t.Errorf("%d messages, want %d", len(got), count)
	}

	t.Logf("%d kills over %d messages", kills, count)
	if clients := tmuxCommand(t, s, "list-clients", "-t", "=_hub"); clients != "" {
		t.Errorf("clients of dead senders: %s", clients)
	}
}

// runSender runs a sender to its end. With kill it kills the sender a random moment after
// its first progress. It reports whether it killed a running sender.
func runSender(t *testing.T, job, ledger string, kill bool) (killed bool) {
	t.Helper()
	cmd := exec.Command(os.Args[0], argSender, job)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	before := done(ledger)
	must.Do(t, cmd.Start())

	if kill {
		exited := false
		tmuxtest.Poll(t, func() bool {
			exited = !running(cmd.Process.Pid)
			return exited || done(ledger) > before
		}, func() string { return "the sender does nothing: " + stderr.String() })

		if !exited {
			time.Sleep(time.Duration(rand.IntN(2500)) * time.Microsecond)
			killed = running(cmd.Process.Pid)
			_ = cmd.Process.Kill()
		}
	}

	if err := cmd.Wait(); err != nil && !strings.Contains(err.Error(), "killed") {
		t.Fatalf("sender: %v: %s", err, stderr.String())
	}

	return killed
}

func running(pid int) bool {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return syscall.Kill(pid, 0) == nil
	}
	return !strings.Contains(string(raw), ") Z ")
}

// notifications collects notifications.
type notifications struct {
	mu  sync.Mutex
	all []tmux.Notification
}

func (n *notifications) add(x tmux.Notification) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all = append(n.all, x)
}

func (n *notifications) count(kind tmux.Kind) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	c := 0
	for _, x := range n.all {
		if x.Kind == kind {
			c++
		}
	}
	return c
}

func (n *notifications) wait(t testing.TB, kind tmux.Kind, count int) {
	t.Helper()
	tmuxtest.Poll(t, func() bool { return n.count(kind) >= count }, func() string {
		n.mu.Lock()
		defer n.mu.Unlock()
		return fmt.Sprintf("want %d %q, got %+v", count, kind, n.all)
	})
}

func TestKilledClientReconnects(t *testing.T) {
	opts := tmuxtest.Options(t)
	var notes notifications
	opts.Notify = notes.add
	s := tmuxtest.StartWith(t, opts)
	pane, owner, log := agent(t, s, tmuxtest.Agent{})
	instance := s.Instance()
	const count = 200
	var killer sync.WaitGroup
	killer.Go(func() {
		for i := range 5 {
			notes.wait(t, tmux.Connected, i+1)
			pid, _ := strconv.Atoi(tmuxCommand(t, s, "list-clients", "-F", "#{client_pid}"))
			if pid > 1 {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
			notes.wait(t, tmux.Disconnected, i+1)
		}
	})

	broken := 0
	for n := uint64(1); n <= count; n++ {
		broken += submitThroughKills(t, pane, owner, n)
	}

	killer.Wait()
	notes.wait(t, tmux.Connected, 6)
	got := tmuxtest.WaitMessages(t, log, count)
	for i, m := range got {
		if want := fmt.Sprint("message ", i+1); m.Text != want {
			t.Fatalf("message %d is %q, want %q", i, m.Text, want)
		}
	}

	if len(got) != count || s.Instance() != instance {
		t.Errorf("%d messages, want %d; instance %s, want %s", len(got), count, s.Instance(), instance)
	}

	t.Logf("%d submissions broke", broken)
}

// submitThroughKills submits a message until it is entered, and returns how often the
// connection broke.
func submitThroughKills(t *testing.T, pane *tmux.Pane, owner string, n uint64) (broken int) {
	t.Helper()
	for resume := false; ; broken++ {
		out, err := pane.Submit(t.Context(),
			tmux.Submission{Owner: owner, Seq: n, Text: fmt.Sprint("message ", n), Resume: resume})
		if err == nil && out.Phase == tmux.Entered {
			return broken
		}
		if !errors.Is(err, tmux.ErrDisconnected) {
			t.Fatalf("message %d: %+v, %v", n, out, err)
		}

		info, err := pane.Info(t.Context())
		for errors.Is(err, tmux.ErrDisconnected) {
			info, err = pane.Info(t.Context())
		}

		if err != nil {
			t.Fatal(err)
		}
		if resume = info.Seq == n; resume && info.Phase == "entered" {
			return broken + 1
		}
	}
}

func TestKilledServerIsReplaced(t *testing.T) {
	opts := tmuxtest.Options(t)
	var notes notifications
	opts.Notify = notes.add
	s := tmuxtest.StartWith(t, opts)
	pane, owner, _ := agent(t, s, tmuxtest.Agent{})
	before := s.Instance()
	kill(t, serverPID(t, s))
	notes.wait(t, tmux.Disconnected, 1)
	notes.wait(t, tmux.Connected, 2)
	if now := s.Instance(); now == before || now == "" {
		t.Errorf("instance %q after %q", now, before)
	}

	// The hub of the new server may have the id of a pane of the old one.
	out, err := pane.Submit(t.Context(), tmux.Submission{Owner: owner, Seq: 1, Text: "x"})
	if err != nil || out.Phase != tmux.Refused || out.Reason != tmux.Gone {
		t.Errorf("got %+v, %v; want refused, gone", out, err)
	}
	if _, err := pane.Info(t.Context()); !errors.Is(err, tmux.ErrNoPane) {
		t.Errorf("info: %v, want ErrNoPane", err)
	}
	if _, err := pane.Screen(t.Context(), tmux.ScreenOptions{}); !errors.Is(err, tmux.ErrNoPane) {
		t.Errorf("screen: %v, want ErrNoPane", err)
	}

	again, owner, log := agent(t, s, tmuxtest.Agent{})
	enters(t, again, tmux.Submission{Owner: owner, Seq: 1, Text: "back"})
	tmuxtest.WaitMessages(t, log, 1)
}

// The program had asked for focus events, which nobody may write to its terminal any more.
func TestPeopleMayComeToAKilledProgram(t *testing.T) {
	t.Parallel()
	s := tmuxtest.Start(t)
	pane := owned(t, s, "coder", `stty -echo; printf '\033[?1004h\n\033[1mlast words\033[m'; exec sleep 1000`, "coder")
	tmuxtest.WaitFor(t, pane, shows("last words"))
	must.Do(t, syscall.Kill(must.Have(pane.Info(t.Context()))(t).PID, syscall.SIGKILL))

	var now tmux.PaneInfo
	tmuxtest.Poll(t, func() bool {
		now = must.Have(pane.Info(t.Context()))(t)
		return now.ExitKnown && (now.CursorY == 0 || s.Version().AtLeast(3, 5)) // which needs no reset
	}, func() string { return fmt.Sprintf("it was not reset: %+v", now) })

	screen := must.Have(pane.Screen(t.Context(), tmux.ScreenOptions{History: 1}))(t)
	colours := must.Have(pane.Screen(t.Context(), tmux.ScreenOptions{Colours: true}))(t)
	if !screen.Dead || screen.Top != -1 || screen.Lines[1] != "last words" ||
		!strings.HasPrefix(colours.Lines[0], "\x1b[1mlast words") {
		t.Errorf("its last screen is %q, %q", screen.Lines[:2], colours.Lines[0])
	}

	tmuxtest.Attach(t, s, pane.ID(), 100, 30)
	tmuxCommand(t, s, "detach-client", "-s", "=coder")
	must.Do(t, s.KillSession(t.Context(), "coder", "coder"))
	if kept := tmuxCommand(t, s, "list-buffers"); kept != "" {
		t.Errorf("still kept: %s", kept)
	}
}

func TestDeadPaneDoesNotKillTheServer(t *testing.T) {
	s := tmuxtest.Start(t)
	info := must.Have(s.NewSession(t.Context(),
		tmux.SessionOptions{Name: "dead", Owner: "dead", Argv: []string{"sh", "-c", "exit 7"}}))(t)

	pane, instance := s.Pane(info.ID), s.Instance()
	for n := range uint64(20) { // from alive through dying to dead
		must.Have(pane.Submit(t.Context(), tmux.Submission{Owner: "dead", Seq: n + 1, Text: "x"}))(t)
	}

	var now tmux.PaneInfo
	var err error
	tmuxtest.Poll(t, func() bool { now, err = pane.Info(t.Context()); return now.Dead && now.ExitKnown },
		func() string { return fmt.Sprintf("%+v, %v", now, err) })

	if now.ExitStatus != 7 {
		t.Errorf("exit status %d, want 7", now.ExitStatus)
	}

	out, err := pane.Submit(t.Context(), tmux.Submission{Owner: "dead", Seq: 100, Text: "x"})
	if err != nil || out.Reason != tmux.Dead {
		t.Errorf("got %+v, %v; want dead", out, err)
	}

	if s.Instance() != instance {
		t.Error("the server was restarted")
	}
}
