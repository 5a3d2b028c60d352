package profile_test

import (
	"testing"

	"parley/profile"
)

func TestHoldsOnlyRejectsOtherText(t *testing.T) {
	const text = "[AGENT 1a2b3c4d TO AGENT 5e6f7a8b]: please ⚙️ rebase\n(planner · msg 5f0c21aa)"
	for _, test := range []struct {
		composer string
		want     bool
	}{
		{text, true},
		{"[AGENT 1a2b3c4d TO AGENT\n5e6f7a8b]: please rebase (planner   msg 5f0c21aa)", true},
		{"rebase (planner · msg 5f0c21aa)", true}, // its beginning has scrolled away
		{text + "x", false},
		{"and " + text, false},
		{"half a thought", false},
		{"", false},
	} {
		if got := profile.HoldsOnly(test.composer, text); got != test.want {
			t.Errorf("%q: got %v, want %v", test.composer, got, test.want)
		}
	}
}

func TestComposedLettersAreTheSameText(t *testing.T) {
	const apart, composed = "cafe\u0301 300 \u212a", "caf\u00e9 300 K"
	if !profile.HoldsOnly(composed, apart) || !profile.HoldsOnly(apart, composed) {
		t.Error("a program that composes letters seems to hold another text")
	}
}

func TestRecomposingProgramTakesOnlyNFC(t *testing.T) {
	claude, codex := find(t, builtin(t), "claude"), find(t, builtin(t), "codex")
	for text, want := range map[string]bool{"caf\u00e9": true, "cafe\u0301": false, "300 \u212a": false} {
		if got := claude.Fits(text); got != want {
			t.Errorf("claude, %q: got %v, want %v", text, got, want)
		}
		if !codex.Fits(text) {
			t.Errorf("codex: %q does not fit", text)
		}
	}
}

func TestCollapsedOnlyRejectsTextNextToThePlaceholder(t *testing.T) {
	p := find(t, builtin(t), "claude")
	begins, err := builtin(t).With("begins", []byte(`markers: {paste: '\[Pasted text'}`))
	if err != nil {
		t.Fatal(err)
	}

	for _, test := range []struct {
		composer string
		want     bool
	}{
		{"[Pasted text #1 +12 lines]", true},
		{" [Pasted text #1 +12 lines] \n", true},
		{"look: [Pasted text #1 +12 lines]", false},
		{"[Pasted text #1 +12 lines] and", false},
		{"[Pasted text #1 +12 lines][Pasted text #2 +1 lines]", false},
		{"Pasted text", false},
		{"", false},
	} {
		if got := p.CollapsedOnly(test.composer); got != test.want {
			t.Errorf("%q: got %v, want %v", test.composer, got, test.want)
		}
		if got := find(t, begins, "begins").CollapsedOnly(test.composer); got != test.want {
			t.Errorf("a marker of the beginning, %q: got %v, want %v", test.composer, got, test.want)
		}
	}

	if new(profile.Profile).CollapsedOnly("[Pasted text #1]") {
		t.Error("a profile without the marker knows a placeholder")
	}
}

func TestMeasuresTellsPastesApart(t *testing.T) {
	const text = "one\ntwo\nth\u00e9"
	for placeholder, want := range map[string]bool{
		"[Pasted text #9 +2 lines]": true, "[Pasted ~3 lines]": true, "[Pasted Content 11 chars]": true,
		"[Pasted Content 12 chars]": true,
		"[Pasted text #2 +4 lines]": false, "[Pasted Content 1100 chars]": false, "[Saved pasted content]": false,
	} {
		if got := profile.Measures(placeholder, text); got != want {
			t.Errorf("%s: got %v, want %v", placeholder, got, want)
		}
	}
}
