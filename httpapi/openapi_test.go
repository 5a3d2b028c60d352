package httpapi

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"

	"parley"
	"parley/internal/must"
	"parley/op"
)

// fetchDocument reads the document as a client gets it, with a library that knows
// nothing of parley.
func fetchDocument(t *testing.T, d *daemon) *openapi3.T {
	t.Helper()
	resp := must.Have(http.Get(d.tcp + "/openapi.json"))(t)
	defer resp.Body.Close()

	b, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "application/json" {
		t.Fatalf("got %s, %v", resp.Status, err)
	}

	return must.Have(openapi3.NewLoader().LoadFromData(b))(t)
}

func TestTheDocumentIsValid(t *testing.T) {
	document := fetchDocument(t, serve(t, New(options(&stub{}))))
	if document.OpenAPI != "3.1.0" {
		t.Errorf("it is of version %s", document.OpenAPI)
	}
	if err := document.Validate(t.Context()); err != nil {
		t.Error(err)
	}

	for _, op := range op.All {
		for _, kind := range []string{"Request", "Result"} {
			if document.Components.Schemas[camel(op.Name)+kind] == nil {
				t.Errorf("%s has no schema of its %s", op.Name, kind)
			}
		}
	}

	codes := document.Components.Schemas["Error"].Value.Properties["error_code"].Value.Enum
	for code := range statuses {
		if !slices.Contains(codes, any(string(code))) {
			t.Errorf("the error's schema does not know %s", code)
		}
	}

	if len(document.Components.SecuritySchemes) != 3 {
		t.Errorf("there are %d ways to show a key, want 3", len(document.Components.SecuritySchemes))
	}
}

// A generator of types takes a property with a default for one that is always there.
func TestRequestsInTheDocumentHaveNoDefaults(t *testing.T) {
	for _, op := range op.All {
		for name, p := range withoutDefaults(op.Input().CloneSchemas()).Properties {
			own := op.Input().Properties[name]
			if p.Default != nil || own.Default != nil && !strings.Contains(p.Description, string(own.Default)) {
				t.Errorf("%s: %s is described as %q, with the default %s", op.Name, name, p.Description, p.Default)
			}
		}
	}
}

// A client made from the document can call each operation by every name that its parameters have.
func TestTheDocumentHasEveryName(t *testing.T) {
	document := fetchDocument(t, serve(t, New(options(&stub{}))))
	for _, op := range op.All {
		request := document.Components.Schemas[camel(op.Name)+"Request"].Value
		inQuery := map[string]bool{}
		for _, r := range routesOfOp(op) {
			if r.Method == http.MethodGet {
				for _, p := range document.Paths.Find(r.Path).Get.Parameters {
					inQuery[p.Value.Name] = true
				}
			}
		}

		for i := range op.Fields {
			f := &op.Fields[i]
			for _, name := range append([]string{f.Name}, f.Aliases...) {
				if request.Properties[name] == nil {
					t.Errorf("%s: the request has no %s", op.Name, name)
				}
				if len(inQuery) > 0 && !inQuery[name] {
					t.Errorf("%s: the query has no %s", op.Name, name)
				}
			}
			if len(f.Aliases) > 0 && slices.Contains(request.Required, f.Name) {
				t.Errorf("%s: %s is needed under this name alone", op.Name, f.Name)
			}
		}
	}
}

// A generator of types takes an object without named members for one that is always empty.
func TestObjectsInTheDocumentAreNotEmpty(t *testing.T) {
	var look func(at string, v any)
	look = func(at string, v any) {
		switch v := v.(type) {
		case []any:
			for _, inner := range v {
				look(at, inner)
			}
		case map[string]any:
			if v["type"] == "object" && v["properties"] == nil && v["additionalProperties"] == nil {
				t.Errorf("%s has no members, and may have none: %v", at, v)
			}
			for name, inner := range v {
				look(at+"/"+name, inner)
			}
		}
	}

	var document any
	must.Do(t, json.Unmarshal(openAPI(op.All, "test"), &document))
	look("", document)
}

func TestTheDocumentListsTheReasonCodes(t *testing.T) {
	schemas := fetchDocument(t, serve(t, New(options(&stub{})))).Components.Schemas
	if got := schemas["ReasonCode"].Value.AnyOf[0].Value.Enum; len(got) != len(parley.ReasonCodes()) {
		t.Errorf("the document lists %d codes, want %d", len(got), len(parley.ReasonCodes()))
	}

	delivery := schemas["GetMessageStatusResult"].Value.Properties["deliveries"].Value.Items.Value
	step := delivery.Properties["steps"].Value.Items.Value
	event := schemas["ReadEventsResult"].Value.Properties["events"].Value.Items.Value
	for name, property := range map[string]*openapi3.SchemaRef{
		"a delivery's reason_code": delivery.Properties["reason_code"],
		"a step's code":            step.Properties["code"],
		"an event's reason_code":   event.Properties["reason_code"],
	} {
		if property == nil || property.Ref != "#/components/schemas/ReasonCode" {
			t.Errorf("%s has the schema %+v, want a reference to ReasonCode", name, property)
		}
	}
}

