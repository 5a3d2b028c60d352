package client

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"parley"
	"parley/plain"
)

// wrapper is a tool that agents define for themselves, in terms of an operation.
type wrapper struct {
	operation  string
	parameters map[string]string // its own name → the operation's
	required   []string          // its own names
	fixed      map[string]string // parameters of the operation with fixed values
}

// dm is the agent of talk_to_dm.
const dm = "DM"

var wrappers = map[string]wrapper{
	"talk_to_dm": {
		operation:  "send_message",
		parameters: map[string]string{"message": "text"},
		required:   []string{"message"},
		fixed:      map[string]string{"to": dm},
	},
	"message_agent": {
		operation:  "send_message",
		parameters: map[string]string{"username": "to", "message": "text"},
		required:   []string{"username", "message"},
	},
	"check_messages": {
		operation:  "check_inbox",
		parameters: map[string]string{"include_read": "include_read", "sender": "filter_by_sender"},
	},
	"get_dm_conversation_history": {
		operation:  "get_conversation_history",
		parameters: map[string]string{"limit": "limit"},
		fixed:      map[string]string{"conversation_with": dm},
	},
}

// translate converts the wrapper's arguments to the operation's. It refuses unknown
// parameters, even if the operation has them.
func (w wrapper) translate(arguments []byte) ([]byte, error) {
	var given map[string]json.RawMessage
	if text := strings.TrimSpace(string(arguments)); text != "" {
		if err := json.Unmarshal([]byte(text), &given); err != nil {
			return nil, parley.Errorf(parley.InvalidArgument, "the arguments are not a JSON object: %w", err).
				Suggest("Send one object with: %s.", strings.Join(w.names(), ", "))
		}
	}

	args := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		canonical, ok := w.parameters[name]
		if !ok {
			return nil, w.unknown(name)
		}
		args[canonical] = given[name]
	}

	for _, name := range w.required {
		if value := string(given[name]); value == "" || value == "null" || value == `""` {
			return nil, parley.Errorf(parley.InvalidArgument, "%s is missing", name).
				With("parameter", name).
				Suggest("Give %s.", name)
		}
	}

	for name, value := range w.fixed {
		args[name] = value
	}

	return json.Marshal(args)
}

func (w wrapper) names() []string { return slices.Sorted(maps.Keys(w.parameters)) }

func (w wrapper) unknown(name string) error {
	e := parley.Errorf(parley.InvalidArgument, "there is no parameter %q", plain.CleanLine(name)).
		With("parameter", name)
	if near := plain.Nearest(name, w.names()); near != "" {
		return e.Suggest("Did you mean %q?", near)
	}
	return e.Suggest("Give: %s.", strings.Join(w.names(), ", "))
}
