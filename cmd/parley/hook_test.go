package main

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/client"
	"parley/internal/daemon"
	"parley/internal/must"
	"parley/internal/place"
	"parley/internal/testhome"
	"parley/op"
	"parley/program/profile"
	"parley/program/typed"
)

func TestHookParsesInputOfPrograms(t *testing.T) {
	const prompt = `"prompt":"[AGENT 11111111 TO AGENT 22222222]: see msg 99999999 (of old)\n(operator · msg ` +
		`5f0c21aa · urgent)\n\n[AGENT 11111111 BROADCAST]: hi\n(msg 0a0b0c0d)"`
	for _, c := range []struct {
		args  []string
		input string
		want  parley.ReportStateRequest
	}{
		{nil, `{"hook_event_name":"UserPromptSubmit","session_id":"x",` + prompt + `}`,
			parley.ReportStateRequest{Event: "UserPromptSubmit", MessageIDs: []string{"5f0c21aa", "0a0b0c0d"}}},
		{[]string{"Notification"},
			`{"hook_event_name":"Other","notification_type":"permission_prompt","message":"Claude needs\nyour ` +
				`permission"}`,
			parley.ReportStateRequest{Event: "Notification:permission_prompt", Detail: "Claude needs your permission"}},
		{[]string{"SessionEnd"}, `{"reason":"clear"}`, parley.ReportStateRequest{Event: "SessionEnd:clear"}},
		{[]string{"SessionEnd"}, ``, parley.ReportStateRequest{Event: "SessionEnd"}},
		{[]string{"SessionEnd"}, `{"reason":{"deep":1}}`, parley.ReportStateRequest{Event: "SessionEnd"}},
		{[]string{"PermissionRequest"}, `{"agent_id":"a1","tool_name":"Bash"}`,
			parley.ReportStateRequest{Event: "subagent:PermissionRequest", Detail: "Bash"}},
		{[]string{"agentStop"}, `{"sessionId":"cb8f0d6b-5341-4b16-bfaa-b79b31d03fed","agentId":"cb8f0d6b"}`,
			parley.ReportStateRequest{Event: "subagent:agentStop"}},
		{[]string{`{"type":"agent-turn-complete","input-messages":["[AGENT 11111111 TO AGENT 22222222]: ` +
			`one\n(operator · msg 5f0c21aa)","[GUARDIAN GUIDANCE - STUCK]: two (operator · msg 0a0b0c0d)"]}`},
			`{"type":"unread"}`,
			parley.ReportStateRequest{Event: "agent-turn-complete", MessageIDs: []string{"5f0c21aa", "0a0b0c0d"}}},
		// What quotes a footer proves nothing of the message that is quoted.
		{nil, `{"type":"x","prompt":"(ann · msg 0a0b0c0d)\n[AGENT 11111111 TO AGENT 22222222]: did you get ` +
			`this?\n(ann · msg 0a0b0c0d)\n(ann · msg 5f0c21aa)"}`,
			parley.ReportStateRequest{Event: "x", MessageIDs: []string{"5f0c21aa"}}},
		{[]string{`{"type":"x","prompt":"[AGENT 11111111 IN THREAD 33333333 \"the parser\"]: hi (ann · msg ` +
			`5f0c21aa)"}`}, "",
			parley.ReportStateRequest{Event: "x", MessageIDs: []string{"5f0c21aa"}}},
		{nil, "no JSON", parley.ReportStateRequest{}},
		{[]string{"Stop"}, "[1]", parley.ReportStateRequest{Event: "Stop"}},
	} {
		got, ok := readReport(c.args, func() []byte { return []byte(c.input) })
		if diff := cmp.Diff(c.want, got); diff != "" || ok != (c.want.Event != "") {
			t.Errorf("%q with %s: %v (-want +got):\n%s", c.args, c.input, ok, diff)
		}
	}

	long := `{"message":"` + strings.Repeat(
		"ä",
		500,
	) + `","prompt":"` + strings.Repeat(
		`[PARLEY]: x\n(msg 5f0c21aa)\n`,
		100,
	) + `"}`

	got, _ := readReport([]string{strings.Repeat("x", 300)}, func() []byte { return []byte(long) })
	b, err := json.Marshal(got)
	if err == nil {
		_, err = op.Find("report_state").Decode(b)
	}
	if err != nil {
		t.Errorf("a long report is refused: %v", err)
	}
}

