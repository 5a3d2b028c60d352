package mcpserver

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	official "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley"
	"parley/op"
)

func TestEveryToolIsInOneToolset(t *testing.T) {
	for _, op := range op.All {
		n := 0
		for _, tools := range toolsets {
			if slices.Contains(tools, op.Name) {
				n++
			}
		}
		if want := map[bool]int{true: 1}[op.ForModels()]; n != want {
			t.Errorf("%s is in %d toolsets, want %d", op.Name, n, want)
		}
	}
}

func TestToolsetsAreRead(t *testing.T) {
	for text, want := range map[string]Toolsets{
		"":                   nil,
		" , ":                nil,
		"messages":           {"messages"},
		" Threads,messages ": {"threads", "messages"},
	} {
		if got, err := ParseToolsets(text); err != nil || !slices.Equal(got, want) || (got == nil) != (want == nil) {
			t.Errorf("%q gives %q, %v, want %q", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"mesages":  `Did you mean "messages"?`,
		"nonsense": "files, messages, orchestrate, schedules, team, threads",
	} {
		if _, err := ParseToolsets(text); parley.ErrorCode(err) != parley.InvalidArgument ||
			!strings.Contains(parley.AsError(err).Action, want) {
			t.Errorf("%q gives %+v, want %s", text, err, want)
		}
	}
}

func TestToolsetsWithinOthers(t *testing.T) {
	for _, c := range []struct{ one, all, want Toolsets }{
		{nil, nil, nil}, {Toolsets{"team"}, nil, Toolsets{"team"}}, {nil, Toolsets{"team"}, Toolsets{"team"}},
		{Toolsets{"team", "files"}, Toolsets{"files"}, Toolsets{"files"}}, {Toolsets{"team"}, Toolsets{"files"},
			Toolsets{}},
	} {
		if diff := cmp.Diff(c.want, c.one.Within(c.all)); diff != "" {
			t.Errorf("%q within %q: %s", c.one, c.all, diff)
		}
	}
}

// withSets connects to a server that offers some toolsets, by a URL that asks for some.
func withSets(t *testing.T, c parley.Caller, offered Toolsets, query, version string) *official.ClientSession {
	t.Helper()
	h := newHandler(Options{Service: newFake(), Version: "test", Toolsets: offered}, progressEvery)
	t.Cleanup(func() { h.Close(t.Context()) })
	url, _ := web(t, "127.0.0.1:0", as(c, h))
	return connect(t, &official.StreamableClientTransport{Endpoint: url + "/" + query}, version, nil)
}

func TestToolsetsNarrowWhatIsOffered(t *testing.T) {
	for _, version := range eras {
		for what, c := range map[string]struct {
			caller  parley.Caller
			offered Toolsets
			query   string
			want    []string
		}{
			"a setting": {coder, Toolsets{"files", "team"}, "", append(slices.Clone(toolsets["team"]),
				"transfer_file")},
			"a connection": {coder, nil, "?toolsets=team,files", append(slices.Clone(toolsets["team"]),
				"transfer_file")},
			"both": {coder, Toolsets{"team", "messages"}, "?toolsets=team,threads",
				toolsets["team"]},
			"none in common":          {coder, Toolsets{"messages"}, "?toolsets=team", nil},
			"no right to orchestrate": {coder, Toolsets{"orchestrate"}, "", nil},
			"orchestrate":             {chief, Toolsets{"orchestrate"}, "", toolsets["orchestrate"]},
		} {
			want := slices.DeleteFunc(slices.Clone(c.want),
				func(name string) bool { return name == "register_agent" || op.Find(name) == nil })

			slices.Sort(want)
			if diff := cmp.Diff(append([]string{}, want...), names(list(t, withSets(t, c.caller, c.offered, c.query,
				version)))); diff != "" {
				t.Errorf("%s: %s", what, diff)
			}
		}
	}
}

// What an agent is offered is its own: others see all.
func TestAnAgentsToolsetsNarrowWhatItIsOffered(t *testing.T) {
	for who, c := range map[string]struct {
		caller parley.Caller
		want   int
	}{"coder": {coder, 1}, "chief": {chief, 1 + len(toolsets["messages"])}} {
		h := newHandler(Options{Service: newFake(), Version: "test", Toolsets: Toolsets{"files", "messages"},
			Agents: map[string]Toolsets{"coder": {"files", "team"}}}, progressEvery)
		t.Cleanup(func() { h.Close(t.Context()) })
		url, _ := web(t, "127.0.0.1:0", as(c.caller, h))
		s := connect(t, &official.StreamableClientTransport{Endpoint: url + "/"}, legacy, nil)
		if got := names(list(t, s)); len(got) != c.want {
			t.Errorf("%s is offered %v, want %d tools", who, got, c.want)
		}
		if res, text := call(t, s, "send_message", args{"to": "planner",
			"text": "hi"}); res.IsError != (who == "coder") {
			t.Errorf("%s: send_message gave %s", who, text)
		}
	}
}

func TestACallOutsideTheToolsetsSaysWhatIsMissing(t *testing.T) {
	for _, query := range []string{"", "?toolsets=team"} {
		s := withSets(t, coder, Toolsets{"team", "files"}, query, legacy)
		res, text := call(t, s, "send_message", args{"to": "planner", "text": "hi"})
		if got := structured[parley.Error](t, res); !res.IsError || got.Code != parley.NotAuthorized ||
			got.Details["toolset"] != "messages" ||
			!strings.Contains(text, "toolset messages") ||
			!strings.Contains(got.Action, "mcp_toolsets") {
			t.Errorf("got %s", text)
		}

		res, _ = call(t, s, "stop_agent", args{"agent": "planner"})
		if got := structured[parley.Error](t, res); got.Details["toolset"] != nil {
			t.Errorf("who may not stop agents is told of a toolset: %+v", got)
		}
		if res, text := call(t, s, "get_agent_status", nil); res.IsError {
			t.Errorf("what is offered fails: %s", text)
		}
	}

	url, _ := web(t, "127.0.0.1:0", as(coder, handler(t, newFake(), progressEvery)))
	if status, _, answer := raw(t, url+"/?toolsets=mesages", "POST", "", initialize); status != 400 ||
		!strings.Contains(answer, "Did you mean") {
		t.Errorf("a wrong name in the URL: got %d %s", status, answer)
	}
}
