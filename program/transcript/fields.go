package transcript

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// fields are a line of JSON, or a part of one whose other fields are the line's.
type fields struct{ part, line any }

// open decodes a line. It is not ok if the line is not one JSON value.
func open(line []byte) (fields, bool) {
	var whole any
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	if d.Decode(&whole) != nil {
		return fields{}, false
	}
	if _, err := d.Token(); err != io.EOF {
		return fields{}, false
	}
	return fields{line: whole}, true
}

// find returns the value of the field at a path, nil if there is none.
func (l fields) find(path string) any {
	if v := below(l.part, path); v != nil {
		return v
	}
	return below(l.line, path)
}

func below(v any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		object, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = object[name]
	}
	return v
}

// value returns a text, a number or a truth value as text.
func (l fields) value(path string) (text string, ok bool) {
	switch v := l.find(path).(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	case bool:
		return strconv.FormatBool(v), true
	}
	return "", false
}

// text returns a text or a number as text, "" if the field is neither.
func (l fields) text(path string) string {
	text, _ := l.value(path)
	return text
}

// time returns a time, written as RFC 3339 or in milliseconds since 1970, zero if the field is neither.
func (l fields) time(path string) time.Time {
	switch v := l.find(path).(type) {
	case string:
		at, _ := time.Parse(time.RFC3339, v)
		return at
	case json.Number:
		if ms, err := v.Int64(); err == nil && ms > 0 {
			return time.UnixMilli(ms).UTC()
		}
	}
	return time.Time{}
}

// parts returns the parts of a list, or the line itself if no list is wanted.
func (l fields) parts(each string) (all []fields) {
	if each == "" {
		return []fields{l}
	}
	list, _ := l.find(each).([]any)
	for _, part := range list {
		all = append(all, fields{part: part, line: l.line})
	}
	return all
}

// keys returns the keys of an object in their order.
func (l fields) keys(path string) []string {
	object, _ := l.find(path).(map[string]any)
	return slices.Sorted(maps.Keys(object))
}

// numbers reads numbers, and notes whether one is not what it should be.
type numbers struct {
	fields
	unknown bool
}

func (n *numbers) must(path string) int64 {
	v, ok := n.find(path).(json.Number)
	number, err := v.Int64()
	if !ok || err != nil {
		n.unknown = true
	}
	return number
}

// orZero returns a number that may be missing.
func (n *numbers) orZero(path string) int64 {
	if path == "" || n.find(path) == nil {
		return 0
	}
	return n.must(path)
}

// sum returns the sum of numbers, the first of which must be there.
func (n *numbers) sum(paths []string) (sum int64) {
	for i, path := range paths {
		path, minus := strings.CutPrefix(path, "-")
		number := n.orZero(path)
		if i == 0 {
			number = n.must(path)
		}
		if minus {
			number = -number
		}
		sum += number
	}
	return sum
}
