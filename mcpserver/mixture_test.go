package mcpserver

import (
	"net/http"
	"testing"

	official "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley"
)

// A key in the arguments decides where the connection has none, also on the operator's
// own socket; where the connection has one, or says an agent's id, both must agree.
func TestAKeyInTheArgumentsMustAgreeWithTheConnection(t *testing.T) {
	for name, c := range map[string]struct {
		caller     parley.Caller
		connection parley.Credentials
		key        string
		want       parley.Code
	}{
		"the operator's socket":        {caller: operator, key: "coders-key"},
		"the operator's socket, wrong": {caller: operator, key: "wrong", want: parley.Unauthenticated},
		"the same key twice": {caller: coder, connection: parley.Credentials{Key: "coders-key"},
			key: "coders-key"},
		"two keys of one agent": {caller: coder, connection: parley.Credentials{Key: "coders-other-key"},
			key: "coders-key", want: parley.Unauthenticated},
		"two agents' keys": {caller: coder, connection: parley.Credentials{Key: "coders-key"},
			key: "chiefs-key", want: parley.Unauthenticated},
		"a process of another agent": {caller: chief, key: "coders-key", want: parley.Unauthenticated},
		"an id that agrees": {caller: coder, connection: parley.Credentials{Claims: []string{"coder"}},
			key: "coders-key"},
		"an id that does not agree": {caller: operator,
			connection: parley.Credentials{Claims: []string{"operator"}}, key: "coders-key",
			want: parley.NotAuthorized},
		"one of two ids does not agree": {caller: coder, connection: parley.Credentials{Claims: []string{"coder",
			"chief"}}, key: "coders-key", want: parley.NotAuthorized},
	} {
		f := newFake()
		h := as(c.caller, handler(t, f, progressEvery))
		url, _ := web(t, "127.0.0.1:0", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			h.ServeHTTP(w, r.WithContext(parley.WithCredentials(r.Context(), c.connection)))
		}))

		s := connect(t, &official.StreamableClientTransport{Endpoint: url}, legacy, nil)
		if res, text := call(t, s, "check_inbox", args{"api_key": c.key}); c.want != "" {
			if !res.IsError || structured[parley.Error](t, res).Code != c.want {
				t.Errorf("%s: got %s, want %s", name, text, c.want)
			}
			continue
		}

		res, text := call(t, s, "send_message", args{"api_key": c.key, "recipient": "planner", "message": "hi"})
		if res.IsError || len(f.callers) != 1 || f.callers[0] != coder {
			t.Errorf("%s: got %s from %v, want a message from coder", name, text, f.callers)
		}
	}
}
