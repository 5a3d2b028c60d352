package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"parley"
	"parley/client"
	"parley/internal/daemon"
	"parley/internal/must"
	"parley/internal/testhome"
	"parley/internal/wait"
	"parley/op"
	"parley/tmux"
)

// The soak: agents work for an hour under mixed traffic, with a screen attached and restarts
// of the daemon. What it uses at the end is compared with what it used after the first tenth.
//
// What has a bound begins at it, so that only what has none grows. SQLite keeps up to 12 MB of
// the database in twice as much memory, and the conversation protocol some thousand chains of messages: much is
// said and read in a hurry before the soak begins. A terminal keeps so many lines, each with some
// bytes that tmux does not count.
const (
	soakAgents   = 30
	soakRestarts = 2
	soakGrowth   = 0.10
	soakPast     = 50_000 // messages
	soakHistory  = "attach: {history: 100}\n"
	soakPause    = 300 * time.Millisecond // between two messages
	soakHurry    = 20 * time.Millisecond
)

// soakMeasures are what is compared: the middle of what was measured in each tenth, or the least. Go's
// memory varies by some megabytes from one garbage collection to the next, and what grows raises the least
// too. A difference below noise is none.
var soakMeasures = []struct {
	name, unit string
	scale      float64
	noise      float64
	of         func([]float64) float64
}{
	{"go_gc_heap_live_bytes", "MB", 1e6, 1e6, median},
	{"own memory", "MB", 1e6, 4e6, slices.Min[[]float64]},
	{"process_open_fds", "", 1, 4, median},
	{"go_goroutines", "", 1, 10, median},
	{"tmux memory", "MB", 1e6, 2e6, median},
	{"inbox", "ms", 1, 1, median},
	{"search", "ms", 1, 1, median},
	{"status", "ms", 1, 1, median},
	{"events", "ms", 1, 1, median},
}

// TestSoak runs with make soak. PARLEY_TEST_SOAK says for how long.
func TestSoak(t *testing.T) {
	length, err := time.ParseDuration(cmp.Or(os.Getenv("PARLEY_TEST_SOAK"), "0s"))
	if err != nil || length <= 0 {
		t.Skip("PARLEY_TEST_SOAK does not say how long; see make soak")
	}

	h := testhome.New(t)
	h.Env = append(h.Env, "PARLEY_MESSAGES_PER_MINUTE=1000000", "PARLEY_BROADCASTS_PER_MINUTE=1000000",
		"PARLEY_BACKUP_EVERY="+(length/20).String())
	s := newSoak(t, h)
	s.attachScreen()
	s.warmUp(t.Context(), length/30)

	ctx, cancel := context.WithTimeout(t.Context(), length)
	defer cancel()
	var group sync.WaitGroup
	group.Go(func() { s.talk(ctx, soakPause) })
	group.Go(func() { s.restart(ctx, length) })
	s.measure(ctx, length)
	group.Wait()

	s.judge()
}

// soak is one run.
type soak struct {
	t      *testing.T
	home   *testhome.Home
	info   daemon.Info
	client *client.Client
	sent   int
	begun  time.Time
	first  map[string][]float64 // the values of the second half of the first tenth
	last   map[string][]float64 // those of the end
}

func newSoak(t *testing.T, h *testhome.Home) *soak {
	t.Helper()
	must.Do(t, os.WriteFile(filepath.Join(h.Workspace, "parley.yaml"), []byte(soakHistory), 0o600))
	s := &soak{t: t, home: h, first: map[string][]float64{}, last: map[string][]float64{}}
	s.serve()
	var ids []string
	for i := range 10 {
		req := parley.RegisterAgentRequest{Username: fmt.Sprintf("mailbox-%d", i)}
		ids = append(ids, must.Have(op.RegisterAgent.Call(t.Context(), s.client, req))(t).AgentID)
	}
	s.client.Close()
	must.Do(t, h.Command("down").Run())
	fillWorkspace(t, h, ids, soakPast)

	s.serve()
	t.Cleanup(s.client.Close)

	for i := range soakAgents {
		must.Have(op.LaunchAgent.Call(t.Context(), s.client, parley.LaunchAgentRequest{
			Name:    soakName(i),
			Profile: "demo", AgentSpec: parley.AgentSpec{Groups: []string{"group" + strconv.Itoa(i%5)}},
			Command: []string{"parley", "demo-agent", "--work", "200ms", "--on", "ping", "--reply", "pong"},
			Width:   120, Height: 40,
		}))(t)
	}

	return s
}