func TestTheDocumentHasEveryRoute(t *testing.T) {
	document := fetchDocument(t, serve(t, New(options(&stub{}))))
	want := map[op.Route]bool{}
	for _, o := range op.All {
		want[op.Route{Method: "POST", Path: "/api/" + o.Name}] = true
		if o.Effect == op.Reads {
			want[op.Route{Method: "GET", Path: "/api/" + o.Name}] = true
		}

		for _, r := range o.Routes {
			want[r] = true
		}
	}

	for _, path := range []string{"/healthz", "/metrics", "/openapi.json", "/api/tools"} {
		want[op.Route{Method: "GET", Path: path}] = true
	}

	want[op.Route{Method: "POST", Path: "/api/files"}] = true
	want[op.Route{Method: "GET", Path: "/api/files/{file_id}"}] = true
	for path, item := range document.Paths.Map() {
		for method := range item.Operations() {
			if r := (op.Route{Method: method, Path: path}); !want[r] {
				t.Errorf("%v is no route", r)
			} else {
				delete(want, r)
			}
		}
	}

	for r := range want {
		t.Errorf("%v is missing", r)
	}
}

// What goes over the wire is as the document says.
func TestCallsMatchTheDocument(t *testing.T) {
	o := options(&stub{})
	o.Registration, o.SameUser = true, ownProcess
	d := serve(t, New(o))
	document := fetchDocument(t, d)
	document.Servers = openapi3.Servers{{URL: d.tcp}}

	router := must.Have(legacy.NewRouter(document))(t)

	for _, c := range []struct {
		method, path, body string
		status             int
		bad                bool // the request is not as the document says
	}{
		{"POST", "/api/check_inbox", `{"limit":7}`, 200, false},
		{"POST", "/api/check_inbox", `{"limit":99}`, 400, true},
		{"GET", "/api/inbox/check?limit=7&include_read=true", "", 200, false},
		{"GET", "/api/inbox/check?limit=x", "", 400, true},
		{"POST", "/api/messages/send", `{"to":["a"],"text":"hi","data":{"a":1}}`, 200, false},
		{"POST", "/api/messages/send", `{"recipient":"a","message":"hi"}`, 200, false},
		{"POST", "/api/messages/send", `{"recipient_agent_id":"a","content":{"text":"hi","data":{}}}`, 200, false},
		{"POST", "/api/messages/send", `{"recipient":"a","message_type":"request","content":"hi"}`, 200, false},
		{"POST", "/api/messages/send", `{"to":["a"]}`, 400, true},
		{"POST", "/api/messages/send", `{"to":["a"],"text":"hi","priority":"enormous"}`, 400, true},
		{"POST", "/api/agents/register", `{"username":"x"}`, 200, false},
		{"POST", "/api/agents/register", `{}`, 400, true},
		{"POST", "/api/shut_down", `{}`, 403, false},
		{"POST", "/api/check_inbox", `{"limit":`, 400, true},
		{"GET", "/healthz", "", 200, false},
		{"GET", "/api/tools", "", 200, false},
	} {
		tryCall(t, d, router, c.method, c.path, c.body, c.status, c.bad)
	}
}

// An upload to an agent that is terminated is stored, and its answer a result that reports a failure.
func TestUploadsThatReportAFailureMatchTheDocument(t *testing.T) {
	d := serve(t, New(options(&stub{})))
	why := "it is terminated"
	result := parley.TransferFileResult{
		Answer: parley.Answer{Error: &why}, ErrorCode: parley.AgentUnavailable, DeliveryStatus: parley.SumUp(nil),
		Deliveries: []parley.Delivery{},
	}
	var value any
	must.Do(t, json.Unmarshal(must.Have(json.Marshal(result))(t), &value))

	response := fetchDocument(t, d).Paths.Find("/api/files").Post.Responses.Status(resultStatus(&result))
	if err := response.Value.Content.Get("application/json").Schema.Value.VisitJSON(value); err != nil {
		t.Errorf("by the document the answer is wrong: %v", err)
	}
}

func tryCall(t *testing.T, d *daemon, router routers.Router, method, path, body string, status int, bad bool) {
	t.Helper()
	request := func() *http.Request {
		r := must.Have(http.NewRequest(method, d.tcp+path, strings.NewReader(body)))(t)

		r.Header.Set("X-API-Key", "coders-key")
		if body != "" {
			r.Header.Set("Content-Type", "application/json")
		}

		return r
	}

	route, params, err := router.FindRoute(request())
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}

	in := &openapi3filter.RequestValidationInput{Request: request(), Route: route, PathParams: params,
		Options: &openapi3filter.Options{
			AuthenticationFunc:    openapi3filter.NoopAuthenticationFunc,
			IncludeResponseStatus: true,
		}}

	if err := openapi3filter.ValidateRequest(t.Context(), in); (err != nil) != bad {
		t.Errorf("%s %s %s: by the document the request is wrong: %v", method, path, body, err)
	}

	resp := must.Have(http.DefaultClient.Do(request()))(t)
	defer resp.Body.Close()

	b, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != status {
		t.Errorf("%s %s %s: got %s, %v, want %d", method, path, body, resp.Status, err, status)
	}

	err = openapi3filter.ValidateResponse(
		t.Context(),
		&openapi3filter.ResponseValidationInput{RequestValidationInput: in,
			Status: resp.StatusCode, Header: resp.Header, Body: io.NopCloser(bytes.NewReader(b)), Options: in.Options},
	)
	if err != nil {
		t.Errorf("%s %s: by the document the answer is wrong: %v\n%s", method, path, err, b)
	}
}