// A program that names a message proves it, whatever its header.
func TestHookFindsEveryHeader(t *testing.T) {
	for _, header := range typed.Forms() {
		got := messagesIn("fix the build\n" + header + " hi (ann · msg 5f0c21aa)\n")
		if want := []string{"5f0c21aa"}; !cmp.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", header, got, want)
		}
	}
}

// hookAs runs the hook like a program with a key. It must succeed and print nothing.
func hookAs(t *testing.T, h *testhome.Home, key string, stdin io.Reader, args ...string) {
	t.Helper()
	cmd := h.Command(append([]string{"hook"}, args...)...)
	cmd.Env = append(cmd.Env, "PARLEY_KEY="+key)
	cmd.Stdin = stdin
	begun := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("parley hook %q: %v, it said %q; want success and silence", args, err, out)
	}
	t.Logf("parley hook %q took %v", args, time.Since(begun))
}

func spooled(t *testing.T, h *testhome.Home) string {
	t.Helper()
	b, err := os.ReadFile(placeOf(h).Spool())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return string(b)
}

func TestHookStartsNoDaemon(t *testing.T) {
	t.Parallel()
	h := testhome.New(t)
	hookAs(t, h, "k", nil, "Stop")
	if _, err := os.Stat(filepath.Join(h.Workspace, place.StateDir)); err == nil {
		t.Error("a workspace was made where there was none")
	}
	must.Do(t, placeOf(h).Prepare())

	hookAs(t, h, "", nil, "Stop") // outside of an agent
	if got := spooled(t, h); got != "" {
		t.Errorf("it reported without a key: %s", got)
	}

	hookAs(t, h, "k", strings.NewReader(`{"notification_type":"x"}`), "Notification", "--no-such-flag")
	if got := spooled(t, h); strings.Count(got, "Notification:x") != 1 || strings.Count(got, "\n") != 1 {
		t.Errorf("the spool has %q", got)
	}
	if _, err := os.Stat(placeOf(h).Lock().Path); err == nil {
		t.Error("a daemon was started")
	}
}

// Neither a hanging daemon nor a program that keeps the input open delays the hook.
func TestHookDoesNotWaitForThoseWhoHang(t *testing.T) {
	t.Parallel()
	h := testhome.New(t)
	must.Do(t, placeOf(h).Prepare())

	socket := filepath.Join(h.Dir, "s.sock")
	l := must.Have(net.Listen("unix", socket))(t)
	defer l.Close() // it takes connections, and nobody answers them

	info := must.Have(json.Marshal(daemon.Info{PID: os.Getpid(), Socket: socket}))(t)
	must.Do(t, os.WriteFile(placeOf(h).Info(), info, 0o600))

	open, end, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer end.Close()
	defer open.Close()

	hookAs(t, h, "k", open, "Stop")
	if got := spooled(t, h); strings.Count(got, `"Stop"`) != 1 {
		t.Errorf("the spool has %q, want the report", got)
	}
}

func TestHookWithAForeignKeyIsRefusedSilently(t *testing.T) {
	t.Parallel()
	h := testhome.New(t)
	testhome.Run[daemon.Info](t, h, "serve")
	hookAs(t, h, "parley_nobody", strings.NewReader("{}"), "Stop")

	// A hook has no time on a busy machine, and may keep its report for that reason. With time, it
	// keeps nothing that the daemon refused.
	report := parley.ReportStateRequest{Event: "Stop", PID: os.Getpid()}
	root := must.Have(filepath.EvalSymlinks(h.Workspace))(t)
	at := place.Locate(root, daemon.Environ(h.Env))
	socket := must.Have(daemon.ReadInfo(at))(t).Socket
	if _, done := reportState(t.Context(), client.Options{Socket: socket, Key: "parley_nobody"}, report,
		time.Now().Add(time.Minute)); !done {
		t.Error("what the daemon refused would be kept")
	}
}

