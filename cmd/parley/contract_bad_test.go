package main

import (
	"encoding/json"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/client"

	"github.com/google/go-cmp/cmp"
)

// bad is a call that no face may take, and that leaves nothing behind.
type bad struct {
	name, op, args string
	code           parley.Code
	about          string // the parameter that the error names, "" for none
}

// badCalls are by asker, to whom message {plain} came.
func badCalls() []bad {
	past, next := time.Now().Add(-time.Minute).UTC(), time.Now().Add(time.Hour)
	berlin := past.In(time.FixedZone("", 2*60*60)).Format(time.RFC3339)
	due := func(text string) string { return `{"to":"other","text":"hi","response_deadline":` + text + `}` }

	return []bad{
		{"cut off", "send_message", `{"to":"other","text":"hi"`, parley.InvalidArgument, ""},
		{"a list", "send_message", `["other","hi"]`, parley.InvalidArgument, ""},
		{"a string", "send_message", `"hi"`, parley.InvalidArgument, ""},
		{"no JSON at all", "send_message", `to=other&text=hi`, parley.InvalidArgument, ""},
		{
			"two objects",
			"send_message",
			`{"to":"other","text":"hi"}{"to":"other","text":"hi"}`,
			parley.InvalidArgument,
			"",
		},
		{"not UTF-8", "send_message", "{\"to\":\"other\",\"text\":\"h\xff\xfei\"}", parley.InvalidArgument, ""},

		{"a number for a text", "send_message", `{"to":"other","text":5}`, parley.InvalidArgument, "text"},
		{"a number for a name", "send_message", `{"to":5,"text":"hi"}`, parley.InvalidArgument, "to"},
		{"a number among names", "send_message", `{"to":["other",5],"text":"hi"}`, parley.InvalidArgument, "to"},
		{
			"a word for a yes",
			"send_message",
			`{"to":"other","text":"hi","urgent":"yes"}`,
			parley.InvalidArgument,
			"urgent",
		},
		{"a string for data", "send_message", `{"to":"other","text":"hi","data":"x"}`, parley.InvalidArgument, "data"},
		{
			"a string for an attachment",
			"send_message",
			`{"to":"other","text":"hi","attachments":["main.go"]}`,
			parley.InvalidArgument,
			"attachments",
		},
		{"a word for a number", "check_inbox", `{"limit":"many"}`, parley.InvalidArgument, "limit"},
		{"half a number", "check_inbox", `{"limit":1.5}`, parley.InvalidArgument, "limit"},
		{"a list for filters", "get_messages", `{"filters":[]}`, parley.InvalidArgument, "filters"},
		{
			"a string for message_ids",
			"mark_message_read",
			`{"message_ids":{"a":1}}`,
			parley.InvalidArgument,
			"message_ids",
		},
		{
			"a number for a response",
			"respond_to_message",
			`{"message_id":"{plain}","response":1}`,
			parley.InvalidArgument,
			"response",
		},
		{
			"a string for the details",
			"request_assistance",
			`{"assistance_type":"review","request_details":"please"}`,
			parley.InvalidArgument,
			"request_details",
		},
		{
			"a string for the content",
			"broadcast_update",
			`{"update_type":"issue","content":"please"}`,
			parley.InvalidArgument,
			"content",
		},
		{
			"a parameter that is not there",
			"send_message",
			`{"to":"other","text":"hi","cc":"third"}`,
			parley.InvalidArgument,
			"cc",
		},
		{"a parameter twice", "send_message", `{"to":"other","text":"hi","text":"ho"}`, parley.InvalidArgument, "text"},
		{"nothing but spaces", "send_message", `{"to":"other","text":" \n\t"}`, parley.InvalidArgument, "text"},

		{"an unknown name", "send_message", `{"to":"nobody-here","text":"hi"}`, parley.AgentNotFound, ""},
		{
			"one unknown name of several",
			"send_message",
			`{"to":["other","third","nobody-here"],"text":"hi"}`,
			parley.AgentNotFound,
			"",
		},
		{"an unknown id", "send_message", `{"to":` + nothing + `,"text":"hi"}`, parley.AgentNotFound, ""},
		{
			"one unknown id in a broadcast",
			"broadcast_message",
			`{"recipients":["other",` + nothing + `],"text":"hi"}`,
			parley.AgentNotFound,
			"",
		},
		{
			"an unknown target",
			"request_assistance",
			`{"assistance_type":"review","target_agents":["other","nobody-here"],"request_details":{"description":"x"}}`,
			parley.AgentNotFound,
			"",
		},
		{
			"an unknown participant",
			"create_thread",
			`{"title":"x","participants":["other","nobody-here"],"initial_message":"hi"}`,
			parley.AgentNotFound,
			"",
		},
		{
			"an unknown message to answer",
			"respond_to_message",
			`{"message_id":` + nothing + `,"text":"hi"}`,
			parley.MessageNotFound,
			"",
		},
		{
			"an unknown message replied to",
			"send_message",
			`{"to":"other","text":"hi","in_reply_to":` + nothing + `}`,
			parley.MessageNotFound,
			"",
		},
		{
			"an answer to others that are unknown",
			"respond_to_message",
			`{"message_id":"{plain}","text":"hi","additional_recipients":["nobody-here"]}`,
			parley.AgentNotFound,
			"",
		},
		{
			"an unknown message to ignore",
			"ignore_message",
			`{"message_id":` + nothing + `}`,
			parley.MessageNotFound,
			"",
		},
		{"an unknown thread", "send_message", `{"thread_id":` + nothing + `,"text":"hi"}`, parley.ThreadNotFound, ""},
		{"an unknown thread to join", "join_thread", `{"thread_id":` + nothing + `}`, parley.ThreadNotFound, ""},
		{
			"an unknown file",
			"send_message",
			`{"to":"other","text":"hi","attachments":[{"file_id":` + nothing + `}]}`,
			parley.FileNotFound,
			"",
		},

		{
			"a deadline in the past",
			"send_message",
			due(`"` + past.Format(time.RFC3339) + `"`),
			parley.InvalidArgument,
			"response_deadline",
		},
		{
			"a deadline in the past of another zone",
			"send_message",
			due(`"` + berlin + `"`),
			parley.InvalidArgument,
			"response_deadline",
		},
		{
			"a deadline in two years",
			"send_message",
			due(`"` + next.AddDate(2, 0, 0).UTC().Format(time.RFC3339) + `"`),
			parley.InvalidArgument,
			"response_deadline",
		},
		{
			"a deadline without a zone",
			"send_message",
			due(`"` + next.Format("2006-01-02T15:04:05") + `"`),
			parley.InvalidArgument,
			"response_deadline",
		},
		{"a deadline in words", "send_message", due(`"tomorrow"`), parley.InvalidArgument, "response_deadline"},
		{"a deadline as a number", "send_message", due(`1764000000`), parley.InvalidArgument, "response_deadline"},
		{"assistance by a time in the past", "request_assistance",
			`{"assistance_type":"review","request_details":{"description":"x","deadline":"` + past.Format(
				time.RFC3339,
			) + `"}}`, parley.InvalidArgument, "request_details.deadline"},
		{"since a day", "get_messages", `{"since":"yesterday"}`, parley.InvalidArgument, "since"},
		{
			"since a day in filters",
			"get_messages",
			`{"filters":{"since_timestamp":"yesterday"}}`,
			parley.InvalidArgument,
			"filters",
		},

		{
			"a name that differs in case alone",
			"register_agent",
			`{"username":"OTHER","agent_description":"x"}`,
			parley.AgentExists,
			"",
		},
		{"oneself in other letters", "send_message", `{"to":"ASKER","text":"hi"}`, parley.InvalidRecipient, ""},
		{
			"a reserved name in other letters",
			"register_agent",
			`{"username":"Operator","agent_description":"x"}`,
			parley.InvalidArgument,
			"",
		},
		{
			"a name that could be an id",
			"register_agent",
			`{"username":"deadbeef","agent_description":"x"}`,
			parley.InvalidArgument,
			"",
		},
	}
}

