package mcpserver

import (
	"encoding/json"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/mark3labs/mcp-go/mcp"

	"parley"
)

// visible returns the tools that a caller may use. The others still answer a
// call, with an error that says what is missing.
func visible(tools []mcp.Tool, caller parley.Caller) []mcp.Tool {
	return slices.DeleteFunc(slices.Clone(tools), func(t mcp.Tool) bool {
		op := parley.FindOp(t.Name)
		return op == nil || op.Allow(caller) != nil
	})
}

// describe turns an operation into a tool. The library takes everything for
// destructive and open to the world unless told otherwise.
func describe(op *parley.Op) mcp.Tool {
	t := mcp.NewToolWithRawSchema(op.Name, op.Summary, mustMarshal(op.Input))
	t.RawOutputSchema = mustMarshal(published(op.Output))
	t.Annotations = mcp.ToolAnnotation{
		ReadOnlyHint:    new(op.Effect == parley.Reads),
		DestructiveHint: new(op.Effect == parley.Destroys),
		IdempotentHint:  new(op.Effect == parley.Reads || op.Effect == parley.Marks),
		OpenWorldHint:   new(false),
	}
	return t
}

// published is an output schema as tools/list shows it: every agent pays for
// it with its context. Nothing but success is required, because clients also
// hold the structured content of an error against it. What is in a list or an object
// of the answer is not described: it names itself, and a model reads it there.
func published(s *jsonschema.Schema) *jsonschema.Schema {
	s = s.CloneSchemas()
	lighten(s)
	for _, name := range ofFailures {
		delete(s.Properties, name)
	}
	s.Required = []string{"success"}
	return s
}

// ofFailures are the fields that every answer may have and that tell of failures: the
// instructions speak of them once.
var ofFailures = []string{"error", "error_code", "suggested_action"}

func lighten(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	s.Required, s.PropertyOrder = nil, nil
	s.Title, s.Description = "", ""
	if lighten(s.Items); s.Items != nil {
		s.Items.Properties = nil
	}
	lighten(s.AdditionalProperties)
	for _, p := range s.Properties {
		lighten(p)
		p.Properties = nil
	}
}

// mustMarshal writes a schema. The schemas are our own, so a failure is a
// mistake in this module, found by the first test that runs.
func mustMarshal(s *jsonschema.Schema) json.RawMessage {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return b
}
