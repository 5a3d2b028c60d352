package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"parley/internal/when"
)

// timeForms describes the times that a timeFlag accepts.
const timeForms = "10m, 2h, 3d, 14:30, 2026-01-31, or a full time"

// timeFlag is the value of a flag that takes a time: one of timeForms. Its string is of RFC 3339,
// and empty until it is set.
type timeFlag struct {
	at    time.Time
	ahead bool // it is a time to come
}

var errNoTime = errors.New("give " + timeForms)

// Set takes a time. The error is errNoTime.
func (f *timeFlag) Set(text string) error {
	at, ok := when.Parse(text, time.Now(), f.ahead)
	if !ok {
		return errNoTime
	}
	f.at = at
	return nil
}

func (f *timeFlag) String() string {
	if f.at.IsZero() {
		return ""
	}
	return f.at.Format(time.RFC3339Nano)
}

// Type is shown in the help.
func (f *timeFlag) Type() string { return "time" }

// readText joins the words of a text; a single - stands for standard input.
func (p *program) readText(words []string) (string, error) {
	if len(words) != 1 || words[0] != "-" {
		return strings.Join(words, " "), nil
	}
	b, err := io.ReadAll(io.LimitReader(p.in, maxStdin))
	if err != nil {
		return "", fmt.Errorf("read the text from standard input: %w", err)
	}
	return string(b), nil
}

// maxStdin bounds a text from standard input, in bytes. The longest text that the
// settings allow is shorter.
const maxStdin = 1 << 20
