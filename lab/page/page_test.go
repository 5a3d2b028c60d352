// Package page measures the page in a real browser, with 200 agents and a million messages, and writes docs/measured/page.md.
package page

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"parley"
	"parley/client"
	"parley/internal/daemon"
	"parley/internal/must"
	"parley/internal/testhome"
	"parley/internal/testpage"
	"parley/internal/wait"
	"parley/op"
	_ "parley/store" // the driver of SQLite
	"parley/store/milliontest"
)

// pageFile names the page that is written; without it nothing is measured.
const pageFile = "PARLEY_TEST_PAGE"

const (
	agents    = 200
	eventRate = 2000 // a second
	stormTime = 10 * time.Second
	emptyTime = 15 * time.Second // without a page
	idleTime  = 60 * time.Second // with some: they ask twice a minute
	openPages = 10
	letters   = 5 // that wait for the person
	visits    = 3 // of which the median counts
	sleepTime = 15 * time.Second
	phoneTime = 30 * time.Second
	phoneRate = 50 // messages a second
	longFrame = 50 // ms
)

// house is a daemon with its agents and messages.
type house struct {
	*testing.T
	home    *testhome.Home
	client  *client.Client
	socket  string
	pid     int
	browser context.Context
	keys    []string // of the agents
}

func TestPage(t *testing.T) {
	file := os.Getenv(pageFile)
	if file == "" {
		t.Skip(pageFile + " names no page to write; make page does")
	}
	h := newHouse(t, milliontest.Million)
	var rows [][]string
	for _, part := range []func() [][]string{
		func() [][]string { return h.visits("a line of 150 ms", testpage.Fast3G, "500 ms", "1,000 ms") }, h.storm, h.sleeps, h.phone, h.idles,
		func() [][]string { return h.visits("one of 562 ms", testpage.Slow3G, "", "") },
	} {
		for _, row := range part() {
			t.Log(strings.Join(row, " | "))
			rows = append(rows, row)
		}
		must.Do(t, os.WriteFile(file, []byte(written(rows)), 0o600))
	}
}

// newHouse builds parley, registers agents, and writes a million messages while no daemon runs.
func newHouse(t *testing.T, messages int) *house {
	dir := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", filepath.Join(dir, "parley"), "../../cmd/parley").CombinedOutput(); err != nil {
		t.Fatalf("go build parley: %v\n%s", err, out)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))

	h := &house{T: t, home: testhome.New(t), browser: testpage.Start(t)}
	h.home.Env = append(h.home.Env, "PARLEY_REGISTRATIONS_PER_MINUTE=10000", "PARLEY_MESSAGES_PER_MINUTE=1000000",
		"PARLEY_BROADCASTS_PER_MINUTE=1000000")
	h.serve()
	var ids []string
	for i := range agents {
		req := parley.RegisterAgentRequest{Username: fmt.Sprintf("agent-%03d", i)}
		agent := must.Have(op.RegisterAgent.Call(t.Context(), h.client, req))(t)
		ids, h.keys = append(ids, agent.AgentID), append(h.keys, agent.APIKey)
	}
	h.client.Close()
	must.Do(t, h.home.Command("down").Run())

	place := daemon.Locate(daemon.RealPath(h.home.Workspace), daemon.Environ(h.home.Env))
	db := must.Have(sql.Open("sqlite", "file:"+place.Database()+
		"?_pragma=journal_mode(WAL)&_pragma=synchronous(OFF)&_pragma=cache_size(-200000)"))(t)
	db.SetMaxOpenConns(1)
	must.Do(t, milliontest.Fill(db, ids, messages))
	must.Do(t, db.Close())
	h.serve()
	t.Cleanup(h.client.Close)
	for i, key := range h.keys[:letters] { // what waits for the person
		agent := client.New(client.Options{Socket: h.socket, Key: key})
		req := parley.SendMessageRequest{To: []string{parley.OperatorName}, Text: fmt.Sprintf("Shall I go on with part %d of the plan?", i)}
		must.Have(op.SendMessage.Call(t.Context(), agent, req))(t)
		agent.Close()
	}
	h.settles()

	return h
}

