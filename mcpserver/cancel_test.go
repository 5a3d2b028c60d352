package mcpserver

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"parley/internal/must"

	official "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A call that its client gives up ends in the service too: nobody waits for nobody.
func TestCancellingACallEndsItsWait(t *testing.T) {
	everywhere(t, coder, func(t *testing.T, f *fake, s *official.ClientSession) {
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			_, err := s.CallTool(
				ctx, &official.CallToolParams{Name: "check_inbox", Arguments: args{"wait_seconds": 60}},
			)
			ended <- err
		}()

		must.Come(t, "the call reaches the service", f.waits)
		cancel()
		must.Come(t, "the service gives up", f.gaveUp)
		if err := <-ended; err == nil {
			t.Error("a cancelled call gave a result")
		}
	})
}

// The ids of calls are each client's own numbers, so a cancellation must only ever meet
// calls of the one who sends it.
func TestNobodyCancelsAnothersCall(t *testing.T) {
	f := newFake()
	url, _ := web(t, "127.0.0.1:0", as(coder, handler(t, f, progressEvery)))
	send := modern(t, url)
	answer := make(chan string, 1)
	go func() {
		answer <- send("tools/call", "check_inbox", `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"check_inbox","arguments":{"wait_seconds":60},`+meta+`}}`)
	}()

	must.Come(t, "the call reaches the service", f.waits)
	if got := send("notifications/cancelled", "", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5,`+meta+`}}`); !strings.HasPrefix(
		got, "202",
	) {
		t.Errorf("the cancellation gives %s", got)
	}

	close(f.hold)
	if got := <-answer; !strings.Contains(got, `\"sender\":\"planner\"`) {
		t.Errorf("another's cancellation ended the call: %s", got)
	}
}

const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`

// modern returns what sends one request of the newer protocol, as curl would.
func modern(t *testing.T, url string) func(method, name, body string) string {
	return func(method, name, body string) string {
		req, err := http.NewRequestWithContext(t.Context(), "POST", url, strings.NewReader(body))
		if err != nil {
			return err.Error()
		}

		for header, value := range map[string]string{
			"Content-Type":         "application/json",
			"Accept":               "application/json, text/event-stream",
			"MCP-Protocol-Version": latest,
			"Mcp-Session-Id":       "mcp-session-00000000-0000-4000-8000-000000000000",
			"Mcp-Method":           method,
			"Mcp-Name":             name,
		} {
			req.Header.Set(header, value)
		}

		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return err.Error()
		}
		defer resp.Body.Close()

		b, _ := io.ReadAll(resp.Body)

		return resp.Status + string(b)
	}
}
