package profile

import (
	"strings"
	"testing"
)

func TestBehindReturnsTextTypedAfterAMessage(t *testing.T) {
	for _, tt := range []struct {
		screen, want string
		shown        bool
	}{
		{"nothing of it", "", false},
		{"┃  [AGENT 1 TO AGENT 2]: hi\n┃  (operator · msg 1234abcd)\n┃", "", true},
		{"┃  (operator · msg 1234abcd)half a thought\n┃", "half a thought", true},
		{"┃  (operator · msg 1234abcd) half a thought          Context", "half a thought", true},
		{"┃  (operator · msg 1234abcd · urgent)              Context", "", true},
		{"│ (operator · msg 1234abcd) │", "", true},
		{"(ann · msg 1234abcd · 900 characters, cut here: read it whole with\n  get_messages, or parley message 1234abcd)mine", "mine", true},
		{"(ann · msg 1234abcd)\n● you wrote (ann · msg 1234abcd), and I have it", "", true},
		{"msg 1234abcd and no end\n\n\n\n\n\n(here)", "", false},
	} {
		if got, shown := Behind(strings.Split(tt.screen, "\n"), "msg 1234abcd"); got != tt.want || shown != tt.shown {
			t.Errorf("%q: got %q, %v; want %q, %v", tt.screen, got, shown, tt.want, tt.shown)
		}
	}
}
