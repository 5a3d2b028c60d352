package parley

import (
	"bytes"
	"encoding/json"
	"strconv"
)

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
