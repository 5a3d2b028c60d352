package tui

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The page on the screen lists the table of keys.
func TestDocsListTheKeys(t *testing.T) {
	const file, begin, end = "../docs/screen.md", "<!-- keys -->\n", "<!-- /keys -->"
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}

	before, rest, found := strings.Cut(string(page), begin)
	got, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no place for the keys", file)
	}

	want := "| where | key | does |\n|---|---|---|\n"
	for _, b := range bindings() {
		want += fmt.Sprintf("| %s | `%s` | %s |\n", scopeNames[b.scope], b.show, b.does)
	}

	if *update {
		if err := os.WriteFile(file, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the keys are told otherwise (-want +got), go test ./tui -run Docs -update writes them:\n%s", diff)
	}
}
