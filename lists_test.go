package parley

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"parley/internal/must"
)

// TestListsHaveEveryConstant compares the lists that faces read with the constants that
// this package declares. The schema of a parameter cannot read a list: its allowed values stand in a tag.
func TestListsHaveEveryConstant(t *testing.T) {
	declared := constants(t)
	for of, got := range map[string][]string{
		"AgentState":       texts(AgentStates()),
		"DeliveryState":    texts(DeliveryStates()),
		"MembershipStatus": texts(MembershipStatuses()),
		"MessageKind":      texts(MessageKinds()),
		"MessageType":      texts(MessageTypes()),
		"NeedKind":         texts(NeedKinds()),
		"ReasonCode":       texts(ReasonCodes()),

		// only parley gives that one
		"MessageType in its tag":        append(enumOf[SendMessageRequest]("type"), string(TypeNative)),
		"Priority in its tag":           enumOf[SendMessageRequest]("priority"),
		"ConversationAction in its tag": enumOf[ControlConversationRequest]("action"),
	} {
		typ, _, _ := strings.Cut(of, " ")
		want := declared[typ]
		slices.Sort(got)
		slices.Sort(want)
		if len(want) == 0 || !slices.Equal(got, want) {
			t.Errorf("%s: the list has %v, the constants are %v", of, got, want)
		}
	}
}

func texts[T ~string](list []T) []string {
	all := make([]string, len(list))
	for i, one := range list {
		all[i] = string(one)
	}
	return all
}

// constants returns the values of the package's string constants by their type.
func constants(t *testing.T) map[string][]string {
	t.Helper()
	entries := must.Have(os.ReadDir("."))(t)

	byType := map[string][]string{}
	for _, entry := range entries {
		if name := entry.Name(); !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}

		file := must.Have(parser.ParseFile(token.NewFileSet(), entry.Name(), nil, parser.SkipObjectResolution))(t)

		ast.Inspect(file, func(node ast.Node) bool {
			spec, ok := node.(*ast.ValueSpec)
			if !ok || len(spec.Values) != 1 {
				return true
			}
			typ, isNamed := spec.Type.(*ast.Ident)
			literal, isLiteral := spec.Values[0].(*ast.BasicLit)
			if !isNamed || !isLiteral || literal.Kind != token.STRING {
				return true
			}
			if value, err := strconv.Unquote(literal.Value); err == nil {
				byType[typ.Name] = append(byType[typ.Name], value)
			}
			return true
		})
	}

	return byType
}
