package main

import (
	"fmt"
	"os"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"parley"
	"parley/internal/must"
	"parley/internal/testhome"
	"parley/internal/testpage"
)

// Texts of others that are written from right to left, and characters that turn the direction of what follows.
const (
	hebrew  = "תכנית השחרור 2"
	arabic  = "مراجع الشيفرة (v1)"
	turning = "a\u202Eb\u2067c\u200Fd"
)

// The page follows what its reader asks of the system: more contrast, colours of the system's own, less motion, larger
// letters; and it can be read in either direction, and used without a pointer.
func TestPageFitsItsReader(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a browser takes half a minute")
	}
	browser := testpage.Start(t)
	h := testhome.New(t)
	testhome.Run[parley.LaunchAgentResult](t, h, "launch", "asker", "--role", arabic, "--", "parley", "demo-agent",
		"--dialog-at-start")
	testhome.Run[parley.LaunchAgentResult](t, h, "launch", "worker", "--role", turning, "--", "parley", "demo-agent",
		"--on", ".", "--reply", "Done.", "--work", "10ms")
	testhome.Run[parley.CreateThreadResult](t, h, "thread", "create", hebrew+" "+turning, "worker", "--message",
		arabic+" "+turning)
	testhome.Run[parley.SendMessageResult](t, h, "send", "worker", hebrew)

	p := &pageTest{h: h, browser: browser}
	r := &readerTest{phone: p.opens(t, 360, 740), desk: p.opens(t, 1400, 900)}
	r.phone.Until("document.querySelector('[data-kind=dialog]')")
	t.Run("colours of the system", r.forcedColours)
	t.Run("more contrast", r.contrast)
	t.Run("less motion", r.motion)
	t.Run("larger letters", r.letters)
	t.Run("from right to left", r.rightToLeft)
	t.Run("without a pointer", r.keyboard)
}

// readerTest is a page on a phone and on a desk.
type readerTest struct{ phone, desk *testpage.Tab }

var readViews = []string{"needs", "agents", "agent/worker", "tiles", "pictures", "traffic", "threads", "workspaces"}

const viewThere = "document.querySelector('.rows li, .agents li, iframe, .terminal pre div, .tile pre div, " +
	".picture, main .empty, .card')"

// asks sets what a reader asks of the system.
func asks(x *testpage.Tab, features ...*emulation.MediaFeature) {
	x.Helper()
	must.Have(chromedp.Call(x.Ctx, emulation.SetEmulatedMedia,
		emulation.SetEmulatedMediaParams{Features: features}))(x.T)
}

func feature(name, value string) *emulation.MediaFeature {
	return &emulation.MediaFeature{Name: name, Value: value}
}

// sends writes to the worker, so that a receipt with its rungs is shown.
func (r *readerTest) sends(x *testpage.Tab) {
	x.Goes("agent/worker")
	if !testpage.JS[bool](x, "!!document.querySelector('.rungs i.on')") {
		x.Writes(".write textarea", "Please check the build.")
		x.Taps(".write", "Send")
	}
	x.Until("document.querySelector('.rungs i.on')")
}

// What a colour or a shadow tells is told by a line or a mark, where the system chooses the colours.
func (r *readerTest) forcedColours(t *testing.T) {
	for _, scheme := range []string{"light", "dark"} {
		x := r.desk.Of(t)
		asks(x, feature("forced-colors", "active"), feature("prefers-color-scheme", scheme))
		r.sends(x)
		for what, differs := range map[string]string{
			"a line that is live": "style('.dot.live').backgroundColor !== style('body').backgroundColor",
			"the view that is open": "style('nav a[aria-current]').outlineStyle === 'solid' && style('nav " +
				"a:not([aria-current])').outlineStyle === 'none'",
			"how far a message came": "style('.rungs i.on').backgroundColor !== style('body').backgroundColor " +
				"&& style('.rungs i:not(.on), .rungs').borderStyle !== undefined",
			"how many things wait":    "style('nav .count').borderStyle === 'solid'",
			"the button that sends":   "style('.write button').borderStyle === 'solid'",
			"what waits, by its mark": "style('.status.waits i').backgroundColor !== style('body').backgroundColor",
			"a terminal, by its colours": "style('.terminal .screen, .terminal pre').backgroundColor !== " +
				"style('body').backgroundColor || " + fmt.Sprint(scheme == "dark"),
		} {
			if !testpage.JS[bool](x, "(style => "+differs+")(s => getComputedStyle(document.querySelector(s)))") {
				t.Errorf("%s: %s is not told", scheme, what)
			}
		}
		for _, view := range readViews {
			x.Goes(view)
			x.Until(viewThere)
			x.Picture(fmt.Sprintf("forced-%s-%s", scheme, plainName(view)))
		}

		// One tap arms a button: that is seen, too.
		x.Goes("needs")
		x.Taps("[data-kind=dialog]", "Yes")
		x.Until("getComputedStyle(document.querySelector('.armed')).backgroundColor !== " +
			"getComputedStyle(document.querySelector('.option:not(.armed)')).backgroundColor")
		testpage.JS[bool](x, "(document.activeElement.blur(), true)")
		asks(x)
		x.Clean()
	}
}

