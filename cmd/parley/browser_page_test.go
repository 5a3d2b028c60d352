package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"parley"
	"parley/internal/must"
	"parley/internal/testhome"
	"parley/internal/testpage"
)

// The page in a real browser, with real agents of the demo. The parts share a team and follow each other.
func TestPageInABrowser(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a browser takes half a minute")
	}
	browser := testpage.Start(t)
	h := testhome.New(t)
	launch := func(name string, flags ...string) {
		args := append([]string{"launch", name, "--role", "<b>the " + name + "</b>", "--", "parley", "demo-agent"},
			flags...)
		testhome.Run[parley.LaunchAgentResult](t, h, args...)
	}
	launch("asker", "--dialog-at-start", "--dialog-on", "delete", "--work", "10ms")
	launch("worker", "--on", ".", "--reply", "Done.", "--work", "100ms")

	p := &pageTest{h: h, browser: browser}
	for _, part := range []struct {
		name string
		run  func(*pageTest, *testing.T)
	}{
		{"signs in once", (*pageTest).signsIn},
		{"answers a question", (*pageTest).answers},
		{"answers nothing that has changed", (*pageTest).answersNothingElse},
		{"sends, and the receipt climbs", (*pageTest).sends},
		{"shows hostile texts as they are", (*pageTest).hostile},
		{"knows the filters of the screen", (*pageTest).filters},
		{"fits", (*pageTest).fitsEverywhere},
		{"can be used by everybody", (*pageTest).accessible},
		{"zooms into who did what", (*pageTest).zooms},
		{"lists the workspaces", (*pageTest).listsWorkspaces},
		{"takes an answer that breaks off for a lost line", (*pageTest).brokenAnswers},
		{"stands still while it opens", (*pageTest).standsStill},
		{"loses the line, and goes on without a gap", (*pageTest).losesTheLine},
		{"only looks, and is revoked", (*pageTest).onlyLooks},
		{"says that an agent has ended, which it stops", (*pageTest).endedAgent},
		{"finds agents, and writes to several", (*pageTest).findsAndWritesToSeveral},
		{"does what one does away from the desk", (*pageTest).awayFromTheDesk},
	} {
		if !t.Run(part.name, func(t *testing.T) { part.run(p, t) }) {
			return
		}
	}
}

// pageTest is a team, and a browser that looks at it.
type pageTest struct {
	h           *testhome.Home
	browser     context.Context
	phone, desk *testpage.Tab // signed in, for all parts
}

// opens signs in with a new link.
func (p *pageTest) opens(t *testing.T, width, height int64, flags ...string) *testpage.Tab {
	t.Helper()
	return testpage.SignIn(t, p.h, p.browser, width, height, flags...)
}

func (p *pageTest) signsIn(t *testing.T) {
	link := testhome.Run[parley.OpenPageResult](t, p.h, "web")
	x := testpage.Open(t, p.browser, link.URL(), 360, 740)
	x.Until("document.querySelector('.card.waits')")
	p.phone = x
	x.Picture("needs-phone")
	x.Shows("Only this tab is signed in.")
	if hash := testpage.JS[string](x, "location.href"); strings.Contains(hash, "parley_") {
		t.Errorf("the code stays in the address: %s", hash)
	}
	res := must.Have(chromedp.Call(x.Ctx, network.GetCookies, network.GetCookiesParams{}))(t)
	if len(res.Cookies) > 0 {
		t.Errorf("it has cookies: %+v", res.Cookies)
	}
	x.Clean()

	again := testpage.Open(t, p.browser, link.URL(), 360, 740)
	again.Shows("This link has been used, or is too old.")
	again.Shows("parley web")
	again.Clean()

	// A spent code says nothing of the session that a page has.
	testpage.JS[bool](x, fmt.Sprintf("(location.hash = %q, true)", "#"+link.Code))
	x.Shows("You stay signed in.")
	x.Taps(".outcome.failed", "Done")
	x.Until("document.querySelector('.card.waits')")
	wide := p.opens(t, 1400, 900) // where there is room for the screen that asks
	wide.Until("document.querySelector('.beside .terminal pre')?.innerText.includes('May I go on with this?')")
	wide.Picture("needs-desk")
	wide.Clean()
	none := testpage.Open(t, p.browser, link.Address, 360, 740)
	none.Shows("run this in a terminal")
	none.Picture("door")
}

