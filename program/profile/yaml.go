package profile

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"parley"
)

// extended returns the name under `extends`, "" if there is none.
func extended(text []byte) string {
	var head struct{ Extends string }
	_ = yaml.Unmarshal(text, &head) // With says what is wrong
	return head.Extends
}

// notYAML says what is wrong with a value, and under which key. The body is nil if the text is no YAML at all.
func notYAML(name string, body ast.Node, err error) error {
	what, keys := err.Error(), []string(nil)
	if e, ok := errors.AsType[yaml.Error](err); ok {
		what, keys = e.GetMessage(), keysTo(body, e.GetToken())
	} else if body != nil { // of a value that reads itself, such as a time: "soon"
		keys = keyThatFails(body)
	}
	if mistyped, ok := errors.AsType[*yaml.TypeError](err); ok {
		what = Mistyped(mistyped)
	}

	key := strings.Join(keys, ".")
	where := "profile " + name
	if key != "" {
		where += ": " + key
	}
	return parley.Errorf(parley.InvalidArgument, "%s: %s", where, what).With("key", key).
		Suggest("Correct the YAML there and try again.")
}

// keysTo returns the keys that lead to a token: one of them, or one that begins a value.
func keysTo(node ast.Node, to *token.Token) []string {
	for _, v := range pairs(node) {
		key := v.Key.GetToken()
		if key == to || v.Value.GetToken() == to {
			return []string{key.Value}
		}
		if deeper := keysTo(v.Value, to); deeper != nil {
			return append([]string{key.Value}, deeper...)
		}
	}
	return nil
}

// keyThatFails returns the key of the first value that a profile cannot have.
func keyThatFails(body ast.Node) []string {
	for _, v := range pairs(body) {
		if yaml.NodeToValue(v, &Profile{}) != nil {
			return []string{v.Key.GetToken().Value}
		}
	}
	return nil
}

// LineOf returns the line of a YAML text in which the last of some keys stands that lead to each other, or the last
// that is there. It is 0 if none is.
func LineOf(text []byte, keys ...string) (line int) {
	file, err := parser.ParseBytes(text, 0)
	if err != nil || len(file.Docs) == 0 {
		return 0
	}

	node := file.Docs[0].Body
	for _, key := range keys {
		var next ast.Node
		for _, v := range pairs(node) {
			if tk := v.Key.GetToken(); tk.Value == key {
				line, next = tk.Position.Line, v.Value
			}
		}
		node = next
	}

	return line
}

// pairs returns the keys of a map with their values.
func pairs(node ast.Node) (all []*ast.MappingValueNode) {
	switch n := node.(type) {
	case *ast.AnchorNode:
		return pairs(n.Value)
	case *ast.TagNode:
		return pairs(n.Value)
	case *ast.MappingNode:
		return n.Values
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}
	}
	return nil
}

// Mistyped says in the words of YAML which type a value has, and which it should have.
func Mistyped(e *yaml.TypeError) string {
	return fmt.Sprintf("this is %s, where %s belongs", typeWords(e.SrcType), typeWords(e.DstType))
}

func typeWords(t reflect.Type) string {
	if t == reflect.TypeFor[time.Duration]() {
		return "a duration such as 24h"
	}

	switch t.Kind() {
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	case reflect.Map, reflect.Struct:
		return "a map of keys"
	}

	return "a number"
}
