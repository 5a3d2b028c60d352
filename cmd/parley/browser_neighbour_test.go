package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"parley"
	"parley/internal/must"
	"parley/internal/testhome"
	"parley/internal/testpage"
)

// A page of another port of this machine, in the browser of somebody who is signed in: it can neither show the page in
// a frame, nor have the browser call the daemon, nor read what it says, nor get a session, nor see one.
func TestANeighbourInABrowser(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a browser takes half a minute")
	}
	browser := testpage.Start(t)
	h := testhome.New(t)
	testhome.Run[parley.LaunchAgentResult](t, h, "launch", "worker", "--", "parley", "demo-agent", "--on", ".",
		"--reply", "Done.")
	p := &pageTest{h: h, browser: browser}
	x := p.opens(t, 1400, 900)
	link := testhome.Run[parley.OpenPageResult](t, h, "web")

	var cookies string
	neighbour := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		cookies += r.Header.Get("Cookie")
		fmt.Fprint(w, "<!doctype html><title>neighbour</title><p>A neighbour.</p>")
	}))
	t.Cleanup(neighbour.Close)
	x.Visit(neighbour.URL)
	x.Shows("A neighbour.")

	// Each call says what became of it: a page without the right to read an answer learns no more than that it failed.
	testpage.JS[bool](x, fmt.Sprintf(`(daemon => {
		window.got = {};
		const tries = {
			read: () => fetch(daemon + '/api/get_needs'),
			json: () => fetch(daemon + '/api/send_message', {method: 'POST',
			headers: {'Content-Type': 'application/json'}, body: '{"to":"worker","text":"owned"}'}),
			plain: () => fetch(daemon + '/api/send_message', {method: 'POST', mode: 'no-cors', credentials: 'include',
			headers: {'Content-Type': 'text/plain'}, body: '{"to":"worker","text":"owned"}'}),
			code: () => fetch(daemon + '/session', {method: 'POST', headers: {'Content-Type': 'application/json'},
			body: JSON.stringify({code: %q, code_id: 'parley_', proof: ''})}),
			events: () => new Promise((yes, no) => { const s = new EventSource(daemon + '/api/events'); s.onopen = yes;
			s.onerror = no }),
			socket: () => new Promise((yes, no) => { const s = new WebSocket(daemon.replace('http',
			'ws') + '/api/events'); s.onopen = yes; s.onerror = no }),
			page: () => fetch(daemon + '/').then(r => r.text()),
			stored: async () => { if (!sessionStorage.length && !localStorage.length) throw 'nothing' },
		};
		for (const [name, go] of Object.entries(tries)) go()
		.then(r => { window.got[name] = r?.type === 'opaque' ? 'opaque' : 'reached' },
		() => { window.got[name] = 'failed' });
		const form = document.createElement('form'), frame = document.createElement('iframe'),
		into = document.createElement('iframe');
		into.name = 'into';
		Object.assign(form, {method: 'POST', action: daemon + '/api/send_message', target: 'into',
		enctype: 'text/plain'});
		form.innerHTML = '<input name=\'{"to":"worker","text":"owned","x":"\' value=\'"}\'>';
		frame.src = daemon + '/';
		document.body.append(into, form, frame);
		form.submit();
		frame.onload = () => { window.framed = true };
		return true })(%q)`, link.Code, strings.TrimSuffix(link.Address, "/")))
	x.Until("Object.keys(window.got).length == 8 && window.framed")
	for name, want := range map[string]string{"read": "failed", "json": "failed", "plain": "opaque", "code": "failed",
		"events": "failed", "socket": "failed", "page": "failed", "stored": "failed"} {
		if got := testpage.JS[string](x, fmt.Sprintf("window.got[%q]", name)); got != want {
			t.Errorf("%s: it %s, want %s", name, got, want)
		}
	}
	if !x.Reports("frame-ancestors") {
		t.Error("the page can be shown in a frame")
	}
	if cookies != "" {
		t.Errorf("the neighbour's server got the cookies %q", cookies)
	}
	if found := testhome.Run[parley.SearchMessagesResult](t, h, "find", "owned").Messages; len(found) > 0 {
		t.Errorf("it has sent %d messages", len(found))
	}

	// A name that leads to this machine is another origin, and the daemon does not answer to it.
	other := must.Have(url.Parse(link.Address))(t)
	other.Host = "daemon.localhost:" + other.Port()
	x.Visit(other.String())
	if text := x.Text(); strings.Contains(text, "Needs") || strings.Contains(text, "run this in a terminal") {
		t.Errorf("under another name it shows the page:\n%s", text)
	}

	// The code was not spent by all that.
	again := testpage.Open(t, browser, link.URL(), 360, 740)
	again.Until("document.querySelector('nav') && document.querySelector('.dot.live')")
	again.Clean()
}
