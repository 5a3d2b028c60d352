package main

import (
	"database/sql"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"parley"
	"parley/client"
	"parley/internal/modelserver"
	"parley/internal/must"
	"parley/op"
)

// The calls of the documents are in testdata/contract, one file for each. What a call
// and its answer cannot show stands here.

func TestTheAgentCommunicationClientWorksAsWritten(t *testing.T) {
	p := readChapter(t, "client").play
	p.after = func(t *testing.T, s *stage) {
		t.Run("defaults are 20 and 50", func(t *testing.T) { defaultsOfTheClient(t, s) })
		t.Run("the key is in the header or the query", func(t *testing.T) { keysOfTheClient(t, s) })
	}
	p.perform(t)
}

func TestSpecialAgentsAnswerAsWritten(t *testing.T) {
	p := readChapter(t, "special").play
	p.prepare = addDM
	p.after = func(t *testing.T, s *stage) {
		t.Run("each call is accounted for", func(t *testing.T) {
			u, err := op.Usage.Call(inTime(t), s.boss, parley.UsageRequest{Agent: "DM"})
			if err != nil || u.Total.Calls != 3 || u.Total.Failed != 1 ||
				u.Total.OutputTokens != 2*modelserver.AnswerTokens {
				t.Errorf("got %+v, %v", u, err)
			}
		})
	}
	p.perform(t)
}

func TestTheAgentCommunicationSystemWorksAsWritten(t *testing.T) {
	p := readChapter(t, "system").play
	p.after = func(t *testing.T, s *stage) {
		t.Run("events have the fields of both kinds", func(t *testing.T) { eventsOfTheSystem(t, s) })
		t.Run("the agent log has a row for each recipient", func(t *testing.T) { logOfTheSystem(t, s) })
	}
	p.perform(t)
}

func TestTheCommunicationToolsWorkAsWritten(t *testing.T) {
	p := readChapter(t, "tools").play
	p.prepare = writeNotes
	p.after = func(t *testing.T, s *stage) {
		t.Run("the file is at the path", func(t *testing.T) {
			if got, err := os.ReadFile(s.kept["path"]); err != nil || string(got) != "notes" {
				t.Errorf("%s holds %q, %v", s.kept["path"], got, err)
			}
		})
		t.Run("get_messages shows 10 by itself", func(t *testing.T) {
			s.shows(t, 10, "ann", "dan", `{"agent_id":"{dan}"}`)
		})
	}
	p.perform(t)
}

func TestTheMessageContractWorksAsWritten(t *testing.T) {
	p := readChapter(t, "message").play
	p.prepare = func(t *testing.T, s *stage) {
		s.kept["tomorrow"] = tomorrow()
		s.kept["2000 letters"], s.kept["2001 letters"] = strings.Repeat("ä", 2000), strings.Repeat("ä", 2001)
	}
	p.after = func(t *testing.T, s *stage) {
		t.Run("GET_MESSAGES shows 50 by itself", func(t *testing.T) {
			s.shows(t, 50, "coder", "lead",
				`{"agent_id":"{lead}","filters":{"senders":["{coder}"]},"sort_order":"newest_first"}`)
		})
	}
	p.perform(t)
}

// shows sends more messages than get_messages shows by itself, and wants it to show
// that many.
func (s *stage) shows(t *testing.T, many int, from, to, args string) {
	t.Helper()
	sender := client.New(client.Options{URL: s.info.HTTP, Key: s.keys[from]})
	defer sender.Close()

	again := parley.SendMessageRequest{To: parley.Names{to}, Text: "again"}
	for range many + 2 {
		must.Have(op.SendMessage.Call(inTime(t), sender, again))(t)
	}

	body, _ := overREST(t, s, &play{proof: "bearer"}, scene{op: "get_messages", by: to, args: s.filled(args)})
	list := strings.TrimSuffix(strings.Repeat(`{"content":{"text":"again"}},`, many), ",")
	s.compare(t, body, `{"messages":[`+list+`]}`, nil)
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
	inbox := s.info.HTTP + "/api/inbox/check"
	for _, way := range []someone{
		{name: "query", base: inbox + "?api_key=" + s.keys["DM"]},
		{name: "header", base: inbox, headers: []string{"X-API-Key: " + s.keys["DM"]}},
		{name: "bearer", base: inbox, headers: []string{"Authorization: Bearer " + s.keys["DM"]}},
	} {
		if status, body := way.get(t); status != 200 || !strings.Contains(string(body), `"unread_count":`) {
			t.Errorf("%s: got %d %s", way.name, status, body)
		}
	}

	nobody := someone{name: "nobody", base: inbox}
	if status, body := nobody.get(t); status != 401 || !strings.Contains(string(body), "UNAUTHENTICATED") {
		t.Errorf("nobody: got %d %s", status, body)
	}
}

