package profile

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

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
		reflect.TypeFor[Session](), reflect.TypeFor[Door](), reflect.TypeFor[Scripted](),
		reflect.TypeFor[transcript.Format](), reflect.TypeFor[transcript.Uses](), reflect.TypeFor[transcript.Edits](),
		reflect.TypeFor[transcript.Prompts](), reflect.TypeFor[transcript.Which]()}
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
