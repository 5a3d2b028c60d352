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

	"parley"
	"parley/client"

	"github.com/google/go-cmp/cmp"
)

// failing is a call that must fail, as each face makes it.
type failing struct {
	code parley.Code
	by   string // "" is the operator on the socket, "stranger" has a key that nobody gave
	op   string
	args string
	cli  []string
	call func(ctx context.Context, c *client.Client) error

	status  int
	before  func(t *testing.T, s *stage) (after func())
	each    func(t *testing.T, s *stage, face string) (after func()) // before for each face by itself
	stores  bool                                                     // what fails is a message that is stored nevertheless
	socket  bool                                                     // it is not for the port
	details bool                                                     // they differ from call to call, as times do
	never   map[string]string                                        // face → why it cannot come there
	own     map[string]string                                        // face → why it says it in its own words
}

// failure is what every face says of it.
type failure struct {
	Success *bool          `json:"success"`
	Code    parley.Code    `json:"error_code"`
	Message string         `json:"error_message"`
	Detail  string         `json:"detail"`
	Details map[string]any `json:"details"`
	Action  string         `json:"suggested_action"`
}

// failureOfTheClient makes of a Go error what the others say.
func failureOfTheClient(err error) failure {
	var f failure
	if err == nil {
		return f
	}
	b, _ := json.Marshal(parley.AsError(err))
	_ = json.Unmarshal(b, &f)
	return f
}

// notSent is the failure that an answer itself tells of.
func notSent(res *parley.SendMessageResult, err error) error {
	if err != nil || res.Success {
		return err
	}
	return parley.Errorf(res.ErrorCode, "%s", *res.Error).Suggest("%s", res.Action)
}

