package httpapi

import (
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/must"
)

// The table of errors in docs/interfaces.md has every code with its status.
func TestDocsListTheStatusOfEveryCode(t *testing.T) {
	page := string(must.Have(os.ReadFile("../docs/interfaces.md"))(t))
	got := map[parley.Code]int{}
	for _, row := range regexp.MustCompile("(?m)^\\| (\\d{3}) \\| (`[^|]*) \\|").FindAllStringSubmatch(page, -1) {
		status := must.Have(strconv.Atoi(row[1]))(t)
		for _, code := range regexp.MustCompile("`([A-Z_]+)`").FindAllStringSubmatch(row[2], -1) {
			got[parley.Code(code[1])] = status
		}
	}

	if diff := cmp.Diff(statuses, got); diff != "" {
		t.Errorf("docs/interfaces.md (-want +got):\n%s", diff)
	}
}
