package profile

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"parley"
	"parley/plain"
	"parley/program/transcript"
)

var nameForm = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,31}$`)

// decode reads a profile over the one that base returns for its `extends`.
func decode(name string, text []byte, base func(extends string) (*Profile, error)) (*Profile, error) {
	body, err := parse(text)
	if err != nil {
		return nil, notYAML(name, body, err)
	}

	var head struct{ Extends string }
	if body != nil {
		if err := yaml.NodeToValue(body, &head); err != nil {
			return nil, notYAML(name, body, err)
		}
	}

	from, err := base(head.Extends)
	if err != nil {
		return nil, parley.AsError(err).With("key", "extends")
	}

	p := from.clone()
	if body != nil {
		if err := decodeStrictly(name, body, p); err != nil {
			return nil, err
		}
	}

	p.Name, p.Extends = name, ""
	p.Handover.inherit(from.Handover)
	inherit(p.Scripted.Env, from.Scripted.Env)
	inherit(p.Scripted.Files, from.Scripted.Files)
	inherit(p.Door.Env, from.Door.Env)
	inherit(p.Markers.Blocked, from.Markers.Blocked)
	if p.Markers.Idle != "" { // its own markers tell more
		p.Markers.Questions, p.Markers.Dialogs = nil, nil
	}
	inherit(p.Markers.Questions, from.Markers.Questions)
	inherit(p.Markers.Dialogs, from.Markers.Dialogs)
	inherit(p.Reports, from.Reports)
	inherit(p.Titles, from.Titles)
	if len(p.Version) == 0 {
		p.Version = []string{"--version"}
	}

	c := checker{p}
	if err := c.check(); err != nil {
		return nil, err
	}

	return p, c.compile()
}

// parse returns the first document of a text, or nil if that changes nothing: to decode a
// null would clear everything.
func parse(text []byte) (ast.Node, error) {
	file, err := parser.ParseBytes(text, 0)
	if err != nil || len(file.Docs) == 0 || file.Docs[0].Body == nil {
		return nil, err
	}

	var value any
	if err := yaml.NodeToValue(file.Docs[0].Body, &value); err != nil || value == nil {
		return nil, err
	}
	return file.Docs[0].Body, nil
}

// decodeStrictly decodes a document into a profile, and fails on unknown keys.
func decodeStrictly(name string, body ast.Node, into *Profile) error {
	err := yaml.NodeToValue(body, into, yaml.Strict())
	if unknown, ok := errors.AsType[*yaml.UnknownFieldError](err); ok {
		return unknownKey(name, body, unknown)
	}
	if err != nil {
		return notYAML(name, body, err)
	}
	return nil
}

func unknownKey(name string, body ast.Node, unknown *yaml.UnknownFieldError) error {
	key, known := unknown.Token.Value, keys()
	err := parley.Errorf(parley.InvalidArgument, "profile %s has an unknown key %q", name, plain.CleanLine(key)).
		With("key", strings.Join(keysTo(body, unknown.Token), "."))
	list := strings.Join(known, ", ")
	if near := plain.Nearest(key, known); near != "" {
		return err.Suggest("Did you mean %q? The keys are: %s.", near, list)
	}
	return err.Suggest("The keys are: %s.", list)
}

// keys lists the keys of a profile and of its sections.
func keys() []string {
	var names []string
	types := []reflect.Type{reflect.TypeFor[Profile](), reflect.TypeFor[Markers](), reflect.TypeFor[Handover](),
		reflect.TypeFor[Session](), reflect.TypeFor[Door](), reflect.TypeFor[Hooks](), reflect.TypeFor[Hook](),
		reflect.TypeFor[Scripted](),
		reflect.TypeFor[transcript.Format](), reflect.TypeFor[transcript.Uses](), reflect.TypeFor[transcript.Edits](),
		reflect.TypeFor[transcript.Prompts](), reflect.TypeFor[transcript.Which](), reflect.TypeFor[transcript.Kept](),
		reflect.TypeFor[transcript.Said](), reflect.TypeFor[transcript.Live](), reflect.TypeFor[transcript.Needs]()}
	for _, t := range types {
		for i := range t.NumField() {
			if name := t.Field(i).Tag.Get("yaml"); name != "" && name != "-" {
				names = append(names, name)
			}
		}
	}

	return names
}

// YAML returns the profile as parley.yaml could hold it, without empty keys.
func (p *Profile) YAML() ([]byte, error) {
	text, err := yaml.MarshalWithOptions(p, yaml.OmitEmpty(), yaml.UseLiteralStyleIfMultiline(true))
	if err != nil {
		return nil, fmt.Errorf("write profile %s: %w", p.Name, err)
	}
	return text, nil
}

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
