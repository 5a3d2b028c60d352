package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley"
	"parley/internal/daemon"
	"parley/internal/must"
	"parley/internal/testhome"
	"parley/store/storetest"
)

// prepareDatabase gives the workspace an empty database, so that its daemon starts
// faster.
func prepareDatabase(t testing.TB, h *testhome.Home) {
	t.Helper()
	at := placeOf(h)
	must.Do(t, at.Prepare())
	must.Do(t, os.Mkdir(filepath.Dir(at.Database()), 0o700))
	must.Do(t, storetest.Prepare(at.Database()))
}

// An independent MCP client joins the team over `parley mcp`.
func TestMCPOverStdioServesTheOfficialClient(t *testing.T) {
	t.Parallel()
	h := testhome.New(t)
	ctx := inTime(t)
	testhome.Run[parley.LaunchAgentResult](t, h, "launch", "coder", "--profile", "generic", "--", "cat")
	bot := testhome.Run[parley.RegisterAgentResult](t, h, "register", "bot")

	cmd := h.Command("mcp")
	cmd.Env = append(slices.Clone(h.Env), "PARLEY_KEY="+bot.APIKey)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	c := mcp.NewClient(&mcp.Implementation{Name: "story", Version: "1"}, nil)

	session, err := c.Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatalf("connect: %v\n%s", err, stderr.String())
	}

	tools := must.Have(session.ListTools(ctx, nil))(t)

	var names []string
	for _, tool := range tools.Tools {
		names = append(names, tool.Name)
	}

	if !slices.Contains(names, "send_message") {
		t.Errorf("tools: got %q, want send_message among them", names)
	}

	var sent parley.SendMessageResult
	callTool(t, session, "send_message", map[string]any{"to": "coder", "text": "over stdio", "wait_seconds": 30}, &sent)
	if got := sent.Object.Sender; got != "bot" {
		t.Errorf("sender: got %q, want bot", got)
	}
	if got := sent.Deliveries[0].State; !got.Delivered() {
		t.Errorf("delivery to coder: got %s, want it proven", got)
	}

	// The bridge outlives its daemon.
	testhome.Run[parley.ShutDownResult](t, h, "down", "--keep-agents")
	testhome.Run[parley.SendMessageResult](t, h, "send", "bot", "back again")
	var inbox parley.CheckInboxResult
	callTool(t, session, "check_inbox", nil, &inbox)
	if len(inbox.Messages) != 1 || inbox.Messages[0].Content != "back again" {
		t.Errorf("inbox: got %+v, want the one message", inbox.Messages)
	}
	if err := session.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	if stderr.String() != "" {
		t.Errorf("standard error: got %q, want nothing", stderr.String())
	}
}

// The same, on the daemon's own /mcp.
func TestMCPOverHTTPServesTheOfficialClient(t *testing.T) {
	t.Parallel()
	h := testhome.New(t)
	ctx := inTime(t)
	bot := testhome.Run[parley.RegisterAgentResult](t, h, "register", "bot")
	status := testhome.Run[parley.WorkspaceStatusResult](t, h, "status")

	c := mcp.NewClient(&mcp.Implementation{Name: "story", Version: "1"}, nil)
	session := must.Have(c.Connect(ctx,
		&mcp.StreamableClientTransport{Endpoint: status.HTTP + "/mcp", HTTPClient: withKey(bot.APIKey)}, nil))(t)

	var sent parley.SendMessageResult
	callTool(t, session, "send_message", map[string]any{"to": "operator", "text": "over http"}, &sent)
	inbox := testhome.Run[parley.CheckInboxResult](t, h, "inbox")
	if len(inbox.Messages) != 1 || inbox.Messages[0].Sender != "bot" {
		t.Errorf("the operator's inbox: got %+v, want the one message of bot", inbox.Messages)
	}

	// A stream that waits for events does not keep the daemon from ending.
	request := must.Have(http.NewRequestWithContext(ctx, "GET", status.HTTP+"/api/events", nil))(t)

	request.Header.Set("Accept", "text/event-stream")
	stream := must.Have(withKey(bot.APIKey).Do(request))(t)
	defer stream.Body.Close()

	if got := stream.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Fatalf("the stream of events: got %s %q", stream.Status, got)
	}

	began := time.Now()
	testhome.Run[parley.ShutDownResult](t, h, "down")
	if took := time.Since(began); took >= daemon.EndWithin {
		t.Errorf("down took %s with a stream open, want less than %s", took, daemon.EndWithin)
	}

	_ = session.Close() // the daemon is gone, so it may fail
}

func callTool(t testing.TB, session *mcp.ClientSession, name string, args map[string]any, into any) {
	t.Helper()
	ctx := inTime(t)
	res, err := session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}

	text, _ := res.Content[0].(*mcp.TextContent)
	if text == nil || res.IsError {
		t.Fatalf("%s: %+v", name, res.Content)
	}
	if err := json.Unmarshal([]byte(text.Text), into); err != nil {
		t.Fatalf("%s answered %s: %v", name, text.Text, err)
	}
}

// keyed adds an API key to every request.
type keyed struct{ key string }

func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+k.key)
	return http.DefaultTransport.RoundTrip(r)
}

func withKey(key string) *http.Client { return &http.Client{Transport: keyed{key}} }

