package profile_test

import (
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"parley/internal/must"
	"parley/program/profile"
)

func TestHoldsOnlyRejectsOtherText(t *testing.T) {
	const text = "[AGENT 1a2b3c4d TO AGENT 5e6f7a8b]: please ⚙️ rebase\n(planner · msg 5f0c21aa)"
	for composer, want := range map[string]bool{
		text: true,
		"[AGENT 1a2b3c4d TO AGENT\n5e6f7a8b]: please rebase (planner   msg 5f0c21aa)": true,
		// its beginning has scrolled away
		"rebase (planner · msg 5f0c21aa)": true,
		text + "x":                        false,
		"and " + text:                     false,
		"half a thought":                  false,
		"":                                false,
	} {
		if got := profile.HoldsOnly(composer, text); got != want {
			t.Errorf("%q: got %v, want %v", composer, got, want)
		}
	}
}

// Cline draws no more of a row than fits, though it has the rest.
func TestHoldsCutMissesALetterAtTheEdgeOfARow(t *testing.T) {
	const text = "[AGENT 1a2b3c4d TO AGENT 5e6f7a8b]: where the rows of this text jump end\n(planner · msg 5f0c21aa)"
	cut := strings.Replace(text, "jump end", "jump en", 1)
	for composer, want := range map[string]bool{
		text:                                   true,
		cut:                                    true,
		strings.TrimPrefix(cut, "[AGENT 1a2b"): true, // its beginning has scrolled away
		strings.TrimSuffix(text, "aa)") + "a":  true,
		strings.Replace(cut, "8b]: where", "8b]: wher", 1): true,
		strings.Replace(cut, "jump", "jum", 1):             false, // nobody cuts twice in a row
		strings.Replace(text, "jump end", "jump", 1):       false,
		strings.Replace(text, "jump end", "jump enx", 1):   false,
		cut + "x":    false,
		"and " + cut: false,
		cut + "世":    false,
		"half":       false,
		"":           false,
	} {
		if got := profile.HoldsCut(composer, text); got != want {
			t.Errorf("%q: got %v, want %v", composer, got, want)
		}
	}
}

// A person's text in another script is a draft like any other.
func TestHoldsOnlyRejectsTextInOtherScripts(t *testing.T) {
	const text = "[AGENT 1a2b3c4d TO AGENT 5e6f7a8b]: Grüße, пожалуйста 世界 🦊 한국\n(planner · msg 5f0c21aa)"
	for composer, want := range map[string]bool{
		text:                               true,
		strings.ReplaceAll(text, "世界", ""): true, // terminals may not draw it
		norm.NFD.String(text):              true,
		"│ " + text + " ▌":                 true,
		text + " подожди, не сейчас": false,
		text + "等一下":                 false,
		"だめ " + text:                 false,
		text + "世界":                  false, // once more than it has
	} {
		if got := profile.HoldsOnly(composer, text); got != want {
			t.Errorf("%q: got %v, want %v", composer, got, want)
		}
	}
}

