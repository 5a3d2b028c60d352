package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley"
	"parley/internal/must"
	"parley/internal/testhome"
)

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
