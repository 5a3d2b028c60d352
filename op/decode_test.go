package op

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/must"
)

// decoded returns the request that an operation reads from JSON.
func decoded[Req any](t *testing.T, op, args string) *Req {
	t.Helper()
	inv, err := Find(op).Decode([]byte(args))
	if err != nil {
		t.Fatalf("%s %s: %v", op, args, err)
	}
	return inv.request.(*Req)
}

// refusal returns the error with which an operation refuses JSON.
func refusal(t *testing.T, op, args string) *parley.Error {
	t.Helper()
	inv, err := Find(op).Decode([]byte(args))
	if err == nil {
		t.Fatalf("%s takes %s as %+v, want an error", op, args, inv.request)
	}
	e := parley.AsError(err)
	if e.Code != parley.InvalidArgument || e.Action == "" {
		t.Errorf("%s %s: got %s %q with the action %q, want INVALID_ARGUMENT with one", op, args, e.Code, e, e.Action)
	}
	return e
}

func TestDecodeFillsDefaults(t *testing.T) {
	got := decoded[parley.SendMessageRequest](t, "send_message", `{"to":["coder"],"text":"hi"}`)
	want := &parley.SendMessageRequest{To: parley.Names{"coder"}, Text: "hi", Type: parley.TypeInformation,
		Priority: parley.PriorityNormal}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := decoded[parley.CheckInboxRequest](t, "check_inbox", "").Limit; got != 20 {
		t.Errorf("check_inbox's limit is %d, want 20", got)
	}
	if got := decoded[parley.LaunchAgentRequest](t, "launch_agent", `{"name":"x","width":null}`).Width; got != 200 {
		t.Errorf("null is not taken for left out: width %d, want 200", got)
	}
}

func TestDecodeTakesEveryAlias(t *testing.T) {
	for _, op := range All {
		for _, f := range op.Fields {
			for _, alias := range f.Aliases {
				raw := map[string]json.RawMessage{alias: json.RawMessage(`"x"`)}
				if _, err := op.resolveAliases(raw); err != nil {
					t.Fatalf("%s.%s: %v", op.Name, alias, err)
				}
				if diff := cmp.Diff(map[string]json.RawMessage{f.Name: json.RawMessage(`"x"`)}, raw); diff != "" {
					t.Errorf("%s.%s: %s", op.Name, alias, diff)
				}
			}
		}
	}

	got := decoded[parley.SendMessageRequest](t, "send_message",
		`{"recipient_agent_ids":["a","b"],"message":"hi","message_type":"request"}`)

	if diff := cmp.Diff(&parley.SendMessageRequest{To: parley.Names{"a", "b"}, Text: "hi", Type: parley.TypeRequest,
		Priority: parley.PriorityNormal}, got); diff != "" {
		t.Error(diff)
	}
}

func TestDecodeRefusesAnAliasNextToItsParameter(t *testing.T) {
	e := refusal(t, "send_message", `{"to":"a","recipient":"b","text":"hi"}`)
	if e.Details["parameter"] != "recipient" {
		t.Errorf("details are %v, want the parameter recipient", e.Details)
	}
	refusal(t, "send_message", `{"to":"a","message":"hi","content":"ho"}`)
	refusal(t, "send_message", `{"to":"a","content":{"text":"hi","data":{}, "to":"b"}}`)
}

func TestDecodeUnpacksAContentObject(t *testing.T) {
	for _, name := range []string{"text", "content", "message"} {
		got := decoded[parley.SendMessageRequest](t, "send_message",
			`{"to":"a","`+name+`":{"text":"hi","data":{"n":12345678901234567890},"attachments":[]}}`)
		if got.Text != "hi" || string(got.Data) != `{"n":12345678901234567890}` {
			t.Errorf("%s as an object gave %q and %s", name, got.Text, got.Data)
		}
	}
	refusal(t, "send_message", `{"to":"a","content":{"data":{"n":1}}}`)
	refusal(t, "send_message", `{"to":"a","content":{"text":{"text":"hi"}}}`)
}

func TestDecodeNamesTheNearestParameter(t *testing.T) {
	for args, want := range map[string]string{
		`{"to":"a","text":"hi","cc":["b"]}`:        `send_message takes: to, text`,
		`{"to":"a","text":"hi","priorty":"high"}`:  `Did you mean "priority"?`,
		`{"to":"a","text":"hi","In_Reply_To":"x"}`: `Did you mean "in_reply_to"?`,
		`{"text":"hi","receipient":"b"}`:           `Did you mean "to"?`, // nearest to an alias of it
	} {
		if e := refusal(t, "send_message", args); !strings.Contains(e.Action, want) {
			t.Errorf("%s: the action is %q, want %q in it", args, e.Action, want)
		}
	}

	e := refusal(t, "send_message", `{"to":"a","text":"hi","zz":1,"bb":1,"cc":1}`)
	if e.Details["parameter"] != "bb" {
		t.Errorf("of several unknown ones %v is named, want always the first, bb", e.Details["parameter"])
	}
	if e := refusal(t, "get_workspace_status", `{"x":1}`); !strings.Contains(e.Action, "without parameters") {
		t.Errorf("the action is %q", e.Action)
	}
}

