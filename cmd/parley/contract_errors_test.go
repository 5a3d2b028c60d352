package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/client"
	"parley/internal/must"
	"parley/op"
)

// failing is a call that must fail, as each face makes it.
type failing struct {
	code parley.Code
	by   string // "" is the operator on the socket; "stranger" has an unknown key
	op   string
	args string
	cli  []string
	call func(context.Context, parley.Service) (any, error) // of what the client would not even send

	status  int
	before  func(t *testing.T, s *stage) (after func())
	each    func(t *testing.T, s *stage, face string) (after func()) // like before, for each face
	stores  bool                                                     // the message is stored nevertheless
	socket  bool                                                     // call on the socket, not at the port
	details bool                                                     // details differ between calls, as times do
	never   map[string]string                                        // face → why it cannot cause the code
	own     map[string]string                                        // face → why its wording differs
}

// failure is the answer to it.
type failure struct {
	Success *bool          `json:"success"`
	Code    parley.Code    `json:"error_code"`
	Message string         `json:"error_message"`
	Detail  string         `json:"detail"`
	Details map[string]any `json:"details"`
	Action  string         `json:"suggested_action"`
}

// failures are the mistakes of callers, one for each code.
func failures(s *stage) []failing {
	unknown, tooLong := strings.Trim(nothing, `"`), strings.Repeat("x", 2001)
	return []failing{
		{code: parley.AgentNotFound, by: "asker", status: 404,
			op: "send_message", args: `{"to":"nobody-here","text":"hi"}`,
			cli: []string{"send", "nobody-here", "hi"}},
		{code: parley.MessageNotFound, by: "asker", status: 404,
			op: "get_message_status", args: `{"message_id":` + nothing + `}`,
			cli: []string{"message", unknown}},
		{code: parley.InvalidRecipient, by: "asker", status: 400,
			op: "send_message", args: `{"to":"ASKER","text":"hi"}`,
			cli: []string{"send", "ASKER", "hi"}},
		{code: parley.MessageTooLong, by: "asker", status: 413,
			op: "send_message", args: `{"to":"other","text":"` + tooLong + `"}`,
			cli: []string{"send", "other", tooLong}},
		{code: parley.ResponseNotRequired, by: "asker", status: 409,
			op: "respond_to_message", args: s.filled(`{"message_id":"{plain}","text":"ok","status":"completed"}`),
			cli: []string{"reply", s.kept["plain"], "ok", "--status", "completed"}},
		{code: parley.DeadlinePassed, by: "asker", status: 409, before: waitForTheDeadline,
			op: "respond_to_message", args: s.filled(`{"message_id":"{late}","text":"ok","status":"completed"}`),
			cli: []string{"reply", s.kept["late"], "ok", "--status", "completed"}},
		{code: parley.CommunicationDisabled, by: "asker", status: 503, details: true, before: pauseForATime,
			op: "send_message", args: `{"to":"other","text":"hi"}`,
			cli: []string{"send", "other", "hi"}},
		{code: parley.InvalidArgument, by: "asker", status: 400,
			op: "check_inbox", args: `{"limit":51}`,
			cli: []string{"inbox", "--limit", "51"},
			call: func(ctx context.Context, c parley.Service) (any, error) {
				return op.CheckInbox.Call(ctx, c, parley.CheckInboxRequest{Limit: 51})
			}},
		{code: parley.Unauthenticated, by: "stranger", status: 401,
			op: "check_inbox", args: `{}`,
			cli: []string{"inbox"}},
		{code: parley.NotAuthorized, by: "asker", status: 403,
			op: "stop_agent", args: `{"agent":"other"}`,
			cli: []string{"stop", "other"}},
		{code: parley.AgentExists, by: "asker", status: 409,
			op: "register_agent", args: `{"username":"OTHER","agent_description":"x"}`,
			cli: []string{"register", "OTHER"}},
		{code: parley.AgentUnavailable, by: "asker", status: 409, stores: true,
			op: "send_message", args: `{"to":"gone","text":"hi"}`,
			cli: []string{"send", "gone", "hi"}},
		{code: parley.ThreadNotFound, by: "asker", status: 404,
			op: "get_thread_details", args: `{"thread_id":` + nothing + `}`,
			cli: []string{"thread", "show", unknown}},
		{code: parley.NotAParticipant, by: "asker", status: 403,
			op: "send_message", args: s.filled(`{"thread_id":"{closed}","text":"hi"}`),
			cli: []string{"thread", "post", s.kept["closed"], "hi"}},
		{code: parley.RateLimited, by: "other", status: 429, details: true, before: broadcastOnce,
			op: "broadcast_message", args: `{"text":"again"}`,
			cli: []string{"broadcast", "again"}},
		{code: parley.FileRefused, by: "asker", status: 403, socket: true,
			op: "transfer_file", args: `{"recipient":"other","source_path":"/etc/hosts"}`,
			own: map[string]string{"CLI": "the command reads the file itself"},
			cli: []string{"send-file", "other", "/etc"}},
		{code: parley.FileNotFound, by: "asker", status: 404,
			op: "send_message", args: `{"to":"other","text":"hi","attachments":[{"file_id":` + nothing + `}]}`,
			cli: []string{"get-file", unknown}},
		{code: parley.AlreadyDelivered, status: 409, never: operatorsOwn,
			op: "retry_delivery", args: s.filled(`{"message_id":"{plain}"}`),
			cli: []string{"retry", s.kept["plain"]}},
	}
}

