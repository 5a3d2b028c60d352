package demoagent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"parley"
)

// callTimeout bounds one call, including the daemon's own waiting.
const callTimeout = 30 * time.Second

// team is the connection to the daemon. The zero team has none.
type team struct {
	client *client.Client
	ready  bool
	stderr *tail
}

// dial starts the stdio bridge. The first call initializes it, so that an agent whose
// daemon is slow still shows its composer at once.
func dial(executable string, env []string) (*team, error) {
	stderr := &tail{}
	command := func(ctx context.Context, name string, _, args []string) (*exec.Cmd, error) {
		cmd := exec.CommandContext(ctx, name, args...)
		cmd.Env, cmd.Stderr = env, stderr
		return cmd, nil
	}
	c, err := client.NewStdioMCPClientWithOptions(executable, nil, []string{"mcp"}, transport.WithCommandFunc(command))
	if err != nil {
		return nil, fmt.Errorf("start %s mcp: %w", executable, err)
	}
	return &team{client: c, stderr: stderr}, nil
}

func (t *team) close() {
	if t.client != nil {
		_ = t.client.Close()
	}
}

// call makes one call and decodes its result into result.
func (t *team) call(ctx context.Context, tool string, args map[string]any, result any) error {
	if t.client == nil {
		return errors.New("not on a team: PARLEY_KEY is not set")
	}

	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()

	if err := t.initialize(ctx); err != nil {
		return err
	}

	req := mcp.CallToolRequest{}
	req.Params.Name, req.Params.Arguments = tool, args

	res, err := t.client.CallTool(ctx, req)
	if err != nil {
		return fmt.Errorf("call %s: %w", tool, err)
	}

	return decodeResult(tool, res, result)
}

func (t *team) initialize(ctx context.Context) error {
	if t.ready {
		return nil
	}
	req := mcp.InitializeRequest{}
	req.Params.ClientInfo = mcp.Implementation{Name: "parley-demo-agent", Version: "1"}
	if _, err := t.client.Initialize(ctx, req); err != nil {
		return fmt.Errorf("greet the daemon: %w%s", err, t.lastError())
	}
	t.ready = true
	return nil
}

// lastError returns the last line that the bridge wrote to its standard error.
func (t *team) lastError() string {
	if last := t.stderr.lastLine(); last != "" {
		return ": " + last
	}
	return ""
}

// tail is a writer that keeps the end of what is written to it.
type tail struct {
	mu  sync.Mutex
	end []byte
}

// tailBytes is enough for one long line.
const tailBytes = 2000

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.end = append(t.end, p...)
	t.end = t.end[max(0, len(t.end)-tailBytes):]
	return len(p), nil
}

func (t *tail) lastLine() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := strings.TrimSpace(strings.ToValidUTF8(string(t.end), ""))
	return text[strings.LastIndexByte(text, '\n')+1:]
}

func decodeResult(tool string, res *mcp.CallToolResult, result any) error {
	text := ""
	for _, c := range res.Content {
		if t, ok := c.(mcp.TextContent); ok {
			text += t.Text
		}
	}

	if res.IsError {
		return fmt.Errorf("%s: %s", tool, errorText(res, text))
	}

	raw := []byte(text)
	if res.StructuredContent != nil {
		var err error
		if raw, err = json.Marshal(res.StructuredContent); err != nil {
			return fmt.Errorf("read the answer of %s: %w", tool, err)
		}
	}

	if err := json.Unmarshal(raw, result); err != nil {
		return fmt.Errorf("read the answer of %s: %w", tool, err)
	}

	return nil
}

// errorText returns the message and action of a refused call, or its text if it is not
// one of parley's errors.
func errorText(res *mcp.CallToolResult, text string) string {
	raw := []byte(text)
	if res.StructuredContent != nil {
		raw, _ = json.Marshal(res.StructuredContent)
	}
	var e parley.Error
	if json.Unmarshal(raw, &e) == nil && e.Message != "" {
		return strings.TrimSpace(e.Message + ". " + e.Action)
	}
	return text
}