func TestDecodeChecksTypesAndLimits(t *testing.T) {
	for _, c := range []struct{ op, args, parameter string }{
		{"send_message", `{"text":"hi"}`, "to"},
		{"send_message", `{"to":[],"text":"hi"}`, "to"},
		{"send_message", `{"to":null,"text":"hi"}`, "to"},
		{"send_message", `{"to":"a","text":"  "}`, "text"},
		{"send_message", `{"to":"a","text":5}`, "text"},
		{"send_message", `{"to":5,"text":"hi"}`, "to"},
		{"send_message", `{"to":[5],"text":"hi"}`, "to"},
		{"send_message", `{"to":"a","text":"hi","priority":"asap"}`, "priority"},
		{"send_message", `{"to":"a","text":"hi","data":[1]}`, "data"},
		{"send_message", `{"to":"a","text":"hi","data":"x"}`, "data"},
		{"send_message", `{"to":"a","text":"hi","urgent":"yes"}`, "urgent"},
		{"send_message", `{"to":"a","text":"hi","wait_seconds":61}`, "wait_seconds"},
		{"send_message", `{"to":"a","text":"hi","wait_seconds":-1}`, "wait_seconds"},
		{"send_message", `{"to":"a","text":"hi","wait_seconds":1.5}`, "wait_seconds"},
		{"send_message", `{"to":"a","text":"hi","context_reference":"` + strings.Repeat("é", 201) + `"}`,
			"context_reference"},
		{"check_inbox", `{"limit":0}`, "limit"},
		{"check_inbox", `{"limit":51}`, "limit"},
		{"check_inbox", `{"limit":"5"}`, "limit"},
		{"read_events", `{"after":-1}`, "after"},
		{"get_messages", `{"since":"next year"}`, "since"},
		{"get_messages", `{"filters":{"senders":"a"}}`, "filters.senders"},
		{"get_messages", `{"filters":{"since_timestamp":"soon"}}`, "filters.since_timestamp"},
		{"send_message", `{"to":"a","text":"hi","response_deadline":-5}`, "response_deadline"},
		{
			"request_assistance",
			`{"assistance_type":"review","request_details":{"description":"x","deadline":"soon"}}`,
			"request_details.deadline",
		},
		{"get_messages", `{"filters":{"colour":"red"}}`, "filters.colour"},
		{"get_messages", `{"filters":{"priority":"huge"}}`, "filters.priority"},
		{"get_messages", `{"filters":{"message_types":["letter"]}}`, "filters.message_types"},
		{"get_messages", `{"sort_order":"random"}`, "sort_order"},
		{"launch_agent", `{"name":"x","env":{"A":1}}`, "env"},
	} {
		if e := refusal(t, c.op, c.args); e.Details["parameter"] != c.parameter {
			t.Errorf("%s %s: got %q about %v, want it about %s", c.op, c.args, e, e.Details["parameter"], c.parameter)
		}
	}

	decoded[parley.SendMessageRequest](t, "send_message",
		`{"to":"a","text":"hi","context_reference":"`+strings.Repeat("é", 200)+`","wait_seconds":60}`)

	decoded[parley.ReadEventsRequest](t, "read_events", `{"after":9007199254740993}`)
}

func TestDecodeSaysWhatATypeShouldBe(t *testing.T) {
	for args, want := range map[string]string{
		`{"limit":"5"}`:                          "limit does not fit: it is a string",
		`{"since":"next year"}`:                  `since is "next year", which is not a time`,
		`{"filters":{"senders":"a"}}`:            "filters.senders does not fit: it is a string",
		`{"limit":2.5}`:                          "limit does not fit: it is the number 2.5",
		`{"limit":true}`:                         "limit does not fit: it is a boolean",
		`{"limit":101}`:                          "limit is 101",
		`{"filters":{"unread_only":"maybe"}}`:    "filters.unread_only does not fit: it is a string",
		`{"since":"2026-01-01T00:00:00Z"} {}`:    "the arguments are not a JSON object",
		`["limit"]`:                              "the arguments are not a JSON object: it is an array",
		`{"limit":5`:                             "the arguments are not a JSON object",
		`{"mark_read":1,"sort_order":"a\u001b"}`: "sort_order",
	} {
		if e := refusal(t, "get_messages", args); !strings.HasPrefix(e.Message, want) &&
			!strings.Contains(e.Message, want) {
			t.Errorf("%s: got %q, want %q in it", args, e.Message, want)
		}
	}

	if e := refusal(t, "read_events", `{"after":-1}`); !strings.Contains(e.Action, "from 0") {
		t.Errorf("a limit without an upper end is explained as %q", e.Action)
	}
}

