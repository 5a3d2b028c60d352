package main

import (
	"encoding/json"
	"strings"
	"testing"

	"parley/client"
)

// The calls of the agent communication client, in its order: register, send, look
// into the inbox, answer, ignore, look back. Here the DM reads its inbox as others
// do; contract_special_test.go has one for which a model answers.
func TestTheAgentCommunicationClientWorksAsWritten(t *testing.T) { clientPlay().perform(t) }

func clientPlay() *play {
	send, respond, ignore := "POST /api/messages/send", "POST /api/messages/respond", "POST /api/messages/ignore"
	check, history := "GET /api/inbox/check", "GET /api/conversations/history"
	return &play{proof: "api_key", scenes: []scene{
		{name: "register_agent gives a key", op: "register_agent", at: "POST /api/agents/register",
			args: `{"username":"AssistantBot","agent_description":"Helps users with productivity tasks"}`,
			want: `{"success":true,"error":null,"agent_id":"<uuid>","username":"AssistantBot","api_key":"<text>","status":"active"}`,
			keep: map[string]string{"AssistantBot": "api_key", "bot": "agent_id"}},
		{name: "register_agent makes the DM", op: "register_agent", at: "POST /api/agents/register",
			args: `{"username":"DM","agent_description":"Dungeon Master that helps manage game sessions and provides narrative guidance"}`,
			want: `{"success":true,"username":"DM","api_key":"<text>"}`, keep: map[string]string{"DM": "api_key"}},
		{
			name: "special status is asked for and waits for approval",
			op:   "register_agent",
			at:   "POST /api/agents/register",
			args: `{"username":"Bard","agent_description":"sings","special":true}`,
			want: `{"success":true,"username":"Bard","api_key":"<text>","status":"pending_approval"}`,
		},
		{
			name:   "register_agent wants a unique username",
			op:     "register_agent",
			at:     "POST /api/agents/register",
			status: 409,
			args:   `{"username":"AssistantBot","agent_description":"another"}`,
			want:   `{"success":false,"error_code":"AGENT_EXISTS"}`,
		},
		{name: "register_agent requires username", op: "register_agent", at: "POST /api/agents/register", status: 400,
			args: `{"agent_description":"nameless"}`, want: `{"success":false,"error_code":"INVALID_ARGUMENT","details":{"parameter":"username"}}`},

		{name: "send_message confirms with Message sent to NAME!", op: "send_message", at: send,
			args: `{"api_key":"{key of AssistantBot}","recipient":"DM","message":"May I enter the cave?"}`,
			want: `{"success":true,"status":"Message sent to DM!","message_id":"<uuid>","conversation_id":"<uuid>","timestamp":"<time>"}`,
			keep: map[string]string{"cave": "message_id", "talk": "conversation_id"}},
		{name: "send_message once more", op: "send_message", at: send,
			args: `{"api_key":"{key of AssistantBot}","recipient":"DM","message":"Thanks."}`,
			want: `{"success":true,"status":"Message sent to DM!","conversation_id":"{talk}"}`, keep: map[string]string{"thanks": "message_id"}},
		{name: "send_message wants a key that is known", op: "send_message", at: send, status: 401,
			args: `{"api_key":"wrong","recipient":"DM","message":"hi"}`, want: `{"success":false,"error_code":"UNAUTHENTICATED"}`},
		{name: "send_message requires a recipient", op: "send_message", at: send, status: 400,
			args: `{"api_key":"{key of AssistantBot}","message":"hi"}`, want: `{"success":false,"error_code":"INVALID_ARGUMENT"}`},
		{name: "send_message requires a message", op: "send_message", at: send, status: 400,
			args: `{"api_key":"{key of AssistantBot}","recipient":"DM"}`, want: `{"success":false,"error_code":"INVALID_ARGUMENT"}`},

		{name: "check_inbox shows what has come", op: "check_inbox", at: check,
			args: `{"api_key":"{key of DM}","include_read":false,"limit":20}`,
			want: `{"success":true,"unread_count":2,"total_count":2,"messages":[
				{"message_id":"{cave}","sender":"AssistantBot","content":"May I enter the cave?","timestamp":"<time>","read":false,"conversation_id":"{talk}"},
				{"message_id":"{thanks}","sender":"AssistantBot","content":"Thanks.","timestamp":"<time>","read":false,"conversation_id":"{talk}"}]}`},
		{name: "check_inbox does not mark as read", op: "check_inbox", at: check, args: `{"api_key":"{key of DM}"}`,
			want: `{"unread_count":2,"messages":[{"read":false},{"read":false}]}`},
		{name: "check_inbox limits", op: "check_inbox", at: check, args: `{"api_key":"{key of DM}","limit":1}`,
			want: `{"unread_count":2,"total_count":2,"messages":[{"message_id":"<uuid>"}]}`},
		{
			name: "check_inbox filters by sender",
			op:   "check_inbox",
			at:   check,
			args: `{"api_key":"{key of DM}","filter_by_sender":"Bard"}`,
			want: `{"success":true,"messages":[]}`,
		},
		{
			name: "check_inbox takes 50 at most",
			op:   "check_inbox",
			at:   check,
			args: `{"api_key":"{key of DM}","limit":50}`,
			want: `{"success":true}`,
		},
		{
			name:   "check_inbox refuses 51",
			op:     "check_inbox",
			at:     check,
			status: 400,
			args:   `{"api_key":"{key of DM}","limit":51}`,
			want:   `{"success":false,"error_code":"INVALID_ARGUMENT","details":{"parameter":"limit"}}`,
		},
		{
			name:   "check_inbox refuses 0",
			op:     "check_inbox",
			at:     check,
			status: 400,
			args:   `{"api_key":"{key of DM}","limit":0}`,
			want:   `{"success":false,"error_code":"INVALID_ARGUMENT","details":{"parameter":"limit"}}`,
		},

		{name: "respond_to_message sends the answer", op: "respond_to_message", at: respond,
			args: `{"api_key":"{key of DM}","message_id":"{cave}","response":"It is dark in there."}`,
			want: `{"success":true,"error":null,"response_message_id":"<uuid>","original_message_updated":true,"timestamp":"<time>"}`,
			keep: map[string]string{"dark": "response_message_id"}},
		{
			name: "respond_to_message marks the message as read",
			op:   "check_inbox",
			at:   check,
			args: `{"api_key":"{key of DM}"}`,
			want: `{"unread_count":1,"messages":[{"message_id":"{thanks}"}]}`,
		},
		{name: "respond_to_message is for a message of one's own", op: "respond_to_message", at: respond, status: 403,
			args: `{"api_key":"{key of AssistantBot}","message_id":"{cave}","response":"mine"}`, want: `{"success":false,"error_code":"NOT_AUTHORIZED"}`},
		{name: "ignore_message says Message marked as read", op: "ignore_message", at: ignore,
			args: `{"api_key":"{key of DM}","message_id":"{thanks}","reason":""}`, want: `{"success":true,"message":"Message marked as read"}`},
		{name: "ignore_message takes a reason", op: "ignore_message", at: ignore,
			args: `{"api_key":"{key of DM}","message_id":"{thanks}","reason":"only thanks"}`, want: `{"success":true,"message":"Message marked as read"}`},
		{
			name: "ignore_message marks the message as read",
			op:   "check_inbox",
			at:   check,
			args: `{"api_key":"{key of DM}"}`,
			want: `{"unread_count":0,"messages":[]}`,
		},
		{
			name: "check_inbox includes what is read",
			op:   "check_inbox",
			at:   check,
			args: `{"api_key":"{key of DM}","include_read":true}`,
			want: `{"unread_count":0,"total_count":2,"messages":[{"read":true},{"read":true}]}`,
		},
		{
			name: "the answer is in the inbox of who asked",
			op:   "check_inbox",
			at:   check,
			args: `{"api_key":"{key of AssistantBot}"}`,
			want: `{"unread_count":1,"messages":[{"message_id":"{dark}","sender":"DM","content":"It is dark in there.","read":false,"conversation_id":"{talk}"}]}`,
		},

		{name: "get_conversation_history shows both sides", op: "get_conversation_history", at: history,
			args: `{"api_key":"{key of AssistantBot}","conversation_with":"DM","limit":50}`,
			want: `{"success":true,"conversation_id":"{talk}","with_agent":"DM","messages":[
				{"message_id":"{cave}","sender":"AssistantBot","content":"May I enter the cave?","timestamp":"<time>"},
				{"message_id":"{thanks}","sender":"AssistantBot","content":"Thanks.","timestamp":"<time>"},
				{"message_id":"{dark}","sender":"DM","content":"It is dark in there.","timestamp":"<time>"}],
				"has_more":false,"total_messages":3}`},
		{name: "get_conversation_history limits", op: "get_conversation_history", at: history,
			args: `{"api_key":"{key of AssistantBot}","conversation_with":"DM","limit":1}`,
			want: `{"messages":[{"message_id":"{dark}"}],"has_more":true,"total_messages":3}`},
		{name: "get_conversation_history is the caller's own", op: "get_conversation_history", at: history,
			args: `{"api_key":"{key of AssistantBot}","conversation_with":"Bard"}`, want: `{"messages":[],"has_more":false,"total_messages":0}`},
		{name: "get_conversation_history takes 100 at most", op: "get_conversation_history", at: history,
			args: `{"api_key":"{key of AssistantBot}","conversation_with":"DM","limit":100}`, want: `{"success":true}`},
		{name: "get_conversation_history refuses 101", op: "get_conversation_history", at: history, status: 400,
			args: `{"api_key":"{key of AssistantBot}","conversation_with":"DM","limit":101}`,
			want: `{"success":false,"error_code":"INVALID_ARGUMENT","details":{"parameter":"limit"}}`},
		{name: "get_conversation_history refuses 0", op: "get_conversation_history", at: history, status: 400,
			args: `{"api_key":"{key of AssistantBot}","conversation_with":"DM","limit":0}`, want: `{"success":false,"error_code":"INVALID_ARGUMENT"}`},
	}, after: func(t *testing.T, s *stage) {
		t.Run("defaults are 20 and 50", func(t *testing.T) { defaultsOfTheClient(t, s) })
		t.Run("the key is in the header or the query", func(t *testing.T) { keysOfTheClient(t, s) })
	}}
}

