package arch_test

import (
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/must"
	"parley/op"
)

// The page has a row for each package of the program, and the plan has no package that is gone.
func TestArchitecturePageNamesThePackages(t *testing.T) {
	planned := slices.Sorted(maps.Keys(thePlan().plan))
	shipped := slices.DeleteFunc(slices.Clone(planned), func(room string) bool {
		return slices.Contains(thePlan().helpers, room)
	})
	if diff := cmp.Diff(shipped, theRows()); diff != "" {
		t.Errorf("internal/arch/imports.txt and docs/architecture.md (-plan +page):\n%s", diff)
	}

	for _, room := range planned {
		if files, err := fs.Glob(os.DirFS("."), room+"/*.go"); room != "." && (err != nil || len(files) == 0) {
			t.Errorf("internal/arch/imports.txt has a line for %s, in which there is no Go file", room)
		}
	}
}

func TestDeliveryPageNamesEveryReasonCode(t *testing.T) {
	page := must.Have(os.ReadFile("docs/delivery.md"))(t)

	for _, code := range parley.ReasonCodes() {
		if !strings.Contains(string(page), "`"+string(code)+"`") {
			t.Errorf("docs/delivery.md does not name %s", code)
		}
	}
}

// What a person can choose from by its name is explained where they look for it: no more, and no less.
func TestPagesNameEveryKindOfNeedAndEveryColumn(t *testing.T) {
	var kinds, columns []string
	for _, kind := range parley.NeedKinds() {
		kinds = append(kinds, string(kind))
	}
	for _, c := range op.AgentColumns {
		if c.Most > 0 {
			columns = append(columns, c.ID)
		}
	}

	for _, list := range []struct {
		page, after, end string
		want             []string
	}{
		{"docs/operator.md", "| kind | means |", "\n\n", kinds},
		{"docs/settings.md", "- `agent_columns`:", "\n", columns},
	} {
		_, rest, found := strings.Cut(string(must.Have(os.ReadFile(list.page))(t)), list.after)
		rest, _, _ = strings.Cut(rest, list.end)
		form := "(?m)^\\| `([a-z_]+)`"
		if list.end == "\n" {
			form = "`([a-z-]+)`"
		}
		var got []string
		for _, m := range regexp.MustCompile(form).FindAllStringSubmatch(rest, -1) {
			got = append(got, m[1])
		}
		slices.Sort(got)
		slices.Sort(list.want)
		if !found || !slices.Equal(got, list.want) {
			t.Errorf("%s has %q, want %q", list.page, got, list.want)
		}
	}
}
