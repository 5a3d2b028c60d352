package httpapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"parley"
	"parley/op"
)

// object is a JSON object of the document.
type object map[string]any

// openAPI returns the document, derived from the table of operations.
func openAPI(ops []*op.Op, version string) []byte {
	schemas := object{"Error": errorSchema(), op.ReasonCodeTitle: reasonCodeSchema()}
	paths := object{}
	add := func(method, path string, operation object) {
		if paths[path] == nil {
			paths[path] = object{}
		}
		paths[path].(object)[strings.ToLower(method)] = operation
	}

	for _, op := range ops {
		schemas[camel(op.Name)+"Request"] = open(withEveryName(op, withoutDefaults(op.Input().CloneSchemas())))
		schemas[camel(op.Name)+"Result"] = open(referToCodes(op.Output().CloneSchemas()))
		for i, r := range routesOfOp(op) {
			add(r.Method, r.Path, operationOf(op, r, i))
		}
	}

	for path, operation := range ownPages() {
		add(http.MethodGet, path, operation)
	}

	for path, methods := range filePages() {
		for method, operation := range methods {
			add(method, path, operation)
		}
	}

	document, err := json.Marshal(object{
		"openapi": "3.1.0",
		"info": object{"title": "parley", "version": version,
			"description": "A team of AI agents that talk through their terminals. Each call needs an API key; on " +
				"the daemon's unix socket, the process at the other end identifies the caller."},
		"servers": []object{{"url": "/"}},
		"paths":   paths,
		"components": object{"schemas": schemas, "responses": failures(), "securitySchemes": object{
			"bearer": object{
				"type":        "http",
				"scheme":      "bearer",
				"description": "The API key from register_agent, or PARLEY_KEY of a launched agent.",
			},
			"header": object{"type": "apiKey", "in": "header", "name": "X-API-Key"},
			"query":  object{"type": "apiKey", "in": "query", "name": "api_key"},
		}},
		"security": keys(),
	})
	if err != nil {
		panic(err) // our own table: the first test that runs finds it
	}

	return document
}

// withoutDefaults moves the defaults of a request's parameters into their descriptions, and returns
// the schema. Generators of types take a property with a default for one that is always there.
func withoutDefaults(s *jsonschema.Schema) *jsonschema.Schema {
	for _, p := range s.Properties {
		if p.Default != nil {
			p.Description = strings.TrimSpace(fmt.Sprintf("%s Default: %s.", p.Description, p.Default))
			p.Default = nil
		}
	}
	return s
}

// keys returns the security requirement: any one of the ways to send a key.
func keys() []object {
	return []object{{"bearer": []string{}}, {"header": []string{}}, {"query": []string{}}}
}

// operationOf describes an operation on its i-th route.
func operationOf(one *op.Op, r op.Route, i int) object {
	o := object{
		"operationId": one.Name,
		"summary":     firstSentence(one.Summary),
		"description": one.Summary,
		"responses":   responses(one),
	}

	if i > 0 { // operation ids must be unique
		o["operationId"] = one.Name + "_" + strings.ToLower(r.Method) + strconv.Itoa(i)
	}
	if one.Access == op.Public {
		o["security"] = append([]object{{}}, keys()...)
	}

	if r.Method == http.MethodGet {
		o["parameters"] = parameters(one)
		return o
	}

	required := slices.ContainsFunc(one.Fields, func(f op.Field) bool { return f.Required })
	o["requestBody"] = object{"required": required, "content": inJSON(ref("schemas", camel(one.Name)+"Request"))}

	return o
}

// parameters describes an operation's fields in a query. An object is given as JSON.
func parameters(one *op.Op) []object {
	list := []object{}
	for i := range one.Fields {
		f := &one.Fields[i]
		p := object{"name": f.Name, "in": "query", "required": f.Required, "description": f.Doc}
		if f.Type == "object" {
			p["content"] = inJSON(open(one.Input().Properties[f.Name].CloneSchemas()))
		} else {
			p["schema"] = one.Input().Properties[f.Name]
		}

		others := otherNames(f, p)
		list = append(append(list, p), others...)
	}

	if one.Name == "read_events" {
		list = append(list, object{
			"name":        "stream",
			"in":          "query",
			"description": "1 for server-sent events, as `Accept: text/event-stream` asks for them.",
			"schema":      object{"type": "string", "enum": []string{"1"}},
		})
	}

	return list
}

func responses(op *op.Op) object {
	result := ref("schemas", camel(op.Name)+"Result")
	content := inJSON(result)
	all := object{}
	if op.Name == "read_events" {
		content["text/event-stream"] = object{"schema": object{"type": "string"}}
		all["101"] = object{"description": "A WebSocket: each text message is an event."}
	}

	all["200"] = object{"description": "The result.", "content": content}
	for status := range failures() {
		all[status] = ref("responses", status)
	}

	if op.Output().Properties["error_code"] != nil { // a result can report a failure itself
		all[strconv.Itoa(http.StatusConflict)] = conflictOr(result)
	}

	return all
}

// conflictOr returns the response of a conflict where a result can report it too.
func conflictOr(result object) object {
	conflict := strconv.Itoa(http.StatusConflict)
	return object{"description": failures()[conflict].(object)["description"],
		"content": inJSON(object{"anyOf": []object{ref("schemas", "Error"), result}})}
}

