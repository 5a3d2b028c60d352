package main

import (
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
