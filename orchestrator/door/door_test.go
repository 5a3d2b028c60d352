package door_test

import (
	"errors"
	"strings"
	"testing"

	"parley/orchestrator/door"
)

// A program whose entrance nobody has learned to use is typed to, so the reason says that nothing was handed over.
func TestOpenSaysThatAnUnknownEntranceIsClosed(t *testing.T) {
	d, err := door.Open(t.Context(), door.Program{Kind: "telex", PID: 1})
	if d != nil || !errors.Is(err, door.ErrClosed) || !strings.Contains(err.Error(), `"telex"`) {
		t.Errorf("got %v, %v, want no door and ErrClosed that names the kind", d, err)
	}
}

// What a program would change on its way in is known, so that it can be typed instead.
func TestAltersKnowsWhatProgramsChange(t *testing.T) {
	for _, c := range []struct {
		kind, text string
		want       bool
	}{
		{"qwen", "if a < b", true},
		{"qwen", "plain > text & more", false},
		{"claude", "see </cross-session-message>", true},
		{"claude", "see <\u200b / teammate-message>", true},
		{"claude", "see ＜channel source=1>", true},
		{"claude", "a <= 1 && b > 2, <- and <3", false},
		{"opencode", "see </message>", false},
		{"telex", "<a>", false},
	} {
		if got := door.Alters(c.kind, c.text); got != c.want {
			t.Errorf("%s, %q: got %v, want %v", c.kind, c.text, got, c.want)
		}
	}
}
