package parley

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Field is one parameter of an operation, as its request's struct tags say.
type Field struct {
	Name     string
	Aliases  []string // the seeds' other names for it; accepted, not published
	Doc      string
	Required bool
	Enum     []string
	Min, Max *int   // of a number; of a string's characters, Max alone
	Default  string // for an absent one
	Type     string // string, integer, boolean, array, object
	Unpack   bool   // an object given for it stands for its members

	index int
}

// fieldsOf reads the parameters of a request type.
func fieldsOf[Req any]() []Field {
	t := reflect.TypeFor[Req]()
	fields := make([]Field, 0, t.NumField())
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		fields = append(fields, Field{
			Name: name, Aliases: list(f.Tag.Get("alias")), Doc: f.Tag.Get("doc"),
			Required: f.Tag.Get("required") == "true", Enum: list(f.Tag.Get("enum")),
			Min: number(f.Tag.Get("min")), Max: number(f.Tag.Get("max")),
			Default: f.Tag.Get("default"), Type: typeName(f), Unpack: name == "text", index: i,
		})
	}
	return fields
}

// enumOf returns the allowed values of a request's parameter.
func enumOf[Req any](name string) []string {
	fields := fieldsOf[Req]()
	return fields[slices.IndexFunc(fields, func(f Field) bool { return f.Name == name })].Enum
}

func typeName(f reflect.StructField) string {
	t := f.Type
	if f.Tag.Get("object") == "true" {
		return "object"
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Int64:
		return "integer"
	case reflect.Slice:
		return "array"
	case reflect.Map:
		return "object"
	case reflect.Struct:
		if t == reflect.TypeFor[MessageFilters]() {
			return "object"
		}
	}
	return "string"
}

func list(tag string) []string {
	if tag == "" {
		return nil
	}
	return strings.Split(tag, ",")
}

func number(tag string) *int {
	n, err := strconv.Atoi(tag)
	if err != nil {
		return nil
	}
	return &n
}

// check returns an INVALID_ARGUMENT error unless the value, already decoded
// into v, is within the field's limits.
func (f *Field) check(v reflect.Value) error {
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.Int, reflect.Int64:
		if n := int(v.Int()); f.Min != nil && n < *f.Min || f.Max != nil && n > *f.Max {
			return Errorf(InvalidArgument, "%s is %d", f.Name, n).With("parameter", f.Name).
				Suggest("Give %s.", f.bounds())
		}
	case reflect.String:
		s := v.String()
		if f.Enum != nil {
			return oneOf(f.Name, s, f.Enum)
		}
		if f.Max != nil && len([]rune(s)) > *f.Max {
			return Errorf(InvalidArgument, "%s has %d characters", f.Name, len([]rune(s))).With("parameter", f.Name).
				Suggest("Use %d characters at most.", *f.Max)
		}
		if f.Required && strings.TrimSpace(s) == "" {
			return f.missing()
		}
	case reflect.Slice:
		if f.Required && v.Len() == 0 {
			return f.missing()
		}
	}
	return nil
}

// bounds says between which numbers a value must lie.
func (f *Field) bounds() string {
	switch {
	case f.Max == nil:
		return fmt.Sprintf("a number from %d", *f.Min)
	case f.Min == nil:
		return fmt.Sprintf("a number up to %d", *f.Max)
	}
	return fmt.Sprintf("a number from %d to %d", *f.Min, *f.Max)
}

func (f *Field) missing() error {
	return Errorf(InvalidArgument, "%s is missing", f.Name).With("parameter", f.Name).
		Suggest("Give %s: %s", f.Name, f.Doc)
}

func oneOf(name, value string, allowed []string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	return Errorf(InvalidArgument, "%s is %q", name, CleanLine(value)).With("parameter", name).
		With("allowed", allowed).Suggest("Use one of: %s.", strings.Join(allowed, ", "))
}

// set decodes raw into v and checks it.
func (f *Field) set(v reflect.Value, raw json.RawMessage) error {
	if err := strictUnmarshal(raw, v.Addr().Interface()); err != nil {
		return Errorf(InvalidArgument, "%s does not fit: %v", f.Name, err).With("parameter", f.Name).
			Suggest("Give %s as %s: %s", f.Name, article(f.Type), f.Doc)
	}
	if f.Type == "object" && raw[0] != '{' {
		return Errorf(InvalidArgument, "%s is not a JSON object", f.Name).With("parameter", f.Name).
			Suggest("Give %s as {…}.", f.Name)
	}
	return f.check(v)
}

func article(typ string) string {
	if strings.ContainsRune("aeio", rune(typ[0])) {
		return "an " + typ
	}
	return "a " + typ
}
