package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"parley"
	"parley/internal/must"
	"parley/internal/testhome"
)

const xtermRows = "[...document.querySelectorAll('.xterm-rows > div')]"

// rows waits until a row of the wide terminal has a text.
func (x *tab) rows(text string) {
	x.Helper()
	x.until(fmt.Sprintf("%s.some(r => r.textContent.includes(%q))", xtermRows, text))
}

// presses presses keys in the wide terminal as a keyboard does: what a page takes as a key is no text any more.
func (x *tab) presses(keys string) {
	x.Helper()
	js[bool](x, "(document.querySelector('.xterm-helper-textarea').focus(), true)")
	for _, r := range keys {
		name, text, code := string(r), string(r), int64(unicode.ToUpper(r))
		switch r {
		case '\r':
			name, code = "Enter", 13
		case '\b':
			name, text, code = "Backspace", "", 8
		}
		for _, kind := range []input.DispatchKeyEventType{"keyDown", "keyUp"} {
			down := input.DispatchKeyEventParams{Type: kind, Key: name, WindowsVirtualKeyCode: code}
			if kind == "keyDown" {
				down.Text = text
			}
			must.Have(chromedp.Call(x.ctx, input.DispatchKeyEvent, down))(x.T)
		}
	}
}

// A person who types in the page is one at the keyboard: messages wait, and the record says who it was.
func TestTerminalsInABrowser(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a browser takes half a minute")
	}
	browser := startBrowser(t)
	h := testhome.New(t)
	own := filepath.Join(h.Dir, "h", ".config", "parley")
	must.Do(t, os.MkdirAll(own, 0o700))
	must.Do(t, os.WriteFile(filepath.Join(own, "parley.yaml"), []byte("web: {keyboard: true}\n"), 0o600))
	launch := func(name string, args ...string) {
		testhome.Run[parley.LaunchAgentResult](t, h, append([]string{"launch", name}, args...)...)
	}
	launch("worker", "--", "parley", "demo-agent", "--on", ".", "--reply", "Done.", "--work", "10ms")
	launch("broad", "--size", "500x30", "--", "sh", "-c", `printf '\033[41mred\nstill red\033[0m\n'; printf '%500s' end; cat`)

	p := &pageTest{h: h, browser: browser}
	x := p.opens(t, 1280, 800)
	t.Run("any width", func(t *testing.T) { wideTerminal(x.of(t)) })
	t.Run("a person types", func(t *testing.T) { typesInPage(p, x.of(t)) })
	t.Run("one that may only look", func(t *testing.T) { watcherTypesNothing(p, t) })
	t.Run("an agent that ends", func(t *testing.T) {
		x := x.of(t)
		testhome.Run[parley.StopAgentResult](t, h, "stop", "worker")
		x.shows("This is what it showed at")
		x.until("!document.querySelector('[role=switch]')")
		x.clean()
	})
}

func wideTerminal(x *tab) {
	x.goes("agent/broad")
	x.rows("still red")
	x.rows("end")
	x.shows("500 × 30")
	x.fits("500 columns")
	if n := js[int](x, xtermRows+".filter(r => r.textContent.includes('still red') && [...r.children].some(s => s.className.includes('xterm-bg-1'))).length"); n != 1 {
		x.Error("a colour ends at the end of its row")
	}
	x.picture("terminal-500")

	x.taps(".terminal", "Earlier lines")
	x.taps(".terminal", "Go on live")
	x.rows("still red")
	x.clean()

	x.goes("tiles")
	x.until("[...document.querySelectorAll('.tile pre')].some(p => p.innerText.includes('end'))")
	x.picture("tiles")
	x.clean()
}

func typesInPage(p *pageTest, x *tab) {
	x.goes("agent/worker")
	x.until("document.querySelector('[role=switch]')")
	x.rows("demo")
	x.presses("not yet")
	js[bool](x, "(document.querySelector('[role=switch]').click(), true)")
	x.shows("Your keys go to worker")
	x.presses("half a thoughtX\b")
	x.rows("half a thought")
	x.until("!" + xtermRows + ".some(r => /thoughtX/.test(r.textContent))") // the last key comes a little later
	if js[bool](x, xtermRows+".some(r => /not yet/.test(r.textContent))") {
		x.Error("keys went where none should")
	}
	x.picture("typing")

	sent := testhome.Run[parley.SendMessageResult](x.T, p.h, "send", "worker", "Are you there?")
	var d parley.Delivery
	if !waitUntil(func() bool {
		d = testhome.Run[parley.MessageStatusResult](x.T, p.h, "message", sent.MessageID).Deliveries[0]
		return d.ReasonCode == parley.HoldPersonTyping || d.ReasonCode == parley.HoldDraft || d.ReasonCode == parley.HoldKeysUnshown
	}) {
		x.Errorf("the message does not wait for the person: %+v", d)
	}

	x.presses("\r")
	x.rows("Done.")
	if !waitUntil(func() bool {
		d = testhome.Run[parley.MessageStatusResult](x.T, p.h, "message", sent.MessageID).Deliveries[0]
		return d.State == parley.DeliveryAnswered || d.State == parley.DeliveryRead
	}) {
		x.Errorf("the message does not arrive after that: %+v", d)
	}
	record := string(must.Have(p.h.Command("log", "--agent", "worker").Output())(x.T))
	if strings.Count(record, "types in its terminal, in session parley_") != 1 {
		x.Errorf("the record says:\n%s", record)
	}
	x.clean()
}

func watcherTypesNothing(p *pageTest, t *testing.T) {
	x := p.opens(t, 1280, 800, "--watch")
	x.goes("agent/worker")
	x.rows("Done.")
	if js[bool](x, "!!document.querySelector('[role=switch]')") {
		t.Error("it offers to type")
	}
	js[bool](x, `(window.got = 0, fetch('/api/type_in_terminal', {method: 'POST', body: '{"agent":"worker","text":"x"}', headers: {
		'Content-Type': 'application/json', Authorization: 'Bearer ' + JSON.parse(sessionStorage.getItem('parley.session')).key}}).then(r => { window.got = r.status }), true)`)
	x.until("window.got")
	if got := js[int](x, "window.got"); got != http.StatusForbidden {
		t.Errorf("a call that types is answered with %d", got)
	}
}
