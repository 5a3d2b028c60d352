package responder

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/openai/openai-go/v3/packages/ssestream"
)

const (
	// maxLine is the longest line of a stream in bytes, and the longest event.
	maxLine = 32 << 20
	// maxCompletion is the largest ordinary completion in bytes: an answer of maxAnswer with its
	// escapes, and what servers add to it.
	maxCompletion = 8 * maxAnswer
)

// events reads the body of an answer as the decoder of an ssestream.Stream. Whatever label it has, a body
// that begins like a JSON object is an ordinary completion, and one event: some servers, and gateways in
// front of them, answer with one although a stream was asked for.
type events struct {
	body  io.ReadCloser
	text  *bufio.Reader // of body
	lines *bufio.Scanner
	event ssestream.Event
	plain bool // it is a completion
	done  bool // the server said that the stream is whole
	ended bool // no event follows
	err   error
}

func newEvents(body io.ReadCloser) *events {
	e := &events{body: body, text: bufio.NewReader(body)}
	e.lines = bufio.NewScanner(e.text)
	e.lines.Buffer(nil, maxLine)
	e.lines.Split(splitLines())
	e.plain = e.beginsObject()

	return e
}

// Next reads the next event, and reports whether there is one.
func (e *events) Next() bool {
	if e.ended {
		return false
	}
	if e.plain {
		e.ended = true
		var data []byte
		data, e.err = io.ReadAll(io.LimitReader(e.text, maxCompletion)) // what is cut off is no completion
		e.take("", data)
		return e.err == nil
	}

	var kind string
	var data []byte
	for e.lines.Scan() {
		line := e.lines.Bytes()
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch {
		case len(line) == 0 && len(bytes.TrimSpace(data)) > 0:
			e.take(kind, data)
			return true
		case len(line) == 0: // it keeps the connection open
			kind, data = "", nil
		case string(name) == "event":
			kind = string(value)
		case string(name) == "data":
			data = append(append(data, value...), '\n')
		}

		if len(data) > maxLine {
			e.ended, e.err = true, errTooLong
			return false
		}
	}

	e.ended, e.err = true, e.lines.Err()
	if whole := json.Valid(data) || isDone(data); e.err == nil && whole { // without the empty line that ends it
		e.take(kind, data)
		return true
	}

	return false
}

// beginsObject skips what may stand before all else, and reports whether a JSON object begins there.
func (e *events) beginsObject() bool {
	if mark, err := e.text.Peek(1); err == nil && mark[0] == byteOrderMark[0] {
		if mark, err = e.text.Peek(len(byteOrderMark)); err == nil && string(mark) == byteOrderMark {
			_, _ = e.text.Discard(len(mark))
		}
	}

	for {
		c, err := e.text.ReadByte()
		if err != nil {
			return false
		}
		if bytes.IndexByte([]byte(" \t\r\n"), c) < 0 {
			_ = e.text.UnreadByte()
			return c == '{'
		}
	}
}

const byteOrderMark = "\xef\xbb\xbf"

// take makes the current event of its kind and its data. The stream takes a field error for an error,
// whatever is in it, and nothing else.
func (e *events) take(kind string, data []byte) {
	e.event = ssestream.Event{Type: kind, Data: bytes.TrimSpace(data)}
	e.done = e.done || isDone(data)
	if kind != "error" && !bytes.Contains(data, []byte(`"error"`)) {
		return
	}

	var fields map[string]json.RawMessage
	isObject := json.Unmarshal(data, &fields) == nil
	switch failed := string(fields["error"]); {
	case kind == "error" && failed == "":
		var said any = string(e.event.Data)
		if isObject {
			said = fields
		}
		e.event.Data, _ = json.Marshal(map[string]any{"error": said})
	case failed == "null" || failed == `""` || failed == "{}" || failed == "false":
		delete(fields, "error")
		e.event.Data, _ = json.Marshal(fields)
	}
}

// isDone reports whether an event is the last of its stream.
func isDone(data []byte) bool { return bytes.HasPrefix(data, []byte("[DONE]")) }

// Event returns the current event.
func (e *events) Event() ssestream.Event { return e.event }

// Close closes the body.
func (e *events) Close() error { return e.body.Close() }

// Err returns why there are no more events, nil if the body was read to its end.
func (e *events) Err() error {
	if errors.Is(e.err, io.ErrUnexpectedEOF) {
		return errBroken
	}
	if errors.Is(e.err, bufio.ErrTooLong) {
		return errTooLong
	}
	return e.err
}

// splitLines returns a function for a bufio.Scanner. Lines end with a line feed, a carriage return or both.
func splitLines() bufio.SplitFunc {
	returned := false // the line before ended with a carriage return
	return func(data []byte, atEnd bool) (advance int, line []byte, err error) {
		skip := 0
		if returned && len(data) > 0 && data[0] == '\n' {
			skip = 1
		}

		end := bytes.IndexAny(data[skip:], "\r\n")
		switch {
		case end >= 0:
			returned = data[skip+end] == '\r'
			return skip + end + 1, data[skip : skip+end], nil
		case atEnd && len(data) > skip:
			return len(data), data[skip:], nil
		case atEnd:
			return len(data), nil, nil
		}

		return 0, nil, nil
	}
}
