package arch_test

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"parley/internal/must"
)

// card names the libraries that parley promises to be made of, and the room that each is used in.
var card = map[string]string{
	"charm.land/bubbletea/v2":        "tui",
	"github.com/mark3labs/mcp-go":    "mcpserver",
	"gorm.io/gorm":                   "store",
	"github.com/glebarez/sqlite":     "store",
	"github.com/google/uuid":         ".",
	"github.com/openai/openai-go/v3": "orchestrator/responder",
}

func TestTheCardsLibrariesAreUsed(t *testing.T) {
	t.Parallel()
	module := string(must.Have(os.ReadFile("go.mod"))(t))
	for library, room := range card {
		required := regexp.MustCompile(`(?m)^\s*(require\s+)?` + regexp.QuoteMeta(library) + ` v\S+$`)
		if !required.MatchString(module) {
			t.Errorf("go.mod does not require %s, or only indirectly", library)
		}
		if !uses(t, room, library) {
			t.Errorf("no file of %s and below imports %s", room, library)
		}
	}
}

// uses reports whether a file of a room or below, other than a test, imports a library. Of the root, only its own
// files count.
func uses(t *testing.T, room, library string) bool {
	t.Helper()
	found := false
	must.Do(t, filepath.WalkDir(room, func(path string, d os.DirEntry, err error) error {
		if err != nil || found {
			return err
		}
		if d.IsDir() && room == "." && path != "." {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}

		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, i := range file.Imports {
			name, _ := strconv.Unquote(i.Path.Value)
			found = found || name == library || strings.HasPrefix(name, library+"/")
		}
		return nil
	}))

	return found
}
