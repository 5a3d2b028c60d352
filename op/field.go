package op

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"parley"
	"parley/internal/when"
	"parley/plain"
)

// Field describes one parameter of an operation, as declared by the struct tags of its
// request.
type Field struct {
	Name     string
	Aliases  []string // other names that are accepted; models are not shown them
	Doc      string
	Required bool
	Enum     []string
	Min, Max *int   // bounds of a number; Max also of a string's characters and a list's items
	Default  string // the value if it is not given
	Type     string // string, integer, boolean, array, object
	Time     bool   // the string is a time: see ParseTime
	Ahead    bool   // the time is one to come
	One      bool   // a list that may be given as its one string
	Unpack   bool   // an object as its value is replaced by the object's members
	Filled   bool   // if given, it must not be empty: left out it means more
	Empty    bool   // it must be given, but may be an empty list
	Implies  string // a boolean parameter that this one sets, and that must not be given as false

	index []int // where it stands in the request
}

// fieldsOf returns the parameters of a request type.
func fieldsOf[Req any]() []Field {
	t := reflect.TypeFor[Req]()
	fields := []Field{}
	for _, f := range reflect.VisibleFields(t) {
		if f.Anonymous { // its own fields follow
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		fields = append(fields, Field{
			Name: name, Aliases: list(f.Tag.Get("alias")), Doc: f.Tag.Get("doc"),
			Required: f.Tag.Get("required") == "true", Enum: list(f.Tag.Get("enum")),
			Min: number(f.Tag.Get("min")), Max: number(f.Tag.Get("max")),
			Default: f.Tag.Get("default"), Type: typeName(f), Time: f.Type == reflect.TypeFor[*time.Time](),
			Ahead:  f.Tag.Get("ahead") == "true",
			One:    f.Type == reflect.TypeFor[parley.Names]() || f.Type == reflect.TypeFor[*parley.Names](),
			Unpack: name == "text", Filled: f.Tag.Get("filled") == "true",
			Empty: f.Tag.Get("empty") == "true", Implies: f.Tag.Get("implies"), index: f.Index,
		})
	}

	return fields
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
		if t == reflect.TypeFor[parley.MessageFilters]() {
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

// check returns an INVALID_ARGUMENT error unless the decoded value is within the limits
// of the field.
func (f *Field) check(v reflect.Value) error {
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}

	switch v.Kind() {
	case reflect.Int, reflect.Int64:
		if n := int(v.Int()); f.Min != nil && n < *f.Min || f.Max != nil && n > *f.Max {
			return parley.Errorf(parley.InvalidArgument, "%s is %d", f.Name, n).With("parameter", f.Name).
				Suggest("Give %s.", f.bounds())
		}
	case reflect.String:
		s := v.String()
		if f.Enum != nil {
			return parley.OneOf(f.Name, s, f.Enum)
		}

		if f.Max != nil && len([]rune(s)) > *f.Max {
			return parley.Errorf(parley.InvalidArgument, "%s has %d characters", f.Name,
				len([]rune(s))).With("parameter", f.Name).
				Suggest("Use %d characters at most.", *f.Max)
		}

		switch empty := strings.TrimSpace(s) == ""; {
		case empty && f.Required:
			return f.missing()
		case empty && f.Filled:
			return parley.Errorf(parley.InvalidArgument, "%s is empty", f.Name).With("parameter", f.Name).
				Suggest("Give a value, or leave %s out: %s", f.Name, f.Doc)
		}
	case reflect.Slice:
		return f.checkList(v)
	}

	return nil
}

// maxItemText is the longest item of a list, in characters. Items are names, groups and
// capabilities, which all other agents read.
const maxItemText = 100

func (f *Field) checkList(v reflect.Value) error {
	switch {
	case f.Type == "object": // as bytes
		return nil
	case f.Required && v.Len() == 0 && !f.Empty:
		return f.missing()
	case f.Max == nil:
		return nil
	case v.Len() > *f.Max:
		return parley.Errorf(parley.InvalidArgument, "%s has %d items", f.Name, v.Len()).With("parameter", f.Name).
			Suggest("Give %d at most.", *f.Max)
	}

	for i := range v.Len() {
		if n := utf8.RuneCountInString(v.Index(i).String()); n > maxItemText {
			return parley.Errorf(parley.InvalidArgument, "an item of %s has %d characters", f.Name,
				n).With("parameter", f.Name).
				Suggest("Use %d characters at most for each.", maxItemText)
		}
	}

	return nil
}

// bounds describes the allowed values of a number.
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
	return parley.Errorf(parley.InvalidArgument, "%s is missing", f.Name).With("parameter", f.Name).
		Suggest("Give %s: %s", f.Name, f.Doc)
}

// set decodes raw into v and checks the value.
func (f *Field) set(v reflect.Value, raw json.RawMessage) error {
	if f.Type == "integer" {
		raw = asInteger(raw)
	}
	if err := f.checkMembers(v.Type(), raw); err != nil {
		return err
	}

	if f.Time || f.Type == "object" {
		raw = readTimes(v.Type(), raw, time.Now(), f.Ahead)
	}
	if err := strictUnmarshal(raw, v.Addr().Interface()); err != nil {
		return f.misfit(v.Type(), raw, err)
	}

	if f.Type == "object" && raw[0] != '{' {
		return parley.Errorf(parley.InvalidArgument, "%s is not a JSON object", f.Name).With("parameter", f.Name).
			Suggest("Give %s as {…}.", f.Name)
	}

	switch to := v.Addr().Interface().(type) {
	case *json.RawMessage:
		return f.normalize(to)
	case *[]json.RawMessage:
		if err := f.normalizeAll(to); err != nil {
			return err
		}
	}

	return f.check(v)
}

// misfit returns the error for a value that does not fit its type. It names the member that is wrong,
// if the parameter is a struct.
func (f *Field) misfit(t reflect.Type, raw json.RawMessage, err error) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}

	if t == reflect.TypeFor[time.Time]() {
		return parley.Errorf(parley.InvalidArgument, "%s is %s, which is not a time", f.Name,
			plain.CleanLine(plain.Truncate(string(raw), 40))).
			With("parameter", f.Name).Suggest("Give %s as %s.", f.Name, when.Forms)
	}

	var members map[string]json.RawMessage
	if t.Kind() == reflect.Struct && json.Unmarshal(raw, &members) == nil {
		for _, field := range reflect.VisibleFields(t) {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			value, given := members[name]
			if !given {
				continue
			}

			m := &Field{Name: f.Name + "." + name, Type: typeName(field), Doc: f.Doc}
			if err := strictUnmarshal(value, reflect.New(field.Type).Interface()); err != nil {
				return m.misfit(field.Type, value, err)
			}
		}
	}

	return parley.Errorf(parley.InvalidArgument, "%s does not fit: %v", f.Name, err).With("parameter", f.Name).
		Suggest("Give %s as %s: %s", f.Name, article(f.Type), f.Doc)
}