func (p *pageTest) answers(t *testing.T) {
	x := p.phone.Of(t)
	x.Shows("May I go on with this?")

	// Two taps that are one tap of a bouncing finger only choose.
	testpage.JS[bool](x, "(b => { b.focus(); b.click(); b.click(); return true })("+testpage.Button(
		"[data-kind=dialog]", "Yes")+")")
	x.Shows("Tap again to choose: Yes")
	x.Picture("needs-armed")
	if n := testhome.Run[parley.GetNeedsResult](t, p.h, "needs").Needs; len(n) == 0 || n[0].Kind != parley.NeedDialog {
		t.Errorf("one tap has answered: %+v", n)
	}
	testpage.JS[bool](x, "(document.activeElement.blur(), true)")
	x.Until("!document.querySelector('.armed')")

	// The tile of the agent has the same question.
	x.Goes("tiles")
	x.Until("document.querySelector('.tiles [data-kind=dialog] .option')")
	x.Shows("Answer with keys")
	x.Fits("a tile that asks")
	x.Picture("tile-asks")
	x.Confirms(".tiles [data-kind=dialog]", "Yes", "document.querySelector('.tiles .outcome')")
	x.Goes("needs")
	x.Shows("Sent: “1. Yes”")
	x.Until("!document.querySelector('[data-kind=dialog]')")
	x.Picture("needs-answered")
	x.Clean()
}

func (p *pageTest) answersNothingElse(t *testing.T) {
	x := p.phone.Of(t)
	testhome.Run[parley.SendMessageResult](t, p.h, "send", "asker", "delete it")
	x.Until("document.querySelector('[data-kind=dialog]')")

	// The page hears no more of needs, as on a slow line; meanwhile the question is answered elsewhere.
	testpage.JS[bool](x, `(real => { window.real = real; window.fetch = (u, o) => String(u).includes('get_needs') ? `+
		`new Promise((_, no) => { window.fails = no }) : real(u, o); return true })(fetch)`)
	// once the message is typed
	if !waitUntil(func() bool { return p.h.Command("answer", "asker", "2", "--yes").Run() == nil }) {
		t.Fatal("the question cannot be answered")
	}
	x.Confirms("[data-kind=dialog]", "Yes", "document.querySelector('.outcome.failed')")
	x.Shows("The question changed before your answer, so nothing was sent.")
	if !testpage.JS[bool](x, "document.activeElement.matches('.outcome.failed') && "+
		"!!document.activeElement.nextElementSibling?.matches('[data-kind=dialog]')") {
		t.Error("what came of the answer has not the focus, or does not stand where the question did")
	}
	testpage.JS[bool](x, "(window.fetch = window.real, window.fails?.(new TypeError('no line')), true)")
	x.Clean()
}

func (p *pageTest) sends(t *testing.T) {
	x := p.opens(t, 1400, 900)
	p.desk = x
	x.Goes("agent/worker")
	x.Until("document.querySelector('iframe, .terminal pre div') && document.querySelector('.write textarea')")
	fill := func(text string) {
		testpage.JS[bool](x,
			fmt.Sprintf(`(b => { b.value = %q; b.dispatchEvent(new Event('input')); return true `+
				`})(document.querySelector('.write textarea'))`, text))
	}
	fill(strings.Repeat("a", 2001))
	x.Shows("1 characters too many")
	if !testpage.JS[bool](x, "document.querySelector('.write .main').disabled") {
		t.Error("a text that is too long can be sent")
	}
	fill("")

	x.Writes(".write textarea", "Please check the build.\r") // Enter sends
	x.Until("document.querySelector('.receipt .state[data-state=answered]')")
	x.Until(testpage.Screen + ".some(d => " +
		"d.textContent.includes('Please check the build.'))")
	x.Picture("agent-desk")
	p.sentOnce(t, "Please check the build")

	if !testpage.JS[bool](x, "document.querySelector('.write .main').disabled") {
		t.Error("nothing can be sent")
	}
	x.Clean()
}

