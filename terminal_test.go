package parley_test

import (
	"slices"
	"testing"

	"parley"
)

func TestAnswersTakeKnownKeys(t *testing.T) {
	for _, keys := range [][]string{{"C-c"}, {"F1"}, {"Enter", "ab"}, {""}, {"é"}, {"Down;Enter"}} {
		r := parley.AnswerDialogRequest{Dialog: "5f0c21aa", Keys: keys}
		if err := r.Validate(); parley.ErrorCode(err) != parley.InvalidArgument {
			t.Errorf("%q: got %v", keys, err)
		}
	}

	r := parley.AnswerDialogRequest{Dialog: "5f0c21aa", Keys: []string{"down", "ENTER", "y", "2", "PageDown"}}
	if err := r.Validate(); err != nil || !slices.Equal(r.Keys, []string{"Down", "Enter", "y", "2", "PageDown"}) {
		t.Errorf("got %q, %v", r.Keys, err)
	}

	for _, r := range []parley.AnswerDialogRequest{
		{Keys: []string{"Enter"}},
		{Dialog: "5f0c21aa", Keys: []string{"Enter"}, Choice: "1"},
		{Dialog: "5f0c21aa", Keys: []string{"Enter"}, Text: "x"},
	} {
		if err := r.Validate(); parley.ErrorCode(err) != parley.InvalidArgument {
			t.Errorf("%+v: got %v", r, err)
		}
	}
}

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

// What a program draws is no evidence: neither its pictures nor its spinners, rules and bars.
func TestQuotedScreensHaveOnlyText(t *testing.T) {
	screen := []string{
		"⢀⣀⣠⣤⣤⣤   ⣠⣾⣿⣿⠿⠋", "▐▛███▜▌   Claude Code", "────────", "  ⠋ Thinking (3s)", "████▌ 45%", "", "  ⣾",
		"red\ttext \u202eback\x07", "Pane is dead (status 3, Thu Nov 26 12:39:49 2026)", "",
	}
	want := []string{"          Claude Code", "    Thinking (3s)", "      45%", "red text back"}
	if got := parley.ScreenEnd(screen, 12); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := parley.ScreenEnd(screen, 1); !slices.Equal(got, want[3:]) {
		t.Errorf("the last line is %q", got)
	}
}

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
