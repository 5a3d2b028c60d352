package op

import (
	"encoding/json"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"parley"
)

// inputSchema returns the schema of a request. It has the names of parameters without
// aliases. It is open, so that clients let aliases through; the server refuses unknown
// parameters. It has no unions, which some models reject.
func inputSchema[Req any](fields []Field) *jsonschema.Schema {
	s := schemaFor[Req]()
	s.AdditionalProperties, s.Required = nil, nil
	for i := range fields {
		f := &fields[i]
		p := s.Properties[f.Name]
		p.Description, p.Type = f.Doc, f.Type
		if f.Required {
			s.Required = append(s.Required, f.Name)
		}

		for _, value := range f.Enum {
			p.Enum = append(p.Enum, value)
		}

		if f.Default != "" {
			p.Default, _ = asJSON(f.Type, []string{f.Default})
		}

		limit(p, f)
	}

	return s
}

func limit(p *jsonschema.Schema, f *Field) {
	if f.Type == "string" {
		p.MaxLength = f.Max
		return
	}

	if f.Type == "array" {
		p.MaxItems = f.Max
		return
	}

	if f.Min != nil {
		lo := float64(*f.Min)
		p.Minimum = &lo
	}

	if f.Max != nil {
		hi := float64(*f.Max)
		p.Maximum = &hi
	}
}

// outputSchema returns the schema of a result. It is open, so that a later version may
// add fields.
func outputSchema[Res any]() *jsonschema.Schema { return schemaFor[Res]() }

// schemaFor infers the schema of a type. It panics if that fails: the types are our own,
// and the first test that runs finds the mistake.
func schemaFor[T any]() *jsonschema.Schema {
	s, err := jsonschema.For[T](&jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[parley.Names]():      {Type: "array", Items: &jsonschema.Schema{Type: "string"}},
		reflect.TypeFor[json.RawMessage]():   {Type: "object"},
		reflect.TypeFor[map[string]any]():    {Type: "object"},
		reflect.TypeFor[parley.ReasonCode](): {Type: "string", Title: ReasonCodeTitle},
	}})
	if err != nil {
		panic(err)
	}
	soften(s)
	return s
}

// ReasonCodeTitle is the title of a ReasonCode in the schema of a result.
const ReasonCodeTitle = "ReasonCode"

// soften replaces the unions with null, which are inferred for slices and pointers, by the
// plain type, and opens objects. Only `error` stays nullable.
func soften(s *jsonschema.Schema) {
	if s == nil {
		return
	}

	if i := slices.Index(s.Types, "null"); i >= 0 {
		rest := slices.Delete(slices.Clone(s.Types), i, i+1)
		s.Types, s.Type = nil, rest[0]
	}

	if s.Type == "object" && s.Properties != nil {
		s.AdditionalProperties = nil
	}

	soften(s.Items)
	soften(s.AdditionalProperties)
	for name, p := range s.Properties {
		if name == "error" {
			p.Type, p.Types = "", []string{"null", "string"}
			continue
		}
		soften(p)
	}
}