// sentOnce fails unless one message has a text.
func (p *pageTest) sentOnce(t *testing.T, text string) {
	t.Helper()
	found := testhome.Run[parley.SearchMessagesResult](t, p.h, "find", fmt.Sprintf("%q", text)).Messages
	mine := 0
	for i := range found {
		if found[i].SenderName == parley.OperatorName {
			mine++
		}
	}
	if mine != 1 {
		t.Errorf("%q was sent %d times", text, mine)
	}
}

func (p *pageTest) hostile(t *testing.T) {
	x := p.phone.Of(t)
	text := `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script> \u202Eesrever ` +
		strings.Repeat("W", 400)
	testhome.Run[parley.SendMessageResult](t, p.h, "send", "asker", text)
	for _, view := range []string{"traffic", "agents", "agent/asker", "needs"} {
		x.Goes(view)
		x.Until("document.querySelector('.rows li, .agents li, iframe, .terminal pre div, .empty, .card')")
		x.Fits(view)
	}
	x.Goes("traffic")
	x.Shows("<img src=x onerror=")
	x.Goes("agents")
	x.Shows("<b>the asker</b>")
	if testpage.JS[bool](x, "!!document.querySelector('#app img, #app script, #app b.the') || "+
		"document.title.includes('owned')") {
		t.Error("a text of others became markup")
	}
	x.Clean()
}

// The daemon reads the filter, and says what is wrong with it.
func (p *pageTest) filters(t *testing.T) {
	x := p.phone.Of(t)
	x.Goes("traffic")
	types := func(text string) {
		testpage.JS[bool](x,
			fmt.Sprintf(`(b => { b.value = %q; b.dispatchEvent(new Event('input')); return true `+
				`})(document.getElementById('filter'))`, text))
	}
	x.Until("document.getElementById('filter') && document.querySelectorAll('.rows li').length > 1")
	types("from:you build since:today")
	x.Until("document.querySelectorAll('.rows li').length == 1")
	x.Shows("Please check the build.")
	types("from:you is:nonsense")
	x.Shows("is:nonsense is not known.")
	types("from:")
	x.Until("document.querySelectorAll('.rows li').length > 1 && !document.querySelector('.bad[role=status]')")
	types("")
	x.Clean()
}

func (p *pageTest) fitsEverywhere(t *testing.T) {
	testhome.Run[parley.CreateThreadResult](t, p.h, "thread", "create", "Release plan of a rather long name", "worker",
		"--message", "Who does what?")
	// the second is 1400 at a zoom of 200 %
	for _, size := range [][2]int64{{360, 740}, {700, 450}, {820, 1180}, {1400, 900}} {
		x := p.desk.Of(t)
		if size[0] < 600 {
			x = p.phone.Of(t)
		}
		must.Do(t, chromedp.Do(x.Ctx, chromedp.EmulateViewport(size[0], size[1])))
		for _, view := range []string{"needs", "agents", "agent/worker", "tiles", "pictures", "traffic", "threads",
			"workspaces"} {
			x.Goes(view)
			x.Until("document.querySelector('.rows li, .agents li, iframe, .terminal pre div, .tile pre " +
				"div, .picture, .empty, .card')")
			x.Fits(fmt.Sprintf("%s at %d", view, size[0]))
			x.Picture(fmt.Sprintf("%s-%d", plainName(view), size[0]))
		}
		x.Goes("threads")
		x.Until(`document.querySelector('.rows a[href^="#/thread/"]')`)
		testpage.JS[bool](x, `(document.querySelector('.rows a[href^="#/thread/"]').click(), true)`)
		x.Until("document.querySelector('.posts li')")
		x.Fits("a thread")
		x.Picture(fmt.Sprintf("thread-%d", size[0]))
		x.Clean()
	}
}

// axeFile is axe-core, where build/web-types has fetched it.
const axeFile = "../../.build/web-types/node_modules/axe-core/axe.min.js"

