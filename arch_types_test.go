package parley_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"parley/internal/must"
)

// mostMethods is where a type does more than one thing.
const mostMethods = 40

func TestTypesDoOneThing(t *testing.T) {
	_, problems := manyMethods(t, os.DirFS("."))
	for _, problem := range problems {
		t.Error(problem)
	}
}

func TestTypesWithManyMethodsAreReported(t *testing.T) {
	house := fstest.MapFS{
		"tmux/a.go": {Data: []byte("package tmux\ntype Busy struct{}\n" + methods("a", mostMethods))},
		"tmux/b.go": {Data: []byte("package tmux\ntype Calm[T any] struct{}\nfunc (*Calm[T]) a() {}\n" + methods("b", 1))},
	}
	counts, problems := manyMethods(t, house)
	if counts["tmux.Busy"] != mostMethods+1 || counts["tmux.Calm"] != 1 {
		t.Errorf("counted %v", counts)
	}
	if want := []string{"tmux.Busy has 41 methods, want 40 at most"}; !slices.Equal(problems, want) {
		t.Errorf("got %q, want %q", problems, want)
	}
}

func methods(prefix string, n int) string {
	var all strings.Builder
	for i := range n {
		fmt.Fprintf(&all, "func (*Busy) %s%d() {}\n", prefix, i)
	}
	return all.String()
}

// manyMethods counts the methods of each type that is shipped, and lists the types with too many.
func manyMethods(t *testing.T, tree fs.FS) (counts map[string]int, problems []string) {
	t.Helper()
	counts = map[string]int{}
	must.Do(t, fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && outside(tree, name):
			return fs.SkipDir
		case entry.IsDir() || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}

		source, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv != nil {
				counts[path.Dir(name)+"."+receiver(f.Recv.List[0].Type)]++
			}
		}

		return nil
	}))

	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if counts[name] > mostMethods {
			problems = append(problems, fmt.Sprintf("%s has %d methods, want %d at most", name, counts[name], mostMethods))
		}
	}

	return counts, problems
}

// receiver returns the name of a method's type.
func receiver(expr ast.Expr) string {
	switch e := expr.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
