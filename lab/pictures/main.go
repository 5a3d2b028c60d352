// Command pictures draws a terminal as SVG. It reads the output of
// `tmux capture-pane -e -p` on standard input and writes the picture to standard output.
// Text stays text, with each run as wide as its cells, so that any font keeps the
// columns.
package main

import (
	"flag"
	"io"
	"log"
	"os"
	"regexp"
	"strings"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("pictures: ")
	title := flag.String("title", "A terminal", "what the picture shows")
	secret := flag.String("hide", "", "replace the text before = by the text after it: `TEXT=INSTEAD`")
	moving := flag.Bool("film", false, "draw the frames of a film, each after a form feed and the keys that led to it")
	flag.Parse()

	input, err := io.ReadAll(os.Stdin)
	picture := ""
	switch {
	case err != nil:
	case *moving:
		picture, err = film(filmTitle, string(input))
	default:
		picture = draw(*title, hide(string(input), *secret))
	}
	if err == nil {
		_, err = os.Stdout.WriteString(picture)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// filmTitle is what the moving picture shows, and filmStory tells it to a person who cannot see it.
const (
	filmTitle = "A minute with parley demo"
	filmStory = "Four agents in tiles. coder asks whether it may go on, and a message to it waits until a key answers. " +
		"tester and reviewer thank each other until they are stopped. In the review of what coder did, a comment is " +
		"written; it comes back as a commit, which is merged."
)

// hide replaces a path in a screen. The rest of the same path moves to the left, and the
// rest of the line stays where it is.
func hide(screen, secret string) string {
	screen = strings.TrimRight(screen, "\n")
	text, instead, ok := strings.Cut(secret, "=")
	if !ok || text == "" {
		return screen
	}

	path := regexp.MustCompile(regexp.QuoteMeta(text) + `[^\s\x1b]*`)
	return path.ReplaceAllStringFunc(screen, func(found string) string {
		return instead + found[len(text):] + strings.Repeat(" ", max(0, len(text)-len(instead)))
	})
}
