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
