package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

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
		{"sends, and the receipt climbs", (*pageTest).sends},
		{"shows hostile texts as they are", (*pageTest).hostile},
		{"fits", (*pageTest).fitsEverywhere},
		{"can be used by everybody", (*pageTest).accessible},
		{"zooms into who did what", (*pageTest).zooms},
		{"stands still while it opens", (*pageTest).standsStill},
		{"loses the line, and goes on without a gap", (*pageTest).losesTheLine},
		{"only looks, and is revoked", (*pageTest).onlyLooks},
		{"says that an agent has ended, which it stops", (*pageTest).endedAgent},
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

	wide := p.opens(t, 1400, 900) // where there is room for the screen that asks
	wide.Until("document.querySelector('.beside .terminal pre')?.innerText.includes('May I go on with this?')")
	wide.Picture("needs-desk")
	wide.Clean()
}

func (p *pageTest) answers(t *testing.T) {
	x := p.phone.Of(t)
	x.Shows("May I go on with this?")

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

func (p *pageTest) sends(t *testing.T) {
	x := p.opens(t, 1400, 900)
	p.desk = x
	x.Goes("agent/worker")
	x.Until("document.querySelector('iframe, .terminal pre div') && document.querySelector('.write textarea')")
	x.Writes(".write textarea", "Please check the build.\r") // Enter sends
	x.Until("document.querySelector('.receipt .state[data-state=answered]')")
	x.Until(testpage.Screen + ".some(d => " +
		"d.textContent.includes('Please check the build.'))")
	x.Picture("agent-desk")
	p.sentOnce(t, "Please check the build")

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
			if view == "workspaces" {
				x.Shows("This page shows it.")
			}
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

// moved notes what shifts in the page: by how much, when, and which elements; and when the page last changed.
const moved = `window.moved = []; new PerformanceObserver(all => { for (const e of all.getEntries()) {
	const at = r => [r.x, r.y, r.width, r.height].map(Math.round).join(' ');
	const of = s => (s.node?.outerHTML ?? s.node?.textContent ?? 'what is gone').slice(0, 160) + ': ' + at(s.previousRect) + ' → ' + at(s.currentRect);
	window.moved.push(e.value.toFixed(4) + ' after ' + Math.round(e.startTime) + ' ms: ' + e.sources.map(of).join(' | '));
} }).observe({type: 'layout-shift', buffered: true});
	window.changed = 0;
	new MutationObserver(() => { window.changed = performance.now() }).observe(document, {childList: true, subtree: true, characterData: true})`

// standsStill looks that nothing that stands there moves while the page opens. On a slow line and a slow processor each
// state of the page is seen, that a quick one passes over.
func (p *pageTest) standsStill(t *testing.T) {
	for _, width := range []int64{390, 820, 1400} {
		x := testpage.Open(t, p.browser, "about:blank", width, 900)
		x.First(moved)
		x.Slow(4)
		x.On(testpage.Fast3G)
		link := testhome.Run[parley.OpenPageResult](t, p.h, "web")
		for _, address := range []string{link.URL(), link.Address + "?again#/agents", link.Address + "?more#/traffic"} {
			x.Visit(address)
			x.Until("document.querySelector('.dot.live') && performance.now() - window.changed > 1500") // all has come
			for _, shift := range testpage.JS[[]string](x, "window.moved") {
				t.Errorf("%q at %d shifts by %s", testpage.JS[string](x, "location.hash"), width, shift)
			}
		}
		x.Clean()
		x.Slow(1) // Chromium burns what it takes from the page
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
	x.Goes("agent/worker")
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

// plain removes what a name of a file may not have.
func plainName(name string) string {
	return strings.NewReplacer("/", "-", "?", "-", " ", "-").Replace(name)
}

// Away from the desk one starts agents and gives them files.
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

	for _, view := range []string{"past", "newthread", "sessions"} {
		x.Goes(view)
		x.Fits(view)
	}
	x.Clean()
}
