package main

import (
	"strings"
	"testing"
)

// The calls of the message contract, in its own names of operations, with every field
// that it lists, those that are optional once as null and once left out.
func TestTheMessageContractWorksAsWritten(t *testing.T) { messagePlay().perform(t) }

func messagePlay() *play {
	longest, tooLong := strings.Repeat("ä", 2000), strings.Repeat("ä", 2001)
	return &play{proof: "bearer", cast: []string{"lead", "coder", "tester", "old"}, gone: []string{"old"},
		roles: map[string]string{
			"lead":   `{"role":"planner"}`,
			"coder":  `{"role":"coder","capabilities":["Go","SQL"]}`,
			"tester": `{"role":"tester","capabilities":["go testing"]}`,
		},
		scenes: []scene{
			{name: "SEND_MESSAGE with every field", op: "SEND_MESSAGE", by: "lead",
				args: `{"sender_agent_id":"{lead}","recipient_agent_ids":["{coder}","{tester}"],"message_type":"request",
					"content":{"text":"Please review main.go","data":{"file":"main.go","lines":[1,2]},"attachments":[{"name":"main.go"}]},
					"priority":"high","requires_response":true,"context_reference":"ctx-1"}`,
				want: `{"success":true,"message_id":"<uuid>","timestamp":"<time>","delivery_status":{"delivered_to":"<strings>","failed_delivery":[],"pending_delivery":[]},"error":null}`,
				keep: map[string]string{"review": "message_id"}},
			{name: "SEND_MESSAGE with nothing optional", op: "SEND_MESSAGE", by: "lead",
				args: `{"sender_agent_id":"{lead}","recipient_agent_ids":["{coder}"],"message_type":"information","content":{"text":"FYI","data":null,"attachments":null},
					"priority":"low","requires_response":false,"context_reference":null}`,
				want: `{"success":true,"delivery_status":{"delivered_to":["{coder}"],"failed_delivery":[],"pending_delivery":[]},"error":null}`, keep: map[string]string{"fyi": "message_id"}},
			{name: "SEND_MESSAGE to ALL", op: "SEND_MESSAGE", by: "lead",
				args: `{"sender_agent_id":"{lead}","recipient_agent_ids":["ALL"],"message_type":"coordination","content":{"text":"Stand-up"},"priority":"normal","requires_response":false}`,
				want: `{"success":true,"delivery_status":{"delivered_to":["<uuid>","<uuid>"],"failed_delivery":[],"pending_delivery":[]}}`, keep: map[string]string{"standup": "message_id"}},
			{name: "SEND_MESSAGE tells whom it could not reach", op: "SEND_MESSAGE", by: "lead",
				args: `{"sender_agent_id":"{lead}","recipient_agent_ids":["{tester}","{old}"],"message_type":"response","content":{"text":"Done"},"priority":"urgent","requires_response":false}`,
				want: `{"success":true,"delivery_status":{"delivered_to":["{tester}"],"failed_delivery":["{old}"],"pending_delivery":[]}}`},
			{name: "SEND_MESSAGE takes 2,000 characters", op: "SEND_MESSAGE", by: "lead",
				args: `{"sender_agent_id":"{lead}","recipient_agent_ids":["{tester}"],"message_type":"information","content":{"text":"` + longest + `"},"priority":"low","requires_response":false}`,
				want: `{"success":true}`},
			{name: "SEND_MESSAGE refuses 2,001 characters", op: "SEND_MESSAGE", by: "lead", status: 413,
				args: `{"sender_agent_id":"{lead}","recipient_agent_ids":["{tester}"],"message_type":"information","content":{"text":"` + tooLong + `"},"priority":"low","requires_response":false}`,
				want: `{"success":false,"error_code":"MESSAGE_TOO_LONG","error_message":"<text>","details":"<object>","suggested_action":"<text>"}`},
			{name: "SEND_MESSAGE refuses an empty text", op: "SEND_MESSAGE", by: "lead", status: 400,
				args: `{"sender_agent_id":"{lead}","recipient_agent_ids":["{tester}"],"content":{"text":""}}`, want: `{"success":false,"error_code":"INVALID_ARGUMENT"}`},
			{name: "SEND_MESSAGE refuses its sender", op: "SEND_MESSAGE", by: "lead", status: 400,
				args: `{"sender_agent_id":"{lead}","recipient_agent_ids":["{coder}","{lead}"],"content":{"text":"hi"}}`, want: `{"success":false,"error_code":"INVALID_RECIPIENT"}`},
			{name: "SEND_MESSAGE refuses another message_type", op: "SEND_MESSAGE", by: "lead", status: 400,
				args: `{"sender_agent_id":"{lead}","recipient_agent_ids":["{coder}"],"message_type":"chat","content":{"text":"hi"}}`,
				want: `{"success":false,"error_code":"INVALID_ARGUMENT","details":{"parameter":"message_type","allowed":["information","request","response","coordination"]}}`},
			{name: "SEND_MESSAGE refuses another priority", op: "SEND_MESSAGE", by: "lead", status: 400,
				args: `{"sender_agent_id":"{lead}","recipient_agent_ids":["{coder}"],"priority":"asap","content":{"text":"hi"}}`,
				want: `{"success":false,"error_code":"INVALID_ARGUMENT","details":{"parameter":"priority","allowed":["low","normal","high","urgent"]}}`},
			{name: "SEND_MESSAGE refuses an unknown agent", op: "SEND_MESSAGE", by: "lead", status: 404,
				args: `{"sender_agent_id":"{lead}","recipient_agent_ids":["nobody-here"],"content":{"text":"hi"}}`,
				want: `{"success":false,"error_code":"AGENT_NOT_FOUND","error_message":"<text>","details":"<object>","suggested_action":"<text>"}`},

			{name: "GET_MESSAGES has every field of a message", op: "GET_MESSAGES", by: "coder",
				args: `{"agent_id":"{coder}","filters":{"message_types":["request"],"senders":["{lead}"],"priority":"high","unread_only":true,"since_timestamp":"2025-01-01T00:00:00Z"},
					"limit":50,"sort_order":"oldest_first"}`,
				want: `{"success":true,"messages":[{"message_id":"{review}","sender_agent_id":"{lead}","sender_role":"planner","message_type":"request",
					"content":{"text":"Please review main.go","data":{"file":"main.go","lines":[1,2]},"attachments":[{"name":"main.go"}]},"priority":"high","timestamp":"<time>",
					"read_status":false,"requires_response":true,"response_deadline":"<time>","context_reference":"ctx-1"}],"total_count":1,"unread_count":1,"error":null}`},
			{
				name: "GET_MESSAGES shows what is optional too",
				op:   "GET_MESSAGES",
				by:   "coder",
				args: `{"agent_id":"{coder}","filters":{"priority":"low"}}`,
				want: `{"messages":[{"message_id":"{fyi}","content":{"text":"FYI","data":{},"attachments":[]},"requires_response":false,"context_reference":""}]}`,
			},
			{
				name: "GET_MESSAGES oldest_first",
				op:   "GET_MESSAGES",
				by:   "coder",
				args: `{"agent_id":"{coder}","filters":{},"limit":100,"sort_order":"oldest_first"}`,
				want: `{"messages":[{"message_id":"{review}","read_status":false},{"message_id":"{fyi}"},{"message_id":"{standup}"}],"total_count":3,"unread_count":3}`,
			},
			{
				name: "GET_MESSAGES newest_first",
				op:   "GET_MESSAGES",
				by:   "coder",
				args: `{"agent_id":"{coder}","filters":{"message_types":null,"senders":null,"priority":null,"unread_only":null,"since_timestamp":null},"limit":2,"sort_order":"newest_first"}`,
				want: `{"messages":[{"message_id":"{standup}"},{"message_id":"{fyi}"}],"total_count":3,"unread_count":3}`,
			},
			{
				name: "GET_MESSAGES with filters marks nothing",
				op:   "GET_MESSAGES",
				by:   "coder",
				args: `{"agent_id":"{coder}","filters":{"unread_only":true}}`,
				want: `{"unread_count":3}`,
			},
			{
				name:   "GET_MESSAGES refuses a limit of 101",
				op:     "GET_MESSAGES",
				by:     "coder",
				status: 400,
				args:   `{"agent_id":"{coder}","limit":101}`,
				want:   `{"success":false,"error_code":"INVALID_ARGUMENT","details":{"parameter":"limit"}}`,
			},
			{
				name:   "GET_MESSAGES refuses a limit of 0",
				op:     "GET_MESSAGES",
				by:     "coder",
				status: 400,
				args:   `{"agent_id":"{coder}","limit":0}`,
				want:   `{"success":false,"error_code":"INVALID_ARGUMENT","details":{"parameter":"limit"}}`,
			},
			{
				name:   "GET_MESSAGES refuses another order",
				op:     "GET_MESSAGES",
				by:     "coder",
				status: 400,
				args:   `{"agent_id":"{coder}","sort_order":"random"}`,
				want:   `{"success":false,"error_code":"INVALID_ARGUMENT","details":{"parameter":"sort_order"}}`,
			},
			{
				name:   "GET_MESSAGES refuses other filter values",
				op:     "GET_MESSAGES",
				by:     "coder",
				status: 400,
				args:   `{"agent_id":"{coder}","filters":{"message_types":["chat"]}}`,
				want:   `{"success":false,"error_code":"INVALID_ARGUMENT","details":{"parameter":"filters.message_types"}}`,
			},
			{
				name:   "GET_MESSAGES is for agent_id itself",
				op:     "GET_MESSAGES",
				by:     "coder",
				status: 403,
				args:   `{"agent_id":"{tester}"}`,
				want:   `{"success":false,"error_code":"NOT_AUTHORIZED"}`,
			},

			{name: "MARK_MESSAGE_READ sorts the ids", op: "MARK_MESSAGE_READ", by: "coder",
				args: `{"agent_id":"{coder}","message_ids":["{fyi}","99999999-9999-4999-8999-999999999999"]}`,
				want: `{"success":true,"marked_read":["{fyi}"],"not_found":["99999999-9999-4999-8999-999999999999"],"already_read":[],"error":null}`},
			{
				name: "MARK_MESSAGE_READ knows what is read already",
				op:   "MARK_MESSAGE_READ",
				by:   "coder",
				args: `{"agent_id":"{coder}","message_ids":["{fyi}"]}`,
				want: `{"success":true,"marked_read":[],"not_found":[],"already_read":["{fyi}"],"error":null}`,
			},
			{
				name: "MARK_MESSAGE_READ is for messages of one's own",
				op:   "MARK_MESSAGE_READ",
				by:   "tester",
				args: `{"agent_id":"{tester}","message_ids":["{fyi}"]}`,
				want: `{"success":true,"marked_read":[],"not_found":["{fyi}"],"already_read":[]}`,
			},

			{name: "RESPOND_TO_MESSAGE partial leaves it open", op: "RESPOND_TO_MESSAGE", by: "coder",
				args: `{"responder_agent_id":"{coder}","original_message_id":"{review}","response_content":{"text":"Half of it","data":{"done":0.5},"status":"partial"},"additional_recipients":[]}`,
				want: `{"success":true,"response_message_id":"<uuid>","original_message_updated":true,"timestamp":"<time>","error":null}`},
			{name: "RESPOND_TO_MESSAGE completed with additional recipients", op: "RESPOND_TO_MESSAGE", by: "coder",
				args: `{"responder_agent_id":"{coder}","original_message_id":"{review}","response_content":{"text":"All of it","data":null,"status":"completed"},"additional_recipients":["{tester}"]}`,
				want: `{"success":true,"response_message_id":"<uuid>","original_message_updated":true,"timestamp":"<time>","error":null}`, keep: map[string]string{"all": "response_message_id"}},
			{
				name: "RESPOND_TO_MESSAGE reaches the additional recipients",
				op:   "GET_MESSAGES",
				by:   "tester",
				args: `{"agent_id":"{tester}","filters":{"senders":["{coder}"]}}`,
				want: `{"messages":[{"message_id":"{all}","message_type":"response","content":{"text":"All of it"}}]}`,
			},
			{name: "RESPOND_TO_MESSAGE unable", op: "RESPOND_TO_MESSAGE", by: "tester",
				args: `{"responder_agent_id":"{tester}","original_message_id":"{review}","response_content":{"text":"No time","status":"unable"}}`,
				want: `{"success":true,"original_message_updated":true}`},
			{
				name:   "RESPOND_TO_MESSAGE wants one that requires a response",
				op:     "RESPOND_TO_MESSAGE",
				by:     "coder",
				status: 409,
				args:   `{"responder_agent_id":"{coder}","original_message_id":"{fyi}","response_content":{"text":"ok","status":"completed"}}`,
				want:   `{"success":false,"error_code":"RESPONSE_NOT_REQUIRED","error_message":"<text>","details":"<object>","suggested_action":"<text>"}`,
			},
			{name: "RESPOND_TO_MESSAGE refuses another status", op: "RESPOND_TO_MESSAGE", by: "coder", status: 400,
				args: `{"responder_agent_id":"{coder}","original_message_id":"{review}","response_content":{"text":"ok","status":"perhaps"}}`,
				want: `{"success":false,"error_code":"INVALID_ARGUMENT","details":{"allowed":["completed","partial","unable","delegated"]}}`},
			{name: "RESPOND_TO_MESSAGE refuses 2,001 characters", op: "RESPOND_TO_MESSAGE", by: "coder", status: 413,
				args: `{"responder_agent_id":"{coder}","original_message_id":"{fyi}","response_content":{"text":"` + tooLong + `"}}`, want: `{"success":false,"error_code":"MESSAGE_TOO_LONG"}`},
			{name: "RESPOND_TO_MESSAGE is for a recipient", op: "RESPOND_TO_MESSAGE", by: "tester", status: 404,
				args: `{"responder_agent_id":"{tester}","original_message_id":"{fyi}","response_content":{"text":"ok"}}`, want: `{"success":false,"error_code":"MESSAGE_NOT_FOUND"}`},
			{name: "SEND_MESSAGE that requires a response of one", op: "SEND_MESSAGE", by: "lead",
				args: `{"sender_agent_id":"{lead}","recipient_agent_ids":["{coder}"],"message_type":"request","content":{"text":"Who can?"},"priority":"normal","requires_response":true}`,
				want: `{"success":true}`, keep: map[string]string{"who": "message_id"}},
			{name: "RESPOND_TO_MESSAGE delegated passes it on", op: "RESPOND_TO_MESSAGE", by: "coder",
				args: `{"responder_agent_id":"{coder}","original_message_id":"{who}","response_content":{"text":"tester can","status":"delegated"},"additional_recipients":["{tester}"]}`,
				want: `{"success":true,"original_message_updated":true}`},
			{name: "RESPOND_TO_MESSAGE by the delegate", op: "RESPOND_TO_MESSAGE", by: "tester",
				args: `{"responder_agent_id":"{tester}","original_message_id":"{who}","response_content":{"text":"I did","status":"completed"}}`,
				want: `{"success":true,"original_message_updated":true}`},

			{name: "BROADCAST_UPDATE to all", op: "BROADCAST_UPDATE", by: "lead",
				args: `{"sender_agent_id":"{lead}","update_type":"discovery","content":{"summary":"The API is slow","details":"p99 is 2 s","impact":"Tests take longer","action_required":false},"urgency":"attention"}`,
				want: `{"success":true,"broadcast_id":"<uuid>","recipients":["<uuid>","<uuid>"],"timestamp":"<time>","error":null}`, keep: map[string]string{"slow": "broadcast_id"}},
			{
				name: "BROADCAST_UPDATE is a message",
				op:   "GET_MESSAGES",
				by:   "coder",
				args: `{"agent_id":"{coder}","filters":{"priority":"high","unread_only":true}}`,
				want: `{"messages":[{"message_id":"{slow}","content":{"data":{"update_type":"discovery","urgency":"attention","content":{"summary":"The API is slow","details":"p99 is 2 s","impact":"Tests take longer"}}}}]}`,
			},
			{
				name: "BROADCAST_UPDATE of every urgency: info",
				op:   "BROADCAST_UPDATE",
				by:   "lead",
				args: `{"sender_agent_id":"{lead}","update_type":"progress","content":{"summary":"a"},"urgency":"info"}`,
				want: `{"success":true}`,
			},
			{name: "BROADCAST_UPDATE of every urgency: action_required", op: "BROADCAST_UPDATE", by: "lead",
				args: `{"sender_agent_id":"{lead}","update_type":"issue","content":{"summary":"b","action_required":true},"urgency":"action_required"}`, want: `{"success":true}`},
			{name: "BROADCAST_UPDATE of every urgency: critical", op: "BROADCAST_UPDATE", by: "lead",
				args: `{"sender_agent_id":"{lead}","update_type":"completion","content":{"summary":"c"},"urgency":"critical"}`, want: `{"success":true}`},
			{name: "BROADCAST_UPDATE refuses another urgency", op: "BROADCAST_UPDATE", by: "lead", status: 400,
				args: `{"sender_agent_id":"{lead}","update_type":"issue","content":{"summary":"c"},"urgency":"panic"}`, want: `{"success":false,"error_code":"INVALID_ARGUMENT"}`},

			{name: "REQUEST_ASSISTANCE of the capable", op: "REQUEST_ASSISTANCE", by: "lead",
				args: `{"requester_agent_id":"{lead}","assistance_type":"review","target_agents":[],"required_capabilities":["go","sql"],
					"request_details":{"description":"Review the migration","context":"It locks a table","deadline":"{tomorrow}","priority":"high"}}`,
				want: `{"success":true,"request_id":"<uuid>","potential_responders":[{"agent_id":"{coder}","role":"coder","capability_match":1,"availability":"available"},
					{"agent_id":"{tester}","role":"tester","capability_match":"<share>","availability":"available"}],"broadcast_sent":false,"error":null}`, keep: map[string]string{"help": "request_id"}},
			{
				name: "REQUEST_ASSISTANCE is a request with a deadline",
				op:   "GET_MESSAGES",
				by:   "coder",
				args: `{"agent_id":"{coder}","filters":{"message_types":["request"],"unread_only":true}}`,
				want: `{"messages":[{"message_id":"{help}","priority":"high","requires_response":true,"response_deadline":"{tomorrow}"}]}`,
			},
			{name: "REQUEST_ASSISTANCE of targets", op: "REQUEST_ASSISTANCE", by: "lead",
				args: `{"requester_agent_id":"{lead}","assistance_type":"expertise","target_agents":["{tester}"],"required_capabilities":["cobol"],"request_details":{"description":"Read this","context":null,"deadline":null,"priority":null}}`,
				want: `{"success":true,"potential_responders":[{"agent_id":"{tester}","capability_match":0}],"broadcast_sent":false}`},
			{name: "REQUEST_ASSISTANCE of everyone", op: "REQUEST_ASSISTANCE", by: "lead",
				args: `{"requester_agent_id":"{lead}","assistance_type":"resources","required_capabilities":["cobol"],"request_details":{"description":"A mainframe"}}`,
				want: `{"success":true,"potential_responders":[{},{}],"broadcast_sent":true}`},
			{name: "REQUEST_ASSISTANCE collaboration", op: "REQUEST_ASSISTANCE", by: "lead",
				args: `{"requester_agent_id":"{lead}","assistance_type":"collaboration","required_capabilities":[],"request_details":{"description":"Pair with me"}}`, want: `{"success":true,"broadcast_sent":true}`},
		}, prepare: func(t *testing.T, s *stage) { s.kept["tomorrow"] = tomorrow() }, after: func(t *testing.T, s *stage) {
			t.Run("GET_MESSAGES shows 50 by itself", func(t *testing.T) { fiftyMessages(t, s) })
		}}
}

func fiftyMessages(t *testing.T, s *stage) {
	p := &play{proof: "bearer"}
	for range 55 {
		overREST(
			t,
			s,
			p,
			scene{
				op: "send_message",
				by: "coder",
				args: s.filled(
					`{"sender_agent_id":"{coder}","recipient_agent_ids":["{lead}"],"content":{"text":"again"}}`,
				),
			},
		)
	}

	body, _ := overREST(
		t,
		s,
		p,
		scene{
			op:   "get_messages",
			by:   "lead",
			args: s.filled(`{"agent_id":"{lead}","filters":{"senders":["{coder}"]},"sort_order":"newest_first"}`),
		},
	)

	s.compare(
		t,
		body,
		`{"messages":[`+strings.Repeat(`{"content":{"text":"again"}},`, 49)+`{"content":{"text":"again"}}]}`,
		nil,
	)
}
