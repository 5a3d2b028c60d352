package tui

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/must"
)

// The page on the screen lists the table of keys.
func TestDocsListTheKeys(t *testing.T) {
	const file, begin, end = "../docs/screen.md", "<!-- keys -->\n", "<!-- /keys -->"
	page := must.Have(os.ReadFile(file))(t)

	before, rest, found := strings.Cut(string(page), begin)
	got, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no place for the keys", file)
	}

	want := "| where | key | does | action |\n|---|---|---|---|\n"
	for _, b := range bindings() {
		action := actionOf(&b)
		if action != "" {
			action = "`" + action + "`"
		}
		want += fmt.Sprintf("| %s | `%s` | %s | %s |\n", scopeName(b.Scope), b.Show, b.Does, action)
	}

	if *update {
		must.Do(t, os.WriteFile(file, []byte(before+begin+want+end+after), 0o644))
		return
	}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the keys are told otherwise (-want +got), go test ./tui -run Docs -update writes them:\n%s", diff)
	}
}
