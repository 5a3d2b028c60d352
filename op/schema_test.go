package op

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"parley"
	"parley/internal/must"
)

// walk visits a schema and all that is in it.
func walk(s *jsonschema.Schema, path string, visit func(string, *jsonschema.Schema)) {
	if s == nil {
		return
	}
	visit(path, s)
	walk(s.Items, path+"[]", visit)
	walk(s.AdditionalProperties, path+".*", visit)
	for name, p := range s.Properties {
		walk(p, path+"."+name, visit)
	}
}

func resolved(t *testing.T, name string, s *jsonschema.Schema) *jsonschema.Resolved {
	t.Helper()
	r, err := s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return r
}

func validate(t *testing.T, r *jsonschema.Resolved, text string) error {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return r.Validate(v)
}

func TestSchemasAreValidAndPlain(t *testing.T) {
	for _, op := range All {
		resolved(t, op.Name+" input", op.Input())
		resolved(t, op.Name+" output", op.Output())
		for _, s := range []*jsonschema.Schema{op.Input(), op.Output()} {
			walk(s, op.Name, func(path string, s *jsonschema.Schema) {
				if len(s.Types) > 0 && !strings.HasSuffix(path, ".error") || s.Types == nil && s.Type == "" {
					t.Errorf("%s has the types %v and %q, want one", path, s.Types, s.Type)
				}
				if s.Ref != "" || s.AnyOf != nil || s.OneOf != nil || s.AllOf != nil {
					t.Errorf("%s is not plain", path)
				}
				if s.Properties != nil && s.AdditionalProperties != nil {
					t.Errorf("%s is closed", path)
				}
			})
		}
	}
}

func TestInputSchemasShowCanonicalNamesOnly(t *testing.T) {
	for _, op := range All {
		if len(op.Input().Properties) != len(op.Fields) {
			t.Errorf("%s: %d properties for %d parameters", op.Name, len(op.Input().Properties), len(op.Fields))
		}

		for _, f := range op.Fields {
			p := op.Input().Properties[f.Name]
			if p == nil {
				t.Errorf("%s.%s is not in the schema", op.Name, f.Name)
				continue
			}

			if p.Description != f.Doc || p.Type != f.Type {
				t.Errorf("%s.%s is %q (%s), want %q (%s)", op.Name, f.Name, p.Description, p.Type, f.Doc, f.Type)
			}
		}
	}
}

func TestInputSchemaOfSendMessage(t *testing.T) {
	r := resolved(t, "send_message", Find("send_message").Input())
	for _, ok := range []string{
		`{"to":["a"],"text":"hi"}`, `{"to":["a"],"text":"hi","priority":"urgent","wait_seconds":60,"data":{"n":[1]}}`,
		`{"to":["a"],"text":"hi","recipient":"an alias gets through"}`,
	} {
		if err := validate(t, r, ok); err != nil {
			t.Errorf("%s: %v", ok, err)
		}
	}

	for _, bad := range []string{
		`{"to":["a"]}`, `{"thread_id":5,"text":"hi"}`, `{"to":["a"],"text":"hi","priority":"asap"}`,
		`{"to":["a"],"text":"hi","wait_seconds":61}`, `{"to":[1],"text":"hi"}`, `{"to":["a"],"text":"hi","data":"x"}`,
		`{"to":["a"],"text":"hi","context_reference":"` + strings.Repeat("x", 201) + `"}`,
	} {
		if validate(t, r, bad) == nil {
			t.Errorf("%s is valid", bad)
		}
	}

	if got, want := Find("send_message").Input().Required, "text"; strings.Join(got, " ") != want {
		t.Errorf("required is %v, want %s", got, want)
	}
	if got := string(Find("check_inbox").Input().Properties["limit"].Default); got != "20" {
		t.Errorf("the default limit is %s, want 20", got)
	}
}

func TestOutputSchemasFitTheResults(t *testing.T) {
	now := time.Now()
	results := map[string]any{
		"get_agent_status": &parley.AgentStatusResult{
			Answer: parley.OK,
			Agents: []parley.AgentStatus{{Agent: parley.Agent{ID: "1", Name: "a", ExitStatus: new(1), Since: now}}},
		},
		"send_message": &parley.SendMessageResult{
			Answer:         parley.OK,
			DeliveryStatus: parley.SumUp([]parley.Delivery{{RecipientID: "1", State: parley.DeliveryRead}}),
			Deliveries:     []parley.Delivery{{Steps: []parley.Step{{State: parley.DeliveryRead, At: now}}}},
			Object:         &parley.Message{Data: json.RawMessage(`{"n":1}`)},
		},
		"get_messages": &parley.GetMessagesResult{
			Answer:   parley.OK,
			Messages: []parley.ContractMessage{{Content: parley.Content{Attachments: []json.RawMessage{}}}},
		},
		"read_events": &parley.ReadEventsResult{Answer: parley.OK, Events: []parley.Event{{Seq: 1}}},
		"get_workspace_status": &parley.WorkspaceStatusResult{
			Answer:     parley.OK,
			Agents:     map[string]int{"idle": 1},
			Deliveries: map[string]int{},
		},
	}

	for name, result := range results {
		b := must.Have(json.Marshal(result))(t)
		if err := validate(t, resolved(t, name, Find(name).Output()), string(b)); err != nil {
			t.Errorf("%s: %v\n%s", name, err, b)
		}
	}

	failed := "no"
	b, _ := json.Marshal(&parley.ReadEventsResult{Answer: parley.Answer{Error: &failed}, Events: []parley.Event{}})
	if err := validate(t, resolved(t, "read_events", Find("read_events").Output()), string(b)); err != nil {
		t.Errorf("error cannot be a text: %v", err)
	}

	b, _ = json.Marshal(&parley.ReadEventsResult{Answer: parley.OK})
	if validate(t, resolved(t, "read_events", Find("read_events").Output()), string(b)) == nil {
		t.Error("null is valid where a list is promised")
	}
}