func (h *house) serve() {
	testhome.Run[daemon.Info](h, h.home, "serve")
	info := must.Have(daemon.ReadInfo(daemon.Locate(daemon.RealPath(h.home.Workspace), daemon.Environ(h.home.Env))))(h.T)
	h.client = client.New(client.Options{Socket: info.Socket, Key: testhome.OperatorKey})
	h.socket = info.Socket
	h.pid = testhome.Run[parley.WorkspaceStatusResult](h, h.home, "status").PID
}

// settles waits until the daemon has nothing left to do.
func (h *house) settles() {
	until := time.Now().Add(testhome.Patience)
	for before := -1; ; {
		now := h.ticks()
		if before >= 0 && now-before <= 2 || time.Now().After(until) {
			return
		}
		before = now
		must.Do(h.T, wait.Pause(h.Context(), 2*time.Second))
	}
}

// ticks returns the processor time that the daemon has taken, in hundredths of a second.
func (h *house) ticks() int {
	b := must.Have(os.ReadFile(fmt.Sprintf("/proc/%d/stat", h.pid)))(h.T)
	_, after, _ := strings.Cut(string(b), ") ")
	f := strings.Fields(after)
	return must.Have(strconv.Atoi(f[11]))(h.T) + must.Have(strconv.Atoi(f[12]))(h.T)
}

// usable notes when the page shows what waits, and takes an answer.
const usable = `window.usable = 0; new MutationObserver(() => {
	if (!window.usable && document.querySelector('main .card textarea')) window.usable = performance.now() }).observe(document, {childList: true, subtree: true, characterData: true})`

// visits opens the page as a phone on a slow line does: for the first time by a link, and again. The goals are for both.
func (h *house) visits(name string, line testpage.Line, paintGoal, usableGoal string) [][]string {
	var first, ready, again, readyAgain, bytes []float64
	for range visits {
		x := testpage.Open(h.T, h.browser, "about:blank", 360, 740)
		x.First(usable)
		x.Slow(4)
		x.On(line)
		for visit := range 2 {
			link := testhome.Run[parley.OpenPageResult](h, h.home, "web")
			if visit == 0 {
				x.Visit(link.URL())
			} else {
				x.Visit(link.Address + "?again")
			}
			x.Until("window.usable")
			paint := testpage.JS[float64](x, "performance.getEntriesByName('first-contentful-paint')[0].startTime")
			at := testpage.JS[float64](x, "window.usable")
			if visit == 0 {
				first, ready = append(first, paint), append(ready, at)
				bytes = append(bytes, testpage.JS[float64](x, "performance.getEntriesByType('resource').filter(e => e.name.includes('/page/')).reduce((n, e) => n + e.encodedBodySize, 0)"))
			} else {
				again, readyAgain = append(again, paint), append(readyAgain, at)
			}
		}
		x.Visit("about:blank")
		x.Slow(1) // Chromium burns what it takes from the page
	}
	return [][]string{
		figure("first paint, by a link, over "+name, paintGoal, "%.0f ms", first),
		figure("usable: it shows what waits", usableGoal, "%.0f ms", ready),
		figure("first paint, opened again", paintGoal, "%.0f ms", again),
		figure("usable, opened again", usableGoal, "%.0f ms", readyAgain),
		figure("its files until then, as they came over the line", "250 kB", "%.0f bytes", bytes),
	}
}

// figure is the row of a median.
func figure(what, goal, form string, values []float64) []string {
	slices.Sort(values)
	return []string{what, goal, fmt.Sprintf(form, values[len(values)/2])}
}

// watched counts frames, and the numbers of the events that the page has taken.
const watched = `(async () => {
	const shared = performance.getEntriesByType('resource').map(e => e.name).find(n => n.endsWith('/shared.js'));
	const {hear} = await import(shared);
	window.seqs = []; window.frames = []; window.ready = true;
	hear(events => { for (const e of events) window.seqs.push(e.seq) });
	let last = performance.now();
	const frame = () => { const t = performance.now(); window.frames.push(t - last); last = t; requestAnimationFrame(frame) };
	requestAnimationFrame(frame);
})(), true`

const holes = "window.seqs.filter((s, i) => i && s !== window.seqs[i - 1] + 1).length"

// watches opens the traffic in a wide window.
func (h *house) watches() *testpage.Tab {
	x := testpage.SignIn(h.T, h.home, h.browser, 1400, 900)
	x.Goes("traffic")
	x.Until("document.querySelectorAll('.rows li').length > 10")
	testpage.JS[bool](x, watched)
	x.Until("window.ready")
	return x
}

