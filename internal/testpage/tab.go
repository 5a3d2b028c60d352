// Package testpage drives the page in a real browser, for tests.
package testpage

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	cdpruntime "github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"parley"
	"parley/internal/must"
	"parley/internal/testhome"
	"parley/internal/wait"
)

// shared is the browser of all tests that want one at a time: to start one takes longer than many of them do.
var shared struct {
	mu    sync.Mutex
	users int
	ctx   context.Context
	stop  func()
}

// Start returns a headless Chromium for a test, whose tabs end with it. Without one that starts, the test is skipped.
func Start(t *testing.T) context.Context {
	t.Helper()
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.users == 0 {
		shared.ctx, shared.stop = launch(t)
	}

	shared.users++
	ctx, end := context.WithCancel(shared.ctx)
	t.Cleanup(func() {
		end()
		shared.mu.Lock()
		defer shared.mu.Unlock()
		if shared.users--; shared.users == 0 {
			shared.stop()
		}
	})

	return ctx
}

// launch starts a browser.
func launch(t *testing.T) (browser context.Context, stop func()) {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if found, err := exec.LookPath(name); err == nil && path == "" {
			path = found
		}
	}
	if path == "" {
		t.Skip("the page is NOT tested in a browser: Chromium is not installed; build/need chromium installs it")
	}

	dir := must.Have(os.MkdirTemp("", "parley-chromium"))(t)
	opts := append([]chromedp.ExecAllocatorOption{}, chromedp.DefaultExecAllocatorOptions[:]...)
	opts = append(opts, chromedp.ExecPath(path), chromedp.DisableGPU, chromedp.UserDataDir(dir),
		chromedp.Env("HOME="+dir, "TMPDIR="+dir, "XDG_CONFIG_HOME=", "XDG_CACHE_HOME="),
		chromedp.WSURLReadTimeout(testhome.Patience),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-quic", true))
	if os.Getuid() == 0 {
		opts = append(opts, chromedp.NoSandbox)
	}
	allocator, kill := chromedp.NewExecAllocator(context.Background(), opts...)
	browser, end := chromedp.NewContext(allocator)
	stop = func() { end(); kill(); _ = os.RemoveAll(dir) }

	started := make(chan error, 1)
	go func() { started <- chromedp.Do(browser) }()
	select {
	case err := <-started:
		if err != nil {
			stop()
			t.Skipf("the page is NOT tested in a browser: %s does not start: %v", path, err)
		}
	case <-time.After(testhome.Patience):
		stop()
		t.Skipf("the page is NOT tested in a browser: %s does not start", path)
	}

	return browser, stop
}

// Tab is a page in a browser, with a storage of its own.
type Tab struct {
	*testing.T
	Ctx context.Context // of the browser's tab

	mu       sync.Mutex
	problems []string // what the page printed as errors, and what its policy stopped
}

// Open opens an address in a window of a size. A narrow one is a phone.
func Open(t *testing.T, browser context.Context, address string, width, height int64) *Tab {
	t.Helper()
	ctx, _ := chromedp.NewContext(browser, chromedp.WithNewBrowserContext()) // it ends with the test
	must.Do(t, chromedp.Do(ctx))

	x := &Tab{T: t, Ctx: ctx}
	must.Do(t, chromedp.Listen(ctx, x.hear))
	must.Have(chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
		Source: `addEventListener('securitypolicyviolation', e => console.error('policy: ' + e.violatedDirective + ' ' + e.blockedURI))`,
	}))(t)
	how := []chromedp.EmulateViewportOption{}
	if width < 600 {
		how = append(how, chromedp.EmulateMobile, chromedp.EmulateTouch)
	}
	soon, cancel := context.WithTimeout(ctx, testhome.Patience)
	defer cancel()
	must.Do(t, chromedp.Do(soon, chromedp.EmulateViewport(width, height, how...), chromedp.Navigate(address)))

	return x
}

// SignIn opens the page of a home's daemon with a new link, by parley web with some flags.
func SignIn(t *testing.T, h *testhome.Home, browser context.Context, width, height int64, flags ...string) *Tab {
	t.Helper()
	link := testhome.Run[parley.OpenPageResult](t, h, append([]string{"web"}, flags...)...)
	x := Open(t, browser, link.URL(), width, height)
	x.Until("document.querySelector('nav') && document.querySelector('.dot.live')")
	return x
}

// Of returns the tab for another test, which fails by its own name.
func (x *Tab) Of(t *testing.T) *Tab {
	x.T = t
	return x
}

func (x *Tab) hear(event any) {
	x.mu.Lock()
	defer x.mu.Unlock()
	switch e := event.(type) {
	case *cdpruntime.EventExceptionThrown:
		x.problems = append(x.problems, fmt.Sprintf("exception: %+v", e.ExceptionDetails))
	case *cdpruntime.EventConsoleAPICalled:
		if e.Type == "error" {
			b, _ := json.Marshal(e.Args)
			x.problems = append(x.problems, string(b))
		}
	case *log.EventEntryAdded:
		if e.Entry.Source == "security" {
			x.problems = append(x.problems, e.Entry.Text)
		}
	}
}

// Clean fails if the page had an error, or its policy stopped anything.
func (x *Tab) Clean() {
	x.Helper()
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.problems) > 0 {
		x.Errorf("the page reports %q", x.problems)
	}
}

// Reports says whether the page had an error, or its policy stopped something, with a text.
func (x *Tab) Reports(text string) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.ContainsFunc(x.problems, func(p string) bool { return strings.Contains(p, text) })
}