// What is not for another session passes without a word, with a daemon or without; what is for one does not
// pass unasked.
func TestHookJudgesNativeMessages(t *testing.T) {
	t.Parallel()
	h := testhome.New(t)
	must.Do(t, placeOf(h).Prepare())
	sessions := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(sessions, "1.json"), []byte(`{"name":"ws-6f","sessionId":"aa","pid":1}`),
		0o600))

	ask := func(input string) string {
		t.Helper()
		cmd := h.Command("hook", "PreToolUse", "--sessions", sessions)
		cmd.Env = append(cmd.Env, "PARLEY_KEY=k")
		cmd.Stdin = strings.NewReader(input)
		return string(must.Have(cmd.CombinedOutput())(t))
	}

	for _, input := range []string{
		`{"tool_name":"SendMessage","tool_input":{"to":"a-sub-agent","message":"hi"}}`,
		`{"tool_name":"mcp__parley__send_message","tool_input":{"to":"ws-6f","text":"hi"}}`,
		`{"tool_name":"SendMessage","tool_input":{"to":7}}`, `{"tool_name":"ListAgents","tool_input":{}}`, "no JSON",
		"",
	} {
		if got := ask(input); got != "" {
			t.Errorf("%s: %s", input, got)
		}
	}

	var got hookVerdict
	out := ask(`{"tool_name":"SendMessage","tool_input":{"to":"ws-6f","message":{"type":"shutdown_request"}}}`)
	must.Do(t, json.Unmarshal([]byte(out), &got))
	if got.Output.Decision != "deny" || !strings.Contains(got.Output.Reason, "send_message") {
		t.Errorf("without a daemon: %s", out)
	}
}

// talker is a program that reports its last prompt, or its end, on command.
const talker = `while read -r line; do
  case $line in
    report) printf '{"hook_event_name":"Prompt","prompt":"%s"}' "$last" | "$PARLEY" hook; echo "said $?" ;;
    done) "$PARLEY" hook Done < /dev/null; echo "said $?" ;;
    *) last=$line ;;
  esac
done`

// The agent's hook reports a message's turn: at once, or through the spool while no
// daemon runs.
func TestHookOfAnAgentNamesItsMessages(t *testing.T) {
	t.Parallel()
	h := testhome.New(t)
	must.Do(t, os.WriteFile(filepath.Join(h.Workspace, "parley.yaml"),
		[]byte("profiles:\n  talker:\n    reports: {Prompt: prompted, Done: idle}\n"), 0o600))

	must.Do(t, h.Command("trust", "--yes").Run())

	program := must.Have(exec.LookPath("parley"))(t)

	h.Env = append(h.Env, "PARLEY="+program)
	testhome.Run[parley.LaunchAgentResult](t, h, "launch", "ann", "--profile", "talker", "--", "sh", "-c", talker)
	status := testhome.Run[parley.WorkspaceStatusResult](t, h, "status")
	send := func(text string) string {
		return testhome.Run[parley.SendMessageResult](t, h, "send", "ann", text, "--wait=60").MessageID
	}

	tell := func(line string) {
		t.Helper()
		if out, err := exec.Command("tmux", "-S", status.TmuxSocket, "send-keys", "-t", "ann", line, "Enter").
			CombinedOutput(); err != nil {
			t.Fatalf("tmux: %v: %s", err, out)
		}
	}

	begun := func(id string) func() bool {
		return func() bool {
			d := testhome.Run[parley.MessageStatusResult](t, h, "message", id).Deliveries[0]
			return !d.TurnStarted().IsZero()
		}
	}

	id := send("please rebase")
	tell("report")
	must.Become(t, "the first turn has begun", begun(id))
	tell("done")

	id = send("and push")
	must.Do(t, syscall.Kill(status.PID, syscall.SIGKILL))

	tell("report")
	must.Become(t, "the report is spooled", func() bool { return strings.Contains(spooled(t, h), parley.Short(id)) })
	must.Become(t, "the second turn has begun", begun(id)) // which starts a daemon
	if got := spooled(t, h); got != "" {
		t.Errorf("the spool is not removed: %s", got)
	}

	if screen := testhome.Run[parley.ReadTerminalResult](t, h, "screen", "ann").
		Lines; strings.Count(strings.Join(screen, "\n"),
		"said 0") != 3 {
		t.Errorf("a hook said or failed:\n%s", strings.Join(screen, "\n"))
	}
}

