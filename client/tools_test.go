package client_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/client"
	"parley/internal/must"
	"parley/op"
)

// players returns two mailboxes of one daemon, player and DM, and what breaks their
// connections.
func players(t *testing.T) (player, dm *client.Client, b *breaking) {
	t.Helper()
	d := newDaemon(t)
	b = &breaking{Handler: d}
	addr, _ := at(t, "tcp", "127.0.0.1:0", b)
	join := func(name string) *client.Client {
		return connect(t, client.Options{URL: "http://" + addr, Key: d.register(t, name)})
	}

	return join("player"), join("DM"), b
}

// expectUnread checks how many messages wait in an agent's inbox.
func expectUnread(t *testing.T, c *client.Client, want int) {
	t.Helper()
	inbox := must.Have(op.CheckInbox.Call(t.Context(), c, parley.CheckInboxRequest{}))(t)
	if got := inbox.UnreadCount; got != want {
		t.Errorf("%d messages wait, want %d", got, want)
	}
}

// dispatch makes a call that the daemon answers.
func dispatch(t *testing.T, c *client.Client, name, arguments string) map[string]any {
	t.Helper()
	text, err := c.Dispatch(t.Context(), name, arguments)
	if err != nil {
		t.Fatalf("%s %s: %v", name, arguments, err)
	}
	var fields map[string]any
	if err := json.Unmarshal([]byte(text), &fields); err != nil {
		t.Fatalf("%s %s: %v in %s", name, arguments, err, text)
	}
	return fields
}

func TestToolsAreThoseOfTheDaemon(t *testing.T) {
	player, _, b := players(t)
	tools := must.Have(player.Tools(t.Context()))(t)

	i := slices.IndexFunc(tools, func(t parley.Tool) bool { return t.Function.Name == "send_message" })
	if i < 0 || tools[i].Type != "function" || !strings.Contains(string(tools[i].Function.Parameters), `"to"`) {
		t.Errorf("the tools are %+v", tools)
	}
	if slices.ContainsFunc(tools, func(t parley.Tool) bool { return t.Function.Name == "launch_agent" }) {
		t.Error("an agent is offered launch_agent")
	}

	b.left.Store(1)
	if _, err := player.Tools(t.Context()); err != nil {
		t.Errorf("after a broken connection: %v", err)
	}
}

// Models make these calls, word for word.
func TestDispatchUnderstandsTheCallsOfModels(t *testing.T) {
	player, dm, _ := players(t)
	for _, c := range []struct{ name, arguments, field, want string }{
		{"talk_to_dm", `{"message":"I open the door."}`, "status", "Message sent to DM!"},
		{"message_agent", `{"username":"DM","message":"and look around"}`, "status", "Message sent to DM!"},
		{"send_message", `{"recipient":"DM","message":"Is anybody there?"}`, "status", "Message sent to DM!"},
		{"SEND_MESSAGE", `{
			"recipient_agent_ids": ["DM"], "message_type": "request",
			"content": {"text": "hello?", "data": {"a": 1}, "attachments": []},
			"priority": "high", "requires_response": false
		}`, "status", "Message sent to DM!"},
		{"check_messages", `{"include_read":false}`, "unread_count", "0"},
		{"check_messages", ``, "unread_count", "0"},
		{"get_dm_conversation_history", `{"limit":2}`, "with_agent", "DM"},
		{"get_dm_conversation_history", `{}`, "total_messages", "4"},
		{"check_inbox", ``, "success", "true"},
	} {
		got := dispatch(t, player, c.name, c.arguments)
		if fmt.Sprint(got[c.field]) != c.want || got["success"] != true {
			t.Errorf("%s %s: %s is %v, want %s: %v", c.name, c.arguments, c.field, got[c.field], c.want, got)
		}
	}

	if got := dispatch(t, dm, "check_messages", `{"sender":"player"}`); got["unread_count"] != 4.0 {
		t.Errorf("the DM has got %v", got)
	}

	read := dispatch(t, dm, "GET_MESSAGES", `{"filters":{"unread_only":true},"sort_order":"oldest_first"}`)
	ids := []string{}
	for _, message := range read["messages"].([]any) {
		ids = append(ids, message.(map[string]any)["message_id"].(string))
	}

	arguments, _ := json.Marshal(map[string]any{"message_ids": ids})
	if got := dispatch(t, dm, "MARK_MESSAGE_READ", string(arguments)); len(got["marked_read"].([]any)) != 4 {
		t.Errorf("marked are %v", got)
	}
	expectUnread(t, dm, 0)
}

