package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley"
	"parley/internal/daemon"
	"parley/internal/must"
	"parley/internal/testhome"
)

const (
	doorClients, doorMessages   = 50, 10_000
	doorBridges, doorBridgeSend = 200, 2_000
	doorPace                    = 10 * time.Millisecond // between two messages of a team that works
	doorStreams, doorEvents     = 190, 5_000
	doorFollowers               = 500
	doorKnocks, doorKnocking    = 4_000, 8 * time.Second

	goalDoorRate   = 2500 // messages per second on a quiet machine with two cores
	goalDoorP99    = 60 * time.Millisecond
	goalBridgeP99  = 100 * time.Millisecond
	goalKnocksP99  = 50 * time.Millisecond
	goalReplayMore = 50 * time.Millisecond // more than on a quiet daemon
)

// doors is a daemon with mailboxes whose owners send through one of its doors.
type doors struct {
	home *testhome.Home
	info daemon.Info
	bots []parley.RegisterAgentResult
}

func newDoors(b *testing.B, bots int) *doors {
	b.Helper()
	h := testhome.New(b)
	must.Do(b, os.WriteFile(filepath.Join(h.Workspace, "parley.yaml"),
		[]byte("settings:\n  messages_per_minute: 1000000\n"+
			"  registrations_per_minute: 1000\nconversation:\n  refuse_mailboxes: false\n"), 0o600))

	d := &doors{home: h, bots: make([]parley.RegisterAgentResult, bots)}
	must.Do(b, h.Command("serve").Run())
	must.Do(b, json.Unmarshal(must.Have(os.ReadFile(placeOf(h).Info()))(b), &d.info))
	for i := range d.bots {
		d.bots[i] = testhome.Run[parley.RegisterAgentResult](b, h, "register", fmt.Sprintf("bot-%d", i))
	}

	return d
}

// send sends a message from one bot to the next one over TCP.
func (d *doors) send(c *http.Client, from, n int) error {
	body, err := json.Marshal(map[string]string{"to": fmt.Sprintf("bot-%d", (from+1)%len(d.bots)),
		"text": fmt.Sprintf("the tests of part %d pass", n)})
	if err != nil {
		return err
	}
	_, err = d.call(c, "send_message", d.bots[from].APIKey, body)
	return err
}

func (d *doors) call(c *http.Client, op, key string, body []byte) ([]byte, error) {
	req, err := http.NewRequest(http.MethodPost, d.info.HTTP+"/api/"+op, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")

	res, err := c.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode >= http.StatusBadRequest {
		err = fmt.Errorf("%s: %s", res.Status, answer)
	}
	return answer, err
}

// cpuTime returns the processor time of the daemon so far.
func (d *doors) cpuTime(b *testing.B) time.Duration {
	b.Helper()
	stat := string(must.Have(os.ReadFile(fmt.Sprintf("/proc/%d/stat", d.info.PID)))(b))
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	user := must.Have(strconv.Atoi(fields[11]))(b)
	system := must.Have(strconv.Atoi(fields[12]))(b)
	return time.Duration(user+system) * time.Second / 100
}

// timed lets each of n clients do its part of total acts, and returns how long each took, sorted. Two acts begin so far
// apart, if there is a free client.
func timed(b *testing.B, n, total int, apart time.Duration, act func(client, i int) error) []time.Duration {
	b.Helper()
	took, began := make([]time.Duration, total), time.Now()
	var next atomic.Int64
	var clients sync.WaitGroup
	for client := range n {
		clients.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= total {
					return
				}

				time.Sleep(time.Until(began.Add(time.Duration(i) * apart)))
				start := time.Now()
				if err := act(client, i); err != nil {
					b.Error(err)
					return
				}
				took[i] = time.Since(start)
			}
		})
	}
	clients.Wait()
	slices.Sort(took)
	return took
}

