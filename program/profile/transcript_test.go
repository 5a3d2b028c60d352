package profile

import (
	"os"
	"strings"
	"testing"

	"parley/internal/must"
)

func TestBehindReturnsTextTypedAfterAMessage(t *testing.T) {
	for _, tt := range []struct {
		screen, want string
		shown        bool
		before       int
	}{
		{"nothing of it", "", false, 0},
		{"┃  [AGENT 1 TO AGENT 2]: hi\n┃  (operator · msg 1234abcd)\n┃", "", true, 0},
		{"┃  (operator · msg 1234abcd)half a thought\n┃", "half a thought", true, 0},
		{"┃  (operator · msg 1234abcd) half a thought          Context", "half a thought", true, 0},
		{"┃  (operator · msg 1234abcd · urgent)              Context", "", true, 0},
		{"│ (operator · msg 1234abcd) │", "", true, 0},
		{"(ann · msg 1234abcd · 900 characters, cut here: read it whole with\n  get_messages, or parley message " +
			"1234abcd)mine", "mine", true, 0},
		{"(ann · msg 1234abcd)\n● you wrote (ann · msg 1234abcd), and I have it", "", true, 0},
		{"› hi\n  (ann · msg 1234abcd)\n  mine\n\n• done", "mine", true, 0},
		{"› hi\n  (ann · msg 1234abcd)\n  ⎿  Not logged in", "", true, 0},
		{"› hi\n  (ann · msg 1234abcd)\n\n  mine", "", true, 0},
		{"› hi\n  (ann · msg 1234abcd)\n  \n  mine", "mine", true, 1},
		{"› hi\n  (ann · msg 1234abcd)\n\n\n  mine", "", true, 1},
		{"› hi\n  (ann · msg 1234abcd)\n", "", true, 1},
		{"msg 1234abcd and no end\n\n\n\n\n\n(here)", "", false, 0},
	} {
		got, shown := Behind(strings.Split(tt.screen, "\n"), "msg 1234abcd", tt.before)
		if got != tt.want || shown != tt.shown {
			t.Errorf("%q: got %q, %v; want %q, %v", tt.screen, got, shown, tt.want, tt.shown)
		}
	}
}

func TestShownIgnoresFramesAndBreaks(t *testing.T) {
	for screen, want := range map[string]bool{
		"> hello (operator · msg 1234abcd)":             true,
		"│ hello (operator · │\n│ msg 1234abcd)      │": true,
		"I answered msg 1234abcd":                       false,
		"nothing":                                       false,
	} {
		if got := Shown(strings.Split(screen, "\n"), "(operator · msg 1234abcd)"); got != want {
			t.Errorf("%q: got %v, want %v", screen, got, want)
		}
	}
	if got := Times([]string{"│ (ann · msg │", "│ 1234abcd) │", "you wrote (ann · msg 1234abcd)"},
		"msg 1234abcd"); got != 2 {
		t.Errorf("the mark is found %d times, want 2", got)
	}
	if Shown([]string{"anything"}, "") || Times([]string{"anything"}, "") != 0 {
		t.Error("every screen shows an empty text")
	}
}

func TestRowsAboveTheComposerLeaveItOut(t *testing.T) {
	set := must.Have(Builtin())(t)
	p := must.Have(set.Find("demo"))(t)
	rule := strings.Repeat("─", 20)
	rows, ok := p.Above([]string{"› said before", "", rule, "› in the composer", "· idle"})
	if got := strings.Join(rows, "|"); !ok || !strings.Contains(got, "said before") ||
		strings.Contains(got, "in the composer") {
		t.Errorf("got %q, %v", got, ok)
	}
	if rows, ok := p.Above([]string{"no composer here"}); ok {
		t.Errorf("a screen without a composer gives %q", rows)
	}
}

// The page about costs names every program whose use parley knows how to read.
func TestThePageAboutCostsNamesThePrograms(t *testing.T) {
	page := string(must.Have(os.ReadFile("../../docs/responders.md"))(t))
	set := must.Have(Builtin())(t)
	for _, name := range set.Names() {
		p := must.Have(set.Find(name))(t)
		name := strings.TrimPrefix(p.Summary, "OpenAI ")
		if p.Transcript.Name != "" && !strings.Contains(page, name) {
			t.Errorf("%s is not on it", name)
		}
	}
}
