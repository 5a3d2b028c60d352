package plain

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	words := []string{"to", "text", "priority", "in_reply_to"}
	for word, want := range map[string]string{
		"priorty":      "priority",
		"message_text": "text",
		"prior":        "priority",
		"PRIORITY":     "priority",
		"txt":          "text",
		"tp":           "to",
		"ot":           "to",
		"tetx":         "text",
		"reply_to":     "in_reply_to",
		"zebra":        "",
		"":             "",
		"subject":      "",
	} {
		if got := Nearest(word, words); got != want {
			t.Errorf("Nearest(%q) is %q, want %q", word, got, want)
		}
	}
}

// The comparison takes as long as the word times all candidates: 19 s for one of 1 MB and the names of 100 agents.
func TestLongWordsAreNotCompared(t *testing.T) {
	long := strings.Repeat("x", maxMisspelt)
	if got := Nearest(long+"reviewer", []string{"reviewer"}); got != "" {
		t.Errorf("%q is near a word of %d bytes", got, len(long)+8)
	}
	if got := Nearest("the reviewer", []string{"reviewer"}); got != "reviewer" {
		t.Errorf("got %q, want reviewer", got)
	}
}
