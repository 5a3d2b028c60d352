package mcpserver

import (
	"encoding/json"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/mark3labs/mcp-go/mcp"

	"parley/op"
)

// describe returns an operation as a tool. It has no output schema: a model reads in the result
// what there is, and would pay for the schema with its context.
func describe(op *op.Op) mcp.Tool {
	t := mcp.NewToolWithRawSchema(op.Name, op.Summary, mustMarshal(input(op.Input())))
	t.Title, t.Annotations = titleOf(op.Name), annotate(op)
	return t
}

// titleOf returns a name as people are shown it.
func titleOf(name string) string {
	words := strings.ReplaceAll(name, "_", " ")
	return strings.ToUpper(words[:1]) + words[1:]
}

// annotate returns the hints about what a tool changes. Hints that are left out have the
// protocol's default or no meaning: a tool that only reads is neither destructive nor
// idempotent. The library's own defaults are destructive and open to the world.
func annotate(o *op.Op) mcp.ToolAnnotation {
	a := mcp.ToolAnnotation{OpenWorldHint: new(false)}
	switch o.Effect {
	case op.Reads:
		a.ReadOnlyHint = new(true)
	case op.Adds:
		a.DestructiveHint = new(false)
	case op.Marks:
		a.DestructiveHint, a.IdempotentHint = new(false), new(true)
	case op.Destroys:
		a.DestructiveHint = new(true)
	}
	return a
}

// input returns an input schema as tools/list shows it. It is short, because every agent
// pays for it with its context. Limits that models do not come near are left out; the
// server's errors explain them.
func input(s *jsonschema.Schema) *jsonschema.Schema {
	s = s.CloneSchemas()
	for _, name := range forPrograms {
		delete(s.Properties, name)
	}
	for _, p := range s.Properties {
		p.MaxLength, p.MaxItems, p.Minimum = nil, nil, nil
	}
	return s
}

// forPrograms are parameters that are accepted, but not shown: an idempotency key only
// helps a caller that gives one with each call.
var forPrograms = []string{"idempotency_key"}

// mustMarshal encodes a schema. It panics if that fails: the schemas are our own, and the
// first test that runs finds the mistake.
func mustMarshal(s *jsonschema.Schema) json.RawMessage {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return b
}