// last waits until a tab has taken the newest event.
func (h *house) last(x *testpage.Tab) {
	newest := must.Have(op.ReadEvents.Call(h.Context(), h.client, parley.ReadEventsRequest{Last: 1, Limit: 1}))(h.T).Next
	x.Until(fmt.Sprintf("Number(document.documentElement.dataset.seq) >= %d", newest))
}

// stirs makes events for a time, and returns how many there were.
func (h *house) stirs(rate int, long time.Duration) int64 {
	ctx, cancel := context.WithTimeout(h.Context(), long)
	defer cancel()
	newest := must.Have(op.ReadEvents.Call(ctx, h.client, parley.ReadEventsRequest{Last: 1, Limit: 1}))(h.T).Next
	var seen atomic.Int64
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, err := range h.client.Events(ctx, newest) {
			if err == nil {
				seen.Add(1)
			}
		}
	}()

	var senders sync.WaitGroup
	begun := time.Now()
	for s := range mostSenders {
		senders.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				due := time.Duration(seen.Load()) * time.Second / time.Duration(rate)
				if ahead := due - time.Since(begun); ahead > 0 && wait.Pause(ctx, ahead) != nil {
					return
				}
				req := parley.BroadcastMessageRequest{Text: fmt.Sprintf("note %d.%d to everybody", s, n)}
				if _, err := op.BroadcastMessage.Call(ctx, h.client, req); err != nil && ctx.Err() == nil {
					h.Errorf("a broadcast fails: %v", err)
					return
				}
			}
		})
	}
	senders.Wait()
	<-done
	return seen.Load()
}

// mostSenders is how many send at one time: one alone waits for the disk.
const mostSenders = 3

func (h *house) storm() [][]string {
	x := h.watches()
	testpage.JS[bool](x, "(window.frames = [], true)")
	n := h.stirs(eventRate, stormTime)
	frames := testpage.JS[[]float64](x, "window.frames")
	h.last(x)
	long := 0
	for _, f := range frames {
		if f > longFrame {
			long++
		}
	}
	missed := testpage.JS[int](x, holes)
	x.Visit("about:blank")
	return [][]string{
		{"events a second, for 10 s", "2,000", fmt.Sprintf("%.0f", float64(n)/stormTime.Seconds())},
		{"frames in that time", "600", strconv.Itoa(len(frames))},
		{fmt.Sprintf("of them longer than %d ms", longFrame), "0", fmt.Sprintf("%d, the longest %.0f ms", long, slices.Max(frames))},
		{"events that the page missed", "0", strconv.Itoa(missed)},
	}
}

// sleeps freezes a page without a line, as in a closed laptop, while events go on.
func (h *house) sleeps() [][]string {
	x := h.watches()
	x.On(testpage.NoLine)
	x.Sleep(true)
	n := h.stirs(eventRate, sleepTime)
	const newest = "the newest of all"
	must.Have(op.BroadcastMessage.Call(h.Context(), h.client, parley.BroadcastMessageRequest{Text: newest}))(h.T)
	x.Sleep(false)
	x.On(testpage.Open4G)
	woke := time.Now()
	x.Shows(newest)
	shown := time.Since(woke)
	h.last(x)
	took := time.Since(woke)
	missed, got := testpage.JS[int](x, holes), testpage.JS[int](x, "window.seqs.length")
	x.Visit("about:blank")
	return [][]string{
		{"events while a page slept, without a line", "", strconv.FormatInt(n, 10)},
		{"of them missed", "0", fmt.Sprintf("%d, of %d taken", missed, got)},
		{"from waking until the newest message is shown", "2 s", fmt.Sprintf("%.1f s", shown.Seconds())},
		{"until all events have come", "", fmt.Sprintf("%.1f s", took.Seconds())},
	}
}