// accessible looks with axe-core for what keeps somebody from using the page. Screens of agents are not the page's.
func (p *pageTest) accessible(t *testing.T) {
	axe, err := os.ReadFile(axeFile)
	if err != nil {
		t.Skip("axe-core is not there: build/web-types fetches it")
	}
	for name, x := range map[string]*testpage.Tab{"phone": p.phone.Of(t), "desk": p.desk.Of(t)} {
		testpage.JS[bool](x, string(axe)+";true")
		for _, scheme := range []string{"light", "dark"} {
			must.Have(chromedp.Call(x.Ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
				Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}))(t)
			for _, view := range []string{"needs", "agents", "agent/worker", "tiles", "pictures", "traffic", "threads",
				"workspaces"} {
				x.Goes(view)
				x.Until("document.querySelector('.rows li, .agents li, iframe, .terminal pre div, .tile " +
					"pre div, .picture, .empty, .card')")
				hinders(x, fmt.Sprintf("%s on a %s, %s", view, name, scheme))
				x.Picture(fmt.Sprintf("%s-%s-%s", plainName(view), name, scheme))
			}
		}
	}
}

// strict is the rule of axe-core for more contrast, which is not of AA.
const strict = "color-contrast-enhanced"

// hinders fails with what axe-core finds, by the rules of AA and by more.
func hinders(x *testpage.Tab, view string, more ...string) {
	x.Helper()
	rules := map[string]map[string]bool{}
	for _, rule := range more {
		rules[rule] = map[string]bool{"enabled": true}
	}
	also := must.Have(json.Marshal(rules))(x.T)
	testpage.JS[bool](x, `(window.found = null, axe.run({exclude: ['.terminal pre', 'iframe', '.tile pre', '.asked']},
		{resultTypes: ['violations'], rules: `+string(also)+`, runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']}).then(r => {
		window.found = r.violations.map(v => v.id + ': ' + v.nodes.map(n => n.html.slice(0, 160)).slice(0, 3).join(' ; ')).join('\n') }), true)`)
	x.Until("window.found !== null")
	if found := testpage.JS[string](x, "window.found"); found != "" {
		x.Errorf("%s: %s", view, found)
	}
}

// A message is an arrow; keys, the wheel and buttons zoom, and the table has what is shown.
func (p *pageTest) zooms(t *testing.T) {
	x := p.desk.Of(t)
	x.Goes("pictures")
	x.Until("document.querySelectorAll('.timeline .arrow').length > 0 && document.querySelector('.timeline rect')")
	testpage.JS[bool](x, "(window.span = () => document.querySelector('[data-arrows]').getAttribute('aria-label'), "+
		"window.all = window.span(), true)")
	press := func(key string) {
		testpage.JS[bool](x,
			fmt.Sprintf("document.querySelector('[data-arrows]').dispatchEvent(new KeyboardEvent('keydown', {key: "+
				"%q, bubbles: true, cancelable: true}))", key))
	}
	press("+")
	x.Until("window.span() !== window.all && !document.querySelector('[aria-label=Zoom] " +
		"[aria-label=Farther]').disabled")
	x.Picture("timeline-near")
	testpage.JS[bool](x, "(window.near = window.span(), true)")
	press("ArrowLeft")
	x.Until("window.span() !== window.near")
	press("0")
	x.Until("document.querySelector('[aria-label=Zoom] [aria-label=Farther]').disabled")
	testpage.JS[bool](x, "document.querySelector('[data-arrows] svg').dispatchEvent(new WheelEvent('wheel', "+
		"{deltaY: -100, ctrlKey: true, clientX: 900, bubbles: true, cancelable: true}))")
	x.Until("!document.querySelector('[aria-label=Zoom] [aria-label=Farther]').disabled")
	x.Taps("[aria-label=Zoom]", "All")
	x.Until("document.querySelector('[aria-label=Zoom] [aria-label=Farther]').disabled")
	testpage.JS[bool](x, "(document.querySelector('figure details').open = true)")
	x.Until("[...document.querySelectorAll('figure .numbers')][0].innerText.includes('wrote at') && " +
		"[...document.querySelectorAll('figure .numbers tr')].some(r => r.innerText.includes('operator') || " +
		"r.innerText.includes('you'))")
	x.Clean()
}

