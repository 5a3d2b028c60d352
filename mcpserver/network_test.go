package mcpserver

import (
	"testing"

	"parley"
)

// A key in a call's arguments says who calls, and not from where.
func TestKeyInTheArgumentsIsStillFromTheNetwork(t *testing.T) {
	f := newFake()
	s := overHTTP(t, f, parley.Caller{Network: true}, latest, nil)
	if res, text := call(t, s, "send_message", args{"to": "planner", "text": "hi",
		"api_key": "coders-key"}); res.IsError {
		t.Fatal(text)
	}
	want := coder
	want.Network = true
	if len(f.callers) != 1 || f.callers[0] != want {
		t.Errorf("the call came from %+v, want %+v", f.callers, want)
	}
}