// phone counts what comes to a phone over its line: at rest, and while the agents write to each other.
func (h *house) phone() [][]string {
	x := testpage.SignIn(h.T, h.home, h.browser, 360, 740)
	var got atomic.Int64
	must.Do(h.T, chromedp.Listen(x.Ctx, func(event any) {
		switch e := event.(type) {
		case *network.EventDataReceived:
			got.Add(e.EncodedDataLength)
		case *network.EventResponseReceived:
			got.Add(int64(e.Response.EncodedDataLength))
		}
	}))
	must.Have(chromedp.Call(x.Ctx, network.Enable, network.EnableParams{}))(h.T)
	x.Goes("agents")
	x.Until("document.querySelectorAll('.agents li').length > 100")
	h.settles()
	count := func() float64 {
		before := got.Load()
		must.Do(h.T, wait.Pause(h.Context(), phoneTime))
		return float64(got.Load()-before) / phoneTime.Seconds()
	}
	rest := count()

	ctx, stop := context.WithCancel(h.Context())
	var senders sync.WaitGroup
	for s := range mostSenders {
		senders.Go(func() { h.writes(ctx, s) })
	}
	busy := count()
	stop()
	senders.Wait()
	x.Visit("about:blank")
	return [][]string{
		{"a phone reads at rest, a second", "", fmt.Sprintf("%.0f bytes", rest)},
		{fmt.Sprintf("while the agents write %d messages a second", phoneRate), "5 kB", fmt.Sprintf("%.1f kB", busy/1000)},
	}
}

// writes sends messages from agents to others, as one of several.
func (h *house) writes(ctx context.Context, turn int) {
	begun := time.Now()
	for n := 0; ctx.Err() == nil; n++ {
		due := time.Duration(n) * mostSenders * time.Second / phoneRate
		if wait.Pause(ctx, max(0, due-time.Since(begun))) != nil {
			return
		}
		at := n*mostSenders + turn
		const half = agents / 2 // which answers nobody: there is no round
		agent := client.New(client.Options{Socket: h.socket, Key: h.keys[at%half]})
		req := parley.SendMessageRequest{To: []string{fmt.Sprintf("agent-%03d", half+(at+at/half)%half)},
			Text: fmt.Sprintf("part %d of the plan is ready to be looked at, tests included", at)}
		if _, err := op.SendMessage.Call(ctx, agent, req); err != nil && ctx.Err() == nil {
			h.Errorf("a message fails: %v", err)
		}
		agent.Close()
	}
}

// idles compares what the daemon costs at rest, without a page and with ten.
func (h *house) idles() [][]string {
	cost := func(long time.Duration) float64 {
		h.settles()
		before, begun := h.ticks(), time.Now()
		must.Do(h.T, wait.Pause(h.Context(), long))
		return float64(h.ticks()-before) / time.Since(begun).Seconds() // hundredths a second: per cent of a core
	}
	without := cost(emptyTime)
	for range openPages {
		testpage.SignIn(h.T, h.home, h.browser, 360, 740)
	}
	return [][]string{
		{"the daemon at rest, without a page", "", fmt.Sprintf("%.2f %% of a core", without)},
		{"with ten pages open", "0.5 % more", fmt.Sprintf("%.2f %% of a core", cost(idleTime))},
	}
}

// written is the page.
func written(rows [][]string) string {
	load, _ := os.ReadFile("/proc/loadavg")
	var b strings.Builder
	fmt.Fprintf(&b, `# The page in a browser

%s, 2 cores, headless Chromium without a graphics card. `+"`make page`"+` runs this and writes the page: %d agents, a million messages, and the
page of a daemon on the same machine. The load at the end was %s; browser, daemon and whatever else ran shared the cores.

The phone has a processor four times slower and fast 3G: 1.6 Mbit/s, with a latency of 150 ms for each request, as Lighthouse takes it, or of
562 ms, as Chromium's own tools do. Times are medians of %d.

A link needs three trips over the line: for the page; for its style and its modules; and for the session, which brings what waits and begins
while the modules still come. The first paint needs two of them, so that it takes 300 ms or 1,125 ms at best, and the modules take 130 ms more to
arrive. Opened again, the files are there: one trip for the page, one for what waits. The goals are for the line of 150 ms.

A minute after its start the daemon checks its database, which takes 5 s of a core with a million messages. Where that falls into the minute with
ten pages, it is 9 %% of the figure.

| what | goal | measured |
|---|---:|---:|
`, time.Now().Format(time.DateOnly), agents, strings.Fields(string(load))[0], visits)
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(r, " | "))
	}
	return b.String()
}
