package mcpserver

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	official "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley"
	"parley/internal/must"
)

// generous answers every call with all fields that its answer can have.
type generous struct{ parley.Service }

func (generous) RegisterAgent(context.Context, parley.RegisterAgentRequest) (*parley.RegisterAgentResult, error) {
	return filled[parley.RegisterAgentResult](), nil
}

func (generous) GetAgentStatus(context.Context, parley.AgentStatusRequest) (*parley.AgentStatusResult, error) {
	return filled[parley.AgentStatusResult](), nil
}

func (generous) LaunchAgent(context.Context, parley.LaunchAgentRequest) (*parley.LaunchAgentResult, error) {
	return filled[parley.LaunchAgentResult](), nil
}

func (generous) AdoptAgent(context.Context, parley.AdoptAgentRequest) (*parley.AdoptAgentResult, error) {
	return filled[parley.AdoptAgentResult](), nil
}

func (generous) StopAgent(context.Context, parley.StopAgentRequest) (*parley.StopAgentResult, error) {
	return filled[parley.StopAgentResult](), nil
}

func (generous) RestartAgent(context.Context, parley.RestartAgentRequest) (*parley.LaunchAgentResult, error) {
	return filled[parley.LaunchAgentResult](), nil
}

func (generous) ReadTerminal(context.Context, parley.ReadTerminalRequest) (*parley.ReadTerminalResult, error) {
	return filled[parley.ReadTerminalResult](), nil
}

func (generous) GetAttachInfo(context.Context, parley.AttachInfoRequest) (*parley.AttachInfoResult, error) {
	return filled[parley.AttachInfoResult](), nil
}

func (generous) SendMessage(context.Context, parley.SendMessageRequest) (*parley.SendMessageResult, error) {
	return filled[parley.SendMessageResult](), nil
}

func (generous) BroadcastMessage(
	context.Context, parley.BroadcastMessageRequest,
) (*parley.BroadcastMessageResult, error) {
	return filled[parley.BroadcastMessageResult](), nil
}

func (generous) BroadcastUpdate(context.Context, parley.BroadcastUpdateRequest) (*parley.BroadcastUpdateResult, error) {
	return filled[parley.BroadcastUpdateResult](), nil
}

func (generous) RequestAssistance(
	context.Context, parley.RequestAssistanceRequest,
) (*parley.RequestAssistanceResult, error) {
	return filled[parley.RequestAssistanceResult](), nil
}

func (generous) RespondToMessage(
	context.Context, parley.RespondToMessageRequest,
) (*parley.RespondToMessageResult, error) {
	return filled[parley.RespondToMessageResult](), nil
}

func (generous) IgnoreMessage(context.Context, parley.IgnoreMessageRequest) (*parley.IgnoreMessageResult, error) {
	return filled[parley.IgnoreMessageResult](), nil
}

func (generous) CheckInbox(context.Context, parley.CheckInboxRequest) (*parley.CheckInboxResult, error) {
	return filled[parley.CheckInboxResult](), nil
}

func (generous) GetMessages(context.Context, parley.GetMessagesRequest) (*parley.GetMessagesResult, error) {
	return filled[parley.GetMessagesResult](), nil
}

func (generous) MarkMessageRead(context.Context, parley.MarkMessageReadRequest) (*parley.MarkMessageReadResult, error) {
	return filled[parley.MarkMessageReadResult](), nil
}

func (generous) GetMessageStatus(context.Context, parley.MessageStatusRequest) (*parley.MessageStatusResult, error) {
	return filled[parley.MessageStatusResult](), nil
}

func (generous) GetConversationHistory(context.Context, parley.HistoryRequest) (*parley.HistoryResult, error) {
	return filled[parley.HistoryResult](), nil
}

func (generous) SearchMessages(context.Context, parley.SearchMessagesRequest) (*parley.SearchMessagesResult, error) {
	return filled[parley.SearchMessagesResult](), nil
}

func (generous) CheckNewMessages(
	context.Context, parley.CheckNewMessagesRequest,
) (*parley.CheckNewMessagesResult, error) {
	return filled[parley.CheckNewMessagesResult](), nil
}

func (generous) CreateThread(context.Context, parley.CreateThreadRequest) (*parley.CreateThreadResult, error) {
	return filled[parley.CreateThreadResult](), nil
}

func (generous) ListThreads(context.Context, parley.ListThreadsRequest) (*parley.ListThreadsResult, error) {
	return filled[parley.ListThreadsResult](), nil
}

func (generous) GetThreadDetails(context.Context, parley.ThreadDetailsRequest) (*parley.ThreadDetailsResult, error) {
	return filled[parley.ThreadDetailsResult](), nil
}

func (generous) JoinThread(context.Context, parley.JoinThreadRequest) (*parley.MembershipResult, error) {
	return filled[parley.MembershipResult](), nil
}

