package arch_test

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"parley/internal/must"
)

// sizeFile says how many lines are shipped, one record a line: the number, and the feature that paid for what came
// since the record before. The newest stands last.
const sizeFile = "internal/arch/size.txt"

// mostGrowth is how much of the recorded lines may be added before that must be recorded, with its reason.
const mostGrowth = 0.01

func TestGrowthIsPaidFor(t *testing.T) {
	records := strings.Split(strings.TrimSpace(string(must.Have(os.ReadFile(sizeFile))(t))), "\n")
	number, feature, _ := strings.Cut(records[len(records)-1], " ")
	recorded := must.Have(strconv.Atoi(number))(t)
	if feature == "" {
		t.Errorf("the last record of %s names no feature", sizeFile)
	}

	now := shippedLines(t, os.DirFS("."))
	if float64(now) > float64(recorded)*(1+mostGrowth) {
		t.Errorf("%d lines are shipped, %d are recorded: fold what came, or add a line with %d and the feature to %s",
			now, recorded, now, sizeFile)
	}
	t.Logf("%d lines are shipped, %+d since they were recorded", now, now-recorded)
}

func TestOnlyShippedLinesCount(t *testing.T) {
	house := fstest.MapFS{
		"agent.go":              {Data: []byte("package parley\n\n\n")},
		"agent_test.go":         {Data: []byte("package parley\n")},
		"internal/must/must.go": {Data: []byte("package must\n")},
		"lab/go.mod":            {Data: []byte("module lab\n")},
		"lab/agents/a.go":       {Data: []byte("package agents\n")},
		"tui/testdata/a.go":     {Data: []byte("package a\n")},
		"tui/a.go":              {Data: []byte("package tui\n")},
	}
	if got := shippedLines(t, house); got != 4 {
		t.Errorf("got %d lines, want 4", got)
	}
}

// shippedLines counts the lines of the files that the program is built of.
func shippedLines(t *testing.T, tree fs.FS) (lines int) {
	t.Helper()
	must.Do(t, fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (outside(tree, name) || slices.Contains(thePlan().helpers, name)):
			return fs.SkipDir
		case entry.IsDir() || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := fs.ReadFile(tree, name)
		lines += strings.Count(string(text), "\n")
		return err
	}))
	return lines
}
