package op

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/plain"
)

// The contract's own example carries every field, those that ask for nothing
// included.
func TestDecodeTakesTheContractsSendMessage(t *testing.T) {
	got := decoded[parley.SendMessageRequest](
		t,
		"send_message",
		`{"sender_agent_id":"me","recipient_agent_ids":["b"],"message_type":"request",
		"content":{"text":"hi","data":{"k":1},"attachments":[]},"priority":"high","requires_response":false,"context_reference":null}`,
	)

	want := &parley.SendMessageRequest{
		To:       parley.Names{"b"},
		Text:     "hi",
		Type:     parley.TypeRequest,
		Priority: parley.PriorityHigh,
		Data:     json.RawMessage(`{"k":1}`),
	}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}

	for _, nothing := range []string{
		`"requires_response":false`, `"response_deadline":null`, `"attachments":[ ]`, `"thread_id":""`,
		`"content":{"text":"hi","attachments":null,"data":null}`,
	} {
		text := `,"text":"hi"`
		if strings.Contains(nothing, "content") {
			text = ""
		}
		decoded[parley.SendMessageRequest](t, "send_message", `{"to":"b",`+nothing+text+`}`)
	}
}

func TestDecodeTakesSpecial(t *testing.T) {
	if !decoded[parley.RegisterAgentRequest](t, "register_agent",
		`{"username":"dm","agent_description":"x","special":true}`).Special {
		t.Error("special was not taken")
	}
}

func TestDecodeNormalizesAttachments(t *testing.T) {
	got := decoded[parley.SendMessageRequest](t, "send_message",
		`{"to":"a","content":{"text":"hi","attachments":[ {"n":1,"n":2,"s":"x\ud800"}, {} ]}}`)

	want := []json.RawMessage{json.RawMessage("{\"n\":2,\"s\":\"x\ufffd\"}"), json.RawMessage("{}")}
	if diff := cmp.Diff(want, got.Attachments); diff != "" {
		t.Error(diff)
	}

	half := `{"x":"` + strings.Repeat("a", maxData/2) + `"}`
	decoded[parley.SendMessageRequest](t, "send_message", `{"to":"a","text":"hi","attachments":[`+half+`]}`)
	for _, wrong := range []string{
		`["x"]`, `[1]`, `[null]`, `[[]]`, `{}`, `"x"`, `[{"n":1e999}]`,
		`[` + strings.Repeat(`{"a":`, 200) + "1" + strings.Repeat("}", 200) + `]`,
	} {
		if e := refusal(t, "send_message", `{"to":"a","text":"hi","attachments":`+wrong+`}`); e.Details["parameter"] != "attachments" {
			t.Errorf("%s: %v, %v", plain.Truncate(wrong, 40), e, e.Details)
		}
	}
}

func TestDecodeTakesEveryFormOfAResponse(t *testing.T) {
	want := &parley.RespondToMessageRequest{MessageID: "5f0c21aa", Text: "yes"}
	if diff := cmp.Diff(want, decoded[parley.RespondToMessageRequest](t, "respond_to_message", `{"message_id":"5f0c21aa","response":"yes"}`)); diff != "" {
		t.Error(diff)
	}

	want = &parley.RespondToMessageRequest{
		MessageID:            "5f0c21aa",
		Text:                 "yes",
		Status:               parley.ResponsePartial,
		Data:                 json.RawMessage(`{"k":1}`),
		AdditionalRecipients: parley.Names{"b"},
	}

	if diff := cmp.Diff(want, decoded[parley.RespondToMessageRequest](t, "respond_to_message", `{"responder_agent_id":"me","original_message_id":"5f0c21aa",
		"response_content":{"text":"yes","data":{"k":1},"status":"partial"},"additional_recipients":["b"]}`)); diff != "" {
		t.Error(diff)
	}

	for _, wrong := range []string{
		`{"message_id":"5f0c21aa","response":"a","text":"b"}`,
		`{"original_message_id":"5f0c21aa","response_content":{"text":"a","mood":"good"}}`,
	} {
		refusal(t, "respond_to_message", wrong)
	}
}

func TestDecodeTakesWholeNumbersInEveryNotation(t *testing.T) {
	for _, n := range []string{"20", "20.0", "2e1", "2E+1"} {
		if got := decoded[parley.CheckInboxRequest](t, "check_inbox", `{"limit":`+n+`}`).Limit; got != 20 {
			t.Errorf("limit %s is read as %d, want 20", n, got)
		}
	}
	for _, n := range []string{"1.5", "1e400", "99999999999999999999", "-0.5", `"20"`} {
		refusal(t, "check_inbox", `{"limit":`+n+`}`)
	}
}

// Decoding alone would keep the last: the first would not get the message, and
// its sender would not know.
func TestDecodeRefusesAParameterGivenTwice(t *testing.T) {
	e := refusal(t, "send_message", `{"to":"a","text":"hi","to":"b"}`)
	if e.Details["parameter"] != "to" {
		t.Errorf("details are %v, want the parameter to", e.Details)
	}
	refusal(t, "send_message", `{"to":"a","content":{"text":"hi","text":"ho"}}`)
}

