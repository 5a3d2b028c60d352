package main

import (
	"database/sql"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"parley"

	"github.com/coder/websocket"
)

// The calls of the agent communication system: broadcast and direct messages by agents
// that say who they are with X-Agent-ID, which the daemon is told to believe.
func TestTheAgentCommunicationSystemWorksAsWritten(t *testing.T) { systemPlay().perform(t) }

func systemPlay() *play {
	specs := "I need the API specs you were working on"
	return &play{
		proof:    "agent_id",
		cast:     []string{"agent-123", "agent-456", "agent-789", "agent-old"},
		gone:     []string{"agent-old"},
		settings: []string{"PARLEY_TRUST_LOCAL_AGENT_ID=true"},
		scenes: []scene{
			{name: "get_agent_status shows who is there", op: "get_agent_status", by: "agent-123",
				want: `{"success":true,"agents":[{"id":"{agent-123}","name":"agent-123","state":"idle"},{"name":"agent-456"},{"name":"agent-789"},
					{"name":"agent-old","state":"terminated"},{"name":"operator"}]}`},
			{
				name: "broadcast_message counts the recipients",
				op:   "broadcast_message",
				at:   "POST /api/broadcast_message",
				by:   "agent-123",
				args: `{"message":"Your message here"}`,
				want: `{"success":true,"recipient_count":2,"message":"Message broadcast to 2 agent(s)"}`,
			},
			{name: "broadcast_message with sender_agent_id", op: "broadcast_message", by: "agent-123",
				args: `{"message":"I found a critical bug in module X that affects everyone","sender_agent_id":"agent-123"}`,
				want: `{"success":true,"recipient_count":2,"message":"Message broadcast to 2 agent(s)"}`, keep: map[string]string{"bug": "message_id"}},
			{
				name: "broadcast_message reaches everyone but the sender",
				op:   "check_inbox",
				by:   "agent-123",
				want: `{"unread_count":0,"messages":[]}`,
			},
			{
				name: "broadcast_message is in every inbox",
				op:   "check_inbox",
				by:   "agent-789",
				want: `{"unread_count":2}`,
			},
			{
				name: "send_message says Message sent to agent ID8",
				op:   "send_message",
				at:   "POST /api/send_message",
				by:   "agent-123",
				args: `{"recipient_agent_id":"agent-456","message":"Your message here"}`,
				want: `{"success":true,"message":"Message sent to agent {agent-456:8}"}`,
			},
			{name: "send_message with sender_agent_id", op: "send_message", by: "agent-123",
				args: `{"message":"` + specs + `","sender_agent_id":"agent-123","recipient_agent_id":"agent-456"}`,
				want: `{"success":true,"message":"Message sent to agent {agent-456:8}"}`, keep: map[string]string{"specs": "message_id"}},
			{name: "send_message takes the whole id", op: "send_message", at: "POST /api/send_message", by: "agent-123",
				args: `{"recipient_agent_id":"{agent-456}","message":"by its id"}`, want: `{"success":true,"message":"Message sent to agent {agent-456:8}"}`},
			{
				name:   "send_message to one that is terminated fails",
				op:     "send_message",
				at:     "POST /api/send_message",
				by:     "agent-123",
				status: 409,
				args:   `{"recipient_agent_id":"{agent-old}","message":"Are you there?"}`,
				want:   `{"success":false,"message":"Failed to send message - recipient agent {agent-old:8} may not exist or is terminated"}`,
			},
			{
				name:   "send_message to one that does not exist fails",
				op:     "send_message",
				at:     "POST /api/send_message",
				by:     "agent-123",
				status: 404,
				args:   `{"recipient_agent_id":"87654321-0000-4000-8000-000000000000","message":"Are you there?"}`,
				want:   `{"success":false,"message":"<text>","detail":"<text>","error_code":"AGENT_NOT_FOUND"}`,
			},
			{name: "sender_agent_id must be the caller", op: "send_message", by: "agent-123", status: 403,
				args: `{"message":"hi","sender_agent_id":"agent-789","recipient_agent_id":"agent-456"}`,
				want: `{"success":false,"error_code":"NOT_AUTHORIZED","detail":"<text>"}`},
			{name: "a terminated agent sends nothing", op: "send_message", by: "agent-old", status: 401, only: "REST",
				args: `{"message":"hi","recipient_agent_id":"agent-456"}`, want: `{"success":false,"error_code":"UNAUTHENTICATED"}`},
			{name: "a sender is needed", op: "broadcast_message", status: 401, args: `{"message":"hi"}`,
				want: `{"success":false,"error_code":"UNAUTHENTICATED"}`},
		},
		after: func(t *testing.T, s *stage) {
			t.Run("events have the fields of both kinds", func(t *testing.T) { eventsOfTheSystem(t, s, specs) })
			t.Run("the agent log has a row for each recipient", func(t *testing.T) { logOfTheSystem(t, s) })
		},
	}
}

// eventsOfTheSystem reads the events of both kinds of message from the WebSocket.
func eventsOfTheSystem(t *testing.T, s *stage, specs string) {
	ctx := inTime(t)
	o := &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + s.keys["agent-456"]}}}
	conn, _, err := websocket.Dial(ctx, strings.Replace(s.info.HTTP, "http", "ws", 1)+"/api/events?after=0", o)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()

	want := map[string]string{
		s.kept["bug"]: `{"type":"agent_broadcast","sender_agent_id":"{agent-123}","recipient_count":2,
			"message_preview":"I found a critical bug in module X that affects everyone"}`,
		s.kept["specs"]: `{"type":"agent_direct_message","sender_agent_id":"{agent-123}","recipient_agent_id":"{agent-456}","message_preview":"` + specs + `"}`,
	}

	for len(want) > 0 {
		_, b, err := conn.Read(ctx)
		if err != nil {
			t.Fatalf("no event of %v: %v", want, err)
		}

		var event parley.Event
		if err := json.Unmarshal(b, &event); err != nil {
			t.Fatal(err)
		}

		if shows := want[event.MessageID]; shows != "" && event.Type.Announces() {
			s.compare(t, b, shows, nil)
			delete(want, event.MessageID)
		}
	}
}

// logOfTheSystem reads the log where it is kept.
func logOfTheSystem(t *testing.T, s *stage) {
	db := s.database(t)
	rows, err := db.QueryContext(
		inTime(t),
		`SELECT agent_id, message, details FROM agent_log WHERE log_type = 'agent_communication' AND details LIKE ?`,
		"%critical bug%",
	)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()

	seen := map[string]bool{}
	for rows.Next() {
		var agent, message string
		var details sql.RawBytes
		if err := rows.Scan(&agent, &message, &details); err != nil {
			t.Fatal(err)
		}

		seen[agent] = message != ""
		s.compare(t, details, `{"sender_id":"{agent-123}","recipient_id":"`+agent+`","message_type":"<text>",
			"message_content":"I found a critical bug in module X that affects everyone","timestamp":"<time>"}`, nil)
	}

	if err := rows.Err(); err != nil || len(seen) != 2 || !seen[s.kept["agent-456"]] || !seen[s.kept["agent-789"]] {
		t.Errorf("the log has rows for %v (%v), want agent-456 and agent-789", seen, err)
	}
}