// W shows all workspaces of the user, what waits in each and the command that opens it.
func (p *pageTest) listsWorkspaces(t *testing.T) {
	other := t.TempDir()
	must.Do(t, p.h.Command("serve", "--workspace", other).Run())
	defer func() { must.Do(t, p.h.Command("down", "--workspace", other).Run()) }()

	x := p.opens(t, 1400, 900)
	must.Do(t, chromedp.Do(x.Ctx, chromedp.KeyEvent("W")))
	x.Until("document.querySelectorAll('[data-workspace]').length == 2")
	x.Shows("This page shows it.")
	x.Shows("no agents")
	x.Until(fmt.Sprintf("document.querySelector('[data-workspace$=%q] code')?.textContent.endsWith(' web')",
		filepath.Base(other)))
	x.Picture("workspaces")
	must.Do(t, p.h.Command("down", "--workspace", other).Run())
	x.Shows("not running")
	x.Clean()
}

// A browser ends the requests of a page that is left, and a line may break in the midst of an answer: neither is an
// error of the page, and it asks again.
func (p *pageTest) brokenAnswers(t *testing.T) {
	x := p.desk.Of(t)
	x.Goes("agent/worker")
	for name, answer := range map[string]string{
		"ended by the browser": "Promise.reject(new DOMException('The user aborted a request.', 'AbortError'))",
		"no line":              "Promise.reject(new TypeError('Failed to fetch'))",
		"half an answer": "Promise.resolve(new Response(new ReadableStream({start(c) { c.enqueue(new " +
			"TextEncoder().encode('{\"ne')); c.error(new TypeError('network error')) }})))",
		"an answer cut off": "Promise.resolve(new Response('{\"needs\": ['))",
		"ended in its midst": "Promise.resolve(new Response(new ReadableStream({start(c) { c.error(new " +
			"DOMException('left', 'AbortError')) }})))",
	} {
		testpage.JS[bool](x, fmt.Sprintf(`(real => { window.real = real; window.asked = {}; window.fetch = (u, o) => {
			const path = String(u).split("?")[0];
			if (!path.startsWith('/api/') || path.includes('/api/events')) return real(u, o);
			window.asked[path] = (window.asked[path] ?? 0) + 1;
			return %s }; window.stirs = setInterval(() => document.dispatchEvent(new Event('visibilitychange')), 300); return true })(fetch)`, answer))
		x.Until("window.asked['/api/get_needs'] > 1 && (window.asked['/api/read_terminal'] ?? 0) > 1")
		testpage.JS[bool](x, "(clearInterval(window.stirs), window.fetch = window.real, window.shown = "+
			"document.querySelector('.note.bad')?.textContent ?? '', true)")
		if said := testpage.JS[string](x, "window.shown"); said != "" {
			t.Errorf("%s: it says %q", name, said)
		}
		x.Clean()
	}

	// The browser knows first: nobody waits until a silent stream is given up.
	testpage.JS[bool](x, "(window.fetch = () => new Promise(() => {}), dispatchEvent(new Event('offline')), true)")
	x.Shows("Offline since")

	must.Do(t, chromedp.Do(x.Ctx, chromedp.Reload()))
	x.Until("document.querySelector('.dot.live')")
	x.Clean()
}

// Nothing that stands there moves while the page opens.
func (p *pageTest) standsStill(t *testing.T) {
	for _, width := range []int64{390, 820, 1400} {
		x := testpage.Open(t, p.browser, "about:blank", width, 900)
		x.First(`window.moved = ''; new PerformanceObserver(all => { for (const e of all.getEntries())
			window.moved += e.value.toFixed(3) + ' ' }).observe({type: 'layout-shift', buffered: true})`)
		link := testhome.Run[parley.OpenPageResult](t, p.h, "web")
		x.Visit(link.URL())
		x.Until("document.querySelector('.dot.live')")
		if moved := testpage.JS[string](x, "window.moved"); moved != "" {
			t.Errorf("at %d the page shifts by %s", width, moved)
		}
		x.Clean()
	}
}

