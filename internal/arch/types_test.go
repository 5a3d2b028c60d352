package arch_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
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

// A type with more does more than one thing. What its embedded fields lend it counts, and so does a function whose
// first parameter, after a context, is a value of the type or a pointer to one: a type that only wraps another one to
// hold more methods is no smaller.
const (
	mostMethods = 30
	mostFields  = 20 // of a struct that is not a record: those of the wire, of files and of tables have tags
)

// large are the types with more methods, and how many they have: none may be added, and what is gone is taken off here.
var large = map[string]int{
	"internal/parleytest.fixture": 164,
	"internal/story.telling":      34,
	"orchestrator/team.Member":    36,
}

// records are rows that are read from a database or from tmux, without tags.
var records = []string{"store.foundEvent", "tmux.PaneInfo"}

func TestTypesDoOneThing(t *testing.T) {
	_, problems := bigTypes(t, os.DirFS("."), large)
	for _, problem := range problems {
		t.Error(problem)
	}
}

func TestBigTypesAreReported(t *testing.T) {
	house := fstest.MapFS{
		"tmux/c.go": {Data: []byte("package tmux\ntype PaneInfo struct{ " + fields(mostFields+1) + "int }\n" +
			"type Wide struct{ Calm[int]; " + fields(mostFields) + "int }\ntype Full struct{ " + fields(mostFields) +
			"int }\n" +
			"type Wire struct{ " + fields(mostFields+1) + "int `json:\"-\"` }\n")},
		"tmux/a.go": {Data: []byte("package tmux\ntype Busy struct{}\n" + methods("a", mostMethods))},
		"tmux/b.go": {Data: []byte("package tmux\nimport \"parley/tui\"\n" +
			"type Calm[T any] struct{}\nfunc (*Calm[T]) a() {}\nfunc b(w *Wide) {}\n" +
			"func c(ctx context.Context, b *Busy, n int) {}\nfunc d(n int, b *Busy) {}\n" +
			"func e(b Busy) {}\ntype coat struct{ *tui.Key }\nfunc (coat) a() {}\n")},
		"tui/a.go": {Data: []byte("package tui\ntype Key struct{}\nfunc (*Key) A() {}\n")},
	}
	counts, problems := bigTypes(t, house, map[string]int{"tmux.Calm": 3})
	if counts["tmux.Busy"] != mostMethods+2 || counts["tmux.Calm"] != 1 || counts["tmux.coat"] != 2 {
		t.Errorf("counted %v", counts)
	}
	want := []string{"tmux.Wide has 21 fields, want 20 at most", "tmux.Busy has 32 methods, want 30 at most",
		"tmux.Calm has 1 methods: take it off the list of large types, or lower its number"}
	if !slices.Equal(problems, want) {
		t.Errorf("got %q, want %q", problems, want)
	}
}

// fields returns names of n fields of one type.
func fields(n int) string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprint("f", i)
	}
	return strings.Join(names, ", ") + " "
}

func methods(prefix string, n int) string {
	var all strings.Builder
	for i := range n {
		fmt.Fprintf(&all, "func (*Busy) %s%d() {}\n", prefix, i)
	}
	return all.String()
}

// bigTypes counts the methods of each type that has some, and lists the types with too many of them or
// too many fields. large may have more methods.
func bigTypes(t *testing.T, tree fs.FS, large map[string]int) (counts map[string]int, problems []string) {
	t.Helper()
	counts = map[string]int{}
	functions := map[string]int{} // over a type
	packages := sources{tree: tree, set: token.NewFileSet(), known: map[string]*types.Package{}}
	must.Do(t, fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && outside(tree, name):
			return fs.SkipDir
		case entry.IsDir():
			must.Do(t, packages.countSets(name, counts))
			return nil
		case path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
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
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil {
				functions[path.Dir(name)+"."+over(f)]++
			}
		}

		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			full := path.Dir(name) + "." + spec.Name.Name
			if n := fieldsOf(spec); n > mostFields && !slices.Contains(records, full) {
				problems = append(problems, fmt.Sprintf("%s has %d fields, want %d at most", full, n, mostFields))
			}
			return true
		})

		return nil
	}))

	for _, name := range slices.Sorted(maps.Keys(counts)) {
		counts[name] += functions[name]
		switch most := max(large[name], mostMethods); {
		case counts[name] > most:
			problems = append(problems, fmt.Sprintf("%s has %d methods, want %d at most", name, counts[name], most))
		case counts[name] < large[name]:
			problems = append(problems, fmt.Sprintf("%s has %d methods: take it off the list of large types, or "+
				"lower its number",
				name, counts[name]))
		}
	}

	return counts, problems
}

// fieldsOf returns how many fields a struct has that is not a record, 0 for other types.
func fieldsOf(spec *ast.TypeSpec) int {
	s, ok := spec.Type.(*ast.StructType)
	if !ok {
		return 0
	}
	n := 0
	for _, f := range s.Fields.List {
		if f.Tag != nil {
			return 0
		}
		n += max(1, len(f.Names))
	}
	return n
}

// sources are packages as far as their own files tell: of those of others, only the names are known.
type sources struct {
	tree  fs.FS
	set   *token.FileSet
	known map[string]*types.Package
}

// Import reads a package of this module.
func (s sources) Import(name string) (*types.Package, error) {
	if p := s.known[name]; p != nil {
		return p, nil
	}

	var files []*ast.File
	dir, ours := strings.CutPrefix(local(name)+"/", "parley/")
	paths, _ := fs.Glob(s.tree, path.Join(dir, "*.go"))
	for _, file := range paths {
		if source, err := fs.ReadFile(s.tree, file); ours && err == nil && !strings.HasSuffix(file, "_test.go") {
			f, err := parser.ParseFile(s.set, file, source, parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			files = append(files, f)
		}
	}

	config := types.Config{Error: func(error) {}, Importer: s}
	p, _ := config.Check(name, s.set, files, nil) // what it cannot know is no error here
	s.known[name] = p
	p.MarkComplete()

	return p, nil
}

// countSets counts the method sets of the types of a directory, without interfaces.
func (s sources) countSets(dir string, counts map[string]int) error {
	p, err := s.Import(path.Join("parley", dir))
	if err != nil {
		return err
	}
	for _, name := range p.Scope().Names() {
		named, ok := p.Scope().Lookup(name).Type().(*types.Named)
		if !ok || types.IsInterface(named) || named.Obj().Name() != name {
			continue
		}
		if n := types.NewMethodSet(types.NewPointer(named)).Len(); n > 0 {
			counts[dir+"."+name] = n
		}
	}
	return nil
}

// over returns the type of a function's first parameter, after a context: of the package, or a pointer to one.
func over(f *ast.FuncDecl) string {
	for _, p := range f.Type.Params.List {
		if s, ok := p.Type.(*ast.SelectorExpr); ok && s.Sel.Name == "Context" {
			continue
		}
		return receiver(p.Type)
	}
	return ""
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