func failures(s *stage) []failing {
	tooLong := strings.Repeat("x", 2001)
	send := func(req parley.SendMessageRequest) func(context.Context, *client.Client) error {
		return func(ctx context.Context, c *client.Client) error { return notSent(c.SendMessage(ctx, req)) }
	}

	to := func(name string) parley.Names { return parley.Names{name} }

	return []failing{
		{
			code:   parley.AgentNotFound,
			by:     "asker",
			op:     "send_message",
			args:   `{"to":"nobody-here","text":"hi"}`,
			status: 404,
			cli: []string{
				"send",
				"nobody-here",
				"hi",
			},
			call: send(parley.SendMessageRequest{To: to("nobody-here"), Text: "hi"}),
		},
		{
			code:   parley.MessageNotFound,
			by:     "asker",
			op:     "get_message_status",
			args:   `{"message_id":` + nothing + `}`,
			status: 404,
			cli: []string{
				"message",
				strings.Trim(nothing, `"`),
			},
			call: func(ctx context.Context, c *client.Client) error {
				_, err := c.GetMessageStatus(ctx, parley.MessageStatusRequest{MessageID: strings.Trim(nothing, `"`)})
				return err
			},
		},
		{
			code:   parley.InvalidRecipient,
			by:     "asker",
			op:     "send_message",
			args:   `{"to":"ASKER","text":"hi"}`,
			status: 400,
			cli:    []string{"send", "ASKER", "hi"},
			call:   send(parley.SendMessageRequest{To: to("ASKER"), Text: "hi"}),
		},
		{
			code:   parley.MessageTooLong,
			by:     "asker",
			op:     "send_message",
			args:   `{"to":"other","text":"` + tooLong + `"}`,
			status: 413,
			cli: []string{
				"send",
				"other",
				tooLong,
			},
			call: send(parley.SendMessageRequest{To: to("other"), Text: tooLong}),
		},
		{
			code:   parley.ResponseNotRequired,
			by:     "asker",
			op:     "respond_to_message",
			args:   s.filled(`{"message_id":"{plain}","text":"ok","status":"completed"}`),
			status: 409,
			cli:    []string{"reply", s.kept["plain"], "ok", "--status", "completed"},
			call:   respond(s.kept["plain"]),
		},
		{
			code:   parley.DeadlinePassed,
			by:     "asker",
			op:     "respond_to_message",
			args:   s.filled(`{"message_id":"{late}","text":"ok","status":"completed"}`),
			status: 409,
			cli: []string{
				"reply",
				s.kept["late"],
				"ok",
				"--status",
				"completed",
			},
			call:   respond(s.kept["late"]),
			before: waitForTheDeadline,
		},
		{
			code:    parley.CommunicationDisabled,
			by:      "asker",
			op:      "send_message",
			args:    `{"to":"other","text":"hi"}`,
			status:  503,
			details: true,
			cli: []string{
				"send",
				"other",
				"hi",
			},
			call:   send(parley.SendMessageRequest{To: to("other"), Text: "hi"}),
			before: pauseForATime,
		},
		{code: parley.InvalidArgument, by: "asker", op: "check_inbox", args: `{"limit":51}`, status: 400,
			cli: []string{"inbox", "--limit", "51"}, call: func(ctx context.Context, c *client.Client) error {
				_, err := c.CheckInbox(ctx, parley.CheckInboxRequest{Limit: 51})
				return err
			}},
		{code: parley.Unauthenticated, by: "stranger", op: "check_inbox", args: `{}`, status: 401,
			cli: []string{"inbox"}, call: func(ctx context.Context, c *client.Client) error {
				_, err := c.CheckInbox(ctx, parley.CheckInboxRequest{})
				return err
			}},
		{code: parley.NotAuthorized, by: "asker", op: "stop_agent", args: `{"agent":"other"}`, status: 403,
			cli: []string{"stop", "other"}, call: func(ctx context.Context, c *client.Client) error {
				_, err := c.StopAgent(ctx, parley.StopAgentRequest{Agent: "other"})
				return err
			}},
		{
			code:   parley.AgentExists,
			by:     "asker",
			op:     "register_agent",
			args:   `{"username":"OTHER","agent_description":"x"}`,
			status: 409,
			cli:    []string{"register", "OTHER"},
			call: func(ctx context.Context, c *client.Client) error {
				_, err := c.RegisterAgent(ctx, parley.RegisterAgentRequest{Username: "OTHER"})
				return err
			},
		},
		{
			code:   parley.AgentUnavailable,
			by:     "asker",
			op:     "send_message",
			args:   `{"to":"gone","text":"hi"}`,
			status: 409,
			stores: true,
			cli:    []string{"send", "gone", "hi"},
			call:   send(parley.SendMessageRequest{To: to("gone"), Text: "hi"}),
		},
		{
			code:   parley.ThreadNotFound,
			by:     "asker",
			op:     "get_thread_details",
			args:   `{"thread_id":` + nothing + `}`,
			status: 404,
			cli: []string{
				"thread",
				"show",
				strings.Trim(nothing, `"`),
			},
			call: func(ctx context.Context, c *client.Client) error {
				_, err := c.GetThreadDetails(ctx, parley.ThreadDetailsRequest{ThreadID: strings.Trim(nothing, `"`)})
				return err
			},
		},
		{
			code:   parley.NotAParticipant,
			by:     "asker",
			op:     "send_message",
			args:   s.filled(`{"thread_id":"{closed}","text":"hi"}`),
			status: 403,
			cli: []string{
				"thread",
				"post",
				s.kept["closed"],
				"hi",
			},
			call: send(parley.SendMessageRequest{ThreadID: s.kept["closed"], Text: "hi"}),
		},
		{
			code:    parley.RateLimited,
			by:      "other",
			op:      "broadcast_message",
			args:    `{"text":"again"}`,
			status:  429,
			details: true,
			cli:     []string{"broadcast", "again"},
			call: func(ctx context.Context, c *client.Client) error {
				_, err := c.BroadcastMessage(ctx, parley.BroadcastMessageRequest{Text: "again"})
				return err
			},
		},
		{
			code:   parley.FileRefused,
			by:     "asker",
			op:     "transfer_file",
			args:   `{"recipient":"other","source_path":"/etc/hosts"}`,
			status: 403,
			socket: true,
			own: map[string]string{
				"CLI": "the command reads the file itself",
			},
			cli: []string{"send-file", "other", "/etc"},
			call: func(ctx context.Context, c *client.Client) error {
				_, err := c.TransferFile(ctx, parley.TransferFileRequest{Recipient: "other", SourcePath: "/etc/hosts"})
				return err
			},
		},
		{
			code:   parley.FileNotFound,
			by:     "asker",
			op:     "send_message",
			args:   `{"to":"other","text":"hi","attachments":[{"file_id":` + nothing + `}]}`,
			status: 404,
			cli:    []string{"get-file", strings.Trim(nothing, `"`)},
			call: send(
				parley.SendMessageRequest{
					To:          to("other"),
					Text:        "hi",
					Attachments: []json.RawMessage{json.RawMessage(`{"file_id":` + nothing + `}`)},
				},
			),
		},
		{
			code:   parley.AlreadyDelivered,
			op:     "retry_delivery",
			args:   s.filled(`{"message_id":"{plain}"}`),
			status: 409,
			never:  operatorsOwn,
			cli:    []string{"retry", s.kept["plain"]},
			call: func(ctx context.Context, c *client.Client) error {
				_, err := c.RetryDelivery(ctx, parley.RetryDeliveryRequest{MessageID: s.kept["plain"]})
				return err
			},
		},
	}
}

func respond(id string) func(context.Context, *client.Client) error {
	return func(ctx context.Context, c *client.Client) error {
		_, err := c.RespondToMessage(
			ctx,
			parley.RespondToMessageRequest{MessageID: id, Text: "ok", Status: parley.ResponseCompleted},
		)
		return err
	}
}

func waitForTheDeadline(t *testing.T, s *stage) func() {
	due, err := time.Parse(time.RFC3339Nano, s.kept["due"])
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Until(due))
	return func() {}
}

