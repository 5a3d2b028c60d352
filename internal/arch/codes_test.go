package arch_test

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

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

	want := "It goes when the dialog is answered: parley answer coder. parley never answers it for you."
	if got := parley.HoldDialog.Release(launched); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestShortagesAreNamed(t *testing.T) {
	opening := fmt.Errorf("open it: %w", &os.PathError{Op: "open", Path: "/x", Err: syscall.EMFILE})
	e := parley.Exhausted(parley.TmuxUnavailable, opening)
	if e == nil || e.Code != parley.TmuxUnavailable || !strings.Contains(e.Action, "ulimit -n") ||
		!errors.Is(e, syscall.EMFILE) {
		t.Errorf("too many open files: %+v", e)
	}
	if e := parley.Exhausted(parley.TmuxUnavailable, syscall.ENOENT); e != nil {
		t.Errorf("a missing file: %+v", e)
	}
}

func TestRootCauseOfAWaitIsSaidInASentence(t *testing.T) {
	now := time.Unix(10_000, 0)
	for _, c := range []struct {
		waiting parley.Waiting
		want    string
	}{
		{parley.Waiting{Ahead: 4, Code: parley.HoldDialog},
			"queued behind 4: coder has had a question open for 20 min"},
		{parley.Waiting{Code: parley.HoldDraft}, "an unsent draft has stood in coder's composer for 20 min"},
		{parley.Waiting{Ahead: 2}, "queued behind 2: coder is getting one now"},
		{parley.Waiting{Ahead: 1, Code: parley.HoldUnreadable, Reason: "its terminal cannot be read: gone"},
			"queued behind 1: coder: its terminal cannot be read: gone"},
		{parley.Waiting{Code: parley.HoldLimit, Until: time.Date(2030, 1, 2, 3, 4, 0, 0, time.Local)},
			"coder has been at its usage limit for 20 min, until 2 Jan 03:04"},
		{parley.Waiting{Code: parley.HoldPaused}, "messages have been paused for 20 min"},
		{parley.Waiting{Code: parley.HoldExited, Agent: "-"}, "its program has been gone for 20 min"},
		{parley.Waiting{Code: parley.HoldStopped, Agent: "-"}, "it has been stopped for 20 min"},
		{parley.Waiting{Code: parley.HoldUnreadable, Reason: "its terminal cannot be read: gone", Agent: "-"},
			"its terminal cannot be read: gone"},
	} {
		c.waiting.Agent, c.waiting.Since = strings.TrimSuffix(cmp.Or(c.waiting.Agent, "coder"),
			"-"), now.Add(-20*time.Minute)
		if got := c.waiting.Sentence(now); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// listedCodes finds places that tell several codes from all others: what they have in common is a column of reasons.go.
func listedCodes(fset *token.FileSet, file *ast.File) (problems []string) {
	ast.Inspect(file, func(node ast.Node) bool {
		codes := 0
		switch n := node.(type) {
		case *ast.CaseClause:
			codes = codesIn(n.List)
		case *ast.CompositeLit:
			codes = codesIn(n.Elts)
		case *ast.BinaryExpr:
			if n.Op == token.LOR || n.Op == token.LAND {
				codes = codesIn([]ast.Expr{n.X, n.Y})
			}
		}
		if codes > 1 {
			problems = append(problems, at(fset, node)+"codes with one meaning: give that a column in reasons.go")
		}
		return true
	})
	return problems
}

// codesIn counts the codes among expressions, and those that are compared with one.
func codesIn(list []ast.Expr) (n int) {
	for _, e := range list {
		if b, ok := e.(*ast.BinaryExpr); ok && (b.Op == token.EQL || b.Op == token.NEQ) {
			e = b.Y
		}
		s, ok := e.(*ast.SelectorExpr)
		if !ok {
			continue
		}
		if x, ok := s.X.(*ast.Ident); ok && x.Name == "parley" && isCode.MatchString(s.Sel.Name) {
			n++
		}
	}
	return n
}

var isCode = regexp.MustCompile("^(Hold|Ended|Proof)[A-Z]")
