package mcpserver

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path"
	"reflect"
	"strings"
	"testing"
	"time"

	official "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley"
	"parley/client"
	"parley/op"
)

// generous returns a service that answers every call with all fields that its answer can have.
func generous(t *testing.T) parley.Service {
	t.Helper()
	answers := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(filled(path.Base(r.URL.Path))); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(answers.Close)
	c := client.New(client.Options{URL: answers.URL})
	t.Cleanup(func() { c.Close() })
	return c
}

// filled returns the result of an operation.
func filled(name string) any {
	res := reflect.ValueOf(op.Find(name).NewResult())
	fill(res.Elem())
	if state, ok := res.Interface().(*parley.ConversationStateResult); ok {
		some := map[string]int{"planner": 1}
		state.Counts.Participants, state.Counts.Agents, state.Counts.People = some, some, some
	}

	return res.Interface()
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
func least(op *op.Op) args {
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
	case "schedule_message":
		given["to"], given["at"] = "planner", "18:00"
	case "transfer_file":
		given["source_path"] = "/a/file"
	}

	return given
}

// What a tool answers fits the schema of its operation, comes once, and as a model reads it best.
func TestResultsFitTheirSchemas(t *testing.T) {
	for _, version := range eras {
		h := newHandler(Options{Service: generous(t), Version: "test"}, progressEvery)
		t.Cleanup(func() { h.Close(context.Background()) })
		url, _ := web(t, "127.0.0.1:0", as(operator, h))
		s := connect(t, &official.StreamableClientTransport{Endpoint: url}, version, nil)
		for _, tool := range list(t, s) {
			op := op.Find(tool.Name)
			res, text := call(t, s, tool.Name, least(op))
			if res.IsError {
				t.Errorf("%s failed: %s", tool.Name, text)
				continue
			}

			whole := op.Output().CloneSchemas()
			if _, short := filled(op.Name).(interface{ ForModel() any }); short {
				whole.Required = nil
			}
			if err := schema(t, whole).Validate(structured[map[string]any](t, res)); err != nil {
				t.Errorf("%s: %v", tool.Name, err)
			}

			if res.StructuredContent != nil || tool.OutputSchema != nil {
				t.Errorf("%s: its answer comes twice: %s", tool.Name, text)
			}
			if strings.Contains(text, `\u003c`) {
				t.Errorf("%s: the text is escaped as for a web page: %s", tool.Name, text)
			}
		}
	}
}
