package httpapi

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"parley/op"
)

// The contract's documents give one parameter several names, and some put a message's text into an object. The
// document has them all, so that clients made from it can make the documents' calls.

// withEveryName adds the other names of parameters to the schema of a request, and returns it. Of a parameter that
// is needed, one of the names is.
func withEveryName(op *op.Op, s *jsonschema.Schema) *jsonschema.Schema {
	if s.Properties == nil {
		s.Properties = map[string]*jsonschema.Schema{}
	}

	needed := map[string]bool{}
	for _, name := range s.Required {
		needed[name] = true
	}
	s.Required = nil

	for i := range op.Fields {
		f := &op.Fields[i]
		own := s.Properties[f.Name]
		if f.Unpack {
			own = either(own, contentSchema())
		}
		if f.One {
			own = either(own, &jsonschema.Schema{Type: "string"})
		}
		s.Properties[f.Name] = own

		for _, alias := range f.Aliases {
			s.Properties[alias] = sameAs(f.Name, own)
		}

		switch {
		case !needed[f.Name]:
		case len(f.Aliases) == 0:
			s.Required = append(s.Required, f.Name)
		default:
			s.AllOf = append(s.AllOf, oneName(f, own))
		}
	}

	for _, name := range append([]string{"api_key"}, op.Self...) {
		if s.Properties[name] == nil {
			s.Properties[name] = &jsonschema.Schema{
				Type: "string", Description: "Who calls, for clients that say so with each call. The connection's " +
					"key decides.",
			}
		}
	}

	return s
}

func sameAs(name string, s *jsonschema.Schema) *jsonschema.Schema {
	same := s.CloneSchemas()
	same.Description = fmt.Sprintf("The same as %s.", name)
	return same
}

// contentSchema returns the schema of a message's text as the object of its content.
func contentSchema() *jsonschema.Schema {
	return &jsonschema.Schema{
		Type:     "object",
		Required: []string{"text"},
		Properties: map[string]*jsonschema.Schema{
			"text":        {Type: "string"},
			"data":        {Type: "object"},
			"attachments": {Type: "array", Items: &jsonschema.Schema{Type: "object"}},
		},
	}
}

// either returns a schema of two forms, with the description of the first.
func either(one, other *jsonschema.Schema) *jsonschema.Schema {
	plain := one.CloneSchemas()
	plain.Description = ""
	return &jsonschema.Schema{Description: one.Description, AnyOf: []*jsonschema.Schema{plain, other}}
}

// oneName returns a schema that asks for a parameter under one of its names.
func oneName(f *op.Field, s *jsonschema.Schema) *jsonschema.Schema {
	names := append([]string{f.Name}, f.Aliases...)
	one := &jsonschema.Schema{}
	for _, name := range names {
		value := s.CloneSchemas()
		value.Description = ""
		one.AnyOf = append(one.AnyOf, &jsonschema.Schema{
			Type: "object", Required: []string{name}, Properties: map[string]*jsonschema.Schema{name: value},
		})
	}
	return one
}

func otherNames(f *op.Field, parameter object) (list []object) {
	for _, alias := range f.Aliases {
		other := object{}
		maps.Copy(other, parameter)
		other["name"], other["required"], other["description"] = alias, false, fmt.Sprintf("The same as %s.", f.Name)
		list = append(list, other)
	}

	if len(f.Aliases) > 0 && f.Required {
		parameter["required"] = false
		parameter["description"] = fmt.Sprintf("%s It is needed, as %s or as %s.",
			f.Doc, f.Name, strings.Join(f.Aliases, " or "))
	}

	return list
}

// open lets the objects of a schema that name no members have any, and returns the schema. Generators of types take
// such an object for one that is always empty.
func open(s *jsonschema.Schema) *jsonschema.Schema {
	if s == nil {
		return nil
	}

	if s.Type == "object" && s.Properties == nil && s.AdditionalProperties == nil {
		s.AdditionalProperties = &jsonschema.Schema{}
	}

	open(s.Items)
	open(s.AdditionalProperties)
	for _, inner := range slices.Concat(s.AnyOf, s.AllOf, slices.Collect(maps.Values(s.Properties))) {
		open(inner)
	}

	return s
}

// filePages returns the routes of uploads and downloads, whose bodies are not JSON.
func filePages() map[string]map[string]object {
	text := func(about string) object { return object{"type": "string", "description": about} }
	form := object{"type": "object", "required": []string{"file"}, "properties": object{
		"file": object{
			"type":             "string",
			"contentMediaType": "application/octet-stream",
			"description":      "The file itself. An api_key must come before it.",
		},
		"recipient":            text("Name or id of the recipient, who is notified; without one it is only stored."),
		"destination_filename": text("The file's name, if not that of the upload."),
		"description":          text("What it is."),
		"idempotency_key":      text("Your own key: a repeated call changes nothing."),
	}}

	bytes := object{"application/octet-stream": object{"schema": object{}}}
	upload := object{"operationId": "upload_file", "summary": "Send a file from another machine.",
		"requestBody": object{"required": true, "content": object{"multipart/form-data": object{"schema": form}}},
		"responses": object{
			"200": object{
				"description": "The file is stored, and the recipient notified.",
				"content":     inJSON(ref("schemas", "TransferFileResult")),
			},
		}}

	download := object{"operationId": "download_file", "summary": "Get a file that was sent to or by the caller.",
		"parameters": []object{{"name": "file_id", "in": "path", "required": true, "schema": object{"type": "string"}},
			{
				"name":        "Range",
				"in":          "header",
				"schema":      object{"type": "string"},
				"description": "bytes=FROM-TO for a part of it.",
			}},
		"responses": object{
			"200": object{"description": "The file.", "content": bytes},
			"206": object{"description": "The part.", "content": bytes},
			"304": object{"description": "The caller already has the content."},
			"412": object{
				"description": "The file is not the one that a condition asks for.",
				"content":     inJSON(ref("schemas", "Error")),
			},
			"416": object{"description": "There is no such part.", "content": inJSON(ref("schemas", "Error"))},
		}}

	for _, page := range []object{upload, download} {
		for status := range failures() {
			page["responses"].(object)[status] = ref("responses", status)
		}
	}

	upload["responses"].(object)["409"] = conflictOr(ref("schemas", "TransferFileResult"))

	return map[string]map[string]object{
		filesPath:                {http.MethodPost: upload},
		filesPath + "/{file_id}": {http.MethodGet: download},
	}
}