func TestDispatchExplainsMistakesToTheModel(t *testing.T) {
	player, dm, _ := players(t)
	for _, c := range []struct {
		name, arguments string
		code            parley.Code
		action          string
	}{
		{"send_mesage", `{}`, parley.InvalidArgument, "Did you mean send_message?"},
		{"fly", `{}`, parley.InvalidArgument, "Use one of: register_agent"},
		{"shut_down", `{}`, parley.InvalidArgument, "Use one of"},
		{"read_events", `{}`, parley.InvalidArgument, ""},
		{"launch_agent", `{"name":"x"}`, parley.NotAuthorized, "operator"},
		{"send_message", `{"to":"DM","text":`, parley.InvalidArgument, "Send one object"},
		{"send_message", `["DM"]`, parley.InvalidArgument, "Send one object"},
		{"send_message", `{"to":"DM","text":"a","text":"b"}`, parley.InvalidArgument, "Give it once"},
		{"send_message", `{"to":"nobody","text":"a"}`, parley.AgentNotFound, "The agents are: DM"},
		{"send_message", `{"to":"DM","text":"a","api_key":"my key"}`, parley.Unauthenticated, ""},
		{"send_message", "{\"to\":\"DM\",\"text\":\"\xff\"}", parley.InvalidArgument, ""},
		{"talk_to_dm", `{"mesage":"hi"}`, parley.InvalidArgument, `Did you mean "message"?`},
		{"talk_to_dm", `{"message":"hi","to":"player"}`, parley.InvalidArgument, "Give: message"},
		{"talk_to_dm", `{}`, parley.InvalidArgument, "Give message"},
		{"talk_to_dm", `"hi"`, parley.InvalidArgument, "Send one object with: message"},
		{"message_agent", `{"message":"hi"}`, parley.InvalidArgument, "Give username"},
		{"message_agent", `{"username":5,"message":"hi"}`, parley.InvalidArgument, ""},
		{"get_dm_conversation_history", `{"limit":500}`, parley.InvalidArgument, "1 to 100"},
	} {
		got := dispatch(t, player, c.name, c.arguments)
		action, _ := got["suggested_action"].(string)
		if got["success"] != false || got["error_code"] != string(c.code) || !strings.Contains(action, c.action) {
			t.Errorf("%s %s: got %v, want %s and %q", c.name, c.arguments, got, c.code, c.action)
		}
	}

	expectUnread(t, dm, 0)
}

func TestDispatchedSendIsStoredOnce(t *testing.T) {
	player, dm, b := players(t)
	b.after = true // the daemon has seen the first attempt
	b.left.Store(1)
	if got := dispatch(t, player, "send_message", `{"to":"DM","text":"once"}`); got["success"] != true {
		t.Errorf("got %v", got)
	}

	b.left.Store(1)
	if got := dispatch(t, player, "send_message", `{"to":"DM","text":"keyed","idempotency_key":"k"}`); got["success"] != true {
		t.Errorf("a call with a key: got %v", got)
	}

	b.left.Store(1)
	text, err := player.Dispatch(t.Context(), "send_message", `{"to":"DM","text":"twice?","idempotency_key":null}`)
	if parley.ErrorCode(err) != parley.DaemonUnavailable {
		t.Errorf("a call without a key: got %s, %v, want DAEMON_UNAVAILABLE", text, err)
	}

	expectUnread(t, dm, 3)
}

