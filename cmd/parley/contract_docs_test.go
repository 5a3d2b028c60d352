package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"parley/internal/must"
)

var update = flag.Bool("update", false, "write the generated parts of the docs")

// The page names the test of each call, field and rule. It is generated from the scenes.
func TestThePageOnTheContractIsAsTheTestsSay(t *testing.T) {
	around := must.Have(txtar.ParseFile("testdata/contract/page.txtar"))(t)

	known := testsOf(t, "../..")
	var page strings.Builder
	page.Write(around.Files[0].Data)
	for _, c := range chapters(t) {
		c.check(t, known)
		page.WriteString(c.markdown())
	}

	page.Write(around.Files[1].Data)
	if *update {
		must.Do(t, os.WriteFile("../../docs/measured/contract.md", []byte(page.String()), 0o644))
	}

	if got, err := os.ReadFile("../../docs/measured/contract.md"); err != nil || string(got) != page.String() {
		t.Errorf("docs/measured/contract.md is not up to date (%v); "+
			"run: go test ./cmd/parley -run TestThePageOnTheContract -update", err)
	}
}

// chapters are those of the page, in its order.
func chapters(t *testing.T) (all []*chapter) {
	for _, name := range []string{"client", "special", "system", "tools", "message"} {
		all = append(all, readChapter(t, name))
	}
	return append(all, codesChapter(t), badChapter(t))
}

// codesChapter adds the table of error codes, from the tables of the tests.
func codesChapter(t *testing.T) *chapter {
	c := readChapter(t, "codes")
	about := "\n\n| code | status | by | call |\n|---|---|---|---|\n"
	for _, f := range append(failures(&stage{}), faults(&stage{})...) {
		by, without, why := []string{}, []string{}, ""
		for _, face := range failingFaces {
			if reason := f.never[face.name]; reason != "" {
				without, why = append(without, face.name), reason
				continue
			}
			by = append(by, face.name)
		}

		faces := "all four"
		switch {
		case len(without) == 1:
			faces = "all but " + without[0] + ": " + why
		case len(by) == 0:
			faces = "none: " + why
		case len(without) > 1:
			faces = strings.Join(by, ", ") + ": it keeps a daemon from starting"
		}

		status, call := "", f.op
		if f.status != 0 {
			status = fmt.Sprint(f.status)
		}
		if call == "" && f.cli != nil {
			call = "parley " + f.cli[0]
		}
		if call != "" {
			call = "`" + call + "`"
		}

		about += fmt.Sprintf("| `%s` | %s | %s | %s |\n", f.code, status, faces, call)
	}

	c.about += strings.TrimRight(about, "\n")

	return c
}

// badChapter adds the names of the scenes to the text.
func badChapter(t *testing.T) *chapter {
	c := readChapter(t, "bad")
	var names []string
	for _, s := range c.play.scenes {
		names = append(names, s.name)
	}
	c.about += " " + strings.Join(names, "; ") + "."
	return c
}

// check reports calls that no scene makes, members that no scene shows, and rules
// without an existing test.
func (c *chapter) check(t *testing.T, known map[string]bool) {
	t.Helper()
	if c.test != "" && !known["cmd/parley."+c.test] {
		t.Errorf("%s: there is no test %s", c.title, c.test)
	}

	for _, call := range c.calls {
		if len(c.scenes(call.op)) == 0 {
			t.Errorf("%s: %s is in no scene", c.title, call.op)
		}

		takes, gives := map[string]bool{}, map[string]bool{}
		for _, s := range c.play.scenes {
			if s.op == call.op {
				paths(s.args, takes)
				paths(s.want, gives)
			}
		}

		for _, name := range strings.Fields(call.takes) {
			if !takes[name] {
				t.Errorf("%s: no scene gives %s the parameter %s", c.title, call.op, name)
			}
		}

		for _, name := range strings.Fields(call.gives) {
			if !gives[name] {
				t.Errorf("%s: no scene looks for %s in the answer of %s", c.title, name, call.op)
			}
		}
	}

	for _, r := range c.rules {
		if len(r.held) == 0 {
			t.Errorf("%s: no test holds %q", c.title, r.says)
		}

		for _, test := range r.held {
			if !known[test] {
				t.Errorf("%s: there is no test %s", c.title, test)
			}
		}
	}
}

