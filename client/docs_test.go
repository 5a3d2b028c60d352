package client_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"parley/internal/must"
)

// Each block of Go on the page is part of an example, which runs and whose output is
// compared. Indentation and blank lines may differ.
func TestClientPageShowsTheExamples(t *testing.T) {
	page := must.Have(os.ReadFile("../docs/client.md"))(t)

	source := must.Have(os.ReadFile("example_client_test.go"))(t)

	blocks := regexp.MustCompile("(?ms)^```go\n(.*?)^```").FindAllStringSubmatch(string(page), -1)
	if len(blocks) < 7 {
		t.Errorf("the page has %d blocks of Go, want 7 at least", len(blocks))
	}

	examples := squeezed(string(source))
	for _, block := range blocks {
		if !strings.Contains(examples, squeezed(block[1])) {
			t.Errorf("this is in no example:\n%s", block[1])
		}
	}
}

// squeezed returns Go code without what a formatter decides: spaces, line breaks, and the
// comma at the end of a list.
func squeezed(code string) string {
	code = strings.Join(strings.Fields(code), "")
	return strings.NewReplacer(",)", ")", ",}", "}").Replace(code)
}
