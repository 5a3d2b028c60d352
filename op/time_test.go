package op

import (
	"encoding/json"
	"testing"

	"parley"
)

// Each parameter that is a time takes all forms, and what is none is refused with examples.
func TestEveryTimeParameterTakesAllForms(t *testing.T) {
	for _, op := range All {
		for _, f := range op.Fields {
			if !f.Time {
				continue
			}
			args := map[string]any{f.Name: "next Michaelmas"}
			for _, other := range op.Fields {
				if other.Required {
					args[other.Name] = map[string]any{"string": "x", "array": []string{"x"}, "integer": 1,
						"boolean": true}[other.Type]
				}
			}
			if op.Name == "send_message" {
				args["to"] = "x"
			}

			decode := func() error {
				b, _ := json.Marshal(args)
				_, err := op.Decode(b)
				return err
			}
			if err := parley.AsError(decode()); err == nil || err.Details["parameter"] != f.Name {
				t.Errorf("%s: %s: nonsense gives %v", op.Name, f.Name, err)
			}
			for _, form := range []any{"2026-12-01", "2026-12-01 10:00", "2026-12-01T10:00:00", "tomorrow",
				"in 20 minutes", 1200, 1795320912} {
				args[f.Name] = form
				if err := decode(); err != nil && op.Name != "find_messages" {
					t.Errorf("%s: %s as %v: %v", op.Name, f.Name, form, err)
				}
			}
		}
	}
}