func waitForTheDeadline(t *testing.T, s *stage) func() {
	due := must.Have(time.Parse(time.RFC3339Nano, s.kept["due"]))(t)
	time.Sleep(time.Until(due))
	return func() {}
}

// broadcastOnce uses up what a minute allows.
func broadcastOnce(t *testing.T, s *stage) func() {
	other := client.New(client.Options{URL: s.info.HTTP, Key: s.keys["other"]})
	defer other.Close()
	must.Have(op.BroadcastMessage.Call(inTime(t), other, parley.BroadcastMessageRequest{Text: "once"}))(t)
	return func() {}
}

func pauseForATime(t *testing.T, s *stage) func() {
	set := func(paused bool) {
		pause := parley.PauseCommunicationRequest{Paused: paused, Reason: "lunch"}
		must.Have(op.PauseCommunication.Call(t.Context(), s.boss, pause))(t)
	}
	set(true)
	return func() { set(false) }
}

// troubled starts a stage on which every call of failures is refused.
func troubled(t *testing.T) *stage {
	p := &play{
		cast:     []string{"asker", "other", "third", "gone"},
		gone:     []string{"gone"},
		settings: []string{"PARLEY_BROADCASTS_PER_MINUTE=1"},
	}
	s := p.stage(t)
	s.keys["stranger"] = "parley_nobody_gave_this_key"
	other := client.New(client.Options{URL: s.info.HTTP, Key: s.keys["other"]})
	t.Cleanup(other.Close)
	ctx := inTime(t)
	due := time.Now().Add(time.Second)
	s.kept["due"] = due.Format(time.RFC3339Nano)
	late := must.Have(op.SendMessage.Call(ctx, other, parley.SendMessageRequest{
		To: parley.Names{"asker"}, Text: "quick!", RequiresResponse: true, ResponseDeadline: &due,
	}))(t)

	plain := must.Have(op.SendMessage.Call(ctx, other, parley.SendMessageRequest{To: parley.Names{"asker"},
		Text: "just so"}))(t)

	thread := parley.CreateThreadRequest{Title: "closed", Participants: parley.Names{"third"}}
	closed := must.Have(op.CreateThread.Call(ctx, other, thread))(t)

	s.kept["late"], s.kept["plain"], s.kept["closed"] = late.MessageID, plain.MessageID, closed.Thread.ID

	return s
}

// operatorsOwn is why MCP cannot cause the code of an operation that is no tool.
var operatorsOwn = map[string]string{"MCP": "the operation is the operator's, and no tool"}

// failingFaces are the ways to make a call that fails.
var failingFaces = []struct {
	name string
	call func(*testing.T, *stage, *failing) failure
}{{"REST", failREST}, {"MCP", failMCP}, {"Go", failGo}, {"CLI", failCLI}}

// Every code that a caller can cause comes with the same words and advice by every face.
func TestEveryErrorCodeIsTheSameByEveryFace(t *testing.T) {
	t.Parallel()
	s := troubled(t)
	for _, f := range failures(s) {
		t.Run(string(f.code), func(t *testing.T) { s.fail(t, &f) })
	}
}

// fail makes the call by every face, and compares what they say.
func (s *stage) fail(t *testing.T, f *failing) {
	if f.before != nil {
		defer f.before(t, s)()
	}

	before := s.counted(t)
	var first *failure
	for _, face := range failingFaces {
		if f.never[face.name] != "" {
			continue
		}

		got := s.failOnce(t, f, face.name, face.call)
		got.Action = withoutID(got)
		if got.Code != f.code || got.Action == "" || got.Success == nil || *got.Success {
			t.Errorf("%s: got %+v, want %s and what to do", face.name, got, f.code)
		}
		if got.Detail != got.Message && !f.stores {
			t.Errorf("%s: detail is %q, want %q", face.name, got.Detail, got.Message)
		}
		if f.own[face.name] != "" {
			continue
		}
		if first == nil {
			first = &got
		}
		if f.stores || f.details {
			got.Details, got.Detail = first.Details, first.Detail
		}
		if diff := cmp.Diff(said(*first), said(got)); diff != "" {
			t.Errorf("%s says it otherwise:\n%s", face.name, diff)
		}
	}

	if diff := cmp.Diff(before, s.counted(t)); diff != "" && !f.stores {
		t.Errorf("something is stored:\n%s", diff)
	}
}

