package parley

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// object reads a JSON object; nothing at all, or null, is an empty one.
func object(args []byte) (map[string]json.RawMessage, error) {
	raw := map[string]json.RawMessage{}
	args = bytes.TrimSpace(args)
	if len(args) == 0 || string(args) == "null" {
		return raw, nil
	}

	err := strictUnmarshal(args, &raw)
	if err == nil && !utf8.Valid(args) {
		err = errors.New("they are not UTF-8")
	}

	if err != nil {
		return nil, Errorf(InvalidArgument, "the arguments are not a JSON object: %v", err).
			Suggest(`Send one object, e.g. {"to": "reviewer", "text": "please look at main.go"}.`)
	}

	if name, twice := repeated(args); twice {
		return nil, Errorf(InvalidArgument, "%s was given twice", CleanLine(name)).With("parameter", name).
			Suggest("Give it once; several recipients are one list.")
	}

	return raw, nil
}

// repeated finds a member that an object has twice. Decoding would keep the
// last one, and its sender would believe in the first.
func repeated(object []byte) (name string, twice bool) {
	d := json.NewDecoder(bytes.NewReader(object))
	seen := map[string]bool{}
	_, err := d.Token() // the brace
	for err == nil && d.More() {
		var key json.Token
		if key, err = d.Token(); err != nil {
			break
		}
		if name, _ = key.(string); seen[name] {
			return name, true
		}

		seen[name] = true
		var value json.RawMessage
		err = d.Decode(&value)
	}

	return "", false
}

// TakeKey takes the seeds' api_key parameter out of a call's arguments. What is
// no string is no key: the empty one, which nobody has. Arguments that cannot
// be read are left for Decode to refuse.
func TakeKey(args json.RawMessage) (rest json.RawMessage, key string, given bool) {
	members, err := object(args)
	if err != nil {
		return args, "", false
	}
	value, given := members["api_key"]
	if !given {
		return args, "", false
	}
	_ = json.Unmarshal(value, &key)
	delete(members, "api_key")
	rest, _ = json.Marshal(members) // it was just read from JSON
	return rest, key, true
}

// strictUnmarshal decodes exactly one JSON value and knows all its fields.
func strictUnmarshal(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		if typ, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			subject := "it"
			if typ.Field != "" {
				subject = typ.Field
			}
			return errors.New(subject + " is " + article(typ.Value))
		}

		if _, ok := errors.AsType[*time.ParseError](err); ok {
			return errors.New("it is not a time like 2006-01-02T15:04:05Z")
		}

		return err
	}

	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the value")
	}

	return nil
}

// asJSON writes text as JSON of a type. Lists come as several values or
// separated by commas; objects as JSON.
func asJSON(typ string, vs []string) (json.RawMessage, bool) {
	last := vs[len(vs)-1]
	switch typ {
	case "integer", "boolean", "object":
		return json.RawMessage(last), json.Valid([]byte(last))
	case "array":
		items := []string{} // an empty list stays one: it must not come to mean "left out"
		for _, v := range vs {
			for item := range strings.SplitSeq(v, ",") {
				if item = strings.TrimSpace(item); item != "" {
					items = append(items, item)
				}
			}
		}

		b, err := json.Marshal(items)

		return b, err == nil
	}

	b, err := json.Marshal(last)

	return b, err == nil
}

// What a message's data may be. It is handed on to programs of all kinds, and
// one that they cannot read would bar them from the rest of their inbox.
const (
	// maxData is in bytes: a full page of such messages stays readable.
	maxData = 256 << 10
	// maxDepth leaves room within the 128 levels at which serde_json, which
	// Rust clients read with, gives up.
	maxDepth = 100
)

// tidy writes data anew, so that every reader of JSON can read it: no member
// twice, no half of a surrogate pair. Numbers stay as they were written. An
// empty object is none.
func (f *Field) tidy(data *json.RawMessage) error {
	d := json.NewDecoder(bytes.NewReader(*data))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		return Errorf(
			InvalidArgument,
			"%s does not fit: %v",
			f.Name,
			err,
		).With("parameter", f.Name).
			Suggest("Give %s as {…}.", f.Name)
	}

	if depth(value, maxDepth) > maxDepth {
		return Errorf(
			InvalidArgument,
			"%s is nested deeper than %d levels",
			f.Name,
			maxDepth,
		).With("parameter", f.Name).
			Suggest("Flatten it, or put it into a file and send that with transfer_file.")
	}

	if number := beyond(value); number != "" {
		return Errorf(
			InvalidArgument,
			"%s holds the number %s, which most programs cannot read",
			f.Name,
			Truncate(number, 30),
		).
			With("parameter", f.Name).
			Suggest("Send it as a string.")
	}

	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return err
	}

	*data = bytes.TrimSpace(b.Bytes())
	if string(*data) == "{}" {
		*data = nil
	}

	return f.sized(len(*data))
}

// tidyAll is tidy for a list of objects, which together may be as large as one. An
// empty list is none.
func (f *Field) tidyAll(list *[]json.RawMessage) error {
	if len(*list) == 0 {
		*list = nil
	}

	size := 0
	for i := range *list {
		item := &(*list)[i]
		if *item = bytes.TrimSpace(*item); len(*item) == 0 || (*item)[0] != '{' {
			return Errorf(
				InvalidArgument,
				"%s has an item that is not a JSON object",
				f.Name,
			).With("parameter", f.Name).
				Suggest("Give %s as [{…}, …].", f.Name)
		}

		if err := f.tidy(item); err != nil {
			return err
		}
		if *item == nil {
			*item = json.RawMessage("{}")
		}

		size += len(*item)
	}

	return f.sized(size)
}

// sized refuses what is larger than data may be.
func (f *Field) sized(n int) error {
	if n <= maxData {
		return nil
	}
	return Errorf(MessageTooLong, "%s has %d bytes, %d are allowed", f.Name, n, maxData).
		With("parameter", f.Name).With("length", n).With("limit", maxData).
		Suggest("Put it into a file and send that with transfer_file.")
}

// depth counts the levels of a JSON value, at most to one beyond the limit.
func depth(value any, limit int) int {
	if limit < 0 {
		return 0
	}

	deepest := 0
	switch v := value.(type) {
	case map[string]any:
		for _, member := range v {
			deepest = max(deepest, depth(member, limit-1))
		}
	case []any:
		for _, item := range v {
			deepest = max(deepest, depth(item, limit-1))
		}
	default:
		return 0
	}

	return deepest + 1
}

// beyond returns a number of a JSON value that no float64 can hold, or "".
func beyond(value any) string {
	switch v := value.(type) {
	case map[string]any:
		for _, member := range v {
			if number := beyond(member); number != "" {
				return number
			}
		}
	case []any:
		for _, item := range v {
			if number := beyond(item); number != "" {
				return number
			}
		}
	case json.Number:
		if _, err := strconv.ParseFloat(string(v), 64); err != nil {
			return string(v)
		}
	}

	return ""
}