// failures returns the responses with an error, by status: those of the codes, and those
// of HTTP itself.
func failures() object {
	codes := map[int][]string{
		http.StatusMethodNotAllowed:     nil,
		http.StatusRequestTimeout:       nil,
		http.StatusUnsupportedMediaType: nil,
	}

	for status := range codes {
		codes[status] = []string{string(parley.InvalidArgument)}
	}

	for code, status := range statuses {
		codes[status] = append(codes[status], string(code))
	}

	all := object{}
	for status, list := range codes {
		slices.Sort(list)
		all[strconv.Itoa(status)] = object{
			"description": fmt.Sprintf("%s: %s", http.StatusText(status), strings.Join(list, ", ")),
			"content":     inJSON(ref("schemas", "Error")),
		}
	}

	return all
}

func errorSchema() object {
	text := object{"type": "string"}
	codes := slices.Sorted(maps.Keys(statuses))
	return object{
		"type":     "object",
		"required": []string{"success", "error_code", "error_message", "details", "suggested_action"},
		"properties": object{
			"success":          object{"const": false},
			"error_code":       object{"type": "string", "enum": codes},
			"error_message":    text,
			"details":          object{"type": "object", "additionalProperties": true},
			"suggested_action": text,
			"detail":           text,
			"error":            text,
			"message":          text,
		},
	}
}

// reasonCodeSchema lists the reason codes. Clients must accept others: a later version
// may add some.
func reasonCodeSchema() object {
	return object{
		"description": "Why a delivery is where it is: what holds it, how it ended, or what proves it. " +
			"More codes may be added.",
		"anyOf": []object{{"enum": parley.ReasonCodes()}, {"type": "string"}},
	}
}

// referToCodes replaces each reason code in a schema by a reference to the one schema
// of reason codes, and returns the schema.
func referToCodes(s *jsonschema.Schema) *jsonschema.Schema {
	switch {
	case s == nil:
		return nil
	case s.Title == op.ReasonCodeTitle:
		return &jsonschema.Schema{Ref: "#/components/schemas/" + op.ReasonCodeTitle}
	}

	s.Items, s.AdditionalProperties = referToCodes(s.Items), referToCodes(s.AdditionalProperties)
	for name, property := range s.Properties {
		s.Properties[name] = referToCodes(property)
	}

	return s
}

// ownPages returns the paths that are not operations.
func ownPages() map[string]object {
	page := func(id, summary string, success object) object {
		return object{
			"operationId": id,
			"summary":     summary,
			"responses":   object{"200": success, "405": ref("responses", "405")},
		}
	}

	health := object{"type": "object", "required": []string{"success", "status", "version"}, "properties": object{
		"success": object{
			"type": "boolean",
		}, "status": object{"enum": []string{"ok", "unavailable"}}, "version": object{"type": "string"}}}

	pages := map[string]object{
		"/healthz": page("healthz", "Check whether the daemon can work.",
			object{"description": "The daemon can work.", "content": inJSON(health)}),
		"/openapi.json": page("openapi", "Get this document.",
			object{"description": "The document.",
				"content": inJSON(object{"type": "object", "additionalProperties": true})}),
		"/metrics": page("metrics", "Get metrics in Prometheus' text format.", object{"description": "The metrics.",
			"content": object{"text/plain": object{"schema": object{"type": "string"}}}}),
		"/api/tools": page("tools", "List the tools that the caller may use, as function definitions for a model.",
			object{"description": "The tools.", "content": inJSON(toolsSchema())}),
	}

	pages["/healthz"]["responses"].(object)["503"] = object{"description": "The database or tmux cannot be used.",
		"content": inJSON(object{"allOf": []object{health, ref("schemas", "Error")}})}
	for _, open := range []string{"/healthz", "/openapi.json"} {
		pages[open]["security"] = []object{}
	}

	for _, closed := range []string{"/metrics", "/api/tools"} {
		pages[closed]["responses"].(object)["401"] = ref("responses", "401")
	}

	return pages
}

func toolsSchema() *jsonschema.Schema {
	str := &jsonschema.Schema{Type: "string"}
	function := &jsonschema.Schema{
		Type:     "object",
		Required: []string{"name", "description", "parameters"},
		Properties: map[string]*jsonschema.Schema{
			"name": str, "description": str, "parameters": open(&jsonschema.Schema{Type: "object"})},
	}

	tool := &jsonschema.Schema{
		Type:     "object",
		Required: []string{"type", "function"},
		Properties: map[string]*jsonschema.Schema{
			"type": {Enum: []any{"function"}}, "function": function},
	}

	return &jsonschema.Schema{
		Type:     "object",
		Required: []string{"success", "tools"},
		Properties: map[string]*jsonschema.Schema{
			"success": {Type: "boolean"}, "tools": {Type: "array", Items: tool}},
	}
}

func inJSON(schema any) object { return object{"application/json": object{"schema": schema}} }

func ref(kind, name string) object { return object{"$ref": "#/components/" + kind + "/" + name} }

func camel(name string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(name, "_") {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

func firstSentence(text string) string {
	first, _, _ := strings.Cut(text, ". ")
	return strings.TrimSuffix(first, ".") + "."
}