func pauseForATime(t *testing.T, s *stage) func() {
	set := func(paused bool) {
		if _, err := s.boss.PauseCommunication(t.Context(), parley.PauseCommunicationRequest{Paused: paused, Reason: "lunch"}); err != nil {
			t.Fatal(err)
		}
	}
	set(true)
	return func() { set(false) }
}

// troubled is a stage on which everything can be refused.
func troubled(t *testing.T) *stage {
	s := (&play{cast: []string{"asker", "other", "third", "gone"}, gone: []string{"gone"}, settings: []string{"PARLEY_BROADCASTS_PER_MINUTE=1"}}).stage(
		t,
	)

	s.keys["stranger"] = "parley_nobody_gave_this_key"
	other := client.New(client.Options{URL: s.info.HTTP, Key: s.keys["other"]})
	t.Cleanup(other.Close)
	ctx := inTime(t)
	due := time.Now().Add(time.Second)
	s.kept["due"] = due.Format(time.RFC3339Nano)
	late, err := other.SendMessage(
		ctx,
		parley.SendMessageRequest{
			To:               parley.Names{"asker"},
			Text:             "quick!",
			RequiresResponse: true,
			ResponseDeadline: &due,
		},
	)
	if err != nil {
		t.Fatal(err)
	}

	plain, err := other.SendMessage(ctx, parley.SendMessageRequest{To: parley.Names{"asker"}, Text: "just so"})
	if err != nil {
		t.Fatal(err)
	}

	closed, err := other.CreateThread(
		ctx,
		parley.CreateThreadRequest{Title: "closed", Participants: parley.Names{"third"}},
	)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.BroadcastMessage(ctx, parley.BroadcastMessageRequest{Text: "once"}); err != nil {
		t.Fatal(err)
	}

	s.kept["late"], s.kept["plain"], s.kept["closed"] = late.MessageID, plain.MessageID, closed.Thread.ID

	return s
}

// operatorsOwn is what cannot come over MCP because the operation is none of its tools.
var operatorsOwn = map[string]string{"MCP": "the operation is the operator's, and no tool"}

// failingFaces are the ways to make a call that fails.
var failingFaces = []struct {
	name string
	call func(*testing.T, *stage, *failing) failure
}{{"REST", failREST}, {"MCP", failMCP}, {"Go", failGo}, {"CLI", failCLI}}

// Every code that a caller can cause says the same, and what to do, by every face.
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
	t *testing.T,
	f *failing,
	face string,
	call func(*testing.T, *stage, *failing) failure,
) failure {
	if f.each != nil {
		defer f.each(t, s, face)()
	}
	return call(t, s, f)
}

// withoutID is what to do, without the id of the message that it is about.
func withoutID(f failure) string {
	id, _ := f.Details["message_id"].(string)
	if id == "" {
		return f.Action
	}
	return strings.ReplaceAll(f.Action, parley.Short(id), "ID")
}

var digits = regexp.MustCompile(`\d+(m\d+)?s?`)

// said is a failure in words that do not change from one second to the next.
func said(f failure) failure {
	for _, text := range []*string{&f.Message, &f.Detail, &f.Action} {
		*text = digits.ReplaceAllString(*text, "N")
	}
	return f
}

// counted is how many rows of each kind there are, without parley's own notices, which
// come when it is time for them.
func (s *stage) counted(t *testing.T) map[string]int {
	t.Helper()
	db := s.database(t)
	defer db.Close()

	counts := map[string]int{}
	for table, condition := range map[string]string{"messages": "kind <> 'system'", "deliveries": "kind <> 'system'", "agents": "name <> 'parley'",
		"agent_keys": "1", "files": "1", "debts": "1", "threads": "1", "participants": "1", "events": "message_seq IN (SELECT seq FROM messages WHERE kind <> 'system')"} {
		var n int
		if err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM "+table+" WHERE "+condition).Scan(&n); err != nil {
			t.Fatal(err)
		}
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

// caller is who makes a failing call, on the socket or at the port.
func (f *failing) caller(t *testing.T, s *stage) *someone {
	who := &someone{name: f.by, key: s.keys[f.by], client: http.DefaultClient, base: s.info.HTTP}
	if f.by == "" || f.socket {
		who.client, who.base = overSocket(t, s.info.Socket), "http://parley"
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
	status, body := f.caller(t, s).
		post(t, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+f.op+`","arguments":`+f.args+`}}`)
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
	c := client.New(o)
	defer c.Close()
	got := failureOfTheClient(f.call(inTime(t), c))
	if got.Details == nil {
		got.Details = map[string]any{}
	}
	return got
}

func failCLI(t *testing.T, s *stage, f *failing) failure {
	cmd := s.home.command(append([]string{"--json"}, f.cli...)...)
	if f.by != "" {
		cmd.Env = append(slices.Clone(s.home.env), "PARLEY_KEY="+s.keys[f.by])
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() == 0 || stderr.Len() > 0 {
		t.Errorf("the CLI ended with %v and said %s", err, stderr.String())
	}
	return decodeFailure(t, out)
}
