package main

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"
)

func picture(t *testing.T, screen, secret string) string {
	t.Helper()
	got := draw("a <title>", hide(screen, secret))
	for d := xml.NewDecoder(strings.NewReader(got)); ; {
		if _, err := d.Token(); err == io.EOF {
			return got
		} else if err != nil {
			t.Fatalf("not well formed: %v in\n%s", err, got)
		}
	}
}

func TestATerminalBecomesTextInItsColours(t *testing.T) {
	got := picture(t, "\x1b[1;32mgood\x1b[0m  <b>\n\x1b[38;5;196mred \x1b[48;2;1;2;3m日本\x1b[0m\x1b[7mx\x1b[27m\n", "")
	for _, want := range []string{
		"<title>a &lt;title&gt;</title>", `width="99.6" height="60"`,
		`<text x="12" y="25" textLength="33.6" lengthAdjust="spacingAndGlyphs" fill="#7bd88f" font-weight="bold" xml:space="preserve">good</text>`,
		`<text x="62.4" y="25" textLength="25.2" lengthAdjust="spacingAndGlyphs" fill="#d8dee6" xml:space="preserve">&lt;b&gt;</text>`,
		`fill="#ff0000" xml:space="preserve">red</text>`,
		`<rect x="45.6" y="30" width="33.6" height="18" fill="#010203"/>`,
		`textLength="33.6" lengthAdjust="spacingAndGlyphs" fill="#ff0000" xml:space="preserve">日本</text>`,
		`<rect x="79.2" y="30" width="8.4" height="18" fill="#d8dee6"/>`,
		`fill="#15181d" xml:space="preserve">x</text>`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}

func TestHiddenTextKeepsTheColumns(t *testing.T) {
	got := picture(t, "at /tmp/p1234/demo now\n", "/tmp/p1234=~")
	if !strings.Contains(got, ">at ~/demo</text>") ||
		!strings.Contains(got,
			`<text x="171.6" y="25" textLength="25.2" lengthAdjust="spacingAndGlyphs" fill="#d8dee6" xml:space="preserve">now<`) {
		t.Errorf("the text is not hidden in\n%s", got)
	}
}

func TestColumnsBeginWhereTheyAre(t *testing.T) {
	got := picture(t, "\x1b[7mone two   three│four", "")
	for _, want := range []string{
		`<rect x="12" y="12" width="168" height="18"`, ">one two<", `x="96"`, ">three<", `x="138"`, ">│<", `x="146.4"`,
		">four<",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if n := strings.Count(got, "<rect"); n != 2 {
		t.Errorf("%d rectangles, want the frame and one below the text", n)
	}
}

func TestOtherSequencesAreDropped(t *testing.T) {
	got := picture(t, "a\x1b]8;;http://example.org\x1b\\b\x1b[2Jc\x1b[38mx\x1b[38;5md\x07\n", "")
	if strings.ContainsAny(got, "\x1b\x07") || strings.Contains(got, "example") {
		t.Errorf("a sequence came through in\n%s", got)
	}
}
