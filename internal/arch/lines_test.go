package arch_test

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"parley/internal/must"
)

// widest is how many columns a line of code has at most, where a tab takes tabWidth. A line with a text between
// backticks may have more: what a field says of itself, SQL, a screen.
const (
	widest   = 120
	tabWidth = 4
)

func TestLinesFitTheWindow(t *testing.T) {
	for _, problem := range wideLines(t, os.DirFS(".")) {
		t.Error(problem)
	}
}

func TestWideLinesAreReported(t *testing.T) {
	long := strings.Repeat("é", widest)
	house := fstest.MapFS{
		"agent.go":        {Data: []byte("// " + long + "\n//\t" + long[:2*100] + "\n")},
		"tui/agents/a.go": {Data: []byte("var a = `\n" + long + "e\n`\nvar b = `" + long + "`\n\t" + long + "\n")},
		"tui/a_test.go":   {Data: []byte("\t// " + long[:2*(widest-3-tabWidth)] + "\n")},
	}
	want := []string{"agent.go:1: 123 columns, want 120 at most", "tui/agents/a.go:5: 124 columns, want 120 at most"}
	if got := wideLines(t, house); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// wideLines lists the lines of code with too many columns.
func wideLines(t *testing.T, tree fs.FS) (problems []string) {
	t.Helper()
	must.Do(t, fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && outside(tree, name):
			return fs.SkipDir
		case entry.IsDir() || path.Ext(name) != ".go":
			return nil
		}

		source, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}

		within := false // a text between backticks goes on
		number := 0
		for line := range strings.Lines(string(source)) {
			number++
			marks := strings.Count(line, "`")
			text := within || marks > 0
			within = within != (marks%2 == 1)
			if n := columns(strings.TrimRight(line, "\n")); n > widest && !text {
				problems = append(problems, fmt.Sprintf("%s:%d: %d columns, want %d at most", name, number, n, widest))
			}
		}

		return nil
	}))

	return problems
}

// columns returns how many columns a line takes.
func columns(line string) int {
	tabs := strings.Count(line, "\t") // they stand at its beginning
	return utf8.RuneCountInString(line) + tabs*(tabWidth-1)
}
