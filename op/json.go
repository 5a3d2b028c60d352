package op

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"parley"
	"parley/plain"
)

// parseObject decodes a JSON object. Empty input and null are an empty object.
func parseObject(args []byte) (map[string]json.RawMessage, error) {
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
		return nil, parley.Errorf(parley.InvalidArgument, "the arguments are not a JSON object: %v", err).
			Suggest(`Send one object, e.g. {"to": "reviewer", "text": "please look at main.go"}.`)
	}

	if name, twice := findRepeated(args); twice {
		return nil, parley.Errorf(parley.InvalidArgument, "%s was given twice",
			plain.CleanLine(name)).With("parameter", name).
			Suggest("Give it once; several recipients are one list.")
	}

	return raw, nil
}

// findRepeated finds a member that an object has twice. Decoding would silently keep the
// last one.
func findRepeated(object []byte) (name string, twice bool) {
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

// TakeKey removes the api_key parameter from the arguments of a call and returns the
// rest and the key. A value that is not a string is the empty key, which is never valid.
// Arguments that cannot be decoded are returned as they are, for Decode to refuse.
func TakeKey(args json.RawMessage) (rest json.RawMessage, key string, given bool) {
	members, err := parseObject(args)
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

// strictUnmarshal decodes exactly one JSON value without unknown fields.
func strictUnmarshal(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		if typ, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			subject := "it"
			if typ.Field != "" {
				subject = typ.Field
			}
			return errors.New(subject + " is " + foundValue(typ.Value))
		}

		return err
	}

	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the value")
	}

	return nil
}

// foundValue returns the JSON value of an *json.UnmarshalTypeError in words.
func foundValue(value string) string {
	if value == "bool" {
		return "a boolean"
	}
	if strings.HasPrefix(value, "number ") {
		return "the " + value
	}
	return article(value)
}

// asJSON encodes text values as JSON of a type. The items of a list are several values,
// or separated by commas; objects are JSON already.
func asJSON(typ string, vs []string) (json.RawMessage, bool) {
	if typ == "array" {
		items := []string{} // not nil: an empty list must not mean "left out"
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

	last := vs[len(vs)-1]
	if typ == "integer" || typ == "boolean" || typ == "object" {
		return json.RawMessage(last), json.Valid([]byte(last))
	}
	b, err := json.Marshal(last)

	return b, err == nil
}

// Limits of a message's data. Programs of all kinds read it, and data that one of them
// cannot decode would keep it from reading the rest of its inbox.
const (
	// maxData is in bytes, so that a full page of such messages stays readable.
	maxData = 256 << 10
	// maxDepth leaves room within the 128 levels at which serde_json, which
	// Rust clients read with, gives up.
	maxDepth = 100
)

// normalize encodes data again, so that every JSON decoder accepts it: without repeated
// members or lone surrogates. Numbers stay as they were written. An empty object becomes
// nil.
func (f *Field) normalize(data *json.RawMessage) error {
	d := json.NewDecoder(bytes.NewReader(*data))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		return parley.Errorf(parley.InvalidArgument, "%s does not fit: %v", f.Name, err).With("parameter", f.Name).
			Suggest("Give %s as {…}.", f.Name)
	}

	if depth(value, maxDepth) > maxDepth {
		return parley.Errorf(parley.InvalidArgument, "%s is nested deeper than %d levels", f.Name, maxDepth).
			With("parameter", f.Name).
			Suggest("Flatten it, or put it into a file and send that with transfer_file.")
	}

	if number := findHugeNumber(value); number != "" {
		return parley.Errorf(
			parley.InvalidArgument, "%s holds the number %s, which most programs cannot read", f.Name,
			plain.Truncate(number, 30),
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

	return f.checkSize(len(*data))
}

// normalizeAll normalizes a list of objects, which share the limit of one. An empty list
// becomes nil.
func (f *Field) normalizeAll(list *[]json.RawMessage) error {
	if len(*list) == 0 {
		*list = nil
	}

	size := 0
	for i := range *list {
		item := &(*list)[i]
		if *item = bytes.TrimSpace(*item); len(*item) == 0 || (*item)[0] != '{' {
			return parley.Errorf(parley.InvalidArgument, "%s has an item that is not a JSON object", f.Name).
				With("parameter", f.Name).
				Suggest("Give %s as [{…}, …].", f.Name)
		}

		if err := f.normalize(item); err != nil {
			return err
		}
		if *item == nil {
			*item = json.RawMessage("{}")
		}

		size += len(*item)
	}

	return f.checkSize(size)
}

// checkSize returns a MESSAGE_TOO_LONG error for more than maxData bytes.
func (f *Field) checkSize(n int) error {
	if n <= maxData {
		return nil
	}
	return parley.Errorf(parley.MessageTooLong, "%s has %d bytes, %d are allowed", f.Name, n, maxData).
		With("parameter", f.Name).With("length", n).With("limit", maxData).
		Suggest("Put it into a file and send that with transfer_file.")
}

// depth returns the number of levels of a JSON value; it stops counting one above the
// limit.
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

// findHugeNumber returns a number in a JSON value that is too large for a float64, or "".
func findHugeNumber(value any) string {
	switch v := value.(type) {
	case map[string]any:
		for _, member := range v {
			if number := findHugeNumber(member); number != "" {
				return number
			}
		}
	case []any:
		for _, item := range v {
			if number := findHugeNumber(item); number != "" {
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
