package client_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// Each block of Go on the page is part of an example, which runs and whose output is
// compared. Indentation and blank lines may differ.
func TestClientPageShowsTheExamples(t *testing.T) {
	page, err := os.ReadFile("../docs/client.md")
	if err != nil {
		t.Fatal(err)
	}

	source, err := os.ReadFile("example_client_test.go")
	if err != nil {
		t.Fatal(err)
	}

	blocks := regexp.MustCompile("(?ms)^```go\n(.*?)^```").FindAllStringSubmatch(string(page), -1)
	if len(blocks) < 7 {
		t.Errorf("the page has %d blocks of Go, want 7 at least", len(blocks))
	}

	for _, block := range blocks {
		if !strings.Contains(compact(string(source)), compact(block[1])) {
			t.Errorf("this is in no example:\n%s", block[1])
		}
	}
}

// compact removes indentation and blank lines.
func compact(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimLeft(line, "\t\n"))
	}
	return b.String()
}