func (p *pageTest) losesTheLine(t *testing.T) {
	x, other := p.phone.Of(t), p.desk.Of(t)
	x.Goes("agent/worker")
	other.Goes("traffic")
	pid := testhome.Run[parley.WorkspaceStatusResult](t, p.h, "status").PID
	must.Do(t, syscall.Kill(pid, syscall.SIGKILL))
	x.Shows("Offline since")
	x.Writes(".write textarea", "Sent while it was away.")
	x.Taps(".write", "Send")
	x.Shows("It is sent once, when that is back.")
	x.Picture("offline")
	testpage.JS[bool](other, `(real => { window.fetch = (u, o) => String(u) === '/page/mark'
		? Promise.resolve(new Response('{"mark":"0123456789ab","version":"99.0"}')) : real(u, o); return true })(fetch)`)

	testhome.Run[parley.SendMessageResult](t, p.h, "send", "worker", "Sent by another way.") // which starts the daemon
	x.Until("document.querySelector('.dot.live') && document.querySelector('.receipt .state[data-state=answered]')")
	p.sentOnce(t, "Sent while it was away")
	other.Shows("Sent while it was away.")
	other.Shows("Sent by another way.")
	if n := testpage.JS[int](other, "[...document.querySelectorAll('.rows li')].filter(l => "+
		"l.innerText.includes('Sent by another way.')).length"); n != 1 {
		t.Errorf("a message stands there %d times", n)
	}
	if testpage.JS[bool](x, "document.body.innerText.includes('Offline since')") {
		t.Error("it still says that it is offline")
	}
	if testpage.JS[bool](x, "!!document.querySelector('.another')") {
		t.Error("it says that it is old after a start of the same build")
	}

	// The other page has lived through an update.
	other.Shows("The daemon is of another version than this page: parley 99.0")
	other.Picture("another-version")
	must.Do(t, chromedp.Do(other.Ctx, chromedp.KeyEvent("r")))
	other.Until("document.querySelector('.dot.live') && !document.querySelector('.another')")
	if n := testpage.JS[int](other, "performance.getEntriesByType('resource').filter(e => e.name.includes('/page/') "+
		"&& e.name.endsWith('.js') && e.transferSize).length"); n != 0 {
		t.Errorf("%d modules of the same build came over the line again", n)
	}
	other.Clean()
}

func (p *pageTest) onlyLooks(t *testing.T) {
	x := p.opens(t, 360, 740, "--watch")
	x.Shows("only looking")
	x.Goes("workspaces")
	if testpage.JS[bool](x, "!!document.querySelector('.workspaces')") {
		t.Error("it shows the other workspaces")
	}
	x.Goes("agent/worker")
	x.Until("document.querySelector('iframe, .terminal pre div')")
	if testpage.JS[bool](x, "!!document.querySelector('.write, .option')") {
		t.Error("it offers to write")
	}
	if got := x.Asks("send_message", `{"to":"worker","text":"x"}`); got != 403 {
		t.Errorf("a call that sends is answered with %d", got)
	}

	// On the phone it is told, and ended there.
	y := p.phone.Of(t)
	y.Shows("A link was opened in Chrome on Linux at 127.0.0.1")
	for _, k := range testhome.Run[struct{ Sessions []parley.Key }](t, p.h, "web", "--sessions").Sessions {
		if k.Origin == parley.KeyWatch {
			y.Goes("sessions")
			y.Confirms("[data-session="+k.KeyID+"]", "End", "document.querySelector('.outcome')")
		}
	}
	x.Shows("This session has ended")
	y.Picture("sessions")
	y.Clean()
	x.Picture("revoked")
}

func (p *pageTest) endedAgent(t *testing.T) {
	x := p.phone.Of(t)
	x.Goes("agent/worker")
	x.Until("document.querySelector('iframe, .terminal pre div')")
	testpage.JS[bool](x, "(document.querySelector('.talk .more').open = true)")
	x.Confirms(".talk .more", "Stop", "document.querySelector('.outcome')")
	x.Shows("It has left the team.")
	x.Shows("This is what it showed at")
	x.Shows("not in the team")
	x.Picture("ended")
	x.Clean()
}