func reportTimes(b *testing.B, took []time.Duration) {
	b.ReportMetric(float64(took[len(took)/2]), "p50-ns")
	b.ReportMetric(float64(took[len(took)*99/100]), "p99-ns")
}

// BenchmarkDoor sends messages through one door of a daemon, each client one at a time: 50 over REST with
// connections that stay, and 200 processes of parley mcp, as fast as they go and at the pace of a team. It says what
// processor time the daemon takes for each; the store alone is BenchmarkAppend.
func BenchmarkDoor(b *testing.B) {
	b.Run("rest/way=parley", func(b *testing.B) {
		d := newDoors(b, doorClients)
		clients := make([]*http.Client, doorClients)
		for i := range clients {
			clients[i] = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1}}
		}

		for b.Loop() {
			before, start := d.cpuTime(b), time.Now()
			took := timed(b, doorClients, doorMessages, 0,
				func(client, i int) error { return d.send(clients[client], client, i) })
			b.ReportMetric(doorMessages/time.Since(start).Seconds(), "msgs/s")
			b.ReportMetric(float64(d.cpuTime(b)-before)/doorMessages, "cpu-ns/msg")
			reportTimes(b, took)
		}
		b.ReportMetric(goalDoorRate, "goal-msgs/s")
		b.ReportMetric(float64(goalDoorP99), "goal-ns")
	})

	b.Run("bridges/way=parley", func(b *testing.B) { benchBridgesSend(b, doorBridgeSend, 0) })
	b.Run("bridges-paced/way=parley", func(b *testing.B) { benchBridgesSend(b, doorBridgeSend/2, doorPace) })
}

// benchBridgesSend sends messages over processes of parley mcp, each so long after the one before, or as fast as they
// go.
func benchBridgesSend(b *testing.B, messages int, apart time.Duration) {
	d := newDoors(b, doorBridges)
	sessions := make([]*mcp.ClientSession, doorBridges)
	for i, bot := range d.bots {
		bridge := d.home.Command("mcp")
		bridge.Env = append(slices.Clone(d.home.Env), "PARLEY_KEY="+bot.APIKey)
		sessions[i] = openBridge(b, bridge)
	}

	for b.Loop() {
		before, start := d.cpuTime(b), time.Now()
		took := timed(b, doorBridges, messages, apart, func(client, i int) error {
			_, err := sessions[client].CallTool(b.Context(),
				&mcp.CallToolParams{Name: "send_message", Arguments: map[string]any{
					"to": fmt.Sprintf("bot-%d", (client+1)%doorBridges), "text": fmt.Sprintf("part %d is done", i)}})
			return err
		})
		b.ReportMetric(float64(messages)/time.Since(start).Seconds(), "msgs/s")
		b.ReportMetric(float64(d.cpuTime(b)-before)/float64(messages), "cpu-ns/msg")
		reportTimes(b, took)
	}
	b.ReportMetric(float64(goalBridgeP99), "goal-ns")
}

func openBridge(b *testing.B, bridge *exec.Cmd) *mcp.ClientSession {
	b.Helper()
	c := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil)
	session := must.Have(c.Connect(b.Context(), &mcp.CommandTransport{Command: bridge}, nil))(b)
	b.Cleanup(func() { _ = session.Close() })
	return session
}

// BenchmarkReplays measures the operator's calls, and the messages of an agent, while others read the whole
// record again and again, and while they resume in the middle of it and follow: what it takes them more than on the
// same daemon when nobody does.
func BenchmarkReplays(b *testing.B) {
	for _, c := range []struct {
		name    string
		streams int
		read    func(d *doors, ctx context.Context, key string)
	}{
		{"streams=190", doorStreams, (*doors).replay},
		{"followers=500", doorFollowers, (*doors).resume},
	} {
		b.Run(c.name+"/way=parley", func(b *testing.B) {
			d := newDoors(b, 5)
			client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 20}}
			timed(b, 20, doorEvents/3, 0, func(_, i int) error { return d.send(client, i%4, i) })

			for b.Loop() {
				quiet := d.calls(b, client)
				ctx, stop := context.WithCancel(b.Context())
				var streams sync.WaitGroup
				for i := range c.streams {
					streams.Go(func() { c.read(d, ctx, d.bots[i%4].APIKey) })
				}

				loaded := d.calls(b, client)
				stop()
				streams.Wait()
				reportTimes(b, loaded)
				b.ReportMetric(float64(loaded[len(loaded)*99/100]-quiet[len(quiet)*99/100]), "more-p99-ns")
			}
			b.ReportMetric(float64(goalReplayMore), "goal-ns")
		})
	}
}

