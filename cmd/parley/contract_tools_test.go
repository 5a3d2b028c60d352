package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The calls of the communication tools: messages to one or to a thread, reading,
// threads and who takes part in them. Each caller names itself as the document does.
func TestTheCommunicationToolsWorkAsWritten(t *testing.T) { toolsPlay().perform(t) }

func toolsPlay() *play {
	return &play{
		proof:   "bearer",
		socket:  true,
		cast:    []string{"ann", "bob", "cid", "dan"},
		prepare: notes,
		scenes: []scene{
			{name: "send_message to one gives its id and the message", op: "send_message", by: "ann",
				args: `{"sender_id":"{ann}","recipient_id":"{bob}","content":"Where are the specs?","urgent":false}`,
				want: `{"success":true,"message_id":"<uuid>","message":"<text>","message_object":{"message_id":"<uuid>","sender_agent_id":"{ann}",
				"recipient_agent_ids":["{bob}"],"text":"Where are the specs?","priority":"normal","timestamp":"<time>"}}`,
				keep: map[string]string{"specs": "message_id"}},
			{
				name: "send_message urgent",
				op:   "send_message",
				by:   "ann",
				args: `{"sender_id":"{ann}","recipient_id":"{bob}","content":"Now!","urgent":true}`,
				want: `{"success":true,"message_object":{"priority":"urgent"}}`,
				keep: map[string]string{"now": "message_id"},
			},
			{
				name: "send_message without urgent is not urgent",
				op:   "send_message",
				by:   "ann",
				args: `{"sender_id":"{ann}","recipient_id":"{cid}","content":"hi"}`,
				want: `{"success":true,"message_object":{"priority":"normal"}}`,
			},
			{
				name:   "send_message wants a recipient or a thread",
				op:     "send_message",
				by:     "ann",
				status: 400,
				args:   `{"sender_id":"{ann}","content":"hi"}`,
				want:   `{"success":false,"error_code":"INVALID_ARGUMENT"}`,
			},
			{
				name:   "send_message wants content",
				op:     "send_message",
				by:     "ann",
				status: 400,
				args:   `{"sender_id":"{ann}","recipient_id":"{bob}"}`,
				want:   `{"success":false,"error_code":"INVALID_ARGUMENT"}`,
			},
			{
				name:   "sender_id is the caller",
				op:     "send_message",
				by:     "ann",
				status: 403,
				args:   `{"sender_id":"{bob}","recipient_id":"{cid}","content":"hi"}`,
				want:   `{"success":false,"error_code":"NOT_AUTHORIZED"}`,
			},

			{
				name: "check_new_messages says how many",
				op:   "check_new_messages",
				by:   "bob",
				args: `{"agent_id":"{bob}"}`,
				want: `{"success":true,"unread_count":2,"message":"<text>"}`,
			},
			{
				name: "get_messages shows the most recent first",
				op:   "get_messages",
				by:   "bob",
				args: `{"agent_id":"{bob}","limit":10}`,
				want: `{"success":true,"messages":[{"message_id":"{now}"},{"message_id":"{specs}","sender_agent_id":"{ann}"}]}`,
			},
			{
				name: "get_messages marks as read",
				op:   "check_new_messages",
				by:   "bob",
				args: `{"agent_id":"{bob}"}`,
				want: `{"unread_count":0}`,
			},
			{
				name: "get_messages limits",
				op:   "get_messages",
				by:   "bob",
				args: `{"agent_id":"{bob}","limit":1}`,
				want: `{"messages":[{"message_id":"{now}"}]}`,
			},
			{
				name: "get_messages since a time to come",
				op:   "get_messages",
				by:   "bob",
				args: `{"agent_id":"{bob}","since":"2125-03-30T12:00:00Z"}`,
				want: `{"messages":[]}`,
			},
			{
				name: "get_messages since a time gone by",
				op:   "get_messages",
				by:   "bob",
				args: `{"agent_id":"{bob}","since":"2025-03-30T12:00:00Z"}`,
				want: `{"messages":[{},{}]}`,
			},
			{
				name: "get_messages since with another zone",
				op:   "get_messages",
				by:   "bob",
				args: `{"agent_id":"{bob}","since":"2025-03-30T14:00:00+02:00"}`,
				want: `{"messages":[{},{}]}`,
			},
			{
				name: "get_messages takes 100 at most",
				op:   "get_messages",
				by:   "bob",
				args: `{"agent_id":"{bob}","limit":100}`,
				want: `{"success":true}`,
			},

			{name: "create_thread gives the thread and its first message", op: "create_thread", by: "ann",
				args: `{"creator_id":"{ann}","title":"API specs","participants":["{bob}"],"initial_message":"What is missing?"}`,
				want: `{"success":true,"message":"<text>","thread":{"thread_id":"<uuid>","title":"API specs","creator_id":"{ann}","participants":["{ann}","{bob}"],
				"created_at":"<time>"},"initial_message_id":"<uuid>"}`,
				keep: map[string]string{"thread": "thread.thread_id", "first": "initial_message_id"}},
			{
				name: "create_thread adds the creator once",
				op:   "create_thread",
				by:   "ann",
				args: `{"creator_id":"{ann}","title":"Another","participants":["{ann}","{cid}"]}`,
				want: `{"success":true,"thread":{"participants":["{ann}","{cid}"]}}`,
			},
			{
				name: "create_thread tells the others",
				op:   "get_messages",
				by:   "bob",
				args: `{"agent_id":"{bob}","limit":2}`,
				want: `{"messages":[{"message_id":"{first}","sender_agent_id":"{ann}","content":{"text":"What is missing?"},"thread_id":"{thread}"},{"sender":"parley","thread_id":"{thread}"}]}`,
			},
			{
				name:   "create_thread requires a title",
				op:     "create_thread",
				by:     "ann",
				status: 400,
				args:   `{"creator_id":"{ann}","participants":["{bob}"]}`,
				want:   `{"success":false,"error_code":"INVALID_ARGUMENT"}`,
			},
			{
				name:   "create_thread requires participants",
				op:     "create_thread",
				by:     "ann",
				status: 400,
				args:   `{"creator_id":"{ann}","title":"x"}`,
				want:   `{"success":false,"error_code":"INVALID_ARGUMENT"}`,
			},
			{
				name: "get_thread_details shows the thread",
				op:   "get_thread_details",
				by:   "bob",
				args: `{"thread_id":"{thread}"}`,
				want: `{"success":true,"thread_id":"{thread}","title":"API specs","creator_id":"{ann}","participants":["{ann}","{bob}"],"created_at":"<time>"}`,
			},

			{
				name: "send_message to a thread",
				op:   "send_message",
				by:   "bob",
				args: `{"sender_id":"{bob}","thread_id":"{thread}","content":"The errors."}`,
				want: `{"success":true,"message_id":"<uuid>","message_object":{"thread_id":"{thread}","text":"The errors."}}`,
				keep: map[string]string{"errors": "message_id"},
			},
			{name: "send_message to a thread is for those in it", op: "send_message", by: "cid", status: 403,
				args: `{"sender_id":"{cid}","thread_id":"{thread}","content":"hi"}`, want: `{"success":false,"error_code":"NOT_A_PARTICIPANT"}`},
			{name: "send_message takes a recipient or a thread, not both", op: "send_message", by: "bob", status: 400,
				args: `{"sender_id":"{bob}","recipient_id":"{ann}","thread_id":"{thread}","content":"hi"}`, want: `{"success":false,"error_code":"INVALID_ARGUMENT"}`},
			{
				name: "get_messages of a thread",
				op:   "get_messages",
				by:   "ann",
				args: `{"agent_id":"{ann}","thread_id":"{thread}","limit":1}`,
				want: `{"messages":[{"message_id":"{errors}","sender_agent_id":"{bob}","content":{"text":"The errors."},"thread_id":"{thread}"}]}`,
			},

			{
				name: "join_thread confirms",
				op:   "join_thread",
				by:   "cid",
				args: `{"thread_id":"{thread}","agent_id":"{cid}"}`,
				want: `{"success":true,"status":"joined","message":"<text>"}`,
			},
			{
				name: "join_thread tells those who take part",
				op:   "get_messages",
				by:   "ann",
				args: `{"agent_id":"{ann}","limit":1}`,
				want: `{"messages":[{"sender":"parley","thread_id":"{thread}"}]}`,
			},
			{name: "join_thread tells who joins", op: "get_messages", by: "cid", args: `{"agent_id":"{cid}","limit":1}`,
				want: `{"messages":[{"sender":"parley","thread_id":"{thread}"}]}`},
			{
				name: "join_thread twice says so",
				op:   "join_thread",
				by:   "cid",
				args: `{"thread_id":"{thread}","agent_id":"{cid}"}`,
				want: `{"success":true,"status":"already_participant"}`,
			},
			{
				name:   "add_participant_to_thread is for those in it",
				op:     "add_participant_to_thread",
				by:     "dan",
				status: 403,
				args:   `{"thread_id":"{thread}","agent_id_to_add":"{dan}","inviting_agent_id":"{dan}"}`,
				want:   `{"success":false,"error_code":"NOT_A_PARTICIPANT"}`,
			},
			{name: "add_participant_to_thread confirms", op: "add_participant_to_thread", by: "bob",
				args: `{"thread_id":"{thread}","agent_id_to_add":"{dan}","inviting_agent_id":"{bob}"}`, want: `{"success":true,"status":"added","message":"<text>","message_id":"<uuid>"}`,
				keep: map[string]string{"added": "message_id"}},
			{
				name: "add_participant_to_thread tells the new one",
				op:   "get_messages",
				by:   "dan",
				args: `{"agent_id":"{dan}"}`,
				want: `{"messages":[{"message_id":"{added}","thread_id":"{thread}"}]}`,
			},
			{
				name: "add_participant_to_thread is posted to the thread",
				op:   "get_messages",
				by:   "ann",
				args: `{"agent_id":"{ann}","thread_id":"{thread}","limit":1}`,
				want: `{"messages":[{"message_id":"{added}"}]}`,
			},
			{
				name:   "remove_participant_from_thread is for the creator or oneself",
				op:     "remove_participant_from_thread",
				by:     "bob",
				status: 403,
				args:   `{"thread_id":"{thread}","agent_id_to_remove":"{dan}","removing_agent_id":"{bob}"}`,
				want:   `{"success":false,"error_code":"NOT_AUTHORIZED"}`,
			},
			{name: "remove_participant_from_thread by the creator", op: "remove_participant_from_thread", by: "ann",
				args: `{"thread_id":"{thread}","agent_id_to_remove":"{dan}","removing_agent_id":"{ann}"}`, want: `{"success":true,"message":"<text>","message_id":"<uuid>"}`,
				keep: map[string]string{"removed": "message_id"}},
			{name: "remove_participant_from_thread by oneself", op: "remove_participant_from_thread", by: "cid",
				args: `{"thread_id":"{thread}","agent_id_to_remove":"{cid}","removing_agent_id":"{cid}"}`, want: `{"success":true}`},
			{
				name: "remove_participant_from_thread is posted to the thread",
				op:   "get_messages",
				by:   "bob",
				args: `{"agent_id":"{bob}","thread_id":"{thread}","limit":2}`,
				want: `{"messages":[{},{"message_id":"{removed}"}]}`,
			},
			{name: "the creator cannot be removed", op: "remove_participant_from_thread", by: "ann", status: 400,
				args: `{"thread_id":"{thread}","agent_id_to_remove":"{ann}","removing_agent_id":"{ann}"}`, want: `{"success":false,"error_code":"INVALID_ARGUMENT"}`},

			{name: "broadcast_message to a list gives its id and the message", op: "broadcast_message", by: "ann",
				args: `{"sender_id":"{ann}","recipient_ids":["{bob}","{cid}"],"content":"Lunch.","urgent":false}`,
				want: `{"success":true,"message_id":"<uuid>","message":"Message broadcast to 2 agent(s)","message_object":{"text":"Lunch.","recipient_agent_ids":["<uuid>","<uuid>"],"priority":"normal"}}`},
			{
				name: "broadcast_message urgent",
				op:   "broadcast_message",
				by:   "ann",
				args: `{"sender_id":"{ann}","recipient_ids":["{bob}"],"content":"Fire!","urgent":true}`,
				want: `{"success":true,"message_object":{"priority":"urgent","recipient_agent_ids":["{bob}"]}}`,
			},
			{
				name:   "broadcast_message refuses an empty list",
				op:     "broadcast_message",
				by:     "ann",
				status: 400,
				args:   `{"sender_id":"{ann}","recipient_ids":[],"content":"hi"}`,
				want:   `{"success":false,"error_code":"INVALID_ARGUMENT"}`,
			},

			{name: "transfer_file gives the name, the notice and the path", op: "transfer_file", by: "ann",
				args: `{"sender_id":"{ann}","recipient_id":"{bob}","source_path":"{workspace}/notes.md","destination_filename":"for-bob.md","description":"what changed"}`,
				want: `{"success":true,"message":"<text>","filename":"for-bob.md","message_id":"<uuid>","data":{"server_path":"<text>","size":5,"sha256":"<text>","file_id":"<uuid>"}}`,
				keep: map[string]string{"notice": "message_id", "path": "data.server_path", "file": "data.file_id"}},
			{
				name: "transfer_file tells the recipient the path",
				op:   "get_messages",
				by:   "bob",
				args: `{"agent_id":"{bob}","limit":1}`,
				want: `{"messages":[{"message_id":"{notice}","sender_agent_id":"{ann}","content":{"attachments":[{"file_id":"{file}","filename":"for-bob.md","server_path":"{path}"}]}}]}`,
			},
			{
				name: "transfer_file keeps the name by itself",
				op:   "transfer_file",
				by:   "ann",
				args: `{"sender_id":"{ann}","recipient_id":"{bob}","source_path":"{workspace}/notes.md"}`,
				want: `{"success":true,"filename":"notes.md"}`,
			},
			{
				name:   "transfer_file requires source_path",
				op:     "transfer_file",
				by:     "ann",
				status: 400,
				args:   `{"sender_id":"{ann}","recipient_id":"{bob}"}`,
				want:   `{"success":false,"error_code":"INVALID_ARGUMENT"}`,
			},
		},
		after: func(t *testing.T, s *stage) {
			t.Run("the file is at the path", func(t *testing.T) {
				if got, err := os.ReadFile(s.kept["path"]); err != nil || string(got) != "notes" {
					t.Errorf("%s holds %q, %v", s.kept["path"], got, err)
				}
			})
			t.Run("get_messages shows 10 by itself", func(t *testing.T) { tenMessages(t, s) })
		},
	}
}

// notes are what is sent as a file.
func notes(t *testing.T, s *stage) {
	s.kept["workspace"] = s.home.workspace
	if err := os.WriteFile(filepath.Join(s.home.workspace, "notes.md"), []byte("notes"), 0o600); err != nil {
		t.Fatal(err)
	}
}

func tenMessages(t *testing.T, s *stage) {
	p := &play{proof: "bearer"}
	for range 12 {
		overREST(
			t,
			s,
			p,
			scene{
				op:   "send_message",
				by:   "ann",
				args: s.filled(`{"sender_id":"{ann}","recipient_id":"{dan}","content":"again"}`),
			},
		)
	}

	body, _ := overREST(t, s, p, scene{op: "get_messages", by: "dan", args: s.filled(`{"agent_id":"{dan}"}`)})
	s.compare(
		t,
		body,
		`{"messages":[`+strings.Repeat(`{"content":{"text":"again"}},`, 9)+`{"content":{"text":"again"}}]}`,
		nil,
	)
}