// What the real programs hand to their hooks, shortened, and what comes of it.
func TestHookUnderstandsTheShippedPrograms(t *testing.T) {
	set := must.Have(profile.Builtin())(t)

	const prompt = `"prompt":"[AGENT 11111111 TO AGENT 22222222]: hi\n(operator · msg 5f0c21aa)"`
	given := []string{"5f0c21aa"}
	prompted, waiting := profile.Signal{
		State:    parley.StateBusy,
		Prompted: true,
	}, profile.Signal{
		State: parley.StateWaiting,
	}

	idle := profile.Signal{State: parley.StateIdle}
	compacts := profile.Signal{State: parley.StateBlocked, Why: "compaction", Passing: true}
	for _, c := range []struct {
		profile, arg, input string
		want                profile.Signal
		names               []string
	}{
		{"claude", "UserPromptSubmit", `{"hook_event_name":"UserPromptSubmit",` + prompt + `}`, prompted, given},
		{"claude", "Stop", `{"hook_event_name":"Stop","last_assistant_message":"(msg 0a0b0c0d)"}`, idle, nil},
		{"copilot", "userPromptSubmitted", `{"sessionId":"s","timestamp":1795252819790,` + prompt + `}`, prompted,
			given},
		{"copilot", "agentStop", `{"sessionId":"s","stopReason":"end_turn","stop_hook_active":false}`, idle, nil},
		{"copilot", "Notification",
			`{"message":"Run command: touch ` +
				`x","hook_event_name":"Notification","notification_type":"permission_prompt"}`, waiting, nil},
		{"copilot", "Notification", `{"hook_event_name":"Notification","notification_type":"shell_completed"}`,
			profile.Signal{}, nil},
		{"gemini", "BeforeAgent", `{"hook_event_name":"BeforeAgent",` + prompt + `}`, prompted, given},
		{"gemini", "AfterAgent", `{"hook_event_name":"AfterAgent",` + prompt + `,"prompt_response":"(msg 0a0b0c0d)"}`,
			idle, given},
		{"gemini", "Notification",
			`{"hook_event_name":"Notification","notification_type":"ToolPermission","details":{"type":"exec"}}`,
			waiting, nil},
		{"qwen", "UserPromptSubmit", `{"hook_event_name":"UserPromptSubmit",` + prompt + `,"submitted_` + prompt[1:] +
			`}`, prompted, given},
		{"qwen", "PermissionRequest", `{"hook_event_name":"PermissionRequest","tool_name":"run_shell_command"}`,
			waiting, nil},
		{"qwen", "Notification", `{"hook_event_name":"Notification","notification_type":"idle_prompt"}`, idle, nil},
		{"qwen", "PreCompact", `{"hook_event_name":"PreCompact","trigger":"manual"}`, compacts, nil},
	} {
		p := must.Have(set.Find(c.profile))(t)

		r, ok := readReport(strings.Fields(c.arg), func() []byte { return []byte(c.input) })
		got, known := p.Reports.Signal(r.Event)
		if diff := cmp.Diff(c.want, got) + cmp.Diff(c.names, r.MessageIDs); diff != "" || !ok || !known {
			t.Errorf("%s: %q with %s: %v, %v (-want +got):\n%s", c.profile, c.arg, c.input, ok, known, diff)
		}
	}
}
