package plain

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	const england = "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f" // its flag

	for raw, want := range map[string]string{
		"plain":                           "plain",
		"a\r\nb\rc\u2028d\u2029e":         "a\nb\nc\nd\ne",
		"tab\tstays":                      "tab\tstays",
		"\x1b[31mred\x1b[0m":              "[31mred[0m",
		"a\x1b[201~b":                     "a[201~b",
		"nul\x00bel\x07del\x7fbs\b":       "nulbeldelbs",
		"c1\u009b31m\u0085x":              "c131mx",
		"bad\xff\xfeutf8\xc3":             "badutf8",
		"\ufffd":                          "",
		"abc\u202edef\u2066ghi\u2069":     "abcdefghi",
		"lrm\u200erlm\u200falm\u061c":     "lrmrlmalm",
		"end  \n\n \t":                    "end",
		"  indented":                      "  indented",
		"\n\nlater":                       "\n\nlater",
		" \n\t ":                          "",
		"a\u200bb\u2060c\ufeffd\u00ade":   "abcde",
		"x\U000e0041\U000e0042\u3164y":    "xy",
		"a\u200db\u200cc\ufe0f":           "abc",
		"می\u200cخواهم क्\u200dष":         "می\u200cخواهم क्\u200dष",
		"❤\ufe0f\u200d🔥 1\ufe0f\u20e3":    "❤\ufe0f\u200d🔥 1\ufe0f\u20e3",
		"🙂\ufe0f\ufe0f\u200d\u200d":       "🙂\ufe0f",
		"👩🏽\u200d💻 葛\U000e0100":           "👩🏽\u200d💻 葛\U000e0100",
		england:                           england,
		"🏴\U000e0068\U000e0069\U000e007f": "🏴",
		"":                                "",
		"語🙂👩‍👩‍👧 e\u0301":                 "語🙂👩‍👩‍👧 e\u0301",
	} {
		if got := Clean(raw); got != want {
			t.Errorf("Clean(%q) is %q, want %q", raw, got, want)
		}
	}
}

func TestVisible(t *testing.T) {
	for text, want := range map[string]bool{
		"a":                  true,
		"語":                  true,
		" .":                 true,
		"🙂":                  true,
		"":                   false,
		" \n\t\u00a0":        false,
		"\u200b\u2060\ufeff": false,
		"\u00ad":             false,
		"\u3164":             false,
		"\U000e0041":         false,
	} {
		if got := Visible(text); got != want {
			t.Errorf("Visible(%q) is %t, want %t", text, got, want)
		}
	}
}

func TestCleanLine(t *testing.T) {
	if got, want := CleanLine("  two\r\nlines\tand\x1b a tab \n"), "two lines and a tab"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTruncate(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want string
	}{{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"語語語", 2, "語…"}, {"abc", 1, "…"}, {"abc", 0, ""}, {"abc", -1, ""}, {"", 0,
		""}} {
		if got := Truncate(c.text, c.n); got != c.want {
			t.Errorf("Truncate(%q, %d) is %q, want %q", c.text, c.n, got, c.want)
		}
	}
}

func FuzzClean(f *testing.F) {
	for _, seed := range []string{"hello", "a\x1b[201~\r\nb", "\u202e\xff\x9b", "\u2028 \n", "\x00", "e\u0301\u200d"} {
		f.Add(seed)
	}

	f.Fuzz(func(t *testing.T, raw string) {
		got := Clean(raw)
		if !utf8.ValidString(got) {
			t.Errorf("Clean(%q) is not UTF-8: %q", raw, got)
		}

		for _, r := range got {
			if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' ||
				r == '\u2029' {
				t.Errorf("Clean(%q) holds %U", raw, r)
			}
		}

		if strings.TrimRightFunc(got, unicode.IsSpace) != got {
			t.Errorf("Clean(%q) ends in blanks: %q", raw, got)
		}
		if again := Clean(got); again != got {
			t.Errorf("Clean is not at rest: %q, then %q", got, again)
		}
		if utf8.RuneCountInString(got) > utf8.RuneCountInString(raw) {
			t.Errorf("Clean(%q) is longer: %q", raw, got)
		}
		if line := CleanLine(raw); strings.ContainsAny(line, "\n\t") {
			t.Errorf("CleanLine(%q) is %q", raw, line)
		}
	})
}

// What a person would not see, or see elsewhere, stands there as its number; what a text needs stays.
func TestRevealShowsWhatIsHidden(t *testing.T) {
	eachCharacter(func(r rune) {
		shown := Reveal("a" + string(r) + "b")
		hides := isBidi(r) || isIgnorable(r) || r == '\u2028' || r == '\u2029'
		if hides && shown != fmt.Sprintf("a<U+%04X>b", r) {
			t.Errorf("%U is shown as %q", r, shown)
		}
		if unicode.IsControl(r) && r != '\n' && r != '\t' && strings.ContainsRune(shown, r) && r != '\r' {
			t.Errorf("%U is kept", r)
		}
	})
	for text, want := range map[string]string{
		"  two  ": "  two  ", "👩\u200d👩\u200d👧": "👩\u200d👩\u200d👧", "c\u200blean": "c<U+200B>lean",
		"\u202egpj.exe": "<U+202E>gpj.exe",
	} {
		if got := Reveal(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}