func (generous) AddParticipant(context.Context, parley.AddParticipantRequest) (*parley.MembershipResult, error) {
	return filled[parley.MembershipResult](), nil
}

func (generous) RemoveParticipant(context.Context, parley.RemoveParticipantRequest) (*parley.MembershipResult, error) {
	return filled[parley.MembershipResult](), nil
}

func (generous) GetConversationState(
	context.Context, parley.ConversationStateRequest,
) (*parley.ConversationStateResult, error) {
	res := filled[parley.ConversationStateResult]()
	some := map[string]int{"planner": 1}
	res.Counts.Participants, res.Counts.Agents, res.Counts.People = some, some, some
	return res, nil
}

func (generous) ControlConversation(
	context.Context, parley.ControlConversationRequest,
) (*parley.ControlConversationResult, error) {
	return filled[parley.ControlConversationResult](), nil
}

func (generous) SteerAgent(context.Context, parley.SteerAgentRequest) (*parley.SendMessageResult, error) {
	return filled[parley.SendMessageResult](), nil
}

func (generous) PauseCommunication(
	context.Context, parley.PauseCommunicationRequest,
) (*parley.PauseCommunicationResult, error) {
	return filled[parley.PauseCommunicationResult](), nil
}

func (generous) TransferFile(context.Context, parley.TransferFileRequest) (*parley.TransferFileResult, error) {
	return filled[parley.TransferFileResult](), nil
}

func filled[Res any]() *Res {
	res := new(Res)
	fill(reflect.ValueOf(res).Elem())
	return res
}

func fill(v reflect.Value) {
	switch at := v.Addr().Interface().(type) {
	case *parley.Answer:
		*at = parley.OK
		return
	case *json.RawMessage:
		*at = json.RawMessage(`{"n":1}`)
		return
	case *time.Time:
		*at = time.Unix(1_800_000_000, 0).UTC()
		return
	case *parley.Code:
		return // it went well
	}

	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i))
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.String:
		v.SetString("a < b & c")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(0.5)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	}
}

// least is the least that a tool can be called with.
func least(op *parley.Op) args {
	given := args{}
	for _, f := range op.Fields {
		if !f.Required {
			continue
		}

		switch f.Type {
		case "boolean":
			given[f.Name] = true
		case "array":
			given[f.Name] = []string{"planner"}
		case "object":
			given[f.Name] = args{
				map[string]string{"content": "summary", "request_details": "description"}[f.Name]: "the parser",
			}
		default:
			given[f.Name] = "planner"
			if f.Enum != nil {
				given[f.Name] = f.Enum[0]
			}
		}
	}

	switch op.Name {
	case "adopt_agent":
		given["pane"], given["socket"] = "%3", "/a/socket"
	case "get_conversation_state":
		given["with"] = "planner"
	case "send_message":
		given["to"] = "planner"
	case "transfer_file":
		given["source_path"] = "/a/file"
	}

	return given
}

// What a tool answers fits both what tools/list says of it and the whole schema.
func TestResultsFitTheirSchemas(t *testing.T) {
	for _, version := range eras {
		h := newHandler(Options{Service: generous{}, Version: "test"}, progressEvery)
		t.Cleanup(func() { h.Close(context.Background()) })
		url, _ := web(t, "127.0.0.1:0", as(operator, h))
		s := connect(t, &official.StreamableClientTransport{Endpoint: url}, version, nil)
		for _, tool := range list(t, s) {
			op := parley.FindOp(tool.Name)
			res, text := call(t, s, tool.Name, least(op))
			if res.IsError {
				t.Errorf("%s failed: %s", tool.Name, text)
				continue
			}

			for what, against := range map[string]any{"published": tool.OutputSchema, "whole": op.Output} {
				if err := schema(t, against).Validate(structured[map[string]any](t, res)); err != nil {
					t.Errorf("%s: the %s schema: %v", tool.Name, what, err)
				}
			}

			if want, _ := json.Marshal(res.StructuredContent); !sameJSON(t, text, string(want)) {
				t.Errorf("%s: the text is %s, the structured content %s", tool.Name, text, want)
			}
			if strings.Contains(text, `\u003c`) {
				t.Errorf("%s: the text is escaped as for a web page: %s", tool.Name, text)
			}
		}
	}
}

func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var x, y any
	must.Do(t, json.Unmarshal([]byte(a), &x))
	must.Do(t, json.Unmarshal([]byte(b), &y))
	return reflect.DeepEqual(x, y)
}

func TestFailuresFitTheSchemas(t *testing.T) {
	s := overHTTP(t, newFake(), coder, legacy, nil)
	for _, tool := range list(t, s) {
		res, text := call(t, s, tool.Name, args{"nonsense": true})
		if !res.IsError {
			t.Errorf("%s took nonsense: %s", tool.Name, text)
		}
		if err := schema(t, tool.OutputSchema).Validate(structured[map[string]any](t, res)); err != nil {
			t.Errorf("%s: %v", tool.Name, err)
		}
	}
}
