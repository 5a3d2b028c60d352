package daemon

import (
	"encoding/json"
	"maps"
	"reflect"
	"strconv"
	"time"

	"parley/internal/setting"
)

type schema = map[string]any

// durationPattern matches the durations of parley.yaml, such as 1h30m.
const durationPattern = `^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`

// extras holds what the tags of some fields do not say, by key.
var extras = map[string]schema{
	"worktree":      {"type": []string{"string", "boolean"}},
	"size":          {"pattern": sizeForm.String()},
	"historyLength": {"minimum": 0, "maximum": 100},
	"toolRounds":    {"minimum": 0, "maximum": 10},
}

// Schema returns the JSON schema of parley.yaml, for editors.
func Schema() ([]byte, error) {
	s := schemaOf(reflect.TypeFor[Team]())
	s["$schema"], s["title"] = "https://json-schema.org/draft/2020-12/schema", "parley.yaml"
	return json.MarshalIndent(s, "", "  ")
}

func schemaOf(t reflect.Type) schema {
	if t == reflect.TypeFor[time.Duration]() {
		return schema{"type": "string", "pattern": durationPattern}
	}

	switch t.Kind() {
	case reflect.String:
		return schema{"type": "string"}
	case reflect.Bool:
		return schema{"type": "boolean"}
	case reflect.Pointer:
		return schemaOf(t.Elem())
	case reflect.Float64:
		return schema{"type": "number"}
	case reflect.Int:
		return schema{"type": "integer"}
	case reflect.Slice:
		return schema{"type": []string{"array", "null"}, "items": schemaOf(t.Elem())}
	case reflect.Map:
		if t.Elem().Kind() == reflect.String { // a variable's value may look like a number
			value := schema{"type": []string{"string", "number", "boolean"}}
			return schema{"type": []string{"object", "null"}, "additionalProperties": value}
		}

		if t.Elem().Kind() == reflect.Struct {
			return schema{"type": []string{"object", "null"}, "additionalProperties": structSchema(t.Elem())}
		}

		// Profiles: package profile checks their keys.
		return schema{"type": []string{"object", "null"}, "additionalProperties": schema{"type": "object"}}
	}

	return structSchema(t)
}

// structSchema allows no other keys, like the decoder.
func structSchema(t reflect.Type) schema {
	properties := schema{}
	var required []string
	for _, f := range setting.Fields(t) {
		properties[f.Name] = fieldSchema(f)
		if f.Required {
			required = append(required, f.Name)
		}
	}

	s := schema{"type": []string{"object", "null"}, "properties": properties, "additionalProperties": false}
	if required != nil {
		s["type"], s["required"] = "object", required
	}

	return s
}

// fieldSchema adds the description and the bounds of a field to the schema of its type.
func fieldSchema(f setting.Field) schema {
	s := schemaOf(f.Type)
	s["description"] = f.Description()
	if f.Enum != nil {
		s["enum"] = f.Enum
	}
	if f.Pattern != "" {
		s["pattern"] = f.Pattern
	}
	if f.Format == "ip" {
		s["anyOf"] = []schema{{"format": "ipv4"}, {"format": "ipv6"}}
	}

	least, most := boundNames(f.Type.Kind())
	for name, text := range map[string]string{least: f.Min, most: f.Max} {
		if n, err := strconv.Atoi(text); err == nil { // the bounds of durations are not numbers
			s[name] = n
		}
	}
	maps.Copy(s, extras[f.Name])

	return s
}

// boundNames names the bounds of a value, of the length of a text, and of a list.
func boundNames(kind reflect.Kind) (least, most string) {
	switch kind {
	case reflect.String:
		return "minLength", "maxLength"
	case reflect.Slice:
		return "minItems", "maxItems"
	}
	return "minimum", "maximum"
}
