package main

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// columnNames tells the columns of the table below apart.
const columnNames = "NAME ID STATE BRANCH NOTE"

// Whatever the widths of the cells, a table has no line that the terminal would break, keeps the columns that
// matter, and shows each note whole.
func TestTablesFitTheTerminal(t *testing.T) {
	names := []string{"a", "reviewer-of-the-whole-pay-api", "計画を立てる人計画を立てる人"}
	branches := []string{"", "parley/a", "feature/a-very-long-branch-name-for-the-rework-of-the-checkout"}
	notes := []string{"", "idle", "its program has been gone for 12 s. It goes when it runs again: parley restart " +
		"svc-3"}
	for _, width := range []int{60, 80, 100, 120, 200} {
		for _, name := range names {
			for _, branch := range branches {
				for _, note := range notes {
					tab := table{headed: true, fits: []fit{inner, spare, whole, inner, prose}}
					tab.add(strings.Fields(columnNames)...)
					tab.add("\x1b[1m"+name+"\x1b[0m", "5f0c21aa", "blocked", branch, note)
					lines := tab.lines(width)
					text := strings.Join(lines, "\n")
					for _, line := range lines {
						if got := ansi.StringWidth(line); got > width {
							t.Errorf("%d columns: a line has %d: %q", width, got, line)
						}
					}
					words := strings.Join(strings.Fields(ansi.Strip(text)), " ")
					for _, want := range []string{"NAME", "STATE", "blocked", lastWord(note)} {
						if !strings.Contains(words, want) {
							t.Errorf("%d columns: %q is missing in\n%s", width, want, text)
						}
					}
				}
			}
		}
	}
}

func lastWord(text string) string {
	words := strings.Fields(text)
	if len(words) == 0 {
		return ""
	}
	return words[len(words)-1]
}

func TestTheMiddleOfANameIsCut(t *testing.T) {
	for text, want := range map[string]string{
		"coder":                         "coder",
		"release-manager":               "rele…ager",
		"計画を立てる人":                       "計画…る人",
		"\x1b[1mrelease-manager\x1b[0m": "\x1b[1mrele…ager\x1b[0m",
	} {
		if got := cutMiddle(text, 9); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

// A fold keeps every word, the beginning of the line and the spaces inside it.
func TestLinesAreFoldedBetweenWords(t *testing.T) {
	got := hang("  dialog  coder: a question is open in its terminal", 20, 4)
	want := []string{"  dialog  coder: a", "    question is open", "    in its terminal"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := hang("see /a/path/that/is/longer/than/the/line now", 10, 2); strings.Join(got, "|") !=
		"see|  /a/path/that/is/longer/than/the/line|  now" {
		t.Errorf("got %q", got)
	}
}
