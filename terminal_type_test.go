package parley_test

import (
	"testing"

	"parley"
)

// Keys become words of a command of tmux: nothing but keys gets there.
func TestOnlyKeysOfAKeyboardAreTyped(t *testing.T) {
	for _, r := range []parley.TypeInTerminalRequest{
		{}, {Text: "two\nlines"}, {Keys: []string{""}}, {Keys: []string{"-l"}}, {Keys: []string{"Enter ; kill-server"}},
		{Keys: []string{"a"}}, {Keys: []string{"C-"}}, {Keys: []string{"C-M-S-C-Up"}}, {Keys: []string{"MouseDown1Pane"}},
	} {
		if err := r.Validate(); parley.ErrorCode(err) != parley.InvalidArgument {
			t.Errorf("%+v: %v", r, err)
		}
	}
	r := parley.TypeInTerminalRequest{Text: "ls -l", Keys: []string{"Enter", "C-c", "M-b", "C-M-S-Up", "F12", "S-Right"}}
	if err := r.Validate(); err != nil {
		t.Error(err)
	}
}
