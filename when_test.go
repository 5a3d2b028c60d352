package parley

import (
	"encoding/json"
	"testing"
	"time"
)

func TestTimesAsPeopleAndModelsWriteThem(t *testing.T) {
	zone := time.FixedZone("", 2*3600)
	now := time.Date(2026, 11, 26, 9, 30, 0, 0, zone)
	for text, want := range map[string][2]string{ // ahead, back
		"2026-12-01T10:00:00Z":        {"2026-12-01T10:00:00Z", "2026-12-01T10:00:00Z"},
		"2026-12-01T10:00:00.5+01:00": {"2026-12-01T10:00:00.5+01:00", "2026-12-01T10:00:00.5+01:00"},
		"2026-12-01t10:00:00z":        {"2026-12-01T10:00:00Z", "2026-12-01T10:00:00Z"},
		"2026-12-01 10:00:00Z":        {"2026-12-01T10:00:00Z", "2026-12-01T10:00:00Z"},
		"2026-12-01T10:00:00":         {"2026-12-01T10:00:00+02:00", "2026-12-01T10:00:00+02:00"},
		"2026-12-01T10:00":            {"2026-12-01T10:00:00+02:00", "2026-12-01T10:00:00+02:00"},
		"2026-12-01 10:00":            {"2026-12-01T10:00:00+02:00", "2026-12-01T10:00:00+02:00"},
		" 2026-12-01  10:00:30 ":      {"2026-12-01T10:00:30+02:00", "2026-12-01T10:00:30+02:00"},
		"2026-12-01":                  {"2026-12-01T23:59:59+02:00", "2026-12-01T00:00:00+02:00"},
		"tomorrow":                    {"2026-11-27T23:59:59+02:00", "2026-11-27T00:00:00+02:00"},
		"Tomorrow at 10:00":           {"2026-11-27T10:00:00+02:00", "2026-11-27T10:00:00+02:00"},
		"tomorrow 5pm":                {"2026-11-27T17:00:00+02:00", "2026-11-27T17:00:00+02:00"},
		"yesterday":                   {"2026-11-25T23:59:59+02:00", "2026-11-25T00:00:00+02:00"},
		"today, 14:00":                {"2026-11-26T14:00:00+02:00", "2026-11-26T14:00:00+02:00"},
		"14:30":                       {"2026-11-26T14:30:00+02:00", "2026-11-26T14:30:00+02:00"},
		"08:00":                       {"2026-11-27T08:00:00+02:00", "2026-11-26T08:00:00+02:00"},
		"now":                         {"2026-11-26T09:30:00+02:00", "2026-11-26T09:30:00+02:00"},
		"in 20 minutes":               {"2026-11-26T09:50:00+02:00", "2026-11-26T09:50:00+02:00"},
		"20 minutes ago":              {"2026-11-26T09:10:00+02:00", "2026-11-26T09:10:00+02:00"},
		"20 minutes":                  {"2026-11-26T09:50:00+02:00", "2026-11-26T09:10:00+02:00"},
		"20m":                         {"2026-11-26T09:50:00+02:00", "2026-11-26T09:10:00+02:00"},
		"1h30m":                       {"2026-11-26T11:00:00+02:00", "2026-11-26T08:00:00+02:00"},
		"2 days":                      {"2026-11-28T09:30:00+02:00", "2026-11-24T09:30:00+02:00"},
		"3d":                          {"2026-11-29T09:30:00+02:00", "2026-11-23T09:30:00+02:00"},
		"1200":                        {"2026-11-26T09:50:00+02:00", "2026-11-26T09:10:00+02:00"},
		"1795320912":                  {"2026-11-22T06:15:12+02:00", "2026-11-22T06:15:12+02:00"},
		"1795320912000":               {"2026-11-22T06:15:12+02:00", "2026-11-22T06:15:12+02:00"},
	} {
		for i, ahead := range []bool{true, false} {
			got, ok := ParseTime(text, now, ahead)
			if at := got.Format(time.RFC3339Nano); !ok || at != want[i] {
				t.Errorf("%q, ahead %v: got %s, %v, want %s", text, ahead, at, ok, want[i])
			}
		}
	}

	for _, text := range []string{
		"", " ", "soon", "next week", "2026-13-01", "2026-12-01 25:00", "25:00", "-5", "in -5 minutes", "NaN", "Inf",
		"1e300",
		"in", "ago", "tomorrow never", "99999999 weeks", "10:00 tomorrow, perhaps",
	} {
		if got, ok := ParseTime(text, now, true); ok {
			t.Errorf("%q is %s", text, got)
		}
	}
}

// Each parameter that is a time takes all forms, and what is none is refused with examples.
func TestEveryTimeParameterTakesAllForms(t *testing.T) {
	for _, op := range Ops {
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
			if err := AsError(decode()); err == nil || err.Details["parameter"] != f.Name {
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
