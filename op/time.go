package op

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"time"

	"parley/internal/when"
)

// readTimes replaces a time in any form by the same one of RFC 3339, in the value of a parameter and in the
// members of an object. What is no time stays.
func readTimes(t reflect.Type, raw json.RawMessage, now time.Time, ahead bool) json.RawMessage {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}

	if t == reflect.TypeFor[time.Time]() {
		text := string(bytes.TrimSpace(raw))
		if json.Unmarshal(raw, &text) != nil && !json.Valid(raw) {
			return raw
		}
		if at, ok := when.Parse(text, now, ahead); ok {
			raw, _ = at.MarshalJSON()
		}
		return raw
	}

	var members map[string]json.RawMessage
	if t.Kind() != reflect.Struct || json.Unmarshal(raw, &members) != nil {
		return raw
	}

	changed := false
	for _, field := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if value, given := members[name]; given && field.Type == reflect.TypeFor[*time.Time]() &&
			string(value) != "null" {
			members[name], changed = readTimes(field.Type, value, now, field.Tag.Get("ahead") == "true"), true
		}
	}
	if changed {
		raw, _ = json.Marshal(members)
	}

	return raw
}