// serve starts the daemon.
func (s *soak) serve() {
	s.t.Helper()
	testhome.Run[parley.Answer](s.t, s.home, "serve")
	text := must.Have(os.ReadFile(placeOf(s.home).Info()))(s.t)
	must.Do(s.t, json.Unmarshal(text, &s.info))
	s.client = client.New(client.Options{Socket: s.info.Socket, Key: operatorKey, Retry: time.Minute})
}

func soakName(i int) string { return fmt.Sprintf("agent-%02d", i%soakAgents) }

// attachScreen opens the screen in a terminal, until the test ends.
func (s *soak) attachScreen() {
	s.t.Helper()
	near, far := openTerminal(s.t, 200, 60)
	cmd := s.home.Command()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = far, far, far
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	must.Do(s.t, cmd.Start())
	_ = far.Close()
	read := make(chan struct{})
	go func() { _, _ = io.Copy(io.Discard, near); close(read) }()
	s.t.Cleanup(func() { end(cmd); near.Close(); <-read })
}

// warmUp fills what has a bound.
func (s *soak) warmUp(ctx context.Context, length time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, length)
	defer cancel()
	var group sync.WaitGroup
	group.Go(func() { s.talk(ctx, soakHurry) })
	for range 4 {
		group.Go(func() {
			for wait.Pause(ctx, soakHurry) == nil {
				if _, err := s.query(ctx); err != nil && ctx.Err() == nil {
					s.t.Errorf("while it warms up: %v", err)
				}
			}
		})
	}
	group.Wait()
	s.begun, s.sent = time.Now(), 0
}

// talk sends one message of each kind after another, with pauses, until ctx ends.
func (s *soak) talk(ctx context.Context, pause time.Duration) {
	thread := must.Have(op.CreateThread.Call(ctx, s.client, parley.CreateThreadRequest{
		Title: "soak", Participants: parley.Names{soakName(0), soakName(1), soakName(2)},
	}))(s.t)

	for wait.Pause(ctx, pause) == nil {
		s.sent++
		req := parley.SendMessageRequest{To: parley.Names{soakName(s.sent)},
			Text: fmt.Sprintf("note number%d of the soak", s.sent)}
		switch {
		case s.sent%50 == 0:
			req.To = parley.Names{"ALL"}
		case s.sent%20 == 0:
			req.To, req.ThreadID = nil, thread.Thread.ID
		case s.sent%10 == 0:
			req.Text, req.RequiresResponse = "ping", true
		case s.sent%7 == 0:
			req.Text = "a longer story: " + strings.Repeat("words and more words ", 60)
		case s.sent%5 == 0:
			req.Priority = parley.PriorityUrgent
		}
		if _, err := op.SendMessage.Call(ctx, s.client, req); err != nil && ctx.Err() == nil {
			s.t.Errorf("message %d: %v", s.sent, err)
		}
	}
}

// restart ends the daemon at even intervals and starts another. The agents stay.
func (s *soak) restart(ctx context.Context, length time.Duration) {
	for range soakRestarts {
		if wait.Pause(ctx, length/(soakRestarts+1)) != nil {
			return
		}
		for _, args := range [][]string{{"down", "--keep-agents"}, {"serve"}} {
			if out, err := s.home.Command(args...).CombinedOutput(); err != nil {
				s.t.Errorf("parley %v: %v\n%s", args, err, out)
			}
		}
	}
}

// measure takes samples until ctx ends.
func (s *soak) measure(ctx context.Context, length time.Duration) {
	for wait.Pause(ctx, max(time.Second, length/200)) == nil {
		into := s.window(time.Since(s.begun).Seconds() / length.Seconds())
		if into == nil {
			continue
		}
		values, err := s.sample(ctx)
		if err != nil && ctx.Err() == nil {
			s.t.Logf("a sample failed: %v", err) // the daemon may be restarting
			continue
		}
		for name, value := range values {
			into[name] = append(into[name], value)
		}
	}
}

// window returns where a sample counts, nil for nowhere.
func (s *soak) window(part float64) map[string][]float64 {
	switch {
	case part >= 0.05 && part < 0.15:
		return s.first
	case part >= 0.9:
		return s.last
	}
	return nil
}

