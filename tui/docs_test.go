package tui

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/must"
	"parley/tui/verb"
)

// boxes are where a line is written: they show their own keys, and the page leaves those out.
var boxes = []string{"Writing", "Choosing recipients", "Command palette", "Filtering messages", "Filtering a list",
	"Text prompt", "Launching an agent", "Conversations from before", "Question", "Merging"}

// The page on the screen lists the table of verbs, each with its key and its names in the settings, or where it is.
func TestDocsListTheKeys(t *testing.T) {
	const file, begin, end = "../docs/screen.md", "<!-- keys -->\n", "<!-- /keys -->"
	page := must.Have(os.ReadFile(file))(t)

	before, rest, found := strings.Cut(string(page), begin)
	got, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no place for the keys", file)
	}

	want := "| key | does | action, or else where |\n|---|---|---|\n"
	for _, r := range verb.All() {
		var where, actions []string
		for _, b := range bindings() {
			if !slices.Contains(b.Verbs, r.Name) {
				continue
			}
			if name := scopeName(b.Scope); !slices.Contains(where, name) {
				where = append(where, name)
			}
			if action := actionOf(&b); action != "" && b.Verbs[0] == r.Name {
				actions = append(actions, "`"+action+"`")
			}
		}
		if !slices.ContainsFunc(where, func(name string) bool { return !slices.Contains(boxes, name) }) {
			continue
		}
		if r.Asks {
			r.Does += "; asks first"
		}
		if len(actions) == 0 {
			actions = where
		}
		want += fmt.Sprintf("| `%s` | %s | %s |\n", r.Keys, r.Does, strings.Join(actions, ", "))
	}

	if *update {
		must.Do(t, os.WriteFile(file, []byte(before+begin+want+end+after), 0o644))
		return
	}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the keys are told otherwise (-want +got), go test ./tui -run Docs -update writes them:\n%s", diff)
	}
}