// defaultsOfTheClient has more in the inbox than a call shows that names no limit.
func defaultsOfTheClient(t *testing.T, s *stage) {
	bot := client.New(client.Options{URL: s.info.HTTP, Key: s.keys["AssistantBot"]})
	defer bot.Close()

	for range 55 {
		if text, err := bot.Dispatch(t.Context(), "message_agent", `{"username":"DM","message":"again"}`); err != nil ||
			!strings.Contains(text, "Message sent to DM!") {
			t.Fatalf("%s, %v", text, err)
		}
	}

	dm := client.New(client.Options{URL: s.info.HTTP, Key: s.keys["DM"]})
	defer dm.Close()

	for op, want := range map[string]int{"check_inbox": 20, "get_conversation_history": 50} {
		args := "{}"
		if op == "get_conversation_history" {
			args = `{"conversation_with":"AssistantBot"}`
		}

		text, err := dm.Dispatch(t.Context(), op, args)
		var answer struct {
			Messages []json.RawMessage `json:"messages"`
		}

		if err != nil || json.Unmarshal([]byte(text), &answer) != nil || len(answer.Messages) != want {
			t.Errorf("%s shows %d messages by itself, want %d (%v)", op, len(answer.Messages), want, err)
		}
	}
}

// keysOfTheClient sends the key in each way that a program may.
func keysOfTheClient(t *testing.T, s *stage) {
	for _, way := range []someone{
		{name: "query", base: s.info.HTTP + "/api/inbox/check?api_key=" + s.keys["DM"]},
		{name: "header", base: s.info.HTTP + "/api/inbox/check", headers: []string{"X-API-Key: " + s.keys["DM"]}},
		{name: "bearer", base: s.info.HTTP + "/api/inbox/check", headers: []string{"Authorization: Bearer " + s.keys["DM"]}},
	} {
		if status, body := way.get(t); status != 200 || !strings.Contains(string(body), `"unread_count":`) {
			t.Errorf("%s: got %d %s", way.name, status, body)
		}
	}

	nobody := someone{name: "nobody", base: s.info.HTTP + "/api/inbox/check"}
	if status, body := nobody.get(t); status != 401 || !strings.Contains(string(body), "UNAUTHENTICATED") {
		t.Errorf("nobody: got %d %s", status, body)
	}
}
