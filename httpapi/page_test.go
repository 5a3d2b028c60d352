package httpapi

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/internal/testpage"
	"parley/orchestrator/team"
)

// pageOptions are those of a daemon with a page, whose one code is "parley_code". watchers-key is a session's that may
// only look.
func pageOptions(s parley.Service) Options {
	o := options(s)
	known := o.Authenticate
	o.Authenticate = func(ctx context.Context, key string) (parley.Caller, bool) {
		switch key {
		case "operators-key":
			return operator, true
		case "unplaced-key":
			return parley.Caller{Unplaced: true}, true
		case "watchers-key":
			return parley.Caller{Watches: operator.ID}, true
		}
		return known(ctx, key)
	}
	o.Page = &Page{
		Files: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			reply(w, http.StatusOK, map[string]string{"page": r.URL.Path})
		}),
		Enter: func(_ context.Context, e parley.PageEntry) (*parley.PageSession, error) {
			if e.CodeID != "parley_code" || e.Proof != parley.PageProof(team.HashKey("parley_code"), e.PublicKey) {
				return nil, parley.PageCodeSpent()
			}
			return &parley.PageSession{Answer: parley.OK, KeyID: "parley_session1"}, nil
		},
		Session: func(context.Context, string, parley.Device) (parley.Caller, bool) { return parley.Caller{}, false },
		Workspaces: func(context.Context) []parley.KnownWorkspace {
			return []parley.KnownWorkspace{{Workspace: "/home/dm/other", Needs: 2,
				Command: "parley --workspace /home/dm/other"}}
		},
	}
	return o
}

const asJSON = "Content-Type: application/json"

func TestACodeBecomesASessionOnlyAsJSONFromThisPage(t *testing.T) {
	d := serve(t, New(pageOptions(&stub{})))
	s := testpage.NewSession(t, d.tcp)
	code := s.Entry(t, "parley_code", "")
	own := "Origin: " + d.tcp
	got := d.signed(s, "POST", "/session", code, asJSON, own)
	d.expect("the page", got, http.StatusOK, "")
	if got.body["key_id"] != "parley_session1" || got.body["run"] == "" || len(got.header.Values("Set-Cookie")) > 0 ||
		got.header.Get("Cache-Control") != "no-store" {
		t.Errorf("got %v with %v", got.body, got.header)
	}

	for what, try := range map[string]struct {
		method, body string
		headers      []string
		status       int
		code         parley.Code
	}{
		"a wrong code": {"POST", s.Entry(t, "parley_other", ""), []string{asJSON, own}, http.StatusUnauthorized,
			parley.Unauthenticated},
		"no code": {"POST", `{}`, []string{asJSON, own}, http.StatusUnauthorized,
			parley.Unauthenticated},
		"the code itself": {"POST", `{"code":"parley_code"}`, []string{asJSON, own}, http.StatusUnauthorized,
			parley.Unauthenticated},
		"the proof of another session": {"POST", testpage.NewSession(t, "").Entry(t, "parley_code", ""),
			[]string{asJSON, own}, http.StatusUnauthorized, parley.Unauthenticated},
		"no JSON": {"POST", `code=parley_code`, []string{asJSON, own}, http.StatusBadRequest,
			parley.InvalidArgument},
		"a form of another page": {"POST", code, []string{"Content-Type: text/plain", own},
			http.StatusUnsupportedMediaType, parley.InvalidArgument},
		"no type": {"POST", code, []string{own}, http.StatusBadRequest, parley.InvalidArgument},
		"a read":  {"GET", "", []string{own}, http.StatusMethodNotAllowed, parley.InvalidArgument},
		"a page of another port": {"POST", code, []string{asJSON, "Origin: http://127.0.0.1:1"}, http.StatusForbidden,
			parley.NotAuthorized},
		"a page of another site": {"POST", code, []string{asJSON, "Origin: https://evil.example"},
			http.StatusForbidden, parley.NotAuthorized},
		"a page without an origin": {"POST", code, []string{asJSON, "Origin: null"}, http.StatusForbidden,
			parley.NotAuthorized},
		"a name that leads here": {"POST", code, []string{asJSON, "Host: evil.example",
			"Origin: http://evil.example"}, http.StatusForbidden, parley.NotAuthorized},
	} {
		d.expect(what, d.signed(s, try.method, "/session", try.body, try.headers...), try.status, try.code)
	}
	d.expect("nobody's", d.ask("POST", "/session", code, asJSON, own), http.StatusUnauthorized, parley.Unauthenticated)

	// What a page of another port asks before it sends a header of its own: no answer allows it.
	before := d.ask("OPTIONS", "/api/send_message", "", "Origin: http://127.0.0.1:1",
		"Access-Control-Request-Method: POST", "Access-Control-Request-Headers: authorization")
	if before.status != http.StatusForbidden || before.header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("a page of another port is answered with %d, %v", before.status, before.header)
	}
}