// Seven to one, where more contrast is asked for.
func (r *readerTest) contrast(t *testing.T) {
	axe, err := os.ReadFile(axeFile)
	if err != nil {
		t.Skip("axe-core is not there: build/web-types fetches it")
	}
	for _, x := range []*testpage.Tab{r.phone.Of(t), r.desk.Of(t)} {
		testpage.JS[bool](x, string(axe)+";true")
		for _, scheme := range []string{"light", "dark"} {
			asks(x, feature("prefers-contrast", "more"), feature("prefers-color-scheme", scheme))
			for _, view := range readViews {
				x.Goes(view)
				x.Until(viewThere)
				hinders(x, fmt.Sprintf("%s, %s, with more contrast", view, scheme), strict)
				x.Picture(fmt.Sprintf("contrast-%s-%s", scheme, plainName(view)))
			}
		}
		asks(x)
	}
}

func (r *readerTest) motion(t *testing.T) {
	x := r.phone.Of(t)
	r.sends(x)
	const moving = `[...document.querySelectorAll('*')].filter(e => { const s = getComputedStyle(e);
		return s.transitionDuration !== '0s' || s.animationName !== 'none' || s.scrollBehavior === 'smooth' }).length`
	if testpage.JS[int](x, moving) == 0 {
		t.Error("nothing moves, so nothing is tested")
	}
	asks(x, feature("prefers-reduced-motion", "reduce"))
	if n := testpage.JS[int](x, moving); n > 0 {
		t.Errorf("%d elements move", n)
	}
	asks(x)
}

// Letters of twice the size, as a browser's own setting makes them.
func (r *readerTest) letters(t *testing.T) {
	for _, x := range []*testpage.Tab{r.phone.Of(t), r.desk.Of(t)} {
		before := testpage.JS[float64](x, "parseFloat(getComputedStyle(document.body).fontSize)")
		testpage.JS[bool](x, "(document.documentElement.style.fontSize = '32px', true)")
		if now := testpage.JS[float64](x, "parseFloat(getComputedStyle(document.body).fontSize)"); now != 2*before {
			t.Errorf("letters of %v pixels became %v", before, now)
		}
		for _, view := range readViews {
			x.Goes(view)
			x.Until(viewThere)
			x.Fits(view + " with letters of twice the size")
			x.Picture(fmt.Sprintf("letters-%d-%s", testpage.JS[int](x, "innerWidth"), plainName(view)))
		}
		testpage.JS[bool](x, "(document.documentElement.style.fontSize = '', true)")
	}
}

