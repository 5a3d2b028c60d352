package mcpserver

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/mark3labs/mcp-go/mcp"

	"parley"
)

// describe turns an operation into a tool.
func describe(op *parley.Op) mcp.Tool {
	t := mcp.NewToolWithRawSchema(op.Name, op.Summary, mustMarshal(input(op.Input)))
	t.RawOutputSchema = mustMarshal(output(op.Output))
	t.Annotations = annotate(op)
	return t
}

// annotate says what a tool does to the world. What is left out has the protocol's
// default, or no meaning: a tool that only reads is neither destructive nor to be
// called once. The library's own defaults are destructive and open to the world. A
// title would repeat the name, which clients show where there is none.
func annotate(op *parley.Op) mcp.ToolAnnotation {
	a := mcp.ToolAnnotation{OpenWorldHint: new(false)}
	switch op.Effect {
	case parley.Reads:
		a.ReadOnlyHint = new(true)
	case parley.Adds:
		a.DestructiveHint = new(false)
	case parley.Marks:
		a.DestructiveHint, a.IdempotentHint = new(false), new(true)
	case parley.Destroys:
		a.DestructiveHint = new(true)
	}
	return a
}

// input is an input schema as tools/list shows it: every agent pays for it with its
// context. Limits that no model comes near are left to the server, which says what is
// wrong and what instead.
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

// forPrograms are the parameters that are taken and not shown: a key that makes a
// second call harmless is of use only to a caller that gives one each time.
var forPrograms = []string{"idempotency_key"}

// output is an output schema as tools/list shows it. Nothing is required, because
// clients also hold the structured content of an error against it. What every answer
// has, the instructions say once; sentences and times are for reading; and what is in a
// list or an object of the answer names itself, where a model reads it.
func output(s *jsonschema.Schema) *jsonschema.Schema {
	terse := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}}
	for name, p := range s.Properties {
		if !slices.Contains(ofEveryAnswer, name) && (p.Type != "string" || strings.HasSuffix(name, "_id")) {
			terse.Properties[name] = &jsonschema.Schema{Type: p.Type}
		}
	}
	return terse
}

// ofEveryAnswer are the fields that every answer may have.
var ofEveryAnswer = []string{"success", "error", "error_code", "suggested_action"}

// mustMarshal writes a schema. The schemas are our own, so a failure is a
// mistake in this module, found by the first test that runs.
func mustMarshal(s *jsonschema.Schema) json.RawMessage {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return b
}
