package arch_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"

	"parley/internal/must"
)

// A house is what imports.txt says of the packages: what each may import of ours in files that are not tests, and
// which of them are only for tests. "." is the root package, "*" is every room. A package that is not there fails the
// test.
type house struct {
	plan    map[string][]string
	helpers []string // no program is built of them, not even by "*"
}

// thePlan reads imports.txt, whose second part is for tests and tools.
var thePlan = sync.OnceValue(func() house {
	text := readOrPanic("internal/arch/imports.txt")
	_, helpers, _ := strings.Cut(text, "# only for tests and tools")

	return house{plan: theImports(text), helpers: slices.Sorted(maps.Keys(theImports(helpers)))}
})

func readOrPanic(file string) string {
	b, err := os.ReadFile(file)
	if err != nil {
		panic(err)
	}
	return string(b)
}

var quotedName = regexp.MustCompile("`([^`]+)`")

// theRows returns the packages of the table of docs/architecture.md.
func theRows() []string {
	_, table, _ := strings.Cut(readOrPanic("docs/architecture.md"), "<!-- packages -->")
	table, _, _ = strings.Cut(table, "<!-- /packages -->")

	var rooms []string
	for line := range strings.Lines(table) {
		if name := quotedName.FindStringSubmatch(strings.Split(line+"||", "|")[1]); name != nil {
			rooms = append(rooms, roomName(name[1]))
		}
	}
	slices.Sort(rooms)

	return rooms
}

// theImports reads lines of a package, a colon, and what it may import.
func theImports(text string) map[string][]string {
	rooms := map[string][]string{}
	for line := range strings.Lines(text) {
		name, list, isPackage := strings.Cut(strings.TrimSpace(line), ":")
		if !isPackage || strings.HasPrefix(name, "#") {
			continue
		}

		imports := []string{}
		for _, imported := range strings.Fields(list) {
			imports = append(imports, roomName(imported))
		}
		if list == " everything" {
			imports = []string{"*"}
		}
		rooms[roomName(name)] = imports
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

// A door says which rooms may import a dependency, by the beginning of its path.
type door struct {
	dependency string
	rooms      []string // "*" is every room but the root
}

// doors are all the dependencies of the code that is shipped: a new one needs a
// door. The longest match decides.
var doors = []door{
	{"charm.land/", []string{
		"tui", "tui/kit", "tui/verb", "tui/room", "tui/agents", "tui/traffic", "tui/threads", "tui/needs", "tui/health", "tui/review", "tui/compose",
	}},
	{"github.com/charmbracelet/ultraviolet", []string{"lab/pictures"}},
	{"github.com/charmbracelet/x/ansi", []string{"*"}}, // the one answer to how wide a text is
	{"github.com/openai/openai-go", []string{"orchestrator/responder"}},
	{"github.com/pressly/goose", []string{"store/engine"}},
	{"gorm.io/", []string{"store/engine"}},
	{"github.com/glebarez/sqlite", []string{"store/engine"}},
	{"github.com/jackc/pgx", []string{"store/engine", "store/postgrestest"}},
	{"github.com/goccy/go-yaml", []string{"program/profile", "cmd/parley", "internal/daemon"}},
	{"github.com/google/go-cmp", []string{"internal/parleytest"}},
	{"github.com/google/jsonschema-go", []string{"op", "httpapi", "mcpserver", "cmd/parley"}},
	{"github.com/google/uuid", []string{".", "*"}},
	{"github.com/mark3labs/mcp-go", []string{"mcpserver"}},
	{"github.com/spf13/cobra", []string{"cmd/parley"}},
	{"github.com/spf13/pflag", []string{"cmd/parley"}},
	{"github.com/coder/websocket", []string{"httpapi"}},
	{"github.com/SherClockHolmes/webpush-go", []string{"internal/notify"}},
	{"github.com/prometheus/", []string{"httpapi"}},
	{"github.com/netresearch/go-cron", []string{"internal/when"}},
	{"rsc.io/qr", []string{"cmd/parley"}},
	{"github.com/chromedp/", []string{"internal/testpage"}},
	{"golang.org/x/text/unicode/norm", []string{".", "*"}},
	{"golang.org/x/", []string{"*"}},
}

// All tests read the repository from its top.
func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		panic(err)
	}
	m.Run()
}

// longest is where a file stops being one thought.
const longest = 400

