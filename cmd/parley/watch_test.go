package main

import "testing"

func TestOnlyTextAndColoursOfATerminalAreShown(t *testing.T) {
	for line, want := range map[string]string{
		"plain  text":                           "plain  text",
		"\x1b[1;31mred\x1b[0m it":               "\x1b[1;31mred\x1b[0m it\x1b[m",
		"a\x1b]0;title\x07b\x1b]52;c;eA==\x07c": "abc",
		"a\x1b[2Jb\x1b[10;10Hc\x1bcd":           "abcd",
		"\x1b[>4mx\x1b[?25lx":                   "xx",
		"a\tb\x07\x9b31mc":                      "a    b31mc", // no valid text, and no sequence in UTF-8
		"日本 👩‍👩‍👧 \u202egnp":                    "日本 👩‍👩‍👧 gnp",
	} {
		if got := terminalLine(line); got != want {
			t.Errorf("%q is shown as %q, want %q", line, got, want)
		}
	}
}
