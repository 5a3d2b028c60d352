package profile_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/must"
	"parley/program/profile"
)

// golden is the first line of a file in testdata. It has the cursor on the screen below it
// (-1: not recorded), and the expected results.
type golden struct {
	Width    int           `json:"width"`
	CursorX  int           `json:"cursor_x"`
	CursorY  int           `json:"cursor_y"`
	State    profile.State `json:"state"`
	Blocked  string        `json:"blocked"`  // the cause
	Composer *string       `json:"composer"` // null: not on the screen
}

// The screens of the real programs are in testdata/PROFILE/SIZE-WHAT.txt.
func TestScreensOfRealProgramsAreUnderstood(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.txt")
	if err != nil || len(files) < 140 {
		t.Fatalf("found %d screens, %v", len(files), err)
	}

	set := builtin(t)
	for _, file := range files {
		t.Run(strings.TrimSuffix(strings.TrimPrefix(file, "testdata/"), ".txt"), func(t *testing.T) {
			want, lines := readGolden(t, file)
			p := find(t, set, filepath.Base(filepath.Dir(file)))
			if got := p.Look(lines); got != want.State {
				t.Errorf("it looks %s, want %s", got, want.State)
			}
			if got := p.Read(profile.Screen{Lines: lines}).Cause; want.State == profile.Blocked && got != want.Blocked {
				t.Errorf("it is blocked by %q, want %q", got, want.Blocked)
			}

			text, ok := p.Composer(
				profile.Screen{Lines: lines, Width: want.Width, CursorX: want.CursorX, CursorY: want.CursorY},
			)
			if ok != (want.Composer != nil) {
				t.Fatalf("there is a composer: got %v (%q)", ok, text)
			}
			if ok && text != *want.Composer {
				t.Errorf("the composer\n got %q\nwant %q", text, *want.Composer)
			}
			if got, want := p.Collapsed(text), strings.Contains(file, "placeholder"); got != want {
				t.Errorf("a paste is shown by a placeholder: got %v, want %v", got, want)
			}
			if got, want := profile.Holds(text, "msg 5f0c21aa"), strings.Contains(file, "-ours"); got != want {
				t.Errorf("our text is there: got %v, want %v", got, want)
			}
		})
	}
}

func readGolden(t *testing.T, file string) (golden, []string) {
	t.Helper()
	text := must.Have(os.ReadFile(file))(t)
	head, screen, _ := strings.Cut(string(text), "\n")
	var want golden
	must.Do(t, json.Unmarshal([]byte(head), &want))
	return want, strings.Split(screen, "\n")
}