// Among many agents one is found by what its row shows, and those that are found get one message.
func (p *pageTest) findsAndWritesToSeveral(t *testing.T) {
	for i := range 6 {
		testhome.Run[parley.RegisterAgentResult](t, p.h, "register", fmt.Sprintf("crowd-%d", i))
	}
	x := p.phone.Of(t)
	x.Goes("agents")
	x.Until("document.querySelectorAll('.agents li').length == 7")
	finds := func(text string) {
		testpage.JS[bool](x, fmt.Sprintf(`(b => { b.value = %q; b.dispatchEvent(new Event('input')); return true `+
			`})(document.getElementById('filter'))`, text))
	}
	finds("ask")
	x.Until("document.querySelectorAll('.agents li').length == 1")
	finds("nobody")
	x.Shows("No agent matches.")
	finds("CROWD")
	x.Shows("Write to the 6 that are shown")
	testpage.JS[bool](x, "(document.querySelector('.more').open = true)")
	x.Writes(".more textarea", "Stop for today.")
	x.Taps(".more", "Send")
	x.Until("document.querySelectorAll('.receipt .ladder').length == 6")
	x.Fits("a message to several")
	x.Picture("several")
	p.sentOnce(t, "Stop for today")
	x.Clean()
}

// waitUntil waits for a fact.
func waitUntil(fact func() bool) bool {
	for deadline := time.Now().Add(testhome.Patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if fact() {
			return true
		}
	}
	return false
}

// plain removes what a name of a file may not have.
func plainName(name string) string {
	return strings.NewReplacer("/", "-", "?", "-", " ", "-").Replace(name)
}

// Away from the desk one starts agents, opens threads, gives files, and pauses; what can be is taken back.
func (p *pageTest) awayFromTheDesk(t *testing.T) {
	x := p.phone.Of(t)
	x.Goes("launch")
	x.Until("[...document.querySelectorAll('.form option')].some(o => o.value === 'demo')")
	testpage.JS[bool](x, `(s => { s.value = 'demo'; s.dispatchEvent(new Event('change')); return true })(`+
		`document.querySelector('.form select'))`)
	x.Writes(".form input", "newcomer")
	x.Fits("the form of a launch")
	x.Confirms(".form", "Start", "location.hash === '#/agent/newcomer' && document.querySelector('.attach')")

	testpage.JS[bool](x, `(i => { const d = new DataTransfer(); d.items.add(new File(['notes'], 'notes.txt')); i.files = d.files;
		i.dispatchEvent(new Event('change')); return true })(document.querySelector('.attach input'))`)
	x.Shows("notes.txt sent to newcomer")
	x.Goes("health")
	x.Until("[...document.querySelectorAll('main li')].some(l => l.innerText.includes('notes.txt'))")
	x.Fits("health")
	x.Picture("health")

	before := filepath.Join(p.h.Dir, "h/.claude/projects/-gone/11111111-0000-4000-8000-000000000000.jsonl")
	must.Do(t, os.MkdirAll(filepath.Dir(before), 0o700))
	must.Do(t, os.WriteFile(before, []byte(`{"type":"user","cwd":"/gone","message":{"content":"mend <b>it"}}`), 0o600))
	x.Goes("past")
	x.Shows("mend <b>it")
	x.Shows("its directory is gone")
	x.Writes("main input", "zebra")
	x.Shows("No conversation was found.")
	x.Fits("conversations from before")

	x.Goes("newthread")
	x.Writes(".form input", "The plan")
	x.Taps(".form", "newcomer")
	x.Fits("the form of a thread")
	x.Confirms(".form", "Open", "location.hash.startsWith('#/thread/') && document.querySelector('.more')")
	testpage.JS[bool](x, "(document.querySelector('.more').open = true)")
	x.Confirms(".more", "Mute", "document.querySelector('.outcome')")
	x.Shows("is muted until you unmute it")
	x.Taps(".outcome", "Undo")
	x.Shows("is not muted any more")
	x.Fits("the people of a thread")

	testpage.JS[bool](x, "(document.querySelector('.menu button').click(), true)")
	x.Confirms(".sheet", "Pause all messages",
		"document.querySelector('.notices').innerText.includes('Messages are paused')")
	if testhome.Run[parley.WorkspaceStatusResult](t, p.h, "status").Paused == nil {
		t.Error("messages are not paused")
	}
	x.Taps(".notices", "Let them go on")
	x.Until("!document.querySelector('.notices').innerText.includes('paused')")
	x.Clean()
}