// A browser sends cookies of this machine to every port of it, so none counts.
func TestACookieIsNoCredential(t *testing.T) {
	d := serve(t, New(pageOptions(&stub{})))
	d.expect("a cookie", d.ask("POST", "/api/check_inbox", "",
		"Cookie: parley=coders-key; key=coders-key; api_key=coders-key"),
		http.StatusUnauthorized, parley.Unauthenticated)
}

func TestThePageIsServedWithoutAKey(t *testing.T) {
	d := serve(t, New(pageOptions(&stub{})))
	for _, path := range []string{"/", "/page/main.js"} {
		if got := d.ask("GET", path, ""); got.status != http.StatusOK || got.body["page"] != path {
			t.Errorf("%s: got %d, %v", path, got.status, got.body)
		}
		d.expect("a change of "+path, d.ask("POST", path, ""), http.StatusMethodNotAllowed, parley.InvalidArgument)
		d.expect("a strange host", d.ask("GET", path, "", "Host: evil.example"), http.StatusForbidden,
			parley.NotAuthorized)
	}
	d.expect("another path", d.ask("GET", "/pages", ""), http.StatusNotFound, parley.InvalidArgument)
	d.expect("no page", serve(t, New(options(&stub{}))).ask("GET", "/", ""),
		http.StatusNotFound, parley.InvalidArgument)
}

func TestAWatchingSessionReadsOverHTTP(t *testing.T) {
	s := &stub{}
	d := serve(t, New(pageOptions(s)))
	const watchers = "Authorization: Bearer watchers-key"
	d.expect("reading", d.ask("POST", "/api/check_inbox", "", watchers), http.StatusOK, "")
	if got := s.callers[0]; got.ID != operator.ID || !got.Operator {
		t.Errorf("it reads as %+v", got)
	}
	got := d.ask("POST", "/api/send_message", `{"to":"a","text":"x"}`, asJSON, watchers)
	d.expect("sending", got, http.StatusForbidden, parley.NotAuthorized)
	if words, _ := got.body["error_message"].(string); !strings.Contains(words, "may only look") {
		t.Errorf("it is refused with %q", words)
	}
	d.expect("registering", d.ask("POST", "/api/register_agent", `{"username":"x"}`, asJSON, watchers),
		http.StatusUnauthorized,
		parley.Unauthenticated)
	d.expect("MCP", d.ask("POST", "/mcp", "{}", watchers), http.StatusNotFound, parley.InvalidArgument)
}

// Who may act for the person sees the person's other workspaces, and nobody else does.
func TestWorkspacesAreForTheOperator(t *testing.T) {
	d := serve(t, New(pageOptions(&stub{})))
	const bearer = "Authorization: Bearer "
	got := d.ask("GET", "/workspaces", "", bearer+"operators-key")
	d.expect("the operator", got, http.StatusOK, "")
	if list, _ := got.body["workspaces"].([]any); len(list) != 1 || list[0].(map[string]any)["needs"] != 2.0 {
		t.Errorf("the operator gets %v", got.body)
	}

	for what, try := range map[string]struct {
		headers []string
		status  int
		code    parley.Code
	}{
		"nobody": {nil, http.StatusUnauthorized, parley.Unauthenticated},
		"an unknown key": {[]string{bearer + "nobodys-key"}, http.StatusUnauthorized,
			parley.Unauthenticated},
		"an agent": {[]string{bearer + "coders-key"}, http.StatusForbidden, parley.NotAuthorized},
		"an invitation": {[]string{bearer + "an-invitation"}, http.StatusUnauthorized,
			parley.Unauthenticated},
		"a session that may look":      {[]string{bearer + "watchers-key"}, http.StatusForbidden, parley.NotAuthorized},
		"a key whose shower is hidden": {[]string{bearer + "unplaced-key"}, http.StatusForbidden, parley.NotAuthorized},
		"a cookie": {[]string{"Cookie: key=operators-key"}, http.StatusUnauthorized,
			parley.Unauthenticated},
		"a page of another port": {[]string{bearer + "operators-key", "Origin: http://127.0.0.1:1"},
			http.StatusForbidden,
			parley.NotAuthorized},
	} {
		got := d.ask("GET", "/workspaces", "", try.headers...)
		d.expect(what, got, try.status, try.code)
		if got.body["workspaces"] != nil {
			t.Errorf("%s gets %v", what, got.body)
		}
	}
	d.expect("a change", d.ask("POST", "/workspaces", "{}", asJSON, bearer+"operators-key"),
		http.StatusMethodNotAllowed,
		parley.InvalidArgument)

	o := pageOptions(&stub{})
	o.Page.Workspaces = nil
	d.expect("no workspaces", serve(t, New(o)).ask("GET", "/workspaces", "", bearer+"operators-key"),
		http.StatusNotFound,
		parley.InvalidArgument)
}