func TestTheHouseFollowsItsPlan(t *testing.T) {
	for _, problem := range inspect(t, os.DirFS(".")) {
		t.Error(problem)
	}
}

// A house that breaks a rule is reported.
func TestThePlanIsHeld(t *testing.T) {
	for _, file := range must.Have(txtar.ParseFile("internal/arch/testdata/house/broken.txtar"))(t).Files {
		parts := strings.SplitN(string(file.Data), "\n", 3)
		expectProblems(t, parts[0], fstest.MapFS{file.Name: {Data: []byte(parts[2])}}, parts[1])
	}

	long := fstest.MapFS{"tmux/a.go": {Data: []byte("package tmux\n" + strings.Repeat("\n", longest))}}
	expectProblems(t, "long file", long, fmt.Sprintf("tmux/a.go: %d lines, want %d at most", longest+1, longest))
}

func TestThePlanLetsGoodCodePass(t *testing.T) {
	house := fstest.MapFS{"tmux/long_test.go": {Data: []byte("package tmux" + strings.Repeat("\n", 2*longest))}}
	for _, file := range must.Have(txtar.ParseFile("internal/arch/testdata/house/good.txtar"))(t).Files {
		house[file.Name] = &fstest.MapFile{Data: file.Data}
	}
	expectProblems(t, "a good house", house)
}

func expectProblems(t *testing.T, what string, house fs.FS, want ...string) {
	t.Helper()
	if got := inspect(t, house); !slices.Equal(got, want) {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

// inspect lists what a source tree breaks of the plan and of the house's habits.
func inspect(t *testing.T, tree fs.FS) []string {
	t.Helper()
	var problems []string
	strangers := map[string]bool{}
	must.Do(t, fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && outside(tree, name):
			return fs.SkipDir
		case entry.IsDir() || path.Ext(name) != ".go":
			return nil
		}

		if _, known := thePlan().plan[path.Dir(name)]; !known {
			strangers[path.Dir(name)] = true
			return nil
		}

		source, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}

		problems = append(problems, inspectFile(t, name, source)...)

		return nil
	}))

	for _, room := range slices.Sorted(maps.Keys(strangers)) {
		problems = append(problems, room+": not in the plan: give it a line in imports.txt and a row in docs/architecture.md")
	}

	return problems
}

// outside reports whether dir is no part of the module, by the go command's rules.
func outside(tree fs.FS, dir string) bool {
	if dir == "." {
		return false
	}
	if base := path.Base(dir); base[0] == '.' || base[0] == '_' || base == "testdata" {
		return true
	}
	_, err := fs.Stat(tree, path.Join(dir, "go.mod"))
	return err == nil
}

func inspectFile(t *testing.T, name string, source []byte) []string {
	t.Helper()
	fset := token.NewFileSet()
	file := must.Have(parser.ParseFile(fset, name, source, parser.SkipObjectResolution))(t)

	room := path.Dir(name)
	problems := mixedImports(fset, file)
	if strings.HasSuffix(name, "_test.go") {
		return append(problems, bareSkips(fset, file)...)
	}

	for _, spec := range file.Imports {
		if problem := inspectImport(room, unquote(spec)); problem != "" {
			problems = append(problems, name+": "+problem)
		}
	}

	if lines := fset.File(file.FileStart).LineCount(); lines > longest {
		problems = append(problems, fmt.Sprintf("%s: %d lines, want %d at most", name, lines, longest))
	}
	if !slices.Contains(thePlan().helpers, room) {
		problems = append(problems, sleeps(fset, file)...)
	}

	problems = append(problems, listedCodes(fset, file)...)
	return append(problems, inits(fset, file)...)
}

// inspectImport says why room may not import imported, or nothing.
func inspectImport(room, imported string) string {
	imported = local(imported)
	if imported == "parley" || strings.HasPrefix(imported, "parley/") {
		if mayEnter(room, path.Clean(strings.TrimPrefix(imported[len("parley"):], "/"))) {
			return ""
		}
		return room + " may not import " + imported
	}

	if first, _, _ := strings.Cut(imported, "/"); !strings.Contains(first, ".") {
		return "" // the standard library
	}

	d, found := doorOf(imported)
	switch {
	case !found:
		return imported + " has no door: give it one in arch_test.go"
	case slices.Contains(d.rooms, room), room != "." && slices.Contains(d.rooms, "*"):
		return ""
	}

	return imported + " has its door in " + strings.Join(d.rooms, ", ") + ", not in " + room
}

