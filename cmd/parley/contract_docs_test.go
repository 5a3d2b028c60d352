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
)

var update = flag.Bool("update", false, "write the generated parts of the docs")

// chapter is what one document shows, and what holds it.
type chapter struct {
	title string
	about string
	test  string // that plays it
	play  *play
	calls []shownCall
	rules []rule
}

// shownCall is a call as the document lists it: the members of its arguments and of its
// answer, as paths without the numbers of lists.
type shownCall struct{ op, takes, gives string }

// rule is what else the document says, and the tests that hold it, as package.Test or
// package.Test/subtest.
type rule struct {
	says string
	held []string
}

// The page says of each call, field and rule of the documents which test holds it, and
// is as the tests make it.
func TestThePageOnTheContractIsAsTheTestsSay(t *testing.T) {
	known := testsOf(t, "../..")
	var page strings.Builder
	page.WriteString(contractIntro)
	for _, c := range chapters() {
		c.check(t, known)
		page.WriteString(c.markdown())
	}

	page.WriteString(contractEnd)
	if *update {
		if err := os.WriteFile("../../docs/measured/contract.md", []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}

	if got, err := os.ReadFile("../../docs/measured/contract.md"); err != nil || string(got) != page.String() {
		t.Errorf(
			"docs/measured/contract.md is not what the tests say (%v); write it anew: go test ./cmd/parley -run TestThePageOnTheContract -update",
			err,
		)
	}
}

// check wants each call of the document to be played, with everything that it takes
// and gives, and each other rule to have a test that exists.
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

// scenes are the names of those that show a call: of which it is the first word, or
// which make it and begin with no other call.
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

// paths collects the members of a JSON value. A {name} to be filled in stands in a
// string, so it is JSON as it is.
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
		fmt.Fprintf(
			&b,
			"\nThe calls are subtests of `%s`: by REST, by MCP and by the Go client.\n\n| call | takes | gives | held by |\n|---|---|---|---|\n",
			c.test,
		)
	}

	for _, call := range c.calls {
		fmt.Fprintf(
			&b,
			"| `%s` | %s | %s | %s |\n",
			call.op,
			quoted(call.takes),
			quoted(call.gives),
			strings.Join(c.scenes(call.op), "; "),
		)
	}

	if len(c.rules) > 0 {
		b.WriteString("\n| rule | held by |\n|---|---|\n")
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

// testsOf finds all tests of the module: package.Test, and package.Test/name for the
// strings of the same file. The cases of the service's own suite run in the orchestrator.
func testsOf(t *testing.T, root string) map[string]bool {
	t.Helper()
	functions, names := map[string][]string{}, map[string][]string{} // by file
	suite := []string{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") {
			return err
		}

		rel, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}

		pkg := filepath.ToSlash(filepath.Dir(rel))
		if pkg != "parleytest" && !strings.HasSuffix(file, "_test.go") {
			return nil
		}

		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}

		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Recv == nil && (strings.HasPrefix(n.Name.Name, "Test") || strings.HasPrefix(n.Name.Name, "Example")) {
					functions[rel] = append(functions[rel], n.Name.Name)
				}
			case *ast.BasicLit:
				if text, err := strconv.Unquote(n.Value); n.Kind == token.STRING && err == nil {
					names[rel] = append(names[rel], text)
					if pkg == "parleytest" {
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
