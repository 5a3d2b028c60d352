// Command knots counts how the files of packages hang together:
//
//	go -C lab run ./knots ../store ../tui
//
// File a leads to file b if a uses what b declares: a function, a type, a variable, a constant, a method or a field.
// The knot is the largest set of files of which each leads to each other, and an arrow climbs if it leads back in the
// order of the files that has the fewest such arrows, as far as the heuristic of Eades, Lin and Smyth finds it.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: knots DIR...")
		os.Exit(2)
	}

	fmt.Println("| package | files | arrows | of a file | climb | knot |")
	fmt.Println("|---|---:|---:|---:|---:|---:|")
	for _, dir := range os.Args[1:] {
		g, err := readPackage(dir)
		if err != nil {
			fmt.Fprintln(os.Stderr, "knots:", err)
			os.Exit(1)
		}
		arrows := g.arrows()
		fmt.Printf("| %s | %d | %d | %.1f | %d | %d |\n", filepath.ToSlash(dir), len(g), arrows,
			float64(arrows)/float64(max(len(g), 1)), g.climbing(), g.knot())
	}
}

// graph leads from a file to those that declare what it uses.
type graph map[string]map[string]bool

// readPackage reads the files of a package that are not tests, for any system. Imports are not followed: what hangs
// on the type of another package's value is not seen.
func readPackage(dir string) (graph, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}

	g, set := graph{}, token.NewFileSet()
	var files []*ast.File
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, filepath.Join(dir, e.Name()), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
		g[e.Name()] = map[string]bool{}
	}

	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Error: func(error) {}, Importer: noImports{}}
	pkg, _ := config.Check(dir, set, files, info) // what it cannot know is no error here
	for used, object := range info.Uses {
		if object.Pkg() != pkg || !shared(object) {
			continue
		}
		from, to := set.Position(used.Pos()).Filename, set.Position(object.Pos()).Filename
		if from, to = filepath.Base(from), filepath.Base(to); from != to {
			g[from][to] = true
		}
	}

	return g, nil
}

// shared reports whether other files can use an object: one of the package, a method or a field.
func shared(o types.Object) bool {
	if v, ok := o.(*types.Var); ok && v.IsField() {
		return true
	}
	f, ok := o.(*types.Func)
	return ok && f.Signature().Recv() != nil || o.Parent() == o.Pkg().Scope()
}

// noImports has no packages: their names are known, and nothing of them.
type noImports struct{}

func (noImports) Import(path string) (*types.Package, error) {
	p := types.NewPackage(path, filepath.Base(path))
	p.MarkComplete()
	return p, nil
}

func (g graph) arrows() (n int) {
	for _, to := range g {
		n += len(to)
	}
	return n
}

// knot returns the size of the largest strongly connected set, by Tarjan's algorithm.
func (g graph) knot() (largest int) {
	index, low := map[string]int{}, map[string]int{}
	var stack []string
	var visit func(string)
	visit = func(a string) {
		index[a] = len(index) + 1
		low[a] = index[a]
		stack = append(stack, a)
		for b := range g[a] {
			if index[b] == 0 {
				visit(b)
				low[a] = min(low[a], low[b])
			} else if slices.Contains(stack, b) {
				low[a] = min(low[a], index[b])
			}
		}

		if low[a] == index[a] {
			at := slices.Index(stack, a)
			largest = max(largest, len(stack)-at)
			stack = stack[:at]
		}
	}

	for a := range g {
		if index[a] == 0 {
			visit(a)
		}
	}
	return largest
}

// climbing returns how many arrows lead back in an order with few of them.
func (g graph) climbing() (n int) {
	place := map[string]int{}
	for i, file := range g.order() {
		place[file] = i
	}
	for a, to := range g {
		for b := range to {
			if place[b] < place[a] {
				n++
			}
		}
	}
	return n
}

// order puts files that nothing leads to first and those that lead nowhere last; of the others, the one that leads to
// most and is led to by fewest comes next.
func (g graph) order() []string {
	left := []string{}
	for file := range g {
		left = append(left, file)
	}
	slices.Sort(left)

	degrees := func(file string) (out, in int) {
		for _, other := range left {
			if g[file][other] {
				out++
			}
			if g[other][file] {
				in++
			}
		}
		return out, in
	}

	var first, last []string
	for len(left) > 0 {
		best, bestBy, isSink := 0, -len(g)-1, false
		for i, file := range left {
			out, in := degrees(file)
			if out == 0 {
				best, isSink = i, true
				break
			}
			if in == 0 {
				out = 2 * len(g) // a source
			}
			if out-in > bestBy {
				best, bestBy = i, out-in
			}
		}

		if isSink {
			last = append(last, left[best])
		} else {
			first = append(first, left[best])
		}
		left = slices.Delete(left, best, best+1)
	}

	slices.Reverse(last)
	return append(first, last...)
}