func (s *soak) sample(ctx context.Context) (map[string]float64, error) {
	values, err := s.metrics(ctx)
	if err != nil {
		return nil, err
	}

	status, err := op.GetWorkspaceStatus.Call(ctx, s.client, parley.WorkspaceStatusRequest{})
	if err != nil {
		return nil, err
	}
	server, err := tmux.Inspect(ctx, "tmux", status.TmuxSocket, s.home.Env)
	if err != nil {
		return nil, err
	}
	values["tmux memory"] = float64(server.Memory - server.History)
	if values["own memory"], err = ownMemory(status.PID); err != nil {
		return nil, err
	}

	took, err := s.query(ctx)
	maps.Copy(values, took)
	return values, err
}

// query returns how many milliseconds each kind of query takes.
func (s *soak) query(ctx context.Context) (map[string]float64, error) {
	took := map[string]float64{}
	for name, query := range map[string]func() error{
		"inbox": func() error {
			_, err := op.GetMessages.Call(ctx, s.client, parley.GetMessagesRequest{Limit: 10})
			return err
		},
		"search": func() error {
			_, err := op.SearchMessages.Call(ctx, s.client, parley.SearchMessagesRequest{Query: "soak", Limit: 20})
			return err
		},
		"status": func() error {
			_, err := op.GetWorkspaceStatus.Call(ctx, s.client,
				parley.WorkspaceStatusRequest{})
			return err
		},
		"events": func() error {
			_, err := op.ReadEvents.Call(ctx, s.client, parley.ReadEventsRequest{Last: 50})
			return err
		},
	} {
		best := math.Inf(1) // other work delays some
		for range 5 {
			begun := time.Now()
			if err := query(); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			best = min(best, float64(time.Since(begun))/float64(time.Millisecond))
		}
		took[name] = best
	}

	return took, nil
}

// ownMemory returns the bytes of memory that only this process has, SQLite's among them. The rest of
// what is resident is the program's file, which the kernel reads and drops as it likes.
func ownMemory(pid int) (float64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	_, behind, _ := strings.Cut(string(status), "RssAnon:")
	number, _, ok := strings.Cut(strings.TrimSpace(behind), " kB")
	kilobytes, err := strconv.ParseFloat(number, 64)
	if !ok || err != nil {
		return 0, fmt.Errorf("no RssAnon in the status of process %d", pid)
	}
	return 1024 * kilobytes, nil
}

// metrics reads what the daemon says of itself.
func (s *soak) metrics(ctx context.Context) (map[string]float64, error) {
	transport := &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn,
		error) {
		return new(net.Dialer).DialContext(ctx, "unix", s.info.Socket)
	}}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://127.0.0.1/metrics", nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+operatorKey)
	res, err := transport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()

	values := map[string]float64{}
	lines := bufio.NewScanner(res.Body)
	for lines.Scan() {
		name, text, _ := strings.Cut(lines.Text(), " ")
		if value, err := strconv.ParseFloat(text, 64); err == nil {
			values[name] = value
		}
	}

	return values, lines.Err()
}

// judge prints what was measured, and fails for what has grown.
func (s *soak) judge() {
	var b strings.Builder
	fmt.Fprintf(&b, "%d agents, %d messages from the operator, %d restarts, %s\n", soakAgents, s.sent, soakRestarts,
		time.Since(s.begun).Round(time.Second))
	fmt.Fprintf(&b, "%-32s %12s %12s %8s\n", "", "first tenth", "end", "growth")
	for _, m := range soakMeasures {
		if len(s.first[m.name]) == 0 || len(s.last[m.name]) == 0 {
			s.t.Errorf("%s was not measured", m.name)
			continue
		}
		first, last := m.of(s.first[m.name]), m.of(s.last[m.name])

		grown := ""
		if last-first > max(m.noise, soakGrowth*first) {
			grown = "  too much"
			s.t.Errorf("%s has grown from %.1f to %.1f %s", m.name, first/m.scale, last/m.scale, m.unit)
		}
		fmt.Fprintf(&b, "%-32s %9.1f %-2s %9.1f %-2s %7.0f%%%s\n", m.name,
			first/m.scale, m.unit, last/m.scale, m.unit, 100*(last/first-1), grown)
	}
	fmt.Println(b.String())
}

// median returns the middle of some values.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
