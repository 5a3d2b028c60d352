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
	"parley/internal/testpage"
)

const xtermRows = testpage.Screen

// rows waits until a row of the wide terminal has a text.
func rows(x *testpage.Tab, text string) {
	x.Helper()
	x.Until(fmt.Sprintf("%s.some(r => r.textContent.includes(%q))", xtermRows, text))
}

// presses presses keys in the wide terminal as a keyboard does: what a page takes as a key is no text any more.
func presses(x *testpage.Tab, keys string) {
	x.Helper()
	testpage.JS[bool](x, "(document.querySelector('iframe').contentDocument."+
		"querySelector('.xterm-helper-textarea').focus(), true)")
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
			must.Have(chromedp.Call(x.Ctx, input.DispatchKeyEvent, down))(x.T)
		}
	}
}

// A person who types in the page is one at the keyboard: messages wait, and the record says who it was.
func TestTerminalsInABrowser(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a browser takes half a minute")
	}
	browser := testpage.Start(t)
	h := testhome.New(t)
	own := filepath.Join(h.Dir, "h", ".config", "parley")
	must.Do(t, os.MkdirAll(own, 0o700))
	must.Do(t, os.WriteFile(filepath.Join(own, "parley.yaml"), []byte("web: {keyboard: true}\n"), 0o600))
	launch := func(name string, args ...string) {
		testhome.Run[parley.LaunchAgentResult](t, h, append([]string{"launch", name}, args...)...)
	}
	launch("worker", "--", "parley", "demo-agent", "--on", ".", "--reply", "Done.", "--work", "10ms")
	launch("broad", "--size", "500x30", "--", "sh", "-c", `printf '\033[41mred\nstill red\033[0m\n'; printf '%500s' `+
		`end; cat`)

	p := &pageTest{h: h, browser: browser}
	x := p.opens(t, 1280, 800)
	t.Run("any width", func(t *testing.T) { wideTerminal(x.Of(t)) })
	t.Run("a person types", func(t *testing.T) { typesInPage(p, x.Of(t)) })
	t.Run("one that may only look", func(t *testing.T) { watcherTypesNothing(p, t) })
	t.Run("an agent that ends", func(t *testing.T) {
		x := x.Of(t)
		testhome.Run[parley.StopAgentResult](t, h, "stop", "worker")
		x.Shows("This is what it showed at")
		x.Until("!document.querySelector('[role=switch]')")
		x.Clean()
	})
}

func wideTerminal(x *testpage.Tab) {
	x.Goes("agent/broad")
	rows(x, "still red")
	rows(x, "end")
	x.Shows("500 × 30")
	x.Fits("500 columns")
	x.Until(xtermRows + ".filter(r => r.textContent.includes('still red') && " +
		"[...r.children].some(s => s.className.includes('xterm-bg-1'))).length === 1") // not at the end of a row
	x.Picture("terminal-500")

	// xterm.js writes styles in its frame alone: nothing of the page is changed for it.
	if !testpage.JS[bool](x, "[document.createElement, Element.prototype.setAttribute].every(f => "+
		"String(f).includes('[native code]')) && !document.querySelector('.xterm')") {
		x.Error("the page is patched for xterm.js")
	}

	// What nobody could read is enlarged, and scrolls sideways.
	const letters = "parseFloat(getComputedStyle(" + xtermRows + "[0] ?? document.body).fontSize)"
	x.Until(letters + " < 8")
	x.Taps(".terminal", "Large letters")
	x.Until(letters + " === 14")
	x.Fits("500 columns in large letters")
	x.Taps(".terminal", "Large letters")
	x.Until(letters + " < 8")
	x.Until(xtermRows + ".length <= 12") // the 27 empty rows below are left out

	x.Taps(".terminal", "Earlier lines")
	x.Taps(".terminal", "Go on live")
	rows(x, "still red")
	x.Clean()

	x.Goes("tiles")
	x.Until("[...document.querySelectorAll('.tile pre')].some(p => p.innerText.includes('end'))")
	x.Picture("tiles")
	x.Clean()
}

func typesInPage(p *pageTest, x *testpage.Tab) {
	x.Goes("agent/worker")
	x.Until("document.querySelector('[role=switch]')")
	rows(x, "demo")
	presses(x, "not yet")
	testpage.JS[bool](x, "(document.querySelector('[role=switch]').click(), true)")
	x.Shows("Your keys go to worker")
	presses(x, "half a thoughtX\b")
	rows(x, "half a thought")
	x.Until("!" + xtermRows + ".some(r => /thoughtX/.test(r.textContent))") // the last key comes a little later
	if testpage.JS[bool](x, xtermRows+".some(r => /not yet/.test(r.textContent))") {
		x.Error("keys went where none should")
	}
	x.Picture("typing")

	sent := testhome.Run[parley.SendMessageResult](x.T, p.h, "send", "worker", "Are you there?")
	var d parley.Delivery
	must.Become(x, "the message waits for the person", func() bool {
		d = testhome.Run[parley.MessageStatusResult](x.T, p.h, "message", sent.MessageID).Deliveries[0]
		return d.ReasonCode == parley.HoldPersonTyping || d.ReasonCode == parley.HoldDraft ||
			d.ReasonCode == parley.HoldKeysUnshown
	})

	presses(x, "\r")
	rows(x, "Done.")
	must.Become(x, "the message arrives after that", func() bool {
		d = testhome.Run[parley.MessageStatusResult](x.T, p.h, "message", sent.MessageID).Deliveries[0]
		return d.State == parley.DeliveryAnswered || d.State == parley.DeliveryRead
	})
	record := string(must.Have(p.h.Command("log", "--agent", "worker").Output())(x.T))
	if strings.Count(record, "types in its terminal, in session parley_") != 1 {
		x.Errorf("the record says:\n%s", record)
	}
	x.Clean()
}

func watcherTypesNothing(p *pageTest, t *testing.T) {
	x := p.opens(t, 1280, 800, "--watch")
	x.Goes("agent/worker")
	rows(x, "Done.")
	if testpage.JS[bool](x, "!!document.querySelector('[role=switch]')") {
		t.Error("it offers to type")
	}
	if got := x.Asks("type_in_terminal", `{"agent":"worker","text":"x"}`); got != http.StatusForbidden {
		t.Errorf("a call that types is answered with %d", got)
	}
}
