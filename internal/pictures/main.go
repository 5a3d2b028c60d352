// Command pictures draws a terminal as SVG. It reads the output of
// `tmux capture-pane -e -p` on standard input and writes the picture to standard output.
// Text stays text, with each run as wide as its cells, so that any font keeps the
// columns.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
)

func main() {
	title := flag.String("title", "A terminal", "what the picture shows")
	hide := flag.String("hide", "", "replace the text before = by the text after it: `TEXT=INSTEAD`")
	flag.Parse()
	if err := run(os.Stdin, os.Stdout, *title, *hide); err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer, title, hide string) error {
	b, err := io.ReadAll(in)
	if err != nil {
		return err
	}

	screen := string(b)
	if text, instead, ok := strings.Cut(hide, "="); ok && text != "" {
		// The rest of the same path moves to the left, and the rest of the line stays.
		path := regexp.MustCompile(regexp.QuoteMeta(text) + `[^\s\x1b]*`)
		screen = path.ReplaceAllStringFunc(screen, func(found string) string {
			return instead + found[len(text):] + strings.Repeat(" ", max(0, len(text)-len(instead)))
		})
	}

	w := bufio.NewWriter(out)
	if err := draw(w, title, strings.Split(strings.TrimRight(screen, "\n"), "\n")); err != nil {
		return err
	}

	return w.Flush()
}
