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
	"parley/internal/testpage"
)

// The page as an app of a device: it opens without a line, and says since when.
func TestPageOnADevice(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a browser takes half a minute")
	}
	browser := testpage.Start(t)
	p := &pageTest{h: testhome.New(t), browser: browser}
	x := p.opens(t, 360, 740)
	t.Run("told while it is closed", func(t *testing.T) { toldOnDevice(p, x.Of(t)) })
	t.Run("without a line", func(t *testing.T) { opensOffline(p, x.Of(t)) })
}

func opensOffline(p *pageTest, x *testpage.Tab) {
	testpage.JS[bool](x, "(document.querySelector('.menu .sheet') || document.querySelector('.menu "+
		"button').click(), true)")
	x.Until("document.querySelector('.menu input[type=checkbox]')")
	testpage.JS[bool](x, "(document.querySelector('.menu input[type=checkbox]').click(), true)")
	testpage.JS[bool](x, `(navigator.serviceWorker.ready.then(() => caches.keys()).then(names => { window.kept = `+
		`names }), true)`)
	x.Until("window.kept?.length == 1 && navigator.serviceWorker.controller && localStorage.getItem('parley.seen')")

	must.Do(x.T, syscall.Kill(testhome.Run[parley.WorkspaceStatusResult](x.T, p.h, "status").PID, syscall.SIGKILL))
	x.Shows("Offline since")
	// it was closed for days
	testpage.JS[bool](x, "(localStorage.setItem('parley.seen', String(Date.now() - 3 * 86400e3)), true)")
	must.Do(x.T, chromedp.Do(x.Ctx, chromedp.Reload()))
	x.Shows("Offline since")
	x.Shows("as soon as the daemon can be reached")
	if testpage.JS[bool](x, "Date.now() - Number(localStorage.getItem('parley.seen')) < 2 * 86400e3") ||
		!testpage.JS[bool](x,
			"/[A-Z][a-z]{2} \\d|\\d+ [A-Z]/.test(document.querySelector('.note.offline').innerText)") {
		x.Errorf("it does not know since when it is offline: %s", x.Text())
	}
	x.Picture("offline-start")
	x.Fits("the page without a line")

	testhome.Run[parley.GetNeedsResult](x.T, p.h, "needs") // which starts the daemon
	x.Until("document.querySelector('.dot.live') && !document.querySelector('.note.offline')")
	x.Shows("Nothing waits for you.")
	x.Clean()
}

// No push service can be reached here: the page says that it is so, and what one would bring is shown. The daemon takes
// no address for one that leads inward, and none from what is no session of the page.
func toldOnDevice(p *pageTest, x *testpage.Tab) {
	testpage.JS[bool](x, "(document.querySelector('.menu button').click(), true)")
	x.Until("document.querySelector('[data-push]') && navigator.serviceWorker.controller")
	may := browser.SetPermissionParams{Permission: &browser.PermissionDescriptor{Name: "notifications"},
		Setting: "granted"}
	may.Origin, may.BrowserContextID = testpage.JS[string](x, "location.origin"), chromedp.FromContext(x.Ctx).
		BrowserContextID
	must.Have(chromedp.Call(x.Ctx, browser.SetPermission, may))(x.T)
	testpage.JS[bool](x, "(document.querySelector('[data-push]').click(), true)")
	x.Until("/push service cannot be reached/.test(document.querySelector('.menu').innerText)")
	x.Until("!document.querySelector('[data-push]').checked")
	x.Picture("menu")

	x.Lend()
	testpage.JS[bool](x, `(window.got = null, crypto.subtle.generateKey({name: 'ECDH', namedCurve: 'P-256'}, true,
	['deriveBits']).then(k => crypto.subtle.exportKey('raw', k.publicKey))
		.then(async raw => {
			const b64 = b => btoa(String.fromCharCode(...new Uint8Array(b))).replace(/\+/g, '-').replace(/\//g,
			'_').replace(/=/g, '');
			const ask = endpoint => asks('notify_device', {endpoint, p256dh: b64(raw), auth: b64(new Uint8Array(16))})
				.then(r => r.json());
			window.got = [await ask('https://127.0.0.1/x'), await ask('https://push.invalid/x')];
		}), true)`)
	x.Until("window.got")
	if got := testpage.JS[string](x,
		"window.got[0].error_code + ' ' + window.got[1].devices"); got != "INVALID_ARGUMENT 1" {
		x.Errorf("a service on this machine, and one elsewhere: %s", got)
	}
	testpage.JS[bool](x, `(window.ways = null,
		asks('send_test_notice', {}).then(r => r.json()).then(r => { window.ways = r.ways }), true)`)
	x.Until("window.ways")
	if ways := testpage.JS[string](x, "JSON.stringify(window.ways.map(w => [w.way, w.works, "+
		"w.sent]))"); ways != `[["push",false,0]]` {
		x.Errorf("a test goes by %s", ways)
	}
	x.Shows("not notified by the push")
	showsPushed(x)
	x.Clean()

	testpage.JS[bool](x, `(window.left = -1, asks('notify_device', {endpoint: 'https://push.invalid/x', remove: true})
		.then(r => r.json()).then(r => { window.left = JSON.stringify(r) }), true)`)
	x.Until("window.left !== -1")
	if got := testpage.JS[string](x, "window.left"); !strings.Contains(got, `"devices":0`) {
		x.Errorf("after that it says %s", got)
	}
}

// showsPushed brings the service worker a notice as a push service does, and one that is none.
func showsPushed(x *testpage.Tab) {
	registered := make(chan serviceworker.RegistrationID, 100)
	must.Do(x.T, chromedp.Listen(x.Ctx, func(event any) {
		e, ok := event.(*serviceworker.EventWorkerRegistrationUpdated)
		if ok && len(e.Registrations) > 0 && len(registered) < cap(registered) {
			registered <- e.Registrations[0].RegistrationID
		}
	}))
	must.Have(chromedp.Call(x.Ctx, serviceworker.Enable, cdp.Empty{}))(x.T)
	var id serviceworker.RegistrationID
	select {
	case id = <-registered:
	case <-time.After(must.Patience):
		x.Fatal("no service worker is registered")
	}

	// A browser drops what comes while it starts the worker, so it comes again until it is shown.
	testpage.JS[bool](x, `(window.told = [], setInterval(() => navigator.serviceWorker.ready.then(r =>
	r.getNotifications()).then(all => {
		window.told = [...new Map(all.map(n => [n.title, n])).values()] }), 100), true)`)
	origin := testpage.JS[string](x, "location.origin")
	for begun := time.Now(); time.Since(begun) < time.Minute; time.Sleep(3 * time.Second) {
		if testpage.JS[bool](x, "window.told.length >= 3") {
			break
		}
		for _, data := range []string{
			`{"title": "shop: coder: dialog", "text": "coder: May I?", "path": "/#/agents", "tag": "a"}`,
			`{"title": "evil", "path": "https://evil.example/"}`, "{",
		} {
			must.Have(chromedp.Call(x.Ctx, serviceworker.DeliverPushMessage, serviceworker.DeliverPushMessageParams{
				Origin: origin, RegistrationID: id, Data: data}))(x.T)
		}
	}
	x.Until("window.told.length >= 3")
	got := testpage.JS[string](x, "JSON.stringify(window.told.map(n => [n.title, n.body, n.data.path]).sort())")
	const want = `[["evil","Something needs you.","/#/needs"],["parley","Something needs you.","/#/needs"],["shop: ` +
		`coder: dialog","coder: May I?","/#/agents"]]`
	if got != want {
		x.Errorf("it shows %s, want %s", got, want)
	}
}
