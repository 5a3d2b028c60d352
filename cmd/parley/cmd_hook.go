package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley"
	"parley/client"
	"parley/internal/plainfile"
	"parley/op"
	"parley/orchestrator/terminal"
	"parley/plain"
	"parley/program/typed"
)

// An agent program may wait for its hooks, so a hook takes hookTime at most. Usually the
// program passes its input at once, and the daemon answers within milliseconds. If the
// input is late, the report goes without it; if the daemon is, it goes to the spool.
const (
	hookRead = 150 * time.Millisecond
	hookCall = 200 * time.Millisecond
	hookTime = 250 * time.Millisecond
	// hookWaits is how much longer that is where the program waits for a message: the daemon finds out within 900 ms.
	hookWaits = time.Second
)

// hookCommand reports what an agent program does.
type hookCommand struct {
	sessions string // where the program's sessions are listed
	waits    bool   // the program takes what is printed
}

func (h *hookCommand) declare(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "hook [EVENT] [JSON]",
		Args:  cobra.ArbitraryArgs,
		Short: "Report what an agent program does, from its hooks",
		Long: `Tells the daemon what a launched agent's program reports about itself. The profile makes
the program call it as a hook. It reads the hook's JSON from standard input or the last
argument, and takes from it the event and the messages in the prompt; it keeps nothing
else.

It prints nothing, always succeeds, and ends within 300 ms. While no daemon runs, the
report waits in the workspace. Outside of an agent it does nothing.

With --wait it prints a message that is there for the program, in the form in which that
takes it into its turn, and ends within 1.3 s.

With --sessions it reports nothing, but asks the daemon whether the program may send a
message to another session, and prints the program's own form of a refusal if not.`,
		Example: `  parley hook < event.json
  parley hook idle-again`,
		Hidden:             true,
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
		RunE: func(cmd *cobra.Command, args []string) error {
			h.run(cmd.Context(), &c.program, args)
			return nil
		},
	}
	cmd.Flags().StringVar(&h.sessions, "sessions", "", "where the program's sessions are listed; judge a message "+
		"to one")
	cmd.Flags().BoolVar(&h.waits, "wait", false, "the program takes what is printed into its turn")
	return cmd
}

// run reports within hookTime, or not at all.
func (h *hookCommand) run(ctx context.Context, p *program, args []string) {
	key := p.out.at.env.Get(parley.KeyVariable)
	if key == "" {
		return
	}

	// No input may make the hook fail.
	defer func() { _ = recover() }()

	if h.sessions != "" {
		h.judge(ctx, p, key)
		return
	}

	longer := time.Duration(0)
	if h.waits {
		longer = hookWaits
	}
	ctx, cancel := context.WithTimeout(ctx, hookTime+longer)
	defer cancel()

	began := p.out.now()
	report, ok := readReport(args, func() []byte { return readHookInput(ctx, p.in, hookRead) })

	info, spool, err := p.out.at.reportsTo()
	if !ok || err != nil {
		return
	}

	started := h.startedBefore(p, began)
	report.At, report.PID, report.Waits = &started, os.Getpid(), h.waits
	if info != nil {
		prints, done := reportState(ctx, p.out.at.wayTo(info, 0), report, began.Add(hookCall+longer))
		if done {
			_, _ = io.WriteString(p.out.out, prints)
			return
		}
	}

	// If the spool fails too, nobody can be told.
	_ = terminal.Spool(ctx, spool, key, report)
}

// startedBefore returns when this process was started, or now if that is not known. Two
// hooks that a program starts shortly after each other may get here in either order.
func (*hookCommand) startedBefore(p *program, now time.Time) time.Time {
	if p.started.IsZero() || p.started.After(now) {
		return now
	}
	return p.started
}

// reportState sends a report to the daemon, and returns what the hook prints. done is false if no daemon answered.
func reportState(
	ctx context.Context, way client.Options, report parley.ReportStateRequest, until time.Time,
) (prints string, done bool) {
	ctx, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	res, err := op.ReportState.Call(ctx, client.New(way), report)
	if err == nil {
		return res.Prints, true
	}
	refused, known := errors.AsType[*parley.Error](err)
	return "", known && refused.Code != parley.DaemonUnavailable
}

// maxHookInput bounds the input that a hook keeps, in bytes. Tools may pass everything
// they read and wrote.
const maxHookInput = 8 << 20

