package client

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/google/uuid"

	"parley/op"
)

// keyField is the parameter with which the daemon recognises a repeated call.
const keyField = "idempotency_key"

// repeatable makes a call one that may reach the daemon twice, if it can, and reports
// whether it is. Such a call only reads, or carries an idempotency key, which it gets
// here if it has none.
func repeatable(o *op.Op, params []byte) (repeated []byte, ok bool) {
	if o.Effect == op.Reads {
		return params, true
	}
	if !slices.ContainsFunc(o.Fields, func(f op.Field) bool { return f.Name == keyField }) {
		return params, false
	}
	return withKey(params)
}

// withKey adds an idempotency key to an object that names none, and reports whether the
// object has one. What is not an object, or has a key that is not a string, is left for
// the daemon to refuse.
func withKey(params []byte) (keyed []byte, ok bool) {
	params = bytes.TrimSpace(params)
	if len(params) == 0 {
		params = []byte("{}")
	}

	var members map[string]json.RawMessage
	if json.Unmarshal(params, &members) != nil || members == nil {
		return params, false
	}
	if given, ok := members[keyField]; ok {
		var key string
		return params, json.Unmarshal(given, &key) == nil && key != ""
	}

	head := `{"` + keyField + `":"` + uuid.NewString() + `"`
	if len(members) > 0 {
		head += ","
	}

	return append([]byte(head), params[1:]...), true // the rest stays as it is, with a member given twice
}
