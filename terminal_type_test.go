package parley_test

import (
	"testing"

	"parley"
)

// Keys become words of a command of tmux: nothing but keys gets there.
func TestOnlyKeysOfAKeyboardAreTyped(t *testing.T) {
	for _, r := range []parley.TypeInTerminalRequest{
		{}, {Text: "two\nlines"}, {Text: "a line\n"}, {Text: "\t"}, {Text: "\x1b\u202e\u200b"}, {Keys: []string{""}},
		{Keys: []string{"-l"}}, {Keys: []string{"Enter ; kill-server"}},
		{Keys: []string{"a"}}, {Keys: []string{"C-"}}, {Keys: []string{"C-M-S-C-Up"}},
		{Keys: []string{"MouseDown1Pane"}},
	} {
		if err := r.Validate(); parley.ErrorCode(err) != parley.InvalidArgument {
			t.Errorf("%+v: %v", r, err)
		}
	}
	r := parley.TypeInTerminalRequest{Text: "ls -l",
		Keys: []string{"Enter", "C-c", "M-b", "C-M-S-Up", "F12", "S-Right"}}
	if err := r.Validate(); err != nil {
		t.Error(err)
	}

	// Space is a key, also alone and at the end: it comes as the person types, and more follows.
	for typed, want := range map[string]string{
		" ": " ", "   ": "   ", "half a ": "half a ", " x": " x", "\u00a0": "\u00a0", "a\u00a0": "a\u00a0",
		"\u3000": "\u3000", "a\x07 ": "a ",
	} {
		r := parley.TypeInTerminalRequest{Text: typed}
		if err := r.Validate(); err != nil || r.Text != want {
			t.Errorf("%q is typed as %q (%v), want %q", typed, r.Text, err, want)
		}
	}
}