// A proxy on this machine passes on the name that people call it by.
func TestNamesOfTheSettingsCountOnLoopback(t *testing.T) {
	o := pageOptions(&stub{})
	o.Hosts = []string{"team.example"}
	d := serve(t, New(o))
	for host, ok := range map[string]bool{
		"team.example": true, "TEAM.example:443": true, "other.example": false, "192.0.2.7": false,
		"team.example.evil": false,
	} {
		if got := d.ask("GET", "/", "", "Host: "+host, "Origin: https://"+host); (got.status == http.StatusOK) != ok {
			t.Errorf("%s: got %d", host, got.status)
		}
	}
}

// The first calls of a session may come with its code. They are made with what the session may, and one that fails is
// left out.
func TestTheFirstCallsComeWithTheCode(t *testing.T) {
	o := pageOptions(&stub{})
	var caller parley.Caller
	o.Page.Session = func(context.Context, string, parley.Device) (parley.Caller, bool) {
		return caller, caller != parley.Caller{}
	}
	d := serve(t, New(o))
	watcher := parley.Caller{Watches: operator.ID}

	for what, test := range map[string]struct {
		caller      parley.Caller
		calls, want string
	}{
		"one":                   {operator, `{"check_inbox":{"limit":10}}`, "check_inbox"},
		"none":                  {operator, `{}`, ""},
		"a wrong argument":      {operator, `{"check_inbox":{"limit":"many"}}`, ""},
		"one that is not known": {operator, `{"guess":{},"check_inbox":{}}`, "check_inbox"},
		"one that changes":      {watcher, `{"send_message":{"to":"all","text":"x"},"check_inbox":{}}`, "check_inbox"},
		"too many":              {operator, `{"check_inbox":{},"a":{},"b":{},"c":{},"d":{}}`, ""},
		"one that has ended":    {parley.Caller{}, `{"check_inbox":{}}`, ""},
		"where it is refused":   {parley.Caller{Unplaced: true}, `{"send_message":{"to":"all","text":"x"}}`, ""},
	} {
		caller = test.caller
		s := testpage.NewSession(t, d.tcp)
		got := d.signed(s, "POST", "/session", s.Entry(t, "parley_code", test.calls), asJSON)
		d.expect(what, got, http.StatusOK, "")
		answers, _ := got.body["answers"].(map[string]any)
		if names := strings.Join(slices.Sorted(maps.Keys(answers)), " "); names != test.want {
			t.Errorf("%s: the answers are of %q, want %q", what, names, test.want)
		}
	}
	s := testpage.NewSession(t, d.tcp)
	d.expect("a wrong code", d.signed(s, "POST", "/session", s.Entry(t, "x", `{"check_inbox":{}}`), asJSON),
		http.StatusUnauthorized, parley.Unauthenticated)
}

// signed asks with the signature of a session.
func (d *daemon) signed(s *testpage.Session, method, path, body string, headers ...string) answer {
	d.Helper()
	signature := s.Request(d.T, method, path, body).Header.Get("Authorization")
	return d.ask(method, path, body, append(headers, "Authorization: "+signature)...)
}

