package arch_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
)

// unfinished are the functions that make an error whose next step their callers name.
var unfinished = []string{"refusedFile", "rateLimited", "invalid", "NoModelAnswer", "lose"}

// Every error that a caller sees says what to do next.
func TestErrorsNameTheNextStep(t *testing.T) {
	errors := 0
	tree := os.DirFS(".")
	err := fs.WalkDir(tree, ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && outside(tree, path) {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}

		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}

		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Body == nil || slices.Contains(unfinished, f.Name.Name) {
				continue
			}

			made, finished := errorsIn(f, file.Name.Name == "parley")
			errors += len(made)
			for _, call := range made {
				if !finished[call] {
					t.Errorf("%s: an error without a next step; give it one with Suggest", files.Position(call.Pos()))
				}
			}
		}

		return nil
	})
	if err != nil || errors < 100 {
		t.Errorf("%d errors were looked at, %v", errors, err)
	}
}

// errorsIn returns the errors that a function makes, and which of them get a next step:
// at once, or later by the name of their variable.
func errorsIn(f *ast.FuncDecl, root bool) (made []*ast.CallExpr, finished map[*ast.CallExpr]bool) {
	finished = map[*ast.CallExpr]bool{}
	named := map[string][]*ast.CallExpr{}
	maker := func(e ast.Expr) *ast.CallExpr { return errorfOf(e, root) }
	var suggested []string
	ast.Inspect(f.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, right := range n.Rhs {
				if name, ok := n.Lhs[min(i, len(n.Lhs)-1)].(*ast.Ident); ok && maker(right) != nil {
					named[name.Name] = append(named[name.Name], maker(right))
				}
			}
		case *ast.CallExpr:
			if maker(n) == n {
				made = append(made, n)
			}

			fun, ok := n.Fun.(*ast.SelectorExpr)
			if !ok || fun.Sel.Name != "Suggest" {
				return true
			}

			if of, ok := fun.X.(*ast.Ident); ok {
				suggested = append(suggested, of.Name)
			} else if call := maker(fun.X); call != nil {
				finished[call] = true
			} else {
				suggested = append(suggested, "") // of a function in here that makes errors
			}
		}

		return true
	})

	for _, name := range suggested {
		for _, call := range named[name] {
			finished[call] = true
		}

		if name == "" {
			for _, call := range made {
				finished[call] = true
			}
		}
	}

	return made, finished
}

// errorfOf returns the Errorf that a chain of calls begins with, or nil.
func errorfOf(e ast.Expr, root bool) *ast.CallExpr {
	for {
		call, ok := e.(*ast.CallExpr)
		if !ok {
			return nil
		}

		switch fun := call.Fun.(type) {
		case *ast.Ident:
			if root && fun.Name == "Errorf" {
				return call
			}
			return nil
		case *ast.SelectorExpr:
			if of, ok := fun.X.(*ast.Ident); ok && of.Name == "parley" && fun.Sel.Name == "Errorf" {
				return call
			}
			e = fun.X
		default:
			return nil
		}
	}
}
