package arch_test

import (
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/internal/must"
)

// The plan has no row for a package that is gone.
func TestArchitecturePageNamesOnlyPackagesThatExist(t *testing.T) {
	for _, room := range slices.Sorted(maps.Keys(thePlan().plan)) {
		if files, err := fs.Glob(os.DirFS("."), room+"/*.go"); room != "." && (err != nil || len(files) == 0) {
			t.Errorf("docs/architecture.md has a row for %s, in which there is no Go file", room)
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
