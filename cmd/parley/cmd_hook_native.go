package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/client"
	"parley/internal/plainfile"
	"parley/op"
)

const (
	// A program waits for this hook before it sends the message.
	nativeTime = 3 * time.Second
	// maxSessions bounds the sessions that are looked at, and maxSession the size of one's file in bytes.
	maxSessions = 1000
	maxSession  = 64 << 10
)

// nativeCall is what a program passes to its hook before it uses a tool.
type nativeCall struct {
	Tool  string `json:"tool_name"`
	Input struct {
		To      string          `json:"to"`
		Message json.RawMessage `json:"message"`
	} `json:"tool_input"`
}

// hookVerdict is the answer to a hook by which the program does not use the tool.
type hookVerdict struct {
	Output hookOutput `json:"hookSpecificOutput"`
}

type hookOutput struct {
	Event    string `json:"hookEventName"`
	Decision string `json:"permissionDecision"`
	Reason   string `json:"permissionDecisionReason"`
}

// judge asks whether the program may send a message to another session with a tool of its own, and
// says so to the program if it may not. A message within the session, as to a sub-agent, passes.
func (h *hookCommand) judge(ctx context.Context, p *program, key string) {
	ctx, cancel := context.WithTimeout(ctx, nativeTime)
	defer cancel()

	var call nativeCall
	_ = json.Unmarshal(readHookInput(ctx, p.in, nativeTime/2), &call)
	if call.Input.To == "" || strings.HasPrefix(call.Tool, "mcp__") {
		return
	}

	req := parley.NativeMessageRequest{Tool: call.Tool, To: call.Input.To, Text: string(call.Input.Message)}
	_ = json.Unmarshal(call.Input.Message, &req.Text) // else it is an object
	addSessions(&req, h.sessions)

	info, _, err := p.reportsTo()
	if err != nil {
		return
	}
	var res *parley.NativeMessageResult
	if err = errors.New("no daemon"); info != nil {
		res, err = op.ReportNativeMessage.Call(ctx, client.New(p.wayTo(info, 0)), req)
	}

	switch {
	case err == nil && !res.Allowed:
		refuseTool(p.out, res.Message)
	case err != nil && len(req.Sessions) > 0:
		refuseTool(p.out, "Not sent: parley, which carries the messages of your team, does not answer now. "+
			"Try the tool send_message of the MCP server parley.")
	}
}

func refuseTool(w io.Writer, why string) {
	_ = json.NewEncoder(w).Encode(hookVerdict{hookOutput{"PreToolUse", "deny", why}})
}

// addSessions adds the sessions that a tool's recipient may mean: those of which a field is equal to it, such
// as name, id or socket.
func addSessions(req *parley.NativeMessageRequest, dir string) {
	to := strings.TrimPrefix(req.To, "uds:")
	if bracket := strings.LastIndex(to, " ["); bracket > 0 && strings.HasSuffix(to, "]") {
		to = to[:bracket]
	}

	files, _ := filepath.Glob(filepath.Join(dir, "*.json"))
	for _, file := range files[:min(len(files), maxSessions)] {
		b, err := plainfile.Read(file, maxSession)
		if err != nil {
			continue
		}
		var session map[string]any
		if json.Unmarshal(b, &session) != nil || !slices.Contains(slices.Collect(maps.Values(session)), any(to)) {
			continue
		}

		id, _ := session["sessionId"].(string)
		pid, _ := session["pid"].(float64)
		req.Sessions = append(req.Sessions, id)
		req.PIDs = append(req.PIDs, int(pid))
	}
}
