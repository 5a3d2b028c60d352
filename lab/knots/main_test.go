package main

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"parley/internal/must"
)

func TestAKnotIsFound(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.go":      "package p\n\nfunc a() { b() }\n",
		"b.go":      "package p\n\nimport \"os\"\n\nfunc b() { (&thing{}).c(); os.Exit(1) }\n",
		"c.go":      "package p\n\ntype thing struct{ size int }\n\nfunc (t *thing) c() { a() }\n",
		"d.go":      "package p\n\nvar d = a\nvar e = thing{}.size\n",
		"d_test.go": "package p\n\nvar _ = d\n",
	} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}

	g := must.Have(readPackage(dir))(t)
	if len(g) != 4 || g.arrows() != 5 || g.knot() != 3 || g.climbing() != 1 {
		t.Errorf("%d files, %d arrows, a knot of %d, %d climb: %v; want 4, 5, 3 and 1",
			len(g), g.arrows(), g.knot(), g.climbing(), g)
	}
}

// looseEnough is the largest knot that a package may have: a reader keeps so many files in mind.
const looseEnough = 8

// knotted are the packages that have a larger one. Each may only shrink.
var knotted = map[string]int{}

func TestPackagesHangTogetherLoosely(t *testing.T) {
	root := filepath.Join("..", "..")
	left := maps.Clone(knotted)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if n := d.Name(); n == "testdata" || n == "node_modules" || n == "lab" || path != root && n[0] == '.' && n != ".." {
			return filepath.SkipDir
		}
		g, err := readPackage(path)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(must.Have(filepath.Rel(root, path))(t))
		delete(left, name)
		if got, may := g.knot(), max(looseEnough, knotted[name]); got > may {
			t.Errorf("%s: %d files lead to each other, %d may; see go -C lab run ./knots ../%s", name, got, may, name)
		} else if knotted[name] > looseEnough && got < may {
			t.Errorf("%s: its knot shrank to %d; write that down here", name, got)
		}
		return nil
	})
	if err != nil || len(left) > 0 {
		t.Errorf("%v; these packages are gone: %v", err, left)
	}
}