func TestDecodeRefusesWhatIsNotUTF8(t *testing.T) {
	refusal(t, "send_message", "{\"to\":\"a\",\"text\":\"b\xff\"}")
	refusal(t, "send_message", "{\"to\":\"a\",\"text\":\"b\",\"data\":{\"k\":\"\xff\"}}")
}

func TestDecodeNormalizesData(t *testing.T) {
	got := decoded[parley.SendMessageRequest](t, "send_message",
		`{"to":"a","text":"hi","data":{"k":1,"k":2,"s":"x\ud800y","n":12345678901234567890,"h":"<&>"}}`)
	if want := "{\"h\":\"<&>\",\"k\":2,\"n\":12345678901234567890,\"s\":\"x\ufffdy\"}"; string(got.Data) != want {
		t.Errorf("data is %s, want %s", got.Data, want)
	}

	nested := func(levels int) string { return strings.Repeat(`{"a":`, levels) + "1" + strings.Repeat("}", levels) }
	send := func(data string) string { return `{"to":"a","text":"hi","data":` + data + `}` }
	decoded[parley.SendMessageRequest](t, "send_message", send(nested(100)))
	for _, levels := range []int{101, 9000, 20000} {
		refusal(t, "send_message", send(nested(levels)))
	}

	refusal(t, "send_message", send(`{"a":[1,1e400]}`))
	_, err := Find("send_message").Decode([]byte(send(fmt.Sprintf(`{"a":%q}`, strings.Repeat("x", 256<<10)))))
	if got := parley.AsError(err).Code; err == nil || got != parley.MessageTooLong {
		t.Errorf("data of more than 256 KiB: got %v, want %s", err, parley.MessageTooLong)
	}
}

// A variable that was not set must not turn a message for a few into one for all.
func TestDecodeRefusesAnEmptyGroup(t *testing.T) {
	if e := refusal(t, "broadcast_message", `{"text":"hi","group":""}`); e.Details["parameter"] != "group" {
		t.Errorf("details are %v, want the parameter group", e.Details)
	}
	if _, err := Find("broadcast_message").DecodeQuery(map[string][]string{"text": {"hi"},
		"group": {" "}}); err == nil {
		t.Error("a blank group was taken from a command line")
	}
	decoded[parley.BroadcastMessageRequest](t, "broadcast_message", `{"text":"hi","group":null}`)
}

func TestDecodeNamesWhatFiltersDoNotHave(t *testing.T) {
	e := refusal(t, "get_messages", `{"filters":{"sender":"bob"}}`)
	if e.Details["parameter"] != "filters.sender" || !strings.Contains(e.Action, `"senders"`) {
		t.Errorf("got %q, %v, action %q", e.Message, e.Details, e.Action)
	}
}

func TestDecodeErrorsNameTheParameterAsGiven(t *testing.T) {
	if e := refusal(t, "send_message", `{"to":"a","text":"hi","message_type":"chat"}`); e.Details["parameter"] != "message_type" {
		t.Errorf("details are %v, want message_type", e.Details)
	}
}

func TestRegistrationHasLimits(t *testing.T) {
	many, _ := json.Marshal(make([]string, 51))
	refusal(t, "register_agent", `{"username":"x","agent_description":"x","capabilities":`+string(many)+`}`)
	refusal(t, "register_agent", `{"username":"x","agent_description":"x","groups":["`+strings.Repeat("x", 101)+`"]}`)
}

func TestTakeKey(t *testing.T) {
	for _, c := range []struct {
		args, rest, key string
		given           bool
	}{
		{`{"api_key":"k","to":"a"}`, `{"to":"a"}`, "k", true},
		{`{"to":"a"}`, `{"to":"a"}`, "", false},
		{`{"api_key":5}`, `{}`, "", true},
		{`{"api_key":null}`, `{}`, "", true},
		{`{"api_key":"k","api_key":"l"}`, `{"api_key":"k","api_key":"l"}`, "", false},
		{`[1]`, `[1]`, "", false},
		{``, ``, "", false},
	} {
		rest, key, given := TakeKey([]byte(c.args))
		if string(rest) != c.rest || key != c.key || given != c.given {
			t.Errorf("%s: got %s, %q, %v", c.args, rest, key, given)
		}
	}
}

func TestContentAlwaysHasDataAndAttachments(t *testing.T) {
	for content, want := range map[*parley.Content]string{
		{Text: "hi"}: `{"text":"hi","data":{},"attachments":[]}`,
		{Text: "hi", Data: json.RawMessage(`{"k":1}`),
			Attachments: []json.RawMessage{}}: `{"text":"hi","data":{"k":1},"attachments":[]}`,
	} {
		if got, err := json.Marshal(parley.ContractMessage{Content: *content}); err != nil ||
			!strings.Contains(string(got), want) {
			t.Errorf("got %s, %v, want %s in it", got, err, want)
		}
	}
}
