package arch_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var (
	formatVerb = regexp.MustCompile(`%[-+# 0]*[0-9]*(?:\[\d+\])?[a-zA-Z%]`)

	// inCommand finds the beginning of a command in what stands before a verb.
	inCommand = regexp.MustCompile(`(?:^|[\s(":;])(?:(?:git|cd|ssh|tmux|mv|rm|chmod|kill|sudo) |parley [a-z-]{3,} )[^;,.:]*$`)

	// namesOfWords are what a shell reads as one plain word: the names and ids of agents, messages and dialogs,
	// and what has no other values.
	namesOfWords = regexp.MustCompile(`(?i)(name|short|id|sender|recipient|debtor|agent|to|from|by|username|action|act|choice|` +
		`runs|other|first|since|StateDir|Short\(…\)|seen\.dialog\.id|retry|creator|key|version|what)$`)
)

// In each command that people are told to run, the paths, branches, hosts and arguments are quoted for the shell.
func TestCommandsToRunAreQuoted(t *testing.T) {
	looked := 0
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
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				for _, word := range wordsOfCommands(call) {
					looked++
					if !quotedForShell(word) {
						t.Errorf("%s: a command has %s, which is not quoted: sh.Word",
							files.Position(word.Pos()),
							source(word))
					}
				}
			}
			return true
		})
		return nil
	})
	if err != nil || looked < 80 {
		t.Errorf("%d words were looked at, %v", looked, err)
	}
}

// wordsOfCommands returns the arguments of a call that its format puts into a command.
func wordsOfCommands(call *ast.CallExpr) []ast.Expr {
	if made := source(call.Fun); strings.HasSuffix(made, "rrorf") || strings.HasSuffix(made, "atalf") {
		return nil // it says what happened, and not what to run
	}
	at := slices.IndexFunc(call.Args, func(e ast.Expr) bool { return literal(e) != "" })
	if at < 0 {
		return nil
	}

	var words []ast.Expr
	format, next := literal(call.Args[at]), at
	for _, m := range formatVerb.FindAllStringIndex(format, -1) {
		if verb := format[m[0]:m[1]]; verb == "%%" {
			continue
		}
		next++
		if next < len(call.Args) && format[m[1]-1] != 'd' && inCommand.MatchString(format[:m[0]]) {
			words = append(words, call.Args[next])
		}
	}

	return words
}

// literal returns the text of a string that is written out, also in several parts.
func literal(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			text, _ := strconv.Unquote(e.Value)
			return text
		}
	case *ast.BinaryExpr:
		if left, right := literal(e.X), literal(e.Y); e.Op == token.ADD && right != "" {
			return left + right
		}
	}
	return ""
}

// quotedForShell reports whether an expression is one plain word, or quoted as one.
func quotedForShell(e ast.Expr) bool {
	text := source(e)
	return strings.Contains(text, "sh.Word(") || strings.Contains(text, "sh.Line(") ||
		namesOfWords.MatchString(text)
}

// source returns an expression as it is written, as far as names and calls go.
func source(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return source(e.X) + "." + e.Sel.Name
	case *ast.CallExpr:
		return source(e.Fun) + "(…)"
	case *ast.IndexExpr:
		return source(e.X) + "[…]"
	}
	return fmt.Sprintf("%T", e)
}