// A signature counts once, for the request that it is of, at its time, at its port, and for this run of the daemon.
func TestASignatureIsOfOneRequest(t *testing.T) {
	asked := &stub{}
	o := pageOptions(asked)
	s := testpage.NewSession(t, "")
	o.Page.Session = func(_ context.Context, key string, _ parley.Device) (parley.Caller, bool) {
		return operator,
			key == s.PublicKey(t)
	}
	o.Hosts = []string{"team.example"}
	a := newAPI(o)
	d := serve(t, a.handler())
	s.Address, s.Run = d.tcp, a.run
	const path, body = "/api/check_inbox", `{"limit":10}`
	good := func(changes ...func(*testpage.Session)) string {
		made := *s
		for _, change := range changes {
			change(&made)
		}
		return "Authorization: " + made.Request(t, "POST", path, body).Header.Get("Authorization")
	}
	at := func(host string) func(*testpage.Session) {
		return func(s *testpage.Session) { s.Address = "http://" + host }
	}
	ahead := func(by time.Duration) func(*testpage.Session) { return func(s *testpage.Session) { s.Ahead = by } }
	_, port, _ := strings.Cut(strings.TrimPrefix(d.tcp, "http://"), ":")
	spent, other := good(), testpage.NewSession(t, d.tcp)
	other.Run = s.Run
	d.expect("the first time", d.ask("POST", path, body, asJSON, spent), http.StatusOK, "")

	const no, wrong = http.StatusUnauthorized, parley.Unauthenticated
	for what, try := range map[string]struct {
		method, path, body string
		headers            []string
		status             int
		code               parley.Code
	}{
		"good":           {"POST", path, body, []string{good()}, 200, ""},
		"a little early": {"POST", path, body, []string{good(ahead(40 * time.Second))}, 200, ""},
		"by another name": {"POST", path, body, []string{good(at("localhost:" + port)), "Host: localhost:" + port},
			200, ""},
		"by a proxy":     {"POST", path, body, []string{good(at("team.example")), "Host: team.example"}, 200, ""},
		"again":          {"POST", path, body, []string{spent}, no, wrong},
		"another method": {"GET", path, "", []string{good()}, no, wrong},
		"another path":   {"POST", "/api/get_needs", body, []string{good()}, no, wrong},
		"another query":  {"POST", path + "?limit=1", body, []string{good()}, no, wrong},
		"another body":   {"POST", path, `{"limit":11}`, []string{good()}, no, wrong},
		"another host":   {"POST", path, body, []string{good(), "Host: localhost:" + port}, no, wrong},
		"another run":    {"POST", path, body, []string{good(func(s *testpage.Session) { s.Run = "X" })}, no, wrong},
		"too early":      {"POST", path, body, []string{good(ahead(2 * time.Minute))}, no, wrong},
		"too late":       {"POST", path, body, []string{good(ahead(-2 * time.Minute))}, no, wrong},
		"of nobody": {"POST", path, body, []string{"Authorization: " + other.Request(t, "POST", path,
			body).Header.Get("Authorization")}, no, wrong},
		"cut":            {"POST", path, body, []string{good()[:200]}, no, wrong},
		"no signature":   {"POST", path, body, []string{"Authorization: Parley " + s.PublicKey(t)}, no, wrong},
		"the public key": {"POST", path, body, []string{"Authorization: Bearer " + s.PublicKey(t)}, no, wrong},
		"beside a key":   {"POST", path, body, []string{good(), "X-API-Key: coders-key"}, no, wrong},
		"from elsewhere": {"POST", path, body, []string{good(), "Origin: http://127.0.0.1:1"}, 403,
			parley.NotAuthorized},
		"at another port": {"POST", path, body, []string{good(at("127.0.0.1:1")), "Host: 127.0.0.1:1"}, 403,
			parley.NotAuthorized},
		"where a file is":  {"POST", "/api/files", body, []string{good()}, no, wrong},
		"with both bodies": {"GET", path + "?limit=10", body, []string{good()}, no, wrong},
	} {
		d.expect(what, d.ask(try.method, try.path, try.body, append(try.headers, asJSON)...), try.status, try.code)
	}

	stale := *s
	stale.Run, stale.Ahead = "", time.Hour
	details, _ := d.signed(&stale, "POST", path, body, asJSON).body["details"].(map[string]any)
	if details["run"] != s.Run || details["time"] == nil {
		t.Errorf("a page that has slept is told %v", details)
	}
	if n := len(asked.checked); n != 5 {
		t.Errorf("%d calls were made", n)
	}
	query := s.Request(t, "GET", path+"?"+url.Values{"limit": {"3"}}.Encode(), "")
	res := must.Have(http.DefaultClient.Do(query))(t)
	if res.Body.Close(); res.StatusCode != http.StatusOK {
		t.Errorf("a read is answered with %s", res.Status)
	}
}

