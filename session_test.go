package parley_test

import (
	"testing"

	"parley"
)

const (
	anID      = "5f0c21aa-0000-4000-8000-000000000001"
	anotherID = "5f0c21aa-0000-4000-8000-000000000002"
)

func TestSessionFollowsItsOwnProgramOnly(t *testing.T) {
	chosen := parley.Session{ID: anID, State: parley.SessionChosen}
	begun := parley.Session{ID: anID, State: parley.SessionBegun}
	refused := parley.Session{ID: anID, State: parley.SessionRefused}
	for _, tt := range []struct {
		name   string
		before parley.Session
		said   parley.Said
		want   parley.Session
	}{
		{"it starts", chosen, parley.Said{ID: anID}, chosen},
		{"its first prompt begins it", chosen, parley.Said{ID: anID, Prompted: true}, begun},
		{"it goes on", begun, parley.Said{ID: anID}, begun},
		{"it was cleared", begun, parley.Said{ID: anotherID, Own: true},
			parley.Session{ID: anotherID, State: parley.SessionChosen}},
		{"it was forked", begun, parley.Said{ID: anotherID, Prompted: true, Own: true},
			parley.Session{ID: anotherID, State: parley.SessionBegun}},
		{"a program that it started has one too", begun, parley.Said{ID: anotherID, Prompted: true}, begun},
		{"it came up after all", refused, parley.Said{ID: anID}, begun},
		{"nothing is said", begun, parley.Said{Own: true, Prompted: true}, begun},
		{"a flag is no id", begun, parley.Said{ID: "--dangerous", Own: true, Prompted: true}, begun},
		{"a path is no id", begun, parley.Said{ID: "../../etc/x", Own: true, Prompted: true}, begun},
	} {
		if got := tt.before.After(tt.said); got != tt.want {
			t.Errorf("%s: got %+v, want %+v", tt.name, got, tt.want)
		}
	}
}
