// Command compare plays the same scenes through parley and through bare `tmux send-keys`, with and
// without a pause before Enter, and writes docs/measured/compare.md: what arrived, what was said, and
// what was harmed. The program in the terminal is parley's scripted agent, which logs what it was
// given.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("compare: ")
	times := flag.Int("n", 20, "how often each scene is played")
	parley := flag.String("parley", "./parley", "the program")
	page := flag.String("page", "docs/measured/compare.md", "the page to write")
	var others adapters
	flag.Var(&others, "through", "NAME=ADAPTER: play only through it, and print the table (see docs/measured/compare.md)")
	flag.Parse()

	played := ways
	if others.ways != nil {
		played = others.ways
	}

	program, err := filepath.Abs(*parley)
	if err == nil {
		err = os.Setenv("PATH", filepath.Dir(program)+":"+os.Getenv("PATH"))
	}
	if err != nil {
		log.Fatal(err)
	}

	var rows []row
	for _, s := range scenes {
		for _, w := range played {
			if s.restarts && w.restart == nil {
				continue
			}
			r, err := play(context.Background(), s, w, *times)
			if err == nil && r.counts.Stopped > 0 && others.ways == nil {
				err = errors.New("the page has no column for a person who cannot go on")
			}
			if err != nil {
				fmt.Print(table(rows, others.ways != nil)) // what was played counts
				log.Fatalf("%s, %s: %v", s.name, w.name, err)
			}
			log.Printf("%s, %s: %+v", s.name, w.name, r.counts)
			rows = append(rows, r)
		}
	}

	if others.ways != nil {
		fmt.Print(table(rows, true))
		return
	}
	if err := os.WriteFile(*page, []byte(markdown(rows, *times)), 0o644); err != nil {
		log.Fatal(err)
	}
}

//go:embed page.md
var frame string

// table returns the counts as a table of Markdown, of an adapter also how often a person could not go on, and what it
// said otherwise.
func table(rows []row, stops bool) string {
	var b strings.Builder
	head, rule := "", ""
	if stops {
		head, rule = " person stopped | said unknown or failed | on no rung |", "---|---|---|"
	}
	b.WriteString("| scene | way | exact | lost | said ok | twice | merged | dialogs answered | drafts sent | " +
		"run by the shell |" + head + "\n|---|---|---|---|---|---|---|---|---|---|" + rule + "\n")
	for _, r := range rows {
		c := r.counts
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %d | %d | %d | %d | %d | %d |", r.scene, r.way, c.Exact, c.Lost,
			c.Wrong, c.Twice, c.Merged, c.Answered, c.DraftSent, c.Shell)
		if stops {
			fmt.Fprintf(&b, " %d | %d | %d |", c.Stopped, c.Doubted, c.Open)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// markdown returns the page.
func markdown(rows []row, times int) string {
	tmux, _ := exec.Command("tmux", "-V").Output() // it has just run
	return strings.NewReplacer(
		"<<date>>", time.Now().UTC().Format(time.DateOnly), "<<tmux>>", strings.TrimSpace(string(tmux)),
		"<<times>>", fmt.Sprint(times), "<<table>>", strings.TrimSpace(table(rows, false)),
	).Replace(frame)
}