// addDM declares the DM of the document, at a scripted model.
func addDM(t *testing.T, s *stage) {
	model := modelserver.StartBare()
	t.Cleanup(model.Close)
	heat, yes := 0.7, true
	config := parley.ResponderConfig{
		ModelID: "gpt-4-turbo", SystemPrompt: "You are the Dungeon Master (DM).",
		Temperature: &heat, MaxTokens: 500, BaseURL: model.URL + "/v1",
		Additional: parley.ResponderExtras{
			PromptFormat: "PLAYER: {message}\nDM:", PostProcessing: "trim", Persistence: &yes,
		},
	}

	dm := parley.AddResponderRequest{Name: "DM", Description: "Dungeon Master", Config: &config}
	must.Have(op.AddResponder.Call(inTime(t), s.boss, dm))(t)
}

// writeNotes writes the file that is sent.
func writeNotes(t *testing.T, s *stage) {
	s.kept["workspace"] = s.home.Workspace
	must.Do(t, os.WriteFile(filepath.Join(s.home.Workspace, "notes.md"), []byte("notes"), 0o600))
}

// eventsOfTheSystem reads the events of both kinds of message from the WebSocket.
func eventsOfTheSystem(t *testing.T, s *stage) {
	ctx := inTime(t)
	o := &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + s.keys["agent-456"]}}}
	conn, _, err := websocket.Dial(ctx, strings.Replace(s.info.HTTP, "http", "ws", 1)+"/api/events?after=0", o)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()

	want := map[string]string{
		s.kept["bug"]: `{
			"type": "agent_broadcast", "sender_agent_id": "{agent-123}", "recipient_count": 2,
			"message_preview": "I found a critical bug in module X that affects everyone"
		}`,
		s.kept["specs"]: `{
			"type": "agent_direct_message", "sender_agent_id": "{agent-123}", "recipient_agent_id": "{agent-456}",
			"message_preview": "I need the API specs you were working on"
		}`,
	}

	for len(want) > 0 {
		_, b, err := conn.Read(ctx)
		if err != nil {
			t.Fatalf("no event of %v: %v", want, err)
		}

		var event parley.Event
		must.Do(t, json.Unmarshal(b, &event))

		if shows := want[event.MessageID]; shows != "" && event.Type.Announces() {
			s.compare(t, b, shows, nil)
			delete(want, event.MessageID)
		}
	}
}

// logOfTheSystem reads the log where it is kept.
func logOfTheSystem(t *testing.T, s *stage) {
	db := s.database(t)
	rows := must.Have(db.QueryContext(inTime(t),
		`SELECT agent_id, message, details FROM agent_log WHERE log_type = 'agent_communication' AND details LIKE ?`,
		"%critical bug%"))(t)
	defer rows.Close()

	seen := map[string]bool{}
	for rows.Next() {
		var agent, message string
		var details sql.RawBytes
		must.Do(t, rows.Scan(&agent, &message, &details))

		seen[agent] = message != ""
		s.compare(t, details, `{"sender_id":"{agent-123}","recipient_id":"`+agent+`","message_type":"<text>",
			"message_content":"I found a critical bug in module X that affects everyone","timestamp":"<time>"}`, nil)
	}

	if err := rows.Err(); err != nil || len(seen) != 2 || !seen[s.kept["agent-456"]] || !seen[s.kept["agent-789"]] {
		t.Errorf("the log has rows for %v (%v), want agent-456 and agent-789", seen, err)
	}
}