// What is wrong is refused by every face with the same code, and nothing of it is kept.
func TestBadInputIsRefusedAndNothingIsStored(t *testing.T) {
	t.Parallel()
	s := troubled(t)
	p := &play{proof: "bearer"}
	before := s.counted(t)
	for _, b := range badCalls() {
		t.Run(b.name, func(t *testing.T) {
			b.args = s.filled(b.args)
			c := scene{by: "asker", op: b.op, args: b.args}
			who := &someone{name: "asker", key: s.keys["asker"], client: http.DefaultClient, base: s.info.HTTP}
			_, body := who.post(t, "/api/"+b.op, b.args)
			b.check(t, "REST", body)
			if json.Valid([]byte(b.args)) { // else it is no message of the protocol
				body, _ = overMCP(t, s, p, c)
				b.check(t, "MCP", body)
			}

			body, _ = overGo(t, s, p, c)
			b.check(t, "Go", body)
		})
	}

	if diff := cmp.Diff(before, s.counted(t)); diff != "" {
		t.Errorf("something is stored:\n%s", diff)
	}
}

func (b *bad) check(t *testing.T, face string, body []byte) {
	t.Helper()
	got := decodeFailure(t, body)
	if got.Code != b.code || got.Message == "" || got.Action == "" || got.Success == nil || *got.Success {
		t.Errorf("%s: got %s, want %s and what to do", face, body, b.code)
	}
	if about, _ := got.Details["parameter"].(string); b.about != "" && about != b.about {
		t.Errorf("%s: the error is about %q, want %s: %s", face, about, b.about, body)
	}
}