// opencode leaves cells for an emoji that tmux 3.3a does not need, and letters of its hint stay there.
func TestHoldsOnlyForgivesWhatStaysBehindAJoinedEmoji(t *testing.T) {
	const text = "[AGENT 1a2b3c4d TO AGENT 5e6f7a8b]: well done 👨\u200d💻 you, हिन्दी too\n(planner · msg 5f0c21aa)"
	put := func(behind, more string) string { return strings.Replace(text, behind, behind+more, 1) }
	for composer, want := range map[string]bool{
		put("💻", "oj"):                    true,
		put("💻", "  oj "):                 true,
		put("💻", "yo"):                    true, // as the word behind it begins
		put("💻", "o"):                     true,
		strings.Replace(text, "💻", "", 1): true,
		put("हिन्दी", "jec"):              true,
		strings.TrimPrefix(put("💻", "oj"), "[AGENT 1a2b3c4d TO "): true,
		put("💻", "हि"):                                true, // as the word behind it begins
		put("💻", "да"):                                false,
		put("💻", "ojk"):                               false,
		put("done", "oj"):                             false,
		put("you", "oj"):                              false,
		put("planner", "oj"):                          false,
		put("5f0c21aa)", "oj"):                        false,
		strings.Replace(text, "you", "yo", 1):         false,
		strings.Replace(put("💻", "oj"), "you", "", 1): false,
		"oj" + text:                                   false,
	} {
		if got := profile.HoldsOnly(composer, text); got != want {
			t.Errorf("%q: got %v, want %v", composer, got, want)
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

func TestTextThatGarblesTheScreenIsAnnouncedWithoutThat(t *testing.T) {
	copilot, codex := find(t, builtin(t), "copilot"), find(t, builtin(t), "codex")
	for text, want := range map[string]string{
		"Grüße, 世界 🦊 👩\u200d💻 é": "",
		"👍🏽 good":                "good", "go हिन्दी भाषा on": "go on", "👍🏽": "", "soft\u00adly said": "said",
	} {
		if got := copilot.Fits(text); got != (want == "" && text != "👍🏽") {
			t.Errorf("copilot, %q: fits: %v", text, got)
		}
		if got := copilot.Showable(text); !copilot.Fits(text) && got != want {
			t.Errorf("copilot shows %q of %q, want %q", got, text, want)
		}
		if !codex.Fits(text) || codex.Showable(text) != text {
			t.Errorf("codex does not take %q", text)
		}
	}
}

func TestCollapsedOnlyRejectsTextNextToThePlaceholder(t *testing.T) {
	p := find(t, builtin(t), "claude")
	begins := must.Have(builtin(t).With("begins", []byte(`markers: {paste: '\[Pasted text'}`)))(t)

	for composer, want := range map[string]bool{
		"[Pasted text #1 +12 lines]":                          true,
		" [Pasted text #1 +12 lines] \n":                      true,
		"look: [Pasted text #1 +12 lines]":                    false,
		"[Pasted text #1 +12 lines] and":                      false,
		"[Pasted text #1 +12 lines] подожди":                  false,
		"等一下[Pasted text #1 +12 lines]":                       false,
		"[Pasted text #1 +12 lines][Pasted text #2 +1 lines]": false,
		"Pasted text": false,
		"":            false,
	} {
		if got := p.CollapsedOnly(composer); got != want {
			t.Errorf("%q: got %v, want %v", composer, got, want)
		}
		if got := find(t, begins, "begins").CollapsedOnly(composer); got != want {
			t.Errorf("a marker of the beginning, %q: got %v, want %v", composer, got, want)
		}
	}

	if new(profile.Profile).CollapsedOnly("[Pasted text #1]") {
		t.Error("a profile without the marker knows a placeholder")
	}
}

// A narrow composer wraps what stands in place of a long paste. Each program's own is still known.
func TestAWrappedPlaceholderIsOne(t *testing.T) {
	for name, placeholder := range map[string]string{
		"claude": "[Pasted text #1 +12 lines]", "codex": "[Pasted Content 1100 chars]",
		"gemini":  "[Pasted Text: 12 lines]",
		"copilot": "[Paste #1 - 12 lines]", "opencode": "[Pasted ~12 lines]", "kilo": "[Pasted ~12 lines]",
		"qwen": "[Pasted Content 1100 chars]", "pi": "[paste #1 +12 lines]", "kimi": "[paste #1 1999 chars]",
		"omp": "📄 #1", "grok": "[Pasted: 12 lines]", "cline": "[[AGENT 0 TO AGENT 1]: words... Pasted +14 lines]",
		"droid": "[row 1 abcdefghij... 45 lines]",
	} {
		p := find(t, builtin(t), name)
		for i, r := range placeholder {
			if r != ' ' {
				continue
			}
			if wrapped := placeholder[:i] + "\n  " + placeholder[i+1:]; !p.CollapsedOnly(wrapped) ||
				!p.Collapsed("so: "+wrapped) {
				t.Errorf("%s: %q is not known", name, wrapped)
			}
		}
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