func TestDecodeTakesEmptyInputAsAnEmptyObject(t *testing.T) {
	for _, args := range []string{"", " \n", "null", "{}", " {} "} {
		decoded[parley.CheckInboxRequest](t, "check_inbox", args)
	}
}

func TestNamesMayStandWithoutAList(t *testing.T) {
	for args, want := range map[string]parley.Names{`"a"`: {"a"}, ` "a" `: {"a"}, `["a","b"]`: {"a", "b"}, `[]`: {}} {
		var got parley.Names
		if err := json.Unmarshal([]byte(args), &got); err != nil {
			t.Fatalf("%s: %v", args, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", args, diff)
		}
	}

	for _, args := range []string{`5`, `{"a":1}`, `[1]`} {
		var got parley.Names
		if err := json.Unmarshal([]byte(args), &got); err == nil {
			t.Errorf("%s gave %v, want an error", args, got)
		}
	}
}

func TestGetMessagesHasTwoSetsOfDefaults(t *testing.T) {
	type defaults struct {
		Limit int
		Sort  string
		Mark  bool
	}

	for args, want := range map[string]defaults{
		`{}`:                               {10, "newest_first", true},
		`{"since":"2026-01-01T00:00:00Z"}`: {10, "newest_first", true},
		`{"filters":{}}`:                   {50, "newest_first", false},
		`{"sort_order":"oldest_first"}`:    {50, "oldest_first", false},
		`{"sort_order":"newest_first","limit":3}`:           {3, "newest_first", false},
		`{"filters":{"unread_only":true},"mark_read":true}`: {50, "newest_first", true},
		`{"mark_read":false}`:                               {10, "newest_first", false},
	} {
		r := decoded[parley.GetMessagesRequest](t, "get_messages", args)
		if diff := cmp.Diff(want, defaults{r.Limit, r.SortOrder, *r.MarkRead}); diff != "" {
			t.Errorf("%s: %s", args, diff)
		}
	}

	since := decoded[parley.GetMessagesRequest](t, "get_messages", `{"since":"2026-01-01T02:00:00+02:00"}`).Since
	if want := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC); !since.Equal(want) {
		t.Errorf("since is %v, want %v", since, want)
	}
}

func TestRequestsSurviveJSON(t *testing.T) {
	// A client's door settles the defaults before the daemon's does: both must
	// come to the same.
	for _, args := range []string{
		`{}`, `{"filters":{"senders":["a"]}}`, `{"sort_order":"oldest_first","limit":7}`, `{"mark_read":false}`,
	} {
		first := decoded[parley.GetMessagesRequest](t, "get_messages", args)
		b := must.Have(json.Marshal(first))(t)
		if diff := cmp.Diff(first, decoded[parley.GetMessagesRequest](t, "get_messages", string(b))); diff != "" {
			t.Errorf("%s: %s", args, diff)
		}
	}

	empty := parley.BroadcastMessageRequest{Text: "hi", Recipients: &parley.Names{}}
	b := must.Have(json.Marshal(empty))(t)

	refusal(t, "broadcast_message", string(b))
}

func TestAnEmptyListIsNeverEveryone(t *testing.T) {
	refusal(t, "broadcast_message", `{"text":"hi","recipients":[]}`)
	refusal(t, "broadcast_message", `{"text":"hi","recipient_ids":[]}`)
	refusal(t, "broadcast_message", `{"text":"hi","recipients":["a"],"group":"g"}`)
	for _, query := range []string{"text=hi&recipients=", "text=hi&recipients=,", "text=hi&recipient_ids=%20"} {
		q := must.Have(url.ParseQuery(query))(t)
		if inv, err := Find("broadcast_message").DecodeQuery(q); err == nil {
			t.Errorf("%s gave %+v, want an error", query, inv.request)
		}
	}

	if r := decoded[parley.BroadcastMessageRequest](t, "broadcast_message", `{"text":"hi"}`); r.Recipients != nil {
		t.Errorf("recipients left out gave %v", *r.Recipients)
	}
}