// A name keeps its direction to itself: what stands behind it in the text stands behind it on the page.
func (r *readerTest) rightToLeft(t *testing.T) {
	for _, x := range []*testpage.Tab{r.phone.Of(t), r.desk.Of(t)} {
		x.Goes("threads")
		x.Until("document.querySelector('.rows bdi')")
		const inOrder = `[...document.querySelectorAll('.rows .row, .agents .row, .side a, header.row')].filter(row => {
			const parts = [...row.children].map(e => e.getBoundingClientRect()).filter(b => b.width);
			return parts.some((b, i) => i && b.top < parts[i - 1].bottom - 2 && b.left < parts[i - 1].left) }).map(e => e.outerHTML.slice(0, 200)).join('\n')`
		for _, view := range []string{"threads", "traffic", "agents", "needs"} {
			x.Goes(view)
			x.Until(viewThere)
			if found := testpage.JS[string](x, inOrder); found != "" {
				t.Errorf("%s: what follows a name stands before it: %s", view, found)
			}
			x.Fits(view)
			x.Picture(fmt.Sprintf("rtl-%d-%s", testpage.JS[int](x, "innerWidth"), view))
		}
		x.Goes("agents")
		x.Until("document.querySelectorAll('.agents li').length == 2")
		if !testpage.JS[bool](x,
			fmt.Sprintf("[...document.querySelectorAll('.agents [dir=auto]')].some(e => e.innerText === %q && "+
				"getComputedStyle(e).direction === 'rtl')", arabic)) {
			t.Error("a role in Arabic is not read from right to left")
		}

		// Every text of others stands in an element that keeps its direction to itself.
		for _, view := range readViews {
			x.Goes(view)
			x.Until(viewThere)
			loose := testpage.JS[string](x, `(() => {
				const strange = /[\u0590-\u08ff\u202a-\u202e\u2066-\u2069\u200e\u200f]/;
				const out = [];
				const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
				for (let n; (n = walk.nextNode());) {
					const e = n.parentElement;
					if (strange.test(n.data) && !e.closest('bdi, [dir=auto], pre, .xterm, svg, title')) out.push(e.outerHTML.slice(0, 160));
				}
				return out.join('\n');
			})()`)
			if loose != "" {
				t.Errorf("%s: turns what stands around it: %s", view, loose)
			}
		}
		x.Clean()
	}
}

// Whatever can be tapped is reached with Tab and shows that it has the focus; a question is answered with keys alone.
func (r *readerTest) keyboard(t *testing.T) {
	x := r.desk.Of(t)
	press := func(key string) { must.Do(t, chromedp.Do(x.Ctx, chromedp.KeyEvent(key))) }
	const all = `[...document.querySelectorAll('a[href], button:not(:disabled), input, textarea, summary, ` +
		`[tabindex="0"]')].filter(e => e.checkVisibility() && !e.closest('.xterm'))`
	for _, view := range []string{"agents", "traffic", "threads", "pictures", "needs"} {
		x.Goes(view)
		x.Until(map[bool]string{true: "document.querySelector('.picture')", false: viewThere}[view == "pictures"])
		testpage.JS[bool](x, "(document.activeElement.blur(), getSelection().removeAllRanges(), window.reached = "+
			"new Set(), true)")
		for range 300 {
			press(kb.Tab)
			testpage.JS[bool](x, `(e => { if (e !== document.body) { window.reached.add(e);
				const s = getComputedStyle(e); if (s.outlineStyle === 'none' || parseFloat(s.outlineWidth) < 1) (window.unseen ??= []).push(e.outerHTML.slice(0, 160)) } return true })(document.activeElement)`)
			if testpage.JS[bool](x, all+".every(e => window.reached.has(e))") {
				break
			}
		}
		if missed := testpage.JS[string](x, all+".filter(e => !window.reached.has(e)).map(e => e.outerHTML.slice(0, "+
			"160)).join('\\n')"); missed != "" {
			t.Errorf("%s: Tab does not reach %s", view, missed)
		}
		if unseen := testpage.JS[string](x, "[...new Set(window.unseen ?? [])].join('\\n')"); unseen != "" {
			t.Errorf("%s: the focus is not seen on %s", view, unseen)
		}
	}

	press("1")
	x.Until("document.querySelector('[data-kind=dialog] .option')")
	testpage.JS[bool](x, "(document.activeElement.blur(), true)")
	for range 100 {
		if press(kb.Tab); testpage.JS[bool](x, "document.activeElement.matches('[data-kind=dialog] .option')") {
			break
		}
	}
	press(kb.Enter)
	x.Until("document.activeElement.matches('.option.armed')")
	must.Become(x, "keys answer", func() bool {
		if testpage.JS[bool](x, "document.activeElement.matches('.option.armed')") {
			press(kb.Enter)
		}
		return testpage.JS[bool](x, "!!document.querySelector('.outcome')")
	})
	x.Shows("Sent: “1. Yes”")
	x.Clean()
}