// asInteger rewrites a whole number such as 20.0 or 2e1 as an integer: some clients only
// have floating-point numbers.
func asInteger(raw json.RawMessage) json.RawMessage {
	var x float64
	if json.Unmarshal(raw, &x) != nil || x != math.Trunc(x) || math.Abs(x) > 1<<53 {
		return raw
	}
	return strconv.AppendInt(nil, int64(x), 10)
}

// checkMembers returns an error for a member that the parameter's struct does not have,
// with the nearest name.
func (f *Field) checkMembers(t reflect.Type, raw json.RawMessage) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}

	var members map[string]json.RawMessage
	if f.Type != "object" || t.Kind() != reflect.Struct || json.Unmarshal(raw, &members) != nil {
		return nil
	}

	var known []string
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		known = append(known, name)
	}

	for _, name := range slices.Sorted(maps.Keys(members)) {
		if slices.Contains(known, name) {
			continue
		}

		err := parley.Errorf(parley.InvalidArgument, "%s has no %q", f.Name, plain.CleanLine(name)).With("parameter",
			f.Name+"."+name)
		if near := plain.Nearest(name, known); near != "" {
			return err.Suggest("Did you mean %q? %s takes: %s.", near, f.Name, strings.Join(known, ", "))
		}

		return err.Suggest("%s takes: %s.", f.Name, strings.Join(known, ", "))
	}

	return nil
}

func article(typ string) string {
	if typ == "object" {
		return "a JSON object"
	}
	if strings.ContainsRune("aeio", rune(typ[0])) {
		return "an " + typ
	}
	return "a " + typ
}
