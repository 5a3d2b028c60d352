package op

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"parley"
	"parley/plain"
)

// takeClaims removes the parameters that name the caller, and returns their values.
func (o *Op) takeClaims(raw map[string]json.RawMessage) (map[string]string, error) {
	claims := map[string]string{}
	for _, name := range o.Self {
		value, ok := raw[name]
		if !ok {
			continue
		}

		delete(raw, name)
		if string(value) == "null" {
			continue
		}

		var s string
		if err := json.Unmarshal(value, &s); err != nil {
			return nil, parley.Errorf(parley.InvalidArgument, "%s is not a string", name).With("parameter", name).
				Suggest("Leave %s out: the connection says who calls.", name)
		}

		claims[name] = s
	}

	return claims, nil
}

// resolveAliases renames aliases to the names of parameters and unpacks a content object.
// It returns the alias that was given for each renamed parameter.
func (o *Op) resolveAliases(raw map[string]json.RawMessage) (given map[string]string, err error) {
	given = map[string]string{}
	for i := range o.Fields {
		f := &o.Fields[i]
		for _, alias := range f.Aliases {
			value, ok := raw[alias]
			if !ok {
				continue
			}

			if _, both := raw[f.Name]; both {
				return nil, parley.Errorf(parley.InvalidArgument, "%s and %s were both given and mean the same",
					cmp.Or(given[f.Name], f.Name), alias).
					With("parameter", alias).
					Suggest("Give %s alone.", f.Name)
			}

			raw[f.Name], given[f.Name] = value, alias
			delete(raw, alias)
		}

		if value := raw[f.Name]; f.Unpack && len(value) > 0 && value[0] == '{' {
			if err := unpack(raw, f.Name, value); err != nil {
				return nil, err
			}
		}
	}

	return given, nil
}

// unpack replaces a parameter by the members of its object.
func unpack(raw map[string]json.RawMessage, name string, value json.RawMessage) error {
	members, err := parseObject(value)
	if err != nil {
		return err
	}

	delete(raw, name)
	for member, v := range members {
		if _, both := raw[member]; both {
			return parley.Errorf(parley.InvalidArgument, "%s was given twice, next to the content and in it", member).
				With("parameter", member).Suggest("Give it once.")
		}
		raw[member] = v
	}

	return nil
}

// fill decodes the parameters into the request.
func (o *Op) fill(request any, raw map[string]json.RawMessage, aliases map[string]string) error {
	if name := o.firstUnknown(raw); name != "" { // before missing parameters: it may be one of them, misspelt
		return o.unknown(name)
	}

	v := reflect.ValueOf(request).Elem()
	for _, f := range o.Fields {
		value, given := raw[f.Name]
		if !given || string(value) == "null" {
			if f.Required {
				return f.missing()
			}
			if f.Default == "" {
				continue
			}

			value, _ = asJSON(f.Type, []string{f.Default})
		}

		f.Name = cmp.Or(aliases[f.Name], f.Name) // errors name what the caller wrote
		if given && f.Implies != "" && string(raw[f.Implies]) == "false" {
			return parley.Errorf(parley.InvalidArgument, "%s is given, but %s is false", f.Name, f.Implies).
				With("parameter", f.Implies).
				Suggest("Leave %s out, or leave %s out if none is wanted.", f.Implies, f.Name)
		}

		if err := f.set(v.FieldByIndex(f.index), value); err != nil {
			return err
		}
	}

	return nil
}

// firstUnknown returns the alphabetically first parameter that the operation does not
// have, or "".
func (o *Op) firstUnknown(raw map[string]json.RawMessage) string {
	for _, name := range slices.Sorted(maps.Keys(raw)) {
		if !slices.ContainsFunc(o.Fields, func(f Field) bool { return f.Name == name }) {
			return name
		}
	}
	return ""
}

// unknown returns the error for a parameter that does not exist, with the nearest name: a
// model that invents `cc` must learn that nobody was copied.
func (o *Op) unknown(name string) error {
	names := make([]string, len(o.Fields))
	canonical, aliases := map[string]string{}, []string{}
	for i, f := range o.Fields {
		names[i] = f.Name
		for _, alias := range f.Aliases {
			canonical[alias], aliases = f.Name, append(aliases, alias)
		}
	}

	err := parley.Errorf(parley.InvalidArgument, "%s has no parameter %q", o.Name,
		plain.CleanLine(name)).With("parameter", name).
		With("parameters", names)
	if len(names) == 0 {
		return err.Suggest("Call %s without parameters.", o.Name)
	}
	if near := cmp.Or(plain.Nearest(name, names), canonical[plain.Nearest(name, aliases)]); near != "" {
		return err.Suggest("Did you mean %q? %s takes: %s.", near, o.Name, strings.Join(names, ", "))
	}

	return err.Suggest("%s takes: %s.", o.Name, strings.Join(names, ", "))
}

// fromStrings converts the values of a query or a command line to JSON of the parameters'
// types. Unknown parameters become strings.
func (o *Op) fromStrings(values url.Values) (map[string]json.RawMessage, error) {
	raw := map[string]json.RawMessage{}
	for name, vs := range values {
		if text := name + strings.Join(vs, ""); !utf8.ValidString(text) { // encoding as JSON would hide it
			return nil, parley.Errorf(parley.InvalidArgument, "%s is not UTF-8",
				plain.CleanLine(name)).With("parameter", plain.CleanLine(name)).
				Suggest("Encode the text as UTF-8.")
		}

		typ := "string"
		i := slices.IndexFunc(
			o.Fields, func(f Field) bool { return f.Name == name || slices.Contains(f.Aliases, name) },
		)
		if i >= 0 {
			typ = o.Fields[i].Type
		}
		if len(vs) == 0 && typ != "array" {
			continue
		}

		if len(vs) > 1 && i >= 0 && typ != "array" {
			return nil, parley.Errorf(parley.InvalidArgument, "%s was given %d times", name,
				len(vs)).With("parameter", name).
				Suggest("Give it once.")
		}

		value, ok := asJSON(typ, vs)
		if !ok {
			return nil, parley.Errorf(parley.InvalidArgument, "%s is %q", name, plain.CleanLine(strings.Join(vs, ","))).
				With("parameter", name).
				Suggest("Give %s as %s.", name, article(typ))
		}

		raw[name] = value
	}

	return raw, nil
}