// A nonce is kept as long as its signature could come again.
func TestNoncesAreForgotten(t *testing.T) {
	now := time.Now()
	c := newSignatures(func() time.Time { return now })
	sign := func(nonce string) signature {
		return signature{run: c.run, nonce: nonce, time: strconv.FormatInt(now.UnixMilli(), 10)}
	}
	for i := range 5000 {
		must.Do(t, c.take(sign(strconv.Itoa(i))))
		now = now.Add(time.Second)
	}
	if n := len(c.seen); n > 1024+60 {
		t.Errorf("%d are kept", n)
	}
	again := sign("4999")
	again.time = strconv.FormatInt(now.Add(-time.Second).UnixMilli(), 10)
	if c.take(again) == nil {
		t.Error("the last one counts again")
	}
}

// What a page reads over a phone's line is compressed. Nothing else is: not what others ask for, and no answer with a
// key.
func TestLongAnswersToAPageAreCompressed(t *testing.T) {
	long := []parley.Event{{Seq: 1, Preview: strings.Repeat("hello ", 1000)}}
	s := &stub{events: func(_ context.Context, r parley.ReadEventsRequest) (*parley.ReadEventsResult, error) {
		return &parley.ReadEventsResult{Answer: parley.OK, Events: long[:min(r.Limit, 1)], Next: 1}, nil
	}}
	o := pageOptions(s)
	known := o.Authenticate
	o.Authenticate = func(ctx context.Context, key string) (parley.Caller, bool) {
		if key == "sessions-key" {
			session := operator
			session.Session = "1"
			return session, true
		}
		return known(ctx, key)
	}
	d := serve(t, New(o))

	for what, test := range map[string]struct {
		key, accepts string
		packed       bool
	}{
		"a session":                 {"sessions-key", "gzip, deflate, br", true},
		"a session that may look":   {"watchers-key", "gzip", true},
		"a session that takes none": {"sessions-key", "br", false},
		"the operator":              {"operators-key", "gzip", false},
		"an agent":                  {"coders-key", "gzip", false},
	} {
		req := must.Have(http.NewRequest("POST", d.tcp+"/api/read_events", strings.NewReader(`{"limit":1}`)))(t)
		req.Header = http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer " + test.key},
			"Accept-Encoding": {test.accepts}}
		res := must.Have(http.DefaultClient.Do(req))(t)
		body := io.Reader(res.Body)
		if packed := res.Header.Get("Content-Encoding") == "gzip"; packed != test.packed {
			t.Errorf("%s: compressed is %v", what, packed)
		} else if packed {
			body = must.Have(gzip.NewReader(res.Body))(t)
		}
		var got parley.ReadEventsResult
		must.Do(t, json.NewDecoder(body).Decode(&got))
		if len(got.Events) != 1 || got.Events[0].Preview != long[0].Preview {
			t.Errorf("%s: the answer is another one", what)
		}
		must.Do(t, res.Body.Close())

		// So does the stream, whose compressed events come at once.
		stream := must.Have(http.NewRequest("GET", d.tcp+"/api/events?after=0", nil))(t)
		stream.Header = req.Header
		stream.Header.Set("Accept", "text/event-stream")
		res = must.Have(http.DefaultClient.Do(stream))(t)
		body = res.Body
		if packed := res.Header.Get("Content-Encoding") == "gzip"; packed != test.packed {
			t.Errorf("%s: a compressed stream is %v", what, packed)
		} else if packed {
			body = must.Have(gzip.NewReader(res.Body))(t)
		}
		lines, shown := bufio.NewScanner(body), false
		for !shown && lines.Scan() {
			shown = strings.HasPrefix(lines.Text(), "data: ") && strings.Contains(lines.Text(), long[0].Preview)
		}
		if !shown {
			t.Errorf("%s: the stream has not its event", what)
		}
		must.Do(t, res.Body.Close())
	}
}
