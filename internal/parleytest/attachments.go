package parleytest

import (
	"strings"

	"parley"
)

var attachmentCases = []testCase{
	{"GetMessagesShowsEveryField", contractMessages},
	{"AttachmentsMustBeObjects", attachments},
}

func contractMessages(f *fixture) {
	sent := do[parley.SendMessageResult](
		f.planner,
		"send_message",
		params{"sender_agent_id": f.planner.id, "recipient_agent_ids": []string{"ALL"},
			"message_type": "request", "content": params{"text": "please review", "data": params{"pr": 7},
				"attachments": []params{{"name": "diff", "url": "file:///tmp/x,y"}, {}}},
			"priority": "high", "requires_response": true, "context_reference": "pr 7"},
	)

	got := f.coder.getMessages(parley.GetMessagesRequest{}).Messages[0]
	same(f.T, "text", got.Content.Text, "please review")
	same(f.T, "attachments", len(got.Content.Attachments), 2)
	same(f.T, "attachment", compact(string(got.Content.Attachments[0])), `{"name":"diff","url":"file:///tmp/x,y"}`)
	same(f.T, "requires_response", got.RequiresResponse, true)
	if got.ResponseDeadline == nil || !got.ResponseDeadline.Equal(*sent.Object.ResponseDeadline) {
		f.Errorf("the deadline is %v, want %v", got.ResponseDeadline, sent.Object.ResponseDeadline)
	}

	same(f.T, "object", len(sent.Object.Attachments), 2)
	same(f.T, "they owe", [][2]int{f.owed(f.coder), f.owed(f.reviewer)}, [][2]int{{1, 0}, {1, 0}})
	plain := f.planner.send("no answer needed", "coder").Object
	same(f.T, "plain", [2]bool{plain.RequiresResponse, plain.ResponseDeadline != nil}, [2]bool{})
}

func attachments(f *fixture) {
	many := make([]params, 51)
	f.unchanged(func() {
		for _, wrong := range []any{
			"file.txt", []string{"file.txt"}, []any{nil}, []any{params{"a": 1}, 2}, params{"name": "x"}, many,
		} {
			refused(f.planner, "send_message", params{"to": "coder", "text": "hello", "attachments": wrong},
				parley.InvalidArgument)
		}

		refused(f.planner, "send_message", params{"to": "coder", "text": "hello",
			"attachments": []params{
				{"x": strings.Repeat("a", 200_000)},
				{"y": strings.Repeat("a", 200_000)},
			}}, parley.MessageTooLong)
	})
}
