package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"parley"
	"parley/internal/daemon"
	"parley/internal/must"
	"parley/internal/testhome"
)

// doorOf starts a daemon with settings, and returns a caller over TCP.
func doorOf(t *testing.T, settings string) (*testhome.Home, *someone) {
	t.Helper()
	h := testhome.New(t)
	must.Do(t, os.WriteFile(filepath.Join(h.Workspace, "parley.yaml"), []byte("settings:\n"+settings), 0o600))
	must.Do(t, h.Command("trust", "--yes").Run())
	info := testhome.Run[daemon.Info](t, h, "serve")
	return h, &someone{name: "nobody", client: http.DefaultClient, base: info.HTTP}
}

func TestLimitsOfTheSettingsHold(t *testing.T) {
	t.Parallel()
	h, nobody := doorOf(t, "  messages_per_minute: 2\n  broadcasts_per_minute: 1\n  registrations_per_minute: 2\n")
	coder := testhome.Run[parley.RegisterAgentResult](t, h, "register", "coder")
	for n := range 5 { // the operator is not limited
		testhome.Run[parley.RegisterAgentResult](t, h, "register", fmt.Sprintf("box%d", n))
		testhome.Run[parley.SendMessageResult](t, h, "send", "coder", "hi")
	}

	sender := *nobody
	sender.key = coder.APIKey
	for _, c := range []struct {
		s        *someone
		op, args string
		allowed  int
	}{
		{&sender, "send_message", `{"to":"box1","text":"hi"}`, 2},
		{&sender, "broadcast_message", `{"text":"hi"}`, 1},
		{nobody, "register_agent", `{"username":"new%d"}`, 2},
	} {
		for n := range c.allowed + 2 {
			args := c.args
			if c.s == nobody {
				args = fmt.Sprintf(args, n)
			}

			face := c.s.rest
			if n%2 == 1 {
				face = c.s.mcp
			}

			got, want := face(t, c.op, args), parley.Code("")
			if n >= c.allowed {
				want = parley.RateLimited
			}
			if got.Code != want {
				t.Errorf("call %d of %s: got %q (%s), want %q", n, c.op, got.Code, got.Message, want)
			}
		}
	}
}

func TestAgentIDWithoutKeyIsBelievedOnlyIfAllowed(t *testing.T) {
	t.Parallel()
	h, trusted := doorOf(t, "  trust_local_agent_id: true\n")
	coder := testhome.Run[parley.RegisterAgentResult](t, h, "register", "coder")
	reviewer := testhome.Run[parley.RegisterAgentResult](t, h, "register", "reviewer")
	for name, c := range map[string]struct {
		headers []string
		key     string
		want    parley.Code
	}{
		"an id":          {headers: []string{"X-Agent-ID: " + coder.AgentID}},
		"a name":         {headers: []string{"X-Agent-ID: coder"}},
		"nothing":        {want: parley.Unauthenticated},
		"the operator's": {headers: []string{"X-Agent-ID: operator"}, want: parley.Unauthenticated},
		"an unknown one": {headers: []string{"X-Agent-ID: nobody"}, want: parley.Unauthenticated},
		"another's key":  {headers: []string{"X-Agent-ID: coder"}, key: reviewer.APIKey, want: parley.NotAuthorized},
		"a wrong key":    {headers: []string{"X-Agent-ID: coder"}, key: "wrong", want: parley.Unauthenticated},
		"through a proxy": {headers: []string{"X-Agent-ID: coder", "X-Forwarded-For: 192.0.2.7"},
			want: parley.Unauthenticated},
		"from a web page": {headers: []string{"X-Agent-ID: coder", "Origin: http://evil.example"},
			want: parley.NotAuthorized},
		"two":         {headers: []string{"X-Agent-ID: coder", "X-Agent-ID: reviewer"}, want: parley.NotAuthorized},
		"its own key": {headers: []string{"X-Agent-ID: coder"}, key: coder.APIKey},
	} {
		s := *trusted
		s.headers, s.key = c.headers, c.key
		if got := s.rest(t, "check_inbox", "{}"); got.Code != c.want {
			t.Errorf("%s, REST: got %q (%s), want %q", name, got.Code, got.Message, c.want)
		}
		if name == "nothing" {
			continue // who may register may connect
		}
		if got := s.mcp(t, "check_inbox", "{}"); got.Code != c.want {
			t.Errorf("%s, MCP: got %q (%s), want %q", name, got.Code, got.Message, c.want)
		}
	}

	believed := *trusted
	believed.headers = []string{"X-Agent-ID: coder"}
	keyed := `{"api_key":"` + reviewer.APIKey + `"}`
	for face, got := range map[string]outcome{"REST": believed.rest(t, "check_inbox", keyed),
		"MCP": believed.mcp(t, "check_inbox", keyed)} {
		if !shutOut(got.Code) {
			t.Errorf("%s: coder's id with reviewer's key ended with %q", face, got.Code)
		}
	}
}

func TestDaemonListensOnTheAddressOfTheSettings(t *testing.T) {
	t.Parallel()
	h, there := doorOf(t, "  http_address: 127.0.0.2\n  http_hosts: build.example\n")
	if got := there.rest(t, "check_inbox", "{}"); got.Code != parley.Unauthenticated {
		t.Errorf("at %s: got %+v", there.base, got)
	}

	testhome.Run[parley.ShutDownResult](t, h, "down")
	_, there = doorOf(t, "  http_address: 0.0.0.0\n  http_hosts: a.example, build.example\n")
	for host, want := range map[string]parley.Code{"build.example": parley.Unauthenticated,
		"192.0.2.7": parley.Unauthenticated, "evil.example": parley.NotAuthorized} {
		s := *there
		s.headers = []string{"Host: " + host}
		if got := s.rest(t, "check_inbox", "{}"); got.Code != want {
			t.Errorf("as %s: got %+v, want %s", host, got, want)
		}
	}

}

func TestOthersRegisterOnlyIfAllowed(t *testing.T) {
	t.Parallel()
	for settings, want := range map[string]parley.Code{"  open_registration: false\n": parley.Unauthenticated,
		"  open_registration: true\n": ""} {
		_, there := doorOf(t, settings)
		there.headers = []string{"X-Forwarded-For: 192.0.2.7"}
		if got := there.rest(t, "register_agent", `{"username":"rest"}`); got.Code != want {
			t.Errorf("%sREST: got %+v, want %q", settings, got, want)
		}
		if got := there.mcp(t, "register_agent", `{"username":"mcp"}`); got.Code != want {
			t.Errorf("%sMCP: got %+v, want %q", settings, got, want)
		}
	}
}