// What is not JSON is no message of MCP: its own error says so.
func TestWhatIsNotJSONIsNoCallOfMCP(t *testing.T) {
	t.Parallel()
	s := troubled(t)
	before := s.counted(t)
	who := &someone{name: "asker", key: s.keys["asker"], client: http.DefaultClient, base: s.info.HTTP}
	call := func(args string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"send_message","arguments":` + args + `}}`
	}

	for _, body := range []string{"", "hi", `{"jsonrpc":"2.0"`, call(`{"to":"other"`), call("{\"to\":\"other\",\"text\":\"h\xffi\"}"), call(`["other"]`), call(`"hi"`), `[]`} {
		status, answer := who.post(t, "/mcp", body)
		if !strings.Contains(string(answer), `"error"`) && !strings.Contains(string(answer), `"isError":true`) {
			t.Errorf("%q: got %d %s, want an error", body, status, answer)
		}
	}

	if diff := cmp.Diff(before, s.counted(t)); diff != "" {
		t.Errorf("something is stored:\n%s", diff)
	}
}

// Ten megabytes are refused without being read to their end.
func TestTenMegabytesAreRefused(t *testing.T) {
	t.Parallel()
	s := troubled(t)
	before := s.counted(t)
	text := strings.Repeat("x", 10<<20)
	args := `{"to":"other","text":"` + text + `"}`
	c := client.New(client.Options{URL: s.info.HTTP, Key: s.keys["asker"]})
	defer c.Close()

	for face, ask := range map[string]func() (int, []byte, error){
		"REST": func() (int, []byte, error) { return s.tryPost(t, "/api/send_message", args) },
		"MCP": func() (int, []byte, error) {
			return s.tryPost(t, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"send_message","arguments":`+args+`}}`)
		},
		"Go": func() (int, []byte, error) {
			_, err := c.SendMessage(inTime(t), parley.SendMessageRequest{To: parley.Names{"other"}, Text: text})
			b, _ := json.Marshal(parley.AsError(err))
			return http.StatusRequestEntityTooLarge, b, nil
		},
		"the CLI": func() (int, []byte, error) {
			cmd := s.home.command("--json", "send", "other", "-")
			cmd.Stdin, cmd.Env = strings.NewReader(text), append(slices.Clone(s.home.env), "PARLEY_KEY="+s.keys["asker"])
			out, err := cmd.Output()
			if _, failed := err.(*exec.ExitError); failed {
				err = nil
			}

			return http.StatusRequestEntityTooLarge, out, err
		},
	} {
		status, body, err := ask()
		if err != nil || status != http.StatusRequestEntityTooLarge ||
			!strings.Contains(string(body), "MESSAGE_TOO_LONG") {
			t.Errorf("%s: got %d %.300s, %v", face, status, body, err)
		}
	}

	if diff := cmp.Diff(before, s.counted(t)); diff != "" {
		t.Errorf("something is stored:\n%s", diff)
	}
}

// Times of other zones are the moments they mean, and names in other letters the agents
// they name.
func TestZonesAndLettersMeanTheSame(t *testing.T) {
	t.Parallel()
	s := troubled(t)
	c := client.New(client.Options{URL: s.info.HTTP, Key: s.keys["asker"]})
	defer c.Close()

	due := time.Now().Add(time.Hour).Truncate(time.Second).UTC()
	for _, zone := range []int{0, 2 * 60 * 60, -(9*60 + 30) * 60} {
		text := due.In(time.FixedZone("", zone)).Format(time.RFC3339)
		body, err := c.Dispatch(
			inTime(t),
			"send_message",
			`{"to":["OTHER","other",`+shown(s.kept["other"])+`],"text":"hi","response_deadline":"`+text+`"}`,
		)
		if err != nil {
			t.Fatal(err)
		}

		s.compare(
			t,
			[]byte(body),
			`{"success":true,"status":"Message sent to other!","delivery_status":{"delivered_to":["{other}"]},
			"message_object":{"response_deadline":"`+due.Format(time.RFC3339)+`","recipient_agent_ids":["{other}"]}}`,
			nil,
		)
	}
}