// The setting narrows what every connection is offered, over both transports, and a
// connection can narrow that further.
func TestToolsetsAreASettingAndAChoice(t *testing.T) {
	t.Parallel()
	h := testhome.New(t)
	team := "settings:\n  mcp_toolsets: team, files\n"
	must.Do(t, os.WriteFile(filepath.Join(h.Workspace, "parley.yaml"), []byte(team), 0o600))

	ctx := inTime(t)
	bot := testhome.Run[parley.RegisterAgentResult](t, h, "register", "bot")
	status := testhome.Run[parley.WorkspaceStatusResult](t, h, "status")
	http := func(query string) mcp.Transport {
		return &mcp.StreamableClientTransport{Endpoint: status.HTTP + "/mcp" + query, HTTPClient: withKey(bot.APIKey)}
	}

	stdio := func(args ...string) mcp.Transport {
		cmd := h.Command(append([]string{"mcp"}, args...)...)
		cmd.Env = append(slices.Clone(h.Env), "PARLEY_KEY="+bot.APIKey)
		return &mcp.CommandTransport{Command: cmd}
	}

	both := []string{"broadcast_message", "broadcast_update", "get_agent_status", "request_assistance", "transfer_file"}
	for what, c := range map[string]struct {
		transport mcp.Transport
		want      []string
	}{
		"http":                {http(""), both},
		"http, files alone":   {http("?toolsets=files,messages"), []string{"transfer_file"}},
		"stdio":               {stdio(), both},
		"stdio, files alone":  {stdio("--toolsets", "messages,files"), []string{"transfer_file"}},
		"stdio, what is none": {stdio("--toolsets", "messages"), nil},
	} {
		session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).
			Connect(ctx, c.transport, nil)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}

		tools, err := session.ListTools(ctx, nil)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}

		var names []string
		for _, tool := range tools.Tools {
			names = append(names, tool.Name)
		}

		if diff := cmp.Diff(c.want, names); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}

		res, err := session.CallTool(ctx,
			&mcp.CallToolParams{Name: "send_message", Arguments: map[string]any{"to": "operator", "text": "hi"}})
		if err != nil || !res.IsError || !strings.Contains(res.Content[0].(*mcp.TextContent).Text, "toolset messages") {
			t.Errorf("%s: send_message gave %+v, %v", what, res, err)
		}
		if strings.Contains(session.InitializeResult().Instructions, "send_message") {
			t.Errorf("%s: the instructions speak of send_message: %s", what, session.InitializeResult().Instructions)
		}

		_ = session.Close()
	}

	out, err := h.Command("mcp", "--toolsets", "mesages").CombinedOutput()
	if err == nil || !strings.Contains(string(out), `Did you mean "messages"?`) {
		t.Errorf("a wrong name: %v %s", err, out)
	}
}

// An agent of parley.yaml may be offered less than the others, over both transports.
func TestToolsetsOfAnAgent(t *testing.T) {
	t.Parallel()
	h := testhome.New(t)
	file := filepath.Join(h.Workspace, "parley.yaml")
	write := func(sets string) {
		must.Do(t, os.WriteFile(file, []byte("agents:\n  - {name: Bot, toolsets: "+sets+"}\n"), 0o600))
	}

	for sets, want := range map[string]string{"[mesages]": `Did you mean`, "[]": "toolsets is empty"} {
		write(sets)
		if out, err := h.Command("up").CombinedOutput(); err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v %s", sets, err, out)
		}
	}

	write("[files, team]")
	ctx := inTime(t)
	keys := map[string]string{}
	for _, name := range []string{"bot", "other"} {
		keys[name] = testhome.Run[parley.RegisterAgentResult](t, h, "register", name).APIKey
	}

	status := testhome.Run[parley.WorkspaceStatusResult](t, h, "status")
	for name, want := range map[string]bool{"bot": false, "other": true} {
		cmd := h.Command("mcp")
		cmd.Env = append(slices.Clone(h.Env), "PARLEY_KEY="+keys[name])
		for how, transport := range map[string]mcp.Transport{"stdio": &mcp.CommandTransport{Command: cmd},
			"http": &mcp.StreamableClientTransport{Endpoint: status.HTTP + "/mcp", HTTPClient: withKey(keys[name])}} {
			session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).
				Connect(ctx, transport, nil)
			if err != nil {
				t.Fatalf("%s over %s: %v", name, how, err)
			}

			tools, err := session.ListTools(ctx, nil)
			if err != nil {
				t.Fatalf("%s over %s: %v", name, how, err)
			}
			if got := slices.ContainsFunc(tools.Tools,
				func(tool *mcp.Tool) bool { return tool.Name == "send_message" }); got != want {
				t.Errorf("%s over %s: send_message is offered: %v, want %v", name, how, got, want)
			}

			res, err := session.CallTool(ctx,
				&mcp.CallToolParams{Name: "send_message", Arguments: map[string]any{"to": "operator", "text": "hi"}})
			if err != nil || res.IsError == want {
				t.Errorf("%s over %s: send_message gave %+v, %v", name, how, res, err)
			}

			_ = session.Close()
		}
	}
}

// A mailbox learns over the bridge how it gets its messages.
func TestTheBridgeKnowsTheRole(t *testing.T) {
	t.Parallel()
	h := testhome.New(t)
	ctx := inTime(t)
	bot := testhome.Run[parley.RegisterAgentResult](t, h, "register", "bot")
	for key, want := range map[string]string{bot.APIKey: "You are bot", "": "You act for the operator"} {
		cmd := h.Command("mcp")
		cmd.Env = slices.Clone(h.Env)
		if key != "" {
			cmd.Env = append(cmd.Env, "PARLEY_KEY="+key)
		}

		session := must.Have(mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).
			Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil))(t)

		for _, part := range []string{want, "check_inbox with wait_seconds"} {
			if text := session.InitializeResult().Instructions; !strings.Contains(text, part) {
				t.Errorf("the instructions do not say %q: %s", part, text)
			}
		}

		_ = session.Close()
	}
}
