package responder

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// apiError is what a server says with an error status.
type apiError struct {
	Message string
	Type    string
	Code    string // with some servers a number
	Param   string // what it objects to
}

func (e *apiError) Error() string { return e.Message }

// readError reads the body of an error. Servers agree on no form: OpenAI has {"error": {"message": …}}, others
// {"error": "…"}, what stands for {…}, a list of these, or FastAPI's {"detail": [{"loc": […], "msg": …}]}.
func readError(body []byte) *apiError {
	e := &apiError{}
	var said any
	if json.Unmarshal(body, &said) == nil {
		e.Message = e.read(said)
	} else if text := bytes.TrimSpace(body); utf8.Valid(text) && !bytes.HasPrefix(text, []byte("<")) { // no page
		e.Message = string(text)
	}
	return e
}

// maxDetails is how many errors of a list are told.
const maxDetails = 3

// read returns the words of an error or of a part of one, "" if it has none, and keeps its codes.
func (e *apiError) read(said any) string {
	switch said := said.(type) {
	case string:
		return said
	case []any:
		var all []string
		for _, one := range said[:min(len(said), maxDetails)] {
			if words := e.read(one); words != "" {
				all = append(all, words)
			}
		}
		return strings.Join(all, "; ")
	case map[string]any:
		return e.readFields(said)
	}

	return ""
}

func (e *apiError) readFields(fields map[string]any) string {
	e.Type = cmp.Or(e.Type, plainValue(fields["type"]))
	e.Code = cmp.Or(e.Code, plainValue(fields["code"]))
	e.Param = cmp.Or(e.Param, plainValue(fields["param"]))

	if inner, ok := fields["error"].(map[string]any); ok {
		return e.readFields(inner)
	}

	for _, name := range []string{"message", "error", "detail", "msg", "errors", "title"} {
		words := e.read(fields[name])
		if words == "" {
			continue
		}
		if at, ok := fields["loc"].([]any); ok {
			words = strings.Trim(fmt.Sprint(at), "[]") + ": " + words
		}
		return words
	}

	return ""
}

// plainValue returns a text or a number as text.
func plainValue(value any) string {
	switch value.(type) {
	case string, float64:
		return fmt.Sprint(value)
	}
	return ""
}