// calls returns how long calls of the operator and messages of the last bot took, sorted.
func (d *doors) calls(b *testing.B, c *http.Client) []time.Duration {
	b.Helper()
	return timed(b, 2, 400, 0, func(client, i int) error {
		if client == 0 {
			return d.send(c, len(d.bots)-1, i)
		}
		_, err := d.call(c, "get_agent_status", testhome.OperatorKey, []byte("{}"))
		return err
	})
}

// replay reads the record from its beginning, again and again, until ctx ends.
func (d *doors) replay(ctx context.Context, key string) { d.read(ctx, key, 0, doorEvents/2) }

// resume reads the second half of the record, and follows it until ctx ends.
func (d *doors) resume(ctx context.Context, key string) { d.read(ctx, key, doorEvents/2, math.MaxInt) }

// read reads n events after a number from a stream, and begins again there, until ctx ends.
func (d *doors) read(ctx context.Context, key string, after, n int) {
	for ctx.Err() == nil {
		url := fmt.Sprintf("%s/api/events?after=%d", d.info.HTTP, after)
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return
		}
		req.Header.Set("Authorization", "Bearer "+key)
		req.Header.Set("Accept", "text/event-stream")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			continue
		}
		lines := bufio.NewScanner(res.Body)
		for read := 0; read < n && lines.Scan(); {
			if strings.HasPrefix(lines.Text(), "id: ") {
				read++
			}
		}
		res.Body.Close()
	}
}

// knock opens connections as another user if it may, and says nothing. Only its own thread becomes that user, and
// ends with it.
func knock(address string) error {
	runtime.LockOSThread()
	const nobody = 65534
	_, _, _ = syscall.RawSyscall(syscall.SYS_SETRESUID, nobody, nobody, nobody)

	var open []net.Conn
	for i, began := 0, time.Now(); i < doorKnocks; i++ {
		time.Sleep(time.Until(began.Add(time.Duration(i) * doorKnocking / doorKnocks)))
		conn, err := net.Dial("tcp", address)
		if err != nil {
			return err
		}
		if open = append(open, conn); len(open) > 500 {
			open[0].Close()
			open = open[1:]
		}
	}
	for _, conn := range open {
		conn.Close()
	}
	return nil
}

// BenchmarkKnocks measures an agent's calls over TCP, each by a connection of its own, while another user of the
// machine opens 4,000 connections in 8 seconds. Who is not root knocks himself.
func BenchmarkKnocks(b *testing.B) {
	b.Run("other=4000/way=parley", func(b *testing.B) {
		d := newDoors(b, 2)
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

		for b.Loop() {
			knocked := make(chan error, 1)
			go func() { knocked <- knock(strings.TrimPrefix(d.info.HTTP, "http://")) }()
			before := d.cpuTime(b)
			took := timed(b, 1, int(doorKnocking/doorPace/2), 2*doorPace, func(_, _ int) error {
				_, err := d.call(client, "check_inbox", d.bots[0].APIKey, []byte("{}"))
				return err
			})
			b.ReportMetric(float64(d.cpuTime(b)-before)/doorKnocks, "cpu-ns/knock")
			must.Do(b, <-knocked)
			reportTimes(b, took)
		}
		b.ReportMetric(float64(goalKnocksP99), "goal-ns")
	})
}
