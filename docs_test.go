package parley_test

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"parley"

	"github.com/google/go-cmp/cmp"
)

// The table of packages in docs/architecture.md is the plan, without the helpers.
func TestArchitecturePageHasThePlan(t *testing.T) {
	page, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}

	want := map[string][]string{}
	for room, imports := range plan {
		if !slices.Contains(helpers, room) {
			want[room] = slices.Sorted(slices.Values(imports))
		}
	}

	got := pagePlan(string(page))
	for _, room := range slices.Sorted(maps.Keys(want)) {
		if _, ok := got[room]; !ok {
			t.Errorf("docs/architecture.md has no row for %s", room)
		}
	}
	for _, room := range slices.Sorted(maps.Keys(got)) {
		if diff := cmp.Diff(want[room], got[room]); diff != "" {
			t.Errorf("what %s may import (-arch_test.go +docs/architecture.md):\n%s", room, diff)
		}
	}
}

func TestDeliveryPageNamesEveryReasonCode(t *testing.T) {
	page, err := os.ReadFile("docs/delivery.md")
	if err != nil {
		t.Fatal(err)
	}

	for _, code := range parley.ReasonCodes() {
		if !strings.Contains(string(page), "`"+string(code)+"`") {
			t.Errorf("docs/delivery.md does not name %s", code)
		}
	}
}

// pagePlan reads the plan from the table of the page: package, what it owns, may import.
func pagePlan(page string) map[string][]string {
	quoted := regexp.MustCompile("`([^`]+)`")
	rooms := map[string][]string{}
	_, table, _ := strings.Cut(page, "<!-- packages -->")
	table, _, _ = strings.Cut(table, "<!-- /packages -->")
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		name := quoted.FindStringSubmatch(cells[0])
		if name == nil {
			continue
		}

		var imports []string
		last := cells[len(cells)-1]
		if strings.TrimSpace(last) == "everything" {
			imports = []string{"*"}
		}
		for _, m := range quoted.FindAllStringSubmatch(last, -1) {
			imports = append(imports, roomName(m[1]))
		}
		slices.Sort(imports)
		rooms[roomName(name[1])] = imports
	}

	return rooms
}

// roomName returns the plan's name of a package that the page names.
func roomName(name string) string {
	if name == "parley" {
		return "."
	}
	return name
}
