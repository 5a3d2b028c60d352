package httpapi

import (
	"context"
	"net/http"
	"testing"

	"parley"
	"parley/internal/must"
)

func TestCredentials(t *testing.T) {
	s := &stub{}
	d := serve(t, New(options(s)))
	for name, c := range map[string]struct {
		body    string
		headers []string
		query   string
		want    parley.Code
	}{
		"none":                 {want: parley.Unauthenticated},
		"bearer":               {headers: []string{key}},
		"bearer in lower case": {headers: []string{"Authorization: bearer coders-key"}},
		"header":               {headers: []string{"X-API-Key: coders-key"}},
		"the same twice":       {headers: []string{key, "X-API-Key: coders-key"}, query: "?api_key=coders-key"},
		"two different":        {headers: []string{key, "X-API-Key: other"}, want: parley.Unauthenticated},
		"wrong":                {headers: []string{"Authorization: Bearer wrong"}, want: parley.Unauthenticated},
		"empty bearer":         {headers: []string{"Authorization: Bearer "}, want: parley.Unauthenticated},
		"empty header":         {headers: []string{"X-API-Key: "}, want: parley.Unauthenticated},
		"empty query":          {query: "?api_key=", want: parley.Unauthenticated},
		"basic": {headers: []string{"Authorization: Basic Y29kZXJzLWtleQ=="},
			want: parley.Unauthenticated},
		"in the body":            {body: `{"api_key":"coders-key"}`},
		"empty in the body":      {body: `{"api_key":""}`, want: parley.Unauthenticated},
		"null in the body":       {body: `{"api_key":null}`, want: parley.Unauthenticated},
		"a number in the body":   {body: `{"api_key":5}`, want: parley.Unauthenticated},
		"wrong beside the right": {body: `{"api_key":"wrong"}`, headers: []string{key}, want: parley.Unauthenticated},
		"own id":                 {headers: []string{key, "X-Agent-ID: " + coder.ID}},
		"own name":               {headers: []string{key, "X-Agent-ID: coder"}},
		"another's id":           {headers: []string{key, "X-Agent-ID: " + operator.ID}, want: parley.NotAuthorized},
		"an id alone":            {headers: []string{"X-Agent-ID: coder"}, want: parley.Unauthenticated},
		"own agent_id":           {body: `{"agent_id":"coder"}`, headers: []string{key}},
		"another's agent_id":     {body: `{"agent_id":"reviewer"}`, headers: []string{key}, want: parley.NotAuthorized},
	} {
		got := d.ask("POST", "/api/check_inbox"+c.query, c.body, c.headers...)
		status := http.StatusOK
		if c.want != "" {
			status = statuses[c.want]
		}

		d.expect(name, got, status, c.want)
		if challenge := got.header.Get("WWW-Authenticate"); (challenge != "") != (status == http.StatusUnauthorized) {
			t.Errorf("%s: WWW-Authenticate is %q with status %d", name, challenge, status)
		}
	}
}

func TestOnTheSocketAKeyDecidesBeforeThePeer(t *testing.T) {
	s := &stub{}
	d := serve(t, New(options(s)))
	d.expect("no key", d.askUnix("POST", "/api/check_inbox", ""), http.StatusOK, "")
	d.expect("coder's key", d.askUnix("POST", "/api/check_inbox", "", key), http.StatusOK, "")
	for i, want := range []parley.Caller{operator, coder} {
		if s.callers[i] != want {
			t.Errorf("call %d came from %+v, want %+v", i, s.callers[i], want)
		}
	}

	d.expect("wrong key", d.askUnix("POST", "/api/check_inbox", "", "X-API-Key: wrong"), http.StatusUnauthorized,
		parley.Unauthenticated)

	d.expect("empty key", d.askUnix("POST", "/api/check_inbox", "", "Authorization: Bearer"), http.StatusUnauthorized,
		parley.Unauthenticated)

	d.expect("two keys", d.askUnix("POST", "/api/check_inbox", "", key, "X-API-Key: other"), http.StatusUnauthorized,
		parley.Unauthenticated)

	d.expect("another's id", d.askUnix("POST", "/api/check_inbox", "", "X-Agent-ID: coder"), http.StatusForbidden,
		parley.NotAuthorized)

	d.expect("a wrong key on a public operation",
		d.askUnix("POST", "/api/register_agent", `{"username":"x"}`, "X-API-Key: wrong"), http.StatusUnauthorized,
		parley.Unauthenticated)
}

func TestAnAgentIDAloneIsEnoughOnlyWhereTrusted(t *testing.T) {
	o := options(&stub{})
	o.TrustLocalAgentID = true
	d := serve(t, New(o))
	d.expect("from loopback", d.ask("POST", "/api/check_inbox", "", "X-Agent-ID: coder"), http.StatusOK, "")
	d.expect("of nobody", d.ask("POST", "/api/check_inbox", "", "X-Agent-ID: nobody"), http.StatusUnauthorized,
		parley.Unauthenticated)

	d.expect("of the operator", d.ask("POST", "/api/check_inbox", "", "X-Agent-ID: operator"), http.StatusUnauthorized,
		parley.Unauthenticated)

	d.expect("two", d.ask("POST", "/api/check_inbox", "", "X-Agent-ID: coder", "X-Agent-ID: reviewer"),
		http.StatusForbidden, parley.NotAuthorized)

	r := must.Have(http.NewRequest("POST", "/", nil))(t)

	r.RemoteAddr = "192.0.2.7:4711"
	r.Header.Set("X-Agent-ID", "coder")
	if _, err := newAPI(o).callers.identify(r, nil); parley.ErrorCode(err) != parley.Unauthenticated {
		t.Errorf("from elsewhere it gave %v", err)
	}
}

