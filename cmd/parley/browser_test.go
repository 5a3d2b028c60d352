package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	cdpruntime "github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"parley/internal/must"
	"parley/internal/testhome"
)

// startBrowser starts a headless Chromium for a test. Without one that starts, the test is skipped.
func startBrowser(t *testing.T) context.Context {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if found, err := exec.LookPath(name); err == nil && path == "" {
			path = found
		}
	}
	if path == "" {
		t.Skip("the page is NOT tested in a browser: Chromium is not installed; scripts/need chromium installs it")
	}

	dir := must.Have(os.MkdirTemp("", "parley-chromium"))(t)
	opts := append([]chromedp.ExecAllocatorOption{}, chromedp.DefaultExecAllocatorOptions[:]...)
	opts = append(opts, chromedp.ExecPath(path), chromedp.DisableGPU, chromedp.UserDataDir(dir),
		chromedp.WSURLReadTimeout(testhome.Patience),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-quic", true))
	if os.Getuid() == 0 {
		opts = append(opts, chromedp.NoSandbox)
	}
	allocator, stop := chromedp.NewExecAllocator(context.Background(), opts...)
	browser, end := chromedp.NewContext(allocator)
	t.Cleanup(func() { end(); stop(); _ = os.RemoveAll(dir) })

	started := make(chan error, 1)
	go func() { started <- chromedp.Do(browser) }()
	select {
	case err := <-started:
		if err != nil {
			t.Skipf("the page is NOT tested in a browser: %s does not start: %v", path, err)
		}
	case <-time.After(testhome.Patience):
		t.Skipf("the page is NOT tested in a browser: %s does not start", path)
	}

	return browser
}

// tab is a page in a browser, with a storage of its own.
type tab struct {
	*testing.T
	ctx context.Context

	mu       sync.Mutex
	problems []string // what the page printed as errors, and what its policy stopped
}

// openTab opens an address in a window of a size. A narrow one is a phone.
func openTab(t *testing.T, browser context.Context, address string, width, height int64) *tab {
	t.Helper()
	ctx, _ := chromedp.NewContext(browser, chromedp.WithNewBrowserContext()) // it ends with the browser
	must.Do(t, chromedp.Do(ctx))

	x := &tab{T: t, ctx: ctx}
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

// of returns the tab for another test, which fails by its own name.
func (x *tab) of(t *testing.T) *tab {
	x.T = t
	return x
}

func (x *tab) hear(event any) {
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

// clean fails if the page had an error, or its policy stopped anything.
func (x *tab) clean() {
	x.Helper()
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.problems) > 0 {
		x.Errorf("the page reports %q", x.problems)
	}
}

// js evaluates an expression that gives a text or a truth.
func js[R any](x *tab, expression string) R {
	x.Helper()
	ctx, cancel := context.WithTimeout(x.ctx, testhome.Patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[R](expression))
	if err != nil {
		x.Fatalf("%s: %v\nthe page shows:\n%s", expression, err, x.text())
	}
	return v
}

func (x *tab) text() string {
	v, err := chromedp.Run(x.ctx, chromedp.Evaluate[string]("document.body.innerText"))
	if err != nil {
		return err.Error()
	}
	return v
}

// until waits until an expression is true.
func (x *tab) until(expression string) {
	x.Helper()
	ctx, cancel := context.WithTimeout(x.ctx, testhome.Patience)
	defer cancel()
	ok := waitUntil(func() bool {
		v, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("!!("+expression+")"))
		return err == nil && v
	})
	if !ok {
		x.Fatalf("never: %s\nthe page shows:\n%s\nit reports %q", expression, x.text(), x.problems)
	}
}

// shows waits until the page shows a text.
func (x *tab) shows(text string) {
	x.Helper()
	b, _ := json.Marshal(text)
	x.until("document.body.innerText.includes(" + string(b) + ")")
}

// goes follows a link of the page, as a tap on it does.
func (x *tab) goes(view string) {
	x.Helper()
	js[bool](x, fmt.Sprintf("(location.hash = %q, true)", "#/"+view))
}

// button is the expression of the button, within a selector's element, whose text has some words.
func button(within, words string) string {
	return fmt.Sprintf("[...document.querySelectorAll(%q)].flatMap(e => [...e.querySelectorAll('button')]).find(b => b.innerText.includes(%q) && !b.disabled)",
		within, words)
}

// taps taps a button as soon as it is there.
func (x *tab) taps(within, words string) {
	x.Helper()
	x.until(button(within, words))
	js[bool](x, "(b => { b?.focus(); b?.click(); return true })("+button(within, words)+")")
}

// confirms taps a button twice: the second tap counts once the first has been seen.
func (x *tab) confirms(within, words, then string) {
	x.Helper()
	x.taps(within, words)
	x.until("(b => { b?.click(); return false })(document.querySelector('button.armed:not(:disabled)')) || (" + then + ")")
}

// writes types a text into a box.
func (x *tab) writes(selector, text string) {
	x.Helper()
	x.until(fmt.Sprintf("document.querySelector(%q)", selector))
	must.Do(x.T, chromedp.Do(x.ctx, chromedp.SendKeys(chromedp.CSS(selector), text)))
}

// picture keeps what the page shows, where PARLEY_TEST_SHOTS names a directory.
func (x *tab) picture(name string) {
	x.Helper()
	dir := os.Getenv("PARLEY_TEST_SHOTS")
	if dir == "" {
		return
	}
	b, err := chromedp.Run(x.ctx, chromedp.CaptureScreenshot())
	must.Do(x.T, err)
	must.Do(x.T, os.WriteFile(filepath.Join(dir, name+".png"), b, 0o600))
}

// fits fails if the page is wider than its window.
func (x *tab) fits(view string) {
	x.Helper()
	if js[bool](x, "document.documentElement.scrollWidth > innerWidth + 1") {
		x.Errorf("%s is wider than its window: %s", view,
			js[string](x, `[...document.querySelectorAll('main *, nav *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('pre'))
				.slice(0, 5).map(e => e.outerHTML.slice(0, 120)).join('\n')`))
	}
}

// plain removes what a name of a file may not have.
func plain(name string) string {
	return strings.NewReplacer("/", "-", "?", "-", " ", "-").Replace(name)
}
