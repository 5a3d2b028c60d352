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
		member := !caller.Nobody() && !caller.Operator // it has joined already
		return op == nil || op.Allow(caller) != nil || member && op.Access == parley.Public
	})
}

// describe turns an operation into a tool. The library takes everything for
// destructive and open to the world unless told otherwise.
func describe(op *parley.Op) mcp.Tool {
	t := mcp.NewToolWithRawSchema(op.Name, op.Summary, mustMarshal(op.Input))
	t.RawOutputSchema = mustMarshal(published())
	t.Annotations = mcp.ToolAnnotation{
		ReadOnlyHint:    ifTrue(op.Effect == parley.Reads),
		DestructiveHint: new(op.Effect == parley.Destroys),
		IdempotentHint:  ifTrue(op.Effect == parley.Reads || op.Effect == parley.Marks),
		OpenWorldHint:   new(false),
	}
	return t
}

// ifTrue leaves out a hint that is false by default.
func ifTrue(hint bool) *bool {
	if !hint {
		return nil
	}
	return &hint
}

// published is the output schema as tools/list shows it. Every agent pays for
// that with its context, and sees the fields of an answer when it gets one: so
// it promises no more than success. Nothing else could be required, because
// clients also hold the structured content of an error against it.
func published() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", Required: []string{"success"}}
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
