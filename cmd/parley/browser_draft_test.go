package main

import (
	"os/exec"
	"testing"

	"parley"
	"parley/internal/must"
	"parley/internal/testhome"
	"parley/internal/testpage"
)

// What stands in a composer and nobody has typed is overruled by its exact text alone: one that has changed meanwhile
// is left alone, and the page shows it.
func TestADraftIsOverruledInABrowser(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a browser takes half a minute")
	}
	browser := testpage.Start(t)
	h := testhome.New(t)
	h.Env = append(h.Env, "PARLEY_DRAFT_AFTER=1s")
	testhome.Run[parley.LaunchAgentResult](t, h, "launch", "worker", "--", "parley", "demo-agent", "--on", ".",
		"--reply", "Done.", "--work", "10ms")
	socket := testhome.Run[parley.WorkspaceStatusResult](t, h, "status").TmuxSocket
	types := func(text string) {
		must.Do(t, exec.Command("tmux", "-S", socket, "send-keys", "-t", "worker", "-l", text).Run())
	}
	types("a suggestion <b>")
	sent := testhome.Run[parley.SendMessageResult](t, h, "send", "worker", "Please go on.")

	x := testpage.SignIn(t, h, browser, 360, 740)
	x.Until("document.querySelector('[data-kind=draft] .draft pre')?.innerText === 'a suggestion <b>'")
	x.Fits("a draft")
	x.Picture("draft")

	// The page hears nothing new for a while, as on a slow line.
	testpage.JS[bool](x, `(real => { window.real = real; window.fetch = (u, o) => String(u).includes('get_needs') ? `+
		`new Promise((_, no) => { window.fails = no }) : real(u, o); return true })(fetch)`)
	types(" and more")
	if !waitUntil(func() bool {
		n := testhome.Run[parley.GetNeedsResult](t, h, "needs").Needs
		return len(n) > 0 && n[0].Draft == "a suggestion <b> and more"
	}) {
		t.Fatal("the draft does not change")
	}
	x.Confirms("[data-kind=draft]", "It is no draft", "document.querySelector('.outcome.failed')")
	x.Shows("In the composer of worker stands")
	testpage.JS[bool](x, "(window.fetch = window.real, window.fails?.(new TypeError('no line')), true)")
	x.Until("document.querySelector('[data-kind=draft] .draft pre')?.innerText.includes('and more')")
	d := testhome.Run[parley.MessageStatusResult](t, h, "message", sent.MessageID).Deliveries[0]
	if d.State != parley.DeliveryHeld && d.State != parley.DeliveryQueued {
		t.Errorf("it was typed over another text than the one that was named: %+v", d)
	}

	x.Confirms("[data-kind=draft]", "It is no draft", "document.querySelector('.outcome:not(.failed)')")
	x.Goes("agent/worker")
	x.Until(testpage.Screen + ".some(d => d.textContent.includes('Please go on.'))")
	x.Clean()
}
