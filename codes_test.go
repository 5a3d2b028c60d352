package parley_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"

	"parley"
	"parley/internal/must"
)

func TestEveryReasonCodeHasWords(t *testing.T) {
	file := must.Have(parser.ParseFile(token.NewFileSet(), "codes.go", nil, parser.SkipObjectResolution))(t)

	declared := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		literal, ok := spec.Values[0].(*ast.BasicLit)
		if !ok {
			return true
		}
		value, err := strconv.Unquote(literal.Value)
		if id, is := spec.Type.(*ast.Ident); err != nil || !is || id.Name != "ReasonCode" {
			return true
		}

		declared++
		words := parley.ReasonCode(value).Words("a detail")
		if !parley.ReasonCode(value).Known() || words == "" || strings.Contains(words, "%") {
			t.Errorf("%s has the words %q", value, words)
		}
		return true
	})
	if got := len(parley.ReasonCodes()); got != declared || declared < 40 {
		t.Errorf("%d codes are declared, %d have words", declared, got)
	}
}

func TestEveryHoldSaysWhatReleasesIt(t *testing.T) {
	launched := parley.Agent{Name: "coder"}
	for _, code := range parley.ReasonCodes() {
		if got := code.Release(launched); !strings.HasSuffix(got, ".") || strings.Contains(got, "%!") {
			t.Errorf("%s: %q", code, got)
		}
	}

	want := "It goes when the dialog is answered: parley answer coder. parley never answers one by itself."
	if got := parley.HoldDialog.Release(launched); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