// JS evaluates an expression that gives a text or a truth.
func JS[R any](x *Tab, expression string) R {
	x.Helper()
	ctx, cancel := context.WithTimeout(x.Ctx, testhome.Patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[R](expression))
	if err != nil {
		x.Fatalf("%s: %v\nthe page shows:\n%s", expression, err, x.Text())
	}
	return v
}

// Text returns what the page shows.
func (x *Tab) Text() string {
	v, err := chromedp.Run(x.Ctx, chromedp.Evaluate[string]("document.body.innerText"))
	if err != nil {
		return err.Error()
	}
	return v
}

// Until waits until an expression is true.
func (x *Tab) Until(expression string) {
	x.Helper()
	ctx, cancel := context.WithTimeout(x.Ctx, testhome.Patience)
	defer cancel()
	err := wait.Until(ctx, 50*time.Millisecond, func() (bool, error) {
		v, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("!!("+expression+")"))
		return err == nil && v, nil
	})
	if err != nil {
		x.Fatalf("never: %s\nthe page shows:\n%s\nit reports %q", expression, x.Text(), x.problems)
	}
}

// Shows waits until the page shows a text.
func (x *Tab) Shows(text string) {
	x.Helper()
	b, _ := json.Marshal(text)
	x.Until("document.body.innerText.includes(" + string(b) + ")")
}

// Lend gives the page's console asks(operation, arguments), which calls with the session of the page.
func (x *Tab) Lend() {
	x.Helper()
	JS[bool](x, `(window.asks = async (op, args) => {
		const m = await import(performance.getEntriesByType('resource').find(e => e.name.endsWith('/early.js')).name);
		return m.askSigned(JSON.parse(m.restored()), '/api/' + op, {method: 'POST', body: JSON.stringify(args)});
	}, true)`)
}

// Asks calls an operation with the session of the page, and returns the status of the answer.
func (x *Tab) Asks(op, args string) int {
	x.Helper()
	x.Lend()
	JS[bool](x, fmt.Sprintf(`(window.got = 0, asks(%q, %s).then(r => { window.got = r.status }), true)`, op, args))
	x.Until("window.got")
	return JS[int](x, "window.got")
}

// Goes follows a link of the page, as a tap on it does.
func (x *Tab) Goes(view string) {
	x.Helper()
	JS[bool](x, fmt.Sprintf("(location.hash = %q, true)", "#/"+view))
}

// Screen is the expression of the rows of an agent's terminal: as text, or in the frame of a wide one.
const Screen = "[document, ...[...document.querySelectorAll('iframe')].map(f => f.contentDocument)]" +
	".flatMap(d => [...d?.querySelectorAll('.terminal pre div, .xterm-rows > div') ?? []])"

// Button is the expression of the button, within a selector's element, whose text has some words.
func Button(within, words string) string {
	return fmt.Sprintf("[...document.querySelectorAll(%q)].flatMap(e => [...e.querySelectorAll('button')]).find(b "+
		"=> b.innerText.includes(%q) && !b.disabled)",
		within, words)
}

// Taps taps a button as soon as it is there.
func (x *Tab) Taps(within, words string) {
	x.Helper()
	x.Until(Button(within, words))
	JS[bool](x, "(b => { b?.focus(); b?.click(); return true })("+Button(within, words)+")")
}

// Confirms taps a button twice: the second tap counts once the first has been seen.
func (x *Tab) Confirms(within, words, then string) {
	x.Helper()
	x.Taps(within, words)
	x.Until("(b => { b?.click(); return false })(document.querySelector('button.armed:not(:disabled)')) || (" + then +
		")")
}

// Writes types a text into a box.
func (x *Tab) Writes(selector, text string) {
	x.Helper()
	x.Until(fmt.Sprintf("document.querySelector(%q)", selector))
	must.Do(x.T, chromedp.Do(x.Ctx, chromedp.SendKeys(chromedp.CSS(selector), text)))
}

// Picture keeps what the page shows, where PARLEY_TEST_SHOTS names a directory.
func (x *Tab) Picture(name string) {
	x.Helper()
	dir := os.Getenv("PARLEY_TEST_SHOTS")
	if dir == "" {
		return
	}
	b, err := chromedp.Run(x.Ctx, chromedp.CaptureScreenshot())
	must.Do(x.T, err)
	must.Do(x.T, os.WriteFile(filepath.Join(dir, name+".png"), b, 0o600))
}

// Fits fails if the page is wider than its window, or a link of its bar than the place it has there.
func (x *Tab) Fits(view string) {
	x.Helper()
	if cut := JS[string](x, `[...document.querySelectorAll('nav a')].filter(a => a.scrollWidth > a.clientWidth + 1 || a.getBoundingClientRect().right > innerWidth + 1)
		.map(a => a.innerText).join(' ')`); cut != "" {
		x.Errorf("%s: there is no room in the bar for %s", view, cut)
	}
	// What is too wide makes the window of a phone wider: innerWidth tells nothing there.
	if JS[bool](x, "document.documentElement.scrollWidth > document.documentElement.clientWidth + 1") {
		x.Errorf("%s is wider than its window: %s", view,
			JS[string](x, `[...document.querySelectorAll('main *, nav *')].filter(e => e.getBoundingClientRect().right > document.documentElement.clientWidth + 1 && !e.closest('pre'))
				.slice(0, 5).map(e => e.outerHTML.slice(0, 120)).join('\n')`))
	}
}
