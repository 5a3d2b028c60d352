package main

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/serviceworker"
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
	t.Run("told while it is closed", func(t *testing.T) { toldOnDevice(p, x.of(t)) })
	t.Run("without a line", func(t *testing.T) { opensOffline(p, x.of(t)) })
}

func opensOffline(p *pageTest, x *tab) {
	js[bool](x, "(document.querySelector('.menu .sheet') || document.querySelector('.menu button').click(), true)")
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

// No push service can be reached here: the page says that it is so, and what one would bring is shown. The daemon takes
// no address for one that leads inward, and none from what is no session of the page.
func toldOnDevice(p *pageTest, x *tab) {
	js[bool](x, "(document.querySelector('.menu button').click(), true)")
	x.until("document.querySelector('[data-push]') && navigator.serviceWorker.controller")
	may := browser.SetPermissionParams{Permission: &browser.PermissionDescriptor{Name: "notifications"}, Setting: "granted"}
	may.Origin, may.BrowserContextID = js[string](x, "location.origin"), chromedp.FromContext(x.ctx).BrowserContextID
	must.Have(chromedp.Call(x.ctx, browser.SetPermission, may))(x.T)
	js[bool](x, "(document.querySelector('[data-push]').click(), true)")
	x.until("/push service cannot be reached/.test(document.querySelector('.menu').innerText)")
	x.until("!document.querySelector('[data-push]').checked")
	x.picture("menu")

	js[bool](x, `(window.got = null, crypto.subtle.generateKey({name: 'ECDH', namedCurve: 'P-256'}, true, ['deriveBits']).then(k => crypto.subtle.exportKey('raw', k.publicKey))
		.then(async raw => {
			const b64 = b => btoa(String.fromCharCode(...new Uint8Array(b))).replace(/\+/g, '-').replace(/\//g, '_').replace(/=/g, '');
			const ask = (endpoint) => fetch('/api/notify_device', {method: 'POST', body: JSON.stringify({endpoint, p256dh: b64(raw), auth: b64(new Uint8Array(16))}),
				headers: {'Content-Type': 'application/json', Authorization: 'Bearer ' + JSON.parse(sessionStorage.getItem('parley.session')).key}}).then(r => r.json());
			window.got = [await ask('https://127.0.0.1/x'), await ask('https://push.invalid/x')];
		}), true)`)
	x.until("window.got")
	if got := js[string](x, "window.got[0].error_code + ' ' + window.got[1].devices"); got != "INVALID_ARGUMENT 1" {
		x.Errorf("a service on this machine, and one elsewhere: %s", got)
	}
	js[bool](x, `(window.ways = null, fetch('/api/send_test_notice', {method: 'POST', body: '{}', headers: {'Content-Type': 'application/json',
		Authorization: 'Bearer ' + JSON.parse(sessionStorage.getItem('parley.session')).key}}).then(r => r.json()).then(r => { window.ways = r.ways }), true)`)
	x.until("window.ways")
	if ways := js[string](x, "JSON.stringify(window.ways.map(w => [w.way, w.works, w.sent]))"); ways != `[["push",false,0]]` {
		x.Errorf("a test goes by %s", ways)
	}
	x.shows("not notified by the push")
	showsPushed(x)
	x.clean()

	js[bool](x, `(window.left = -1, fetch('/api/notify_device', {method: 'POST', body: JSON.stringify({endpoint: 'https://push.invalid/x', remove: true}), headers: {
		'Content-Type': 'application/json', Authorization: 'Bearer ' + JSON.parse(sessionStorage.getItem('parley.session')).key}}).then(r => r.json()).then(r => { window.left = JSON.stringify(r) }), true)`)
	x.until("window.left !== -1")
	if got := js[string](x, "window.left"); !strings.Contains(got, `"devices":0`) {
		x.Errorf("after that it says %s", got)
	}
}

// showsPushed brings the service worker a notice as a push service does, and one that is none.
func showsPushed(x *tab) {
	registered := make(chan serviceworker.RegistrationID, 100)
	must.Do(x.T, chromedp.Listen(x.ctx, func(event any) {
		e, ok := event.(*serviceworker.EventWorkerRegistrationUpdated)
		if ok && len(e.Registrations) > 0 && len(registered) < cap(registered) {
			registered <- e.Registrations[0].RegistrationID
		}
	}))
	must.Have(chromedp.Call(x.ctx, serviceworker.Enable, cdp.Empty{}))(x.T)
	var id serviceworker.RegistrationID
	select {
	case id = <-registered:
	case <-time.After(2 * time.Minute):
		x.Fatal("no service worker is registered")
	}

	// A browser drops what comes while it starts the worker, so it comes again until it is shown.
	js[bool](x, `(window.told = [], setInterval(() => navigator.serviceWorker.ready.then(r => r.getNotifications()).then(all => {
		window.told = [...new Map(all.map(n => [n.title, n])).values()] }), 100), true)`)
	origin := js[string](x, "location.origin")
	for begun := time.Now(); time.Since(begun) < time.Minute; time.Sleep(3 * time.Second) {
		if js[bool](x, "window.told.length >= 3") {
			break
		}
		for _, data := range []string{
			`{"title": "shop: coder: dialog", "text": "coder: May I?", "path": "/#/agents", "tag": "a"}`,
			`{"title": "evil", "path": "https://evil.example/"}`, "{",
		} {
			must.Have(chromedp.Call(x.ctx, serviceworker.DeliverPushMessage, serviceworker.DeliverPushMessageParams{
				Origin: origin, RegistrationID: id, Data: data}))(x.T)
		}
	}
	x.until("window.told.length >= 3")
	got := js[string](x, "JSON.stringify(window.told.map(n => [n.title, n.body, n.data.path]).sort())")
	const want = `[["evil","Something needs you.","/#/needs"],["parley","Something needs you.","/#/needs"],["shop: coder: dialog","coder: May I?","/#/agents"]]`
	if got != want {
		x.Errorf("it shows %s, want %s", got, want)
	}
}
