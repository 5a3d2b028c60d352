// Package setting reads settings off the tags of a struct, so that each setting is
// declared once:
//
//	StuckAfter time.Duration `yaml:"stuck_after" default:"10m" min:"1s" doc:"How long …"`
//
// yaml is the name of the setting, default its value where none is given, min and max
// its bounds, enum its values, doc a sentence of description, and trust says that the
// setting counts only in a file that the user trusts. Settings are of
// type int, bool, string or time.Duration. Fields tagged yaml:"-" may have a default
// and are otherwise left alone. Embedded structs count as part of the struct.
package setting

import (
	"fmt"
	"net/netip"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley"
	"parley/plain"
)

// Field is one setting of a struct.
type Field struct {
	Name     string // as in the file
	Doc      string // a sentence
	Default  string
	Min, Max string
	Enum     []string
	Format   string // "ip" for an IP address
	Pattern  string // a regular expression, for editors
	Required bool
	Trusted  bool // counts only in a file that the user trusts
	Type     reflect.Type

	index []int
}

// Fields returns the settings of a struct type in their order.
func Fields(t reflect.Type) []Field {
	var all []Field
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if f.Anonymous || name == "" || name == "-" {
			continue
		}

		field := Field{
			Name:     name,
			Doc:      f.Tag.Get("doc"),
			Default:  f.Tag.Get("default"),
			Min:      f.Tag.Get("min"),
			Max:      f.Tag.Get("max"),
			Format:   f.Tag.Get("format"),
			Pattern:  f.Tag.Get("pattern"),
			Required: f.Tag.Get("required") == "true",
			Trusted:  f.Tag.Get("trust") == "true",
			Type:     f.Type,
			index:    f.Index,
		}
		if enum := f.Tag.Get("enum"); enum != "" {
			field.Enum = strings.Split(enum, ",")
		}
		all = append(all, field)
	}

	return all
}

// Names returns the names of the settings of a struct type in their order.
func Names(t reflect.Type) []string {
	var names []string
	for _, f := range Fields(t) {
		names = append(names, f.Name)
	}
	return names
}

// Find returns the setting with a name. The name must be one of the struct's.
func Find(t reflect.Type, name string) Field {
	all := Fields(t)
	return all[slices.IndexFunc(all, func(f Field) bool { return f.Name == name })]
}

// Description returns the doc with the bounds and the default at its end.
func (f Field) Description() string {
	more := f.accepts()
	if f.Default != "" {
		more = strings.TrimPrefix(more+"; default "+f.Default, "; ")
	}
	if more == "" {
		return f.Doc
	}
	return strings.TrimSuffix(f.Doc, ".") + " (" + more + ")."
}

// accepts describes the bounds of the setting, "" if it has none.
func (f Field) accepts() string {
	switch {
	case f.Enum != nil:
		return strings.Join(f.Enum, ", ")
	case f.Min != "" && f.Max != "":
		return f.Min + "–" + f.Max
	case f.Min != "" && f.Min != "0s":
		return "from " + f.Min
	}
	return ""
}

// Kind names the values of the setting for the help of a command: number, duration,
// text, or true|false.
func (f Field) Kind() string {
	switch {
	case f.Type == reflect.TypeFor[time.Duration]():
		return "duration"
	case f.Type.Kind() == reflect.Bool:
		return "true|false"
	case f.Type.Kind() == reflect.Int:
		return "number"
	}
	return "text"
}

// Fill sets the fields of the struct to which s points to their defaults where they
// are zero.
func Fill(s any) {
	v := reflect.ValueOf(s).Elem()
	for _, f := range reflect.VisibleFields(v.Type()) {
		text, ok := f.Tag.Lookup("default")
		if to := v.FieldByIndex(f.Index); ok && to.IsZero() {
			if err := set(to, text); err != nil {
				panic(fmt.Sprintf("setting: the default of %s: %v", f.Name, err)) // our own tag is wrong
			}
		}
	}
}

// Value returns the setting's value in the struct to which s points, as text.
func (f Field) Value(s any) string {
	return fmt.Sprint(reflect.ValueOf(s).Elem().FieldByIndex(f.index).Interface())
}

// Copy sets the setting of the struct to which to points to that of the one to which from points.
func (f Field) Copy(to, from any) {
	reflect.ValueOf(to).Elem().FieldByIndex(f.index).Set(reflect.ValueOf(from).Elem().FieldByIndex(f.index))
}

// Set sets one setting of the struct to which s points from text, as given on a
// command line or in the environment. It does not check bounds.
func Set(s any, name, text string) error {
	v := reflect.ValueOf(s).Elem()
	return set(v.FieldByIndex(Find(v.Type(), name).index), text)
}

func set(v reflect.Value, text string) error {
	switch to := v.Addr().Interface().(type) {
	case *time.Duration:
		d, err := time.ParseDuration(text)
		*to = d
		return err
	case *int:
		n, err := strconv.Atoi(text)
		*to = n
		return err
	case *bool:
		on, err := strconv.ParseBool(text)
		*to = on
		return err
	case *string:
		*to = text
		return nil
	}
	return fmt.Errorf("settings of type %s are not supported", v.Type())
}

// Check returns an INVALID_ARGUMENT error for the first setting of the struct that is
// out of bounds. Source tells the user where the value stands.
func Check(s any, source string) error {
	v := reflect.Indirect(reflect.ValueOf(s))
	for _, f := range Fields(v.Type()) {
		value := v.FieldByIndex(f.index)
		if !f.holds(value) {
			return Refuse(source, f.Name, value.Interface(), f.instead())
		}
	}
	return nil
}

// Refuse returns the error for a value that a setting cannot have. Instead completes
// the sentence "Give …".
func Refuse(source, name string, value any, instead string) error {
	if text, ok := value.(string); ok {
		value = plain.CleanLine(text)
	}
	return parley.Errorf(parley.InvalidArgument, "%s: %s is %v", source, name, value).
		With("setting", name).
		Suggest("Give %s.", instead)
}

// holds reports whether a value is within the setting's bounds.
func (f Field) holds(v reflect.Value) bool {
	switch {
	case f.Enum != nil:
		return slices.Contains(f.Enum, v.String())
	case f.Format == "ip":
		_, err := netip.ParseAddr(v.String())
		return err == nil
	case f.Min == "":
		return true
	}
	return f.bound(f.Min) <= v.Int() && (f.Max == "" || v.Int() <= f.bound(f.Max))
}

// bound parses a bound of a number or a duration.
func (f Field) bound(text string) int64 {
	v := reflect.New(f.Type).Elem()
	if err := set(v, text); err != nil {
		panic(fmt.Sprintf("setting: a bound of %s: %v", f.Name, err)) // our own tag is wrong
	}
	return v.Int()
}

// instead describes what the setting can be, after "Give".
func (f Field) instead() string {
	kind := "a number"
	switch {
	case f.Enum != nil:
		return strings.Join(f.Enum, " or ")
	case f.Format == "ip":
		return "an IP address of this machine, such as 127.0.0.1, or 0.0.0.0 for all of them"
	case f.Type == reflect.TypeFor[time.Duration]():
		kind = "a duration"
	}

	example := ""
	if f.Default != "" {
		example = ", such as " + f.Default
	}
	if f.Max != "" {
		return kind + " from " + f.Min + " to " + f.Max + example
	}

	return kind + " of at least " + f.Min + example
}