func TestDispatchFailsWhenTheDaemonIsAway(t *testing.T) {
	addr, stop := at(t, "tcp", "127.0.0.1:0", http.NotFoundHandler())
	stop()
	c := connect(t, client.Options{URL: "http://" + addr, Key: "k"})
	if text, err := c.Dispatch(t.Context(), "check_inbox", "{}"); parley.ErrorCode(err) != parley.DaemonUnavailable ||
		text != "" {
		t.Errorf("got %q, %v", text, err)
	}
	if _, err := c.Tools(t.Context()); parley.ErrorCode(err) != parley.DaemonUnavailable {
		t.Errorf("the tools: got %v", err)
	}
}

// followed is what a stream of events yields.
type followed struct {
	parley.Event
	err error
}

// follow gathers what Events yields.
func follow(ctx context.Context, c *client.Client, after int64) <-chan followed {
	out := make(chan followed, 100)
	go func() {
		defer close(out)
		for e, err := range c.Events(ctx, after) {
			out <- followed{e, err}
		}
	}()
	return out
}

// expectRegistered waits for the events of agents that register, and no others.
func expectRegistered(t *testing.T, events <-chan followed, names ...string) {
	t.Helper()
	for _, name := range names {
		select {
		case e, ok := <-events:
			if !ok || e.err != nil || e.Agent != name {
				t.Fatalf("got %+v (open: %v), want the event of %s", e, ok, name)
			}
		case <-time.After(patience):
			t.Fatalf("the event of %s has not come", name)
		}
	}
}

func TestEventsContinueAfterARestart(t *testing.T) {
	d := newDaemon(t)
	b := &breaking{Handler: d}
	addr, stop := at(t, "tcp", "127.0.0.1:0", b)
	c := connect(t, client.Options{URL: "http://" + addr, Key: operatorKey})
	d.register(t, "one")
	page := must.Have(op.ReadEvents.Call(t.Context(), c, parley.ReadEventsRequest{}))(t)

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()

	d.register(t, "two")
	events := follow(ctx, c, page.Next)
	expectRegistered(t, events, "two")
	d.register(t, "three")
	expectRegistered(t, events, "three")

	stop()
	d.register(t, "four")
	d.register(t, "five")
	b.left.Store(2)
	at(t, "tcp", addr, b)
	expectRegistered(t, events, "four", "five")
	d.register(t, "six")
	expectRegistered(t, events, "six")

	cancel()
	select {
	case e, ok := <-events:
		if ok {
			t.Errorf("after the end of its context it yields %+v", e)
		}
	case <-time.After(patience):
		t.Error("it goes on after its context has ended")
	}
}

func TestEventsEndWithAnErrorThatWaitingDoesNotMend(t *testing.T) {
	addr, _ := at(t, "tcp", "127.0.0.1:0", newDaemon(t))
	c := connect(t, client.Options{URL: "http://" + addr, Key: "wrong"})
	var codes []parley.Code
	for _, err := range c.Events(t.Context(), 0) {
		codes = append(codes, parley.ErrorCode(err))
	}
	if want := []parley.Code{parley.Unauthenticated}; !slices.Equal(codes, want) {
		t.Errorf("got the errors %v, want %v", codes, want)
	}
}

func TestALoopOverEventsCanBeLeft(t *testing.T) {
	d := newDaemon(t)
	d.register(t, "one")
	addr, _ := at(t, "tcp", "127.0.0.1:0", d)
	for e, err := range connect(t, client.Options{URL: "http://" + addr, Key: operatorKey}).Events(t.Context(), 0) {
		if err != nil || e.Seq != 1 {
			t.Errorf("got %+v, %v, want event 1", e, err)
		}
		break
	}
}