func TestRegistrationIsOpenOnlyWhereConfigured(t *testing.T) {
	o := options(&stub{})
	d := serve(t, New(o))
	d.expect("closed", d.ask("POST", "/api/agents/register", `{"username":"x"}`), http.StatusUnauthorized,
		parley.Unauthenticated)

	d.expect("with a key", d.ask("POST", "/api/agents/register", `{"username":"x"}`, key), http.StatusOK, "")
	o.Registration, o.SameUser = true, ownProcess
	d = serve(t, New(o))
	d.expect("open", d.ask("POST", "/api/agents/register", `{"username":"x"}`), http.StatusOK, "")
	d.expect("anything else", d.ask("POST", "/api/check_inbox", ``), http.StatusUnauthorized, parley.Unauthenticated)
}

func TestHostAndOriginAreChecked(t *testing.T) {
	d := serve(t, New(options(&stub{})))
	for header, ok := range map[string]bool{
		"Host: localhost":                       true,
		"Host: LOCALHOST:1234":                  true,
		"Host: 127.0.0.1":                       true,
		"Host: 127.9.9.9:80":                    true,
		"Host: [::1]:80":                        true,
		"Host: [::1]":                           true,
		"Host: 127.0.0.1:":                      true,
		"Host: 127.0.0.1:99999999":              false,
		"Host: localhost:x":                     false,
		"Host: evil.example":                    false,
		"Host: localhost.evil.example":          false,
		"Host: 192.0.2.7:80":                    false,
		"Host: 127.0.0.1.evil.example":          false,
		"Host: 0.0.0.0":                         false,
		"Origin: http://localhost:3000":         false,
		"Origin: http://127.0.0.1":              false,
		"Origin: http://[::1]:5":                false,
		"Origin: http://evil.example":           false,
		"Origin: null":                          false,
		"Origin: http://localhost.evil.example": false,
		"Origin: file://":                       false,
	} {
		for _, path := range []string{"/api/check_inbox", "/healthz", "/mcp"} {
			got := d.ask("GET", path, "", key, header)
			if refused := got.status == http.StatusForbidden; refused == ok {
				t.Errorf("%s with %s: got %d", path, header, got.status)
			}
		}
	}

	for origin, ok := range map[string]bool{
		"http://localhost:7": true, "HTTP://LOCALHOST:7": true, "https://localhost:7": true,
		"http://localhost": false, "http://localhost:8": false, "http://127.0.0.1:7": false, "ftp://localhost:7": false,
		"//localhost:7": false, "localhost:7": false, "http://localhost:7@evil.example": false, "": false,
	} {
		got := d.ask("GET", "/api/check_inbox", "", key, "Host: localhost:7", "Origin: "+origin)
		if refused := got.status == http.StatusForbidden; refused == ok {
			t.Errorf("from %s to localhost:7: got %d", origin, got.status)
		}
	}

	d.expect("a strange host", d.ask("GET", "/api/check_inbox", "", key, "Host: evil.example"), http.StatusForbidden,
		parley.NotAuthorized)

	d.expect("any host on the socket", d.askUnix("GET", "/api/check_inbox", "", "Host: anything"), http.StatusOK, "")
}

func TestMCPUsesTheSameAuthentication(t *testing.T) {
	var caller parley.Caller
	o := options(&stub{})
	o.MCP = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { caller = parley.CallerFrom(r.Context()) })
	d := serve(t, New(o))
	d.expect("nobody", d.ask("POST", "/mcp", "{}"), http.StatusUnauthorized, parley.Unauthenticated)
	d.expect(
		"wrong key", d.ask("POST", "/mcp", "{}", "X-API-Key: wrong"), http.StatusUnauthorized, parley.Unauthenticated,
	)

	d.expect("coder", d.ask("POST", "/mcp", "{}", key), http.StatusOK, "")
	if caller != afar(coder) {
		t.Errorf("the MCP server saw %+v, want coder", caller)
	}

	o.Registration, o.SameUser = true, ownProcess
	d = serve(t, New(o))
	d.expect("nobody, where one may register", d.ask("POST", "/mcp", "{}"), http.StatusOK, "")
	if !caller.Nobody() {
		t.Errorf("the MCP server saw %+v, want nobody", caller)
	}
}

func TestWithoutAuthenticationEveryKeyIsWrong(t *testing.T) {
	d := serve(t, New(Options{Service: &stub{}}))
	d.expect("a key", d.ask("POST", "/api/check_inbox", "", key), http.StatusUnauthorized, parley.Unauthenticated)
}

func TestAKeyWithoutAnOwnerIsWrong(t *testing.T) {
	o := options(&stub{})
	o.Registration, o.SameUser = true, ownProcess
	o.Authenticate = func(context.Context, string) (parley.Caller, bool) { return parley.Caller{}, true }
	d := serve(t, New(o))
	d.expect("a key of nobody", d.ask("POST", "/api/register_agent", `{"username":"x"}`, key), http.StatusUnauthorized,
		parley.Unauthenticated)

	o.Authenticate = func(context.Context, string) (parley.Caller, bool) { return coder, true }
	d = serve(t, New(o))
	d.expect("an empty key", d.ask("POST", "/api/check_inbox", "", "X-API-Key: "), http.StatusUnauthorized,
		parley.Unauthenticated)
}
