package daemon

import (
	"encoding/json"
	"reflect"
	"time"
)

// schema is a JSON schema.
type schema = map[string]any

const durationForm = `^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`

// limits are what the types of parley.yaml do not say, by key.
var limits = map[string]schema{
	"footer":       {"enum": []string{"full", "short"}},
	"max_text":     {"minimum": 1, "maximum": 100_000},
	"http_port":    {"minimum": 0, "maximum": 65_535},
	"expire_after": {"pattern": durationForm},
	"stuck_after":  {"pattern": durationForm},
	"draft_after":  {"pattern": durationForm},
	"owes_after":   {"pattern": durationForm},

	"response_deadline": {"pattern": durationForm},
	"remind_before":     {"pattern": durationForm},
	"tell_sender_after": {"pattern": durationForm},
	"model_timeout":     {"pattern": durationForm},
	"model_calls":       {"minimum": 1, "maximum": 1000},

	"temperature":   {"minimum": 0, "maximum": 2},
	"max_tokens":    {"minimum": 0, "maximum": 1_000_000},
	"historyLength": {"minimum": 0, "maximum": 100},
	"toolRounds":    {"minimum": 0, "maximum": 10},

	"overdue_after": {"pattern": durationForm},

	"messages_per_minute":      {"minimum": 1, "maximum": most},
	"broadcasts_per_minute":    {"minimum": 1, "maximum": most},
	"registrations_per_minute": {"minimum": 1, "maximum": most},

	"chain_hops":       {"minimum": 1, "maximum": 1000},
	"pair_minute":      {"minimum": 1, "maximum": 1000},
	"pair_ten_minutes": {"minimum": 1, "maximum": 1000},
	"cycle_rounds":     {"minimum": 1, "maximum": 1000},

	"notify":      {"pattern": `^ *(none|bell|desktop|bell *, *desktop|desktop *, *bell) *$`},
	"quiet_hours": {"pattern": `^ *([01]?[0-9]|2[0-3]):[0-5][0-9] *- *(([01]?[0-9]|2[0-3]):[0-5][0-9]|24:00) *$`},

	"http_address": {"anyOf": []schema{{"format": "ipv4"}, {"format": "ipv6"}}},
	"size":         {"pattern": sizeForm.String()},
}

// Schema describes parley.yaml for editors.
func Schema() ([]byte, error) {
	s := schemaOf(reflect.TypeFor[Team]())
	s["$schema"], s["title"] = "https://json-schema.org/draft/2020-12/schema", "parley.yaml"
	return json.MarshalIndent(s, "", "  ")
}

func schemaOf(t reflect.Type) schema {
	switch {
	case t == reflect.TypeFor[time.Duration](), t.Kind() == reflect.String:
		return schema{"type": "string"}
	case t.Kind() == reflect.Bool:
		return schema{"type": "boolean"}
	case t.Kind() == reflect.Pointer:
		return schemaOf(t.Elem())
	case t.Kind() == reflect.Float64:
		return schema{"type": "number"}
	case t.Kind() == reflect.Int:
		return schema{"type": "integer"}
	case t.Kind() == reflect.Slice:
		return schema{"type": []string{"array", "null"}, "items": schemaOf(t.Elem())}
	case t.Kind() == reflect.Map: // profiles: their keys are the profile package's to check
		return schema{"type": []string{"object", "null"}, "additionalProperties": schema{"type": "object"}}
	}

	return structSchema(t)
}

// structSchema is closed, as the reading of the file is strict.
func structSchema(t reflect.Type) schema {
	properties := schema{}
	var required []string
	for i := range t.NumField() {
		f := t.Field(i)
		key := f.Tag.Get("yaml")
		p := schemaOf(f.Type)
		p["description"] = f.Tag.Get("doc")
		for name, value := range limits[key] {
			p[name] = value
		}

		properties[key] = p
		if f.Tag.Get("required") == "true" {
			required = append(required, key)
		}
	}

	s := schema{"type": []string{"object", "null"}, "properties": properties, "additionalProperties": false}
	if required != nil {
		s["type"], s["required"] = "object", required
	}

	return s
}