// mixedImports finds imports that stand right below one of another kind: the standard library's, others', and ours are
// parted by an empty line.
func mixedImports(fset *token.FileSet, file *ast.File) []string {
	var problems []string
	kind := func(spec *ast.ImportSpec) int {
		switch first, _, _ := strings.Cut(local(unquote(spec)), "/"); {
		case first == "parley":
			return 2
		case strings.Contains(first, "."):
			return 1
		}
		return 0
	}
	for i, spec := range file.Imports[min(1, len(file.Imports)):] {
		before := file.Imports[i]
		below := fset.Position(spec.Pos()).Line - fset.Position(before.Pos()).Line
		if below == 1 && kind(spec) != kind(before) {
			problems = append(problems, at(fset, spec)+unquote(spec)+" needs an empty line before it")
		}
	}
	return problems
}

func mayEnter(room, other string) bool {
	allowed := thePlan().plan[room]
	if slices.Contains(allowed, other) {
		return true
	}
	_, known := thePlan().plan[other]
	return known && slices.Contains(allowed, "*") && !slices.Contains(thePlan().helpers, other)
}

func doorOf(imported string) (best door, found bool) {
	for _, d := range doors {
		if strings.HasPrefix(imported, d.dependency) && len(d.dependency) > len(best.dependency) {
			best, found = d, true
		}
	}
	return best, found
}

func unquote(spec *ast.ImportSpec) string {
	imported, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		panic(err) // the parser has accepted it
	}
	return imported
}

// sleeps finds calls of time.Sleep, under whatever name time is imported.
func sleeps(fset *token.FileSet, file *ast.File) []string {
	name := ""
	for _, spec := range file.Imports {
		if unquote(spec) == "time" {
			name = "time"
			if spec.Name != nil {
				name = spec.Name.Name
			}
		}
	}

	var problems []string
	ast.Inspect(file, func(node ast.Node) bool {
		if s, ok := node.(*ast.SelectorExpr); ok && s.Sel.Name == "Sleep" {
			if x, ok := s.X.(*ast.Ident); ok && name != "" && x.Name == name {
				problems = append(problems, at(fset, s)+"time.Sleep: wait for a fact, with a deadline")
			}
		}
		return true
	})

	return problems
}

func inits(fset *token.FileSet, file *ast.File) []string {
	var problems []string
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
			problems = append(problems, at(fset, f)+"init(): let the caller ask for it")
		}
	}
	return problems
}

// bareSkips finds tests that step aside without saying why. A fuzz target may:
// that is how it turns an input down.
func bareSkips(fset *token.FileSet, file *ast.File) []string {
	var problems []string
	ast.Inspect(file, func(node ast.Node) bool {
		if f, ok := node.(*ast.FuncDecl); ok && strings.HasPrefix(f.Name.Name, "Fuzz") {
			return false
		}

		call, ok := node.(*ast.CallExpr)
		if !ok {
			return true
		}

		s, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}

		x, ok := s.X.(*ast.Ident)
		if !ok || !slices.Contains([]string{"t", "b", "f", "tb"}, x.Name) {
			return true
		}
		if s.Sel.Name == "SkipNow" || s.Sel.Name == "Skip" && noReason(call.Args) {
			problems = append(problems, at(fset, s)+x.Name+"."+s.Sel.Name+" without a reason")
		}

		return true
	})

	return problems
}

func noReason(args []ast.Expr) bool {
	if len(args) == 0 {
		return true
	}
	literal, ok := args[0].(*ast.BasicLit)
	return ok && len(args) == 1 && strings.Trim(literal.Value, "\"` ") == ""
}

func at(fset *token.FileSet, node ast.Node) string {
	p := fset.Position(node.Pos())
	return fmt.Sprintf("%s:%d: ", p.Filename, p.Line)
}

// local returns the path of a package as the plan has it, whatever the path of the module is.
func local(imported string) string {
	rest, ours := strings.CutPrefix(imported, module)
	if ours && (rest == "" || rest[0] == '/') {
		return "parley" + rest
	}
	return imported
}

// module is the path of the program's module.
var module = func() string {
	text, _ := os.ReadFile("../../go.mod") // without it nothing would be built
	first, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimPrefix(first, "module ")
}()
