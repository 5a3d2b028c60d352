package main

import (
	"fmt"
	"io"
	"strings"
)

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