func TestDecodeQuery(t *testing.T) {
	q := must.Have(url.ParseQuery(`to=a,b&to=c&text=5&urgent=true&wait_seconds=3&data={"n":1}&priority=high`))(t)

	inv := must.Have(Find("send_message").DecodeQuery(q))(t)

	want := &parley.SendMessageRequest{To: parley.Names{"a", "b", "c"}, Text: "5", Type: parley.TypeInformation,
		Priority: parley.PriorityHigh,
		Urgent:   true, WaitSeconds: 3, Data: json.RawMessage(`{"n":1}`)}
	if diff := cmp.Diff(want, inv.request.(*parley.SendMessageRequest)); diff != "" {
		t.Error(diff)
	}

	for query, parameter := range map[string]string{
		"limit=":             "limit",
		"limit=x":            "limit",
		"limit=5x":           "limit",
		"limit=99":           "limit",
		"include_read=maybe": "include_read",
		"colour=red":         "colour",
		"limit=%22x%22":      "limit",
		"limit=5&limit=6":    "limit",
	} {
		q, _ := url.ParseQuery(query)
		_, err := Find("check_inbox").DecodeQuery(q)
		if e := parley.AsError(err); err == nil || e.Code != parley.InvalidArgument ||
			e.Details["parameter"] != parameter {
			t.Errorf("%s: got %v", query, err)
		}
	}

	_, err := Find("broadcast_message").DecodeQuery(url.Values{"recipients": nil, "text": {"hi"}})
	if parley.ErrorCode(err) != parley.InvalidArgument || !strings.Contains(err.Error(),
		"list of recipients is empty") {
		t.Errorf("a broadcast to an empty list gave %v, want a refusal", err)
	}

	if _, err := Find("check_inbox").DecodeQuery(url.Values{"limit": nil}); err != nil {
		t.Errorf("a name without values is not taken for left out: %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"to":"a","text":"hi"}`, `{"content":{"text":"a"},"to":["b"]}`, `{"recipients":[]}`,
		`{"filters":{"senders":[null]}}`, `[`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, args string) {
		for _, op := range All {
			if _, err := op.Decode([]byte(args)); err != nil && parley.AsError(err).Code != parley.InvalidArgument {
				t.Errorf("%s: %v is %s, want INVALID_ARGUMENT", op.Name, err, parley.ErrorCode(err))
			}
		}
	})
}

func TestAQueryThatIsNotUTF8IsRefused(t *testing.T) {
	for _, q := range []url.Values{{"filter_by_sender": {"a\xff"}}, {"lim\xffit": {"5"}}} {
		if _, err := Find("check_inbox").DecodeQuery(q); parley.ErrorCode(err) != parley.InvalidArgument {
			t.Errorf("%q: got %v, want INVALID_ARGUMENT", q, err)
		}
	}
}

func TestSendMessageNeedsAgentsOrAThread(t *testing.T) {
	for args, ok := range map[string]bool{
		`{"thread_id":"1a2b3c4d","content":"hi"}`:                    true,
		`{"thread_id":"1a2b3c4d","recipient_id":"","content":"hi"}`:  true,
		`{"thread_id":"1a2b3c4d","to":[],"content":"hi"}`:            true,
		`{"thread_id":"","recipient_id":"coder","content":"hi"}`:     true,
		`{"thread_id":"1a2b3c4d","recipient_id":"c","content":"hi"}`: false,
		`{"thread_id":"1a2b3c4d","to":["ALL"],"content":"hi"}`:       false,
		`{"content":"hi"}`:                                             false,
		`{"to":[],"content":"hi"}`:                                     false,
		`{"thread_id":"","to":null,"content":"hi"}`:                    false,
		`{"thread_id":"1a2b3c4d","sender_id":"me","to":null,"text":1}`: false,
	} {
		_, err := Find("send_message").Decode([]byte(args))
		if (err == nil) != ok || !ok && (parley.ErrorCode(err) != parley.InvalidArgument ||
			parley.AsError(err).Action == "") {
			t.Errorf("%s: %v, want it to be let through: %v", args, err, ok)
		}
	}
}

func TestAThreadCanHaveOneParticipant(t *testing.T) {
	for args, ok := range map[string]bool{
		`{"title":"t","participants":[]}`:    true,
		`{"title":"t","participants":"a"}`:   true,
		`{"title":"t","participants":null}`:  false,
		`{"title":"t"}`:                      false,
		`{"title":" ","participants":["a"]}`: false,
	} {
		if _, err := Find("create_thread").Decode([]byte(args)); (err == nil) != ok {
			t.Errorf("%s: %v, want it to be let through: %v", args, err, ok)
		}
	}
}
