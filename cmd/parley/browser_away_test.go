package main

import (
	"syscall"
	"testing"

	"github.com/chromedp/chromedp"

	"parley"
	"parley/internal/must"
	"parley/internal/testhome"
)

// The page as an app of a device: it opens without a line, and says since when.
func TestPageOnADevice(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a browser takes half a minute")
	}
	browser := startBrowser(t)
	p := &pageTest{h: testhome.New(t), browser: browser}
	x := p.opens(t, 360, 740)
	t.Run("without a line", func(t *testing.T) { opensOffline(p, x.of(t)) })
}

func opensOffline(p *pageTest, x *tab) {
	js[bool](x, "(document.querySelector('.menu button').click(), true)")
	x.until("document.querySelector('.menu input[type=checkbox]')")
	js[bool](x, "(document.querySelector('.menu input[type=checkbox]').click(), true)")
	js[bool](x, `(navigator.serviceWorker.ready.then(() => caches.keys()).then(names => { window.kept = names }), true)`)
	x.until("window.kept?.length == 1 && navigator.serviceWorker.controller && localStorage.getItem('parley.seen')")

	must.Do(x.T, syscall.Kill(testhome.Run[parley.WorkspaceStatusResult](x.T, p.h, "status").PID, syscall.SIGKILL))
	x.shows("Offline since")
	js[bool](x, "(localStorage.setItem('parley.seen', String(Date.now() - 3 * 86400e3)), true)") // it was closed for days
	must.Do(x.T, chromedp.Do(x.ctx, chromedp.Reload()))
	x.shows("Offline since")
	x.shows("as soon as the daemon can be reached")
	if js[bool](x, "Date.now() - Number(localStorage.getItem('parley.seen')) < 2 * 86400e3") ||
		!js[bool](x, "/[A-Z][a-z]{2} \\d|\\d+ [A-Z]/.test(document.querySelector('.note.offline').innerText)") {
		x.Errorf("it does not know since when it is offline: %s", x.text())
	}
	x.picture("offline-start")
	x.fits("the page without a line")

	testhome.Run[parley.GetNeedsResult](x.T, p.h, "needs") // which starts the daemon
	x.until("document.querySelector('.dot.live') && !document.querySelector('.note.offline')")
	x.shows("Nothing waits for you.")
	x.clean()
}