func (s *stage) failOnce(
	t *testing.T, f *failing, face string, call func(*testing.T, *stage, *failing) failure,
) failure {
	if f.each != nil {
		defer f.each(t, s, face)()
	}
	return call(t, s, f)
}

// withoutID returns the advice, with the message id replaced.
func withoutID(f failure) string {
	id, _ := f.Details["message_id"].(string)
	if id == "" {
		return f.Action
	}
	return strings.ReplaceAll(f.Action, parley.Short(id), "ID")
}

var digits = regexp.MustCompile(`\d+(m\d+)?s?`)

// said replaces the numbers of a failure, which change from one call to the next.
func said(f failure) failure {
	for _, text := range []*string{&f.Message, &f.Detail, &f.Action} {
		*text = digits.ReplaceAllString(*text, "N")
	}
	return f
}

// storesNothing counts what is stored. The test fails if there is another count when check is called.
func (s *stage) storesNothing(t *testing.T) (check func()) {
	t.Helper()
	before := s.counted(t)
	return func() {
		t.Helper()
		if diff := cmp.Diff(before, s.counted(t)); diff != "" {
			t.Errorf("something is stored:\n%s", diff)
		}
	}
}

// counted counts the rows of each table, without parley's own notices, which come at
// any time.
func (s *stage) counted(t *testing.T) map[string]int {
	t.Helper()
	db := s.database(t)
	defer db.Close()

	counts := map[string]int{}
	for table, condition := range map[string]string{
		"messages": "kind <> 'system'", "deliveries": "kind <> 'system'", "agents": "name <> 'parley'",
		"agent_keys": "1", "files": "1", "debts": "1", "threads": "1", "participants": "1",
		"events": "message_seq IN (SELECT seq FROM messages WHERE kind <> 'system')",
	} {
		var n int
		must.Do(t, db.QueryRowContext(t.Context(), "SELECT count(*) FROM "+table+" WHERE "+condition).Scan(&n))
		counts[table] = n
	}

	return counts
}

// decodeFailure reads what a face answered.
func decodeFailure(t *testing.T, body []byte) failure {
	t.Helper()
	var f failure
	var message struct{ Error, Message *string }
	if json.Unmarshal(body, &f) != nil || json.Unmarshal(body, &message) != nil {
		t.Fatalf("the answer is %s", body)
	}
	if f.Message == "" && message.Error != nil { // an answer that tells of a failure
		f.Message = *message.Error
	}
	if f.Details == nil {
		f.Details = map[string]any{}
	}

	return f
}

// caller returns the caller of a failing call, on the socket or at the port.
func (f *failing) caller(t *testing.T, s *stage) *someone {
	who := &someone{name: f.by, key: s.keys[f.by], client: http.DefaultClient, base: s.info.HTTP}
	if f.by == "" || f.socket {
		who.client, who.base = overSocket(t, s.info.Socket), "http://parley"
	}
	if f.by == "" {
		who.key = operatorKey
	}
	return who
}

func failREST(t *testing.T, s *stage, f *failing) failure {
	status, body := f.caller(t, s).post(t, "/api/"+f.op, f.args)
	if status != f.status {
		t.Errorf("REST: the status is %d, want %d", status, f.status)
	}
	return decodeFailure(t, body)
}

func failMCP(t *testing.T, s *stage, f *failing) failure {
	status, body := f.caller(t, s).post(t, "/mcp", toolCall(f.op, f.args))
	if status != http.StatusOK { // the door says no before a tool is called
		return decodeFailure(t, body)
	}
	answer, failed := toolAnswer(t, body)
	if !failed {
		t.Errorf("MCP: the result is no error")
	}
	return decodeFailure(t, answer)
}

func failGo(t *testing.T, s *stage, f *failing) failure {
	o := client.Options{URL: s.info.HTTP, Key: s.keys[f.by]}
	if f.by == "" || f.socket {
		o.URL, o.Socket = "", s.info.Socket
	}
	if f.by == "" {
		o.Key = operatorKey
	}
	c := client.New(o)
	defer c.Close()

	call := f.call
	if call == nil {
		call = must.Have(op.Find(f.op).Decode([]byte(f.args)))(t).Call
	}

	// Whether the caller may call is the daemon's to say.
	answer, err := call(parley.WithCaller(inTime(t), parley.Caller{ID: nothing, Operator: true}), c)
	if err != nil {
		answer = parley.AsError(err)
	}

	return decodeFailure(t, must.Have(json.Marshal(answer))(t))
}

func failCLI(t *testing.T, s *stage, f *failing) failure {
	cmd := s.home.Command(append([]string{"--json"}, f.cli...)...)
	if f.by != "" {
		cmd.Env = append(slices.Clone(s.home.Env), "PARLEY_KEY="+s.keys[f.by])
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() == 0 || stderr.Len() > 0 {
		t.Errorf("the CLI ended with %v and said %s", err, stderr.String())
	}
	return decodeFailure(t, out)
}