// scenes returns the names of the scenes of a call: those that begin with its name,
// and those that make it and begin with no other call's name.
func (c *chapter) scenes(op string) []string {
	if c.play == nil {
		return nil
	}

	isCall := func(word string) bool {
		return slices.ContainsFunc(c.calls, func(call shownCall) bool { return call.op == word })
	}

	var names []string
	for _, s := range c.play.scenes {
		first, _, _ := strings.Cut(s.name, " ")
		if first == op || s.op == op && !isCall(first) {
			names = append(names, s.name)
		}
	}

	return names
}

// paths collects the paths of all members of a JSON value.
func paths(text string, into map[string]bool) {
	var v any
	if json.Unmarshal([]byte(text), &v) == nil {
		collect("", v, into)
	}
}

func collect(at string, v any, into map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			path := strings.TrimPrefix(at+"."+name, ".")
			into[path] = true
			collect(path, value, into)
		}
	case []any:
		for _, value := range v {
			collect(at, value, into)
		}
	}
}

func (c *chapter) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n## %s\n\n%s\n", c.title, c.about)
	if len(c.calls) > 0 {
		fmt.Fprintf(&b, "\nThe calls are subtests of `%s`: by REST, by MCP and by the Go client.\n\n", c.test)
		b.WriteString("| call | takes | gives | tests |\n|---|---|---|---|\n")
	}

	for _, call := range c.calls {
		scenes := strings.Join(c.scenes(call.op), "; ")
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", call.op, quoted(call.takes), quoted(call.gives), scenes)
	}

	if len(c.rules) > 0 {
		b.WriteString("\n| rule | tests |\n|---|---|\n")
	}

	for _, r := range c.rules {
		fmt.Fprintf(&b, "| %s | `%s` |\n", r.says, strings.Join(r.held, "`, `"))
	}

	return b.String()
}

func quoted(names string) string {
	fields := strings.Fields(names)
	if len(fields) == 0 {
		return "–"
	}
	return "`" + strings.Join(fields, "`, `") + "`"
}

// suiteRoom is the package of the cases that every implementation of the service passes.
const suiteRoom = "internal/parleytest"

// testsOf finds all tests of the module: package.Test, and package.Test/name for every
// string of the same file. The cases of parleytest are those of TestService.
func testsOf(t *testing.T, root string) map[string]bool {
	t.Helper()
	functions, names := map[string][]string{}, map[string][]string{} // by file
	suite := []string{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err == nil && ofTools(d) {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") {
			return err
		}

		rel, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}

		pkg := filepath.ToSlash(filepath.Dir(rel))
		if pkg != suiteRoom && !strings.HasSuffix(file, "_test.go") {
			return nil
		}

		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}

		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Recv == nil && (strings.HasPrefix(n.Name.Name, "Test") ||
					strings.HasPrefix(n.Name.Name, "Example")) {
					functions[rel] = append(functions[rel], n.Name.Name)
				}
			case *ast.BasicLit:
				if text, err := strconv.Unquote(n.Value); n.Kind == token.STRING && err == nil {
					names[rel] = append(names[rel], text)
					if pkg == suiteRoom {
						suite = append(suite, text)
					}
				}
			}

			return true
		})

		return nil
	})
	if err != nil {
		t.Fatal(err)
	}

	known := map[string]bool{}
	for file, tests := range functions {
		pkg := filepath.ToSlash(filepath.Dir(file))
		if pkg == "." {
			pkg = "parley"
		}

		for _, test := range tests {
			known[pkg+"."+test] = true
			subtests := names[file]
			if test == "TestService" {
				subtests = suite
			}

			for _, name := range subtests {
				known[pkg+"."+test+"/"+name] = true
			}
		}
	}

	return known
}