// readHookInput reads standard input to its end, for as long as patience lasts. It does not read
// a terminal.
func readHookInput(ctx context.Context, in *os.File, patience time.Duration) []byte {
	if info, err := in.Stat(); err != nil || info.Mode()&os.ModeCharDevice != 0 {
		return nil
	}

	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()

	read := make(chan []byte, 1)
	go func() { // ends with the process
		b, _ := io.ReadAll(io.LimitReader(in, maxHookInput))
		_, _ = io.Copy(io.Discard, in) // the writer must not get SIGPIPE
		read <- b
	}()

	select {
	case b := <-read:
		return b
	case <-ctx.Done():
		return nil
	}
}

// qualifiers names the member of the input that qualifies an event, by the event's name.
var qualifiers = map[string]string{
	"Notification": "notification_type",
	"SessionStart": "source",
	"SessionEnd":   "reason",
	"PreCompact":   "trigger",
	"PostCompact":  "trigger",
	"StopFailure":  "error",
}

// readReport makes a report from a hook's arguments and input. An argument names the
// event, or else the JSON does; ok is false without one.
func readReport(args []string, input func() []byte) (parley.ReportStateRequest, bool) {
	var r parley.ReportStateRequest
	var given []byte
	for _, arg := range args {
		if strings.HasPrefix(arg, "{") {
			given = []byte(arg)
		} else if r.Event == "" {
			r.Event = arg
		}
	}

	if given == nil {
		given = input()
	}

	var in payload
	_ = json.Unmarshal(given, &in) // other input has no event
	if r.Event == "" {
		r.Event = in.text("hook_event_name", "type")
	}

	r.MessageIDs = messagesIn(in.prompts()...)
	if more := in.text(qualifiers[r.Event]); more != "" {
		r.Event += ":" + more
	}
	r.Session = in.session(r.Event)
	r.Continued = in.flag("stop_hook_active", "stopHookActive")
	if in.isOfSubagent() {
		r.Event = "subagent:" + r.Event
	}

	r.Event = plain.Truncate(plain.CleanLine(r.Event), 100)
	r.Transcript = in.path("transcript_path", "transcriptPath")
	r.Detail = plain.Truncate(plain.CleanLine(in.text("message", "tool_name")), 200)

	return r, r.Event != ""
}

// payload is the JSON that a program passes to its hooks. Programs and their versions
// differ: a member of an unexpected type counts as absent.
type payload map[string]json.RawMessage

// text returns the first of the members that is a non-empty string, or "".
func (p payload) text(names ...string) string {
	for _, name := range names {
		var text string
		if json.Unmarshal(p[name], &text) == nil && text != "" {
			return text
		}
	}
	return ""
}

// flag reports whether one of the members is true.
func (p payload) flag(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return string(p[name]) == "true" })
}

// maxPath is the longest path that a report may have, in bytes.
const maxPath = 4096

// path returns the first of the members that is a path, or "".
func (p payload) path(names ...string) string {
	path := p.text(names...)
	if !filepath.IsAbs(path) || len(path) > maxPath || plain.CleanLine(path) != path {
		return ""
	}
	return path
}

// isOfSubagent reports whether a subagent of the program says so, whose turns are not its own.
func (p payload) isOfSubagent() bool { return p.text("agent_id", "agentId") != "" }

// session returns the id of the program's session. That of an ended one is not the one that it has now.
func (p payload) session(event string) string {
	if p.isOfSubagent() || strings.HasPrefix(strings.ToLower(event), "sessionend") {
		return ""
	}
	if id := p.text("session_id", "sessionId"); parley.IsSessionID(id) {
		return id
	}
	return ""
}

// prompts returns the texts that the program was given to work on.
func (p payload) prompts() []string {
	var inputs []string
	_ = json.Unmarshal(p["input-messages"], &inputs)
	return append(inputs, p.text("prompt"))
}

// maxMessages bounds the messages that a report names; it keeps the newest, at the end.
const maxMessages = 50

// messagesIn returns the ids of the messages that parley typed into prompts, each once.
func messagesIn(prompts ...string) []string {
	var ids []string
	for _, prompt := range prompts {
		for _, m := range typed.Find(prompt) {
			if m.ID != "" && !slices.Contains(ids, m.ID) {
				ids = append(ids, m.ID)
			}
		}
	}
	return ids[max(0, len(ids)-maxMessages):]
}

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

	info, _, err := p.out.at.reportsTo()
	if err != nil {
		return
	}
	var res *parley.NativeMessageResult
	if err = errors.New("no daemon"); info != nil {
		res, err = op.ReportNativeMessage.Call(ctx, client.New(p.out.at.wayTo(info, 0)), req)
	}

	switch {
	case err == nil && !res.Allowed:
		refuseTool(p.out.out, res.Message)
	case err != nil && len(req.Sessions) > 0:
		refuseTool(p.out.out, "Not sent: parley, which carries the messages of your team, does not answer now. "+
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
