// Package review reads the comments that a person wrote into a diff, and writes them as one message.
package review

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"parley/plain"
)

// Mark begins a line of a comment. No line of a diff begins with it.
const Mark = ">"

// note begins a line that says how to comment; such lines stand above the diff.
const note = "#"

// longestQuote bounds the line of the diff that a comment quotes, in columns.
const longestQuote = 100

// longestSince bounds the name of a commit, in bytes: enough of it for git.
const longestSince = 16

// A Comment is about a line of a diff, about a file, or about all of it.
type Comment struct {
	File    string // as git names it; "" for all of the diff
	Line    int    // its number in the file; 0 for all of the file, or if the line is not one of the diff's
	Removed bool   // the line is gone: its number is that of the file as it was
	Quote   string // the line, with its + or - or space; "" for none
	Text    string // one or more lines
}

// Sheet returns a diff as a person comments it: under lines that say how.
func Sheet(name, diff string) string {
	return fmt.Sprintf(`# Your review of what %[1]s has changed. Write a comment below the line that it is about, and begin each
# line of it with %[2]s. What stands up here is about all of it. Save, and leave the editor: %[1]s gets all comments
# as one message. Without a comment nothing is sent.
`, name, Mark) + diff
}

// Read returns the comments that a person has written into the sheet of a diff. Lines of the diff may be gone from it.
func Read(sheet, diff string) []Comment {
	var (
		comments []Comment
		at       = walk{lines: strings.Split(diff, "\n")}
		last     string // the line of the diff above
		known    = true // it is one of the diff's
		open     bool   // the line above is of a comment
	)

	for line := range strings.SplitSeq(strings.TrimSuffix(sheet, "\n"), "\n") {
		line = strings.TrimSuffix(line, "\r")
		text, isComment := strings.CutPrefix(line, Mark)
		switch {
		case !isComment && at.file == "" && strings.HasPrefix(line, note):
			continue
		case !isComment:
			last, known, open = line, at.find(line), false
			continue
		}

		text = strings.TrimPrefix(text, " ")
		if open {
			comments[len(comments)-1].Text += "\n" + text
			continue
		}
		open = true
		comments = append(comments, at.comment(last, known, text))
	}

	return present(comments)
}

// present drops comments of nothing but space.
func present(all []Comment) (comments []Comment) {
	for _, c := range all {
		if c.Text = strings.TrimSpace(c.Text); c.Text != "" {
			comments = append(comments, c)
		}
	}
	return comments
}

// walk goes through a diff line by line, and knows where each one stands.
type walk struct {
	lines        []string // those that are left
	file         string
	before, now  int  // numbers of the next line in the file as it was, and as it is
	hunk         bool // the line is within a hunk
	added, taken bool // the line is new, or gone
}

var hunkHead = regexp.MustCompile(`^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@`)

// find goes on to the next line that is equal. It stays where it is if there is none.
func (w *walk) find(line string) bool {
	for i, l := range w.lines {
		if l != line {
			continue
		}
		for _, passed := range w.lines[:i+1] {
			w.pass(passed)
		}
		w.lines = w.lines[i+1:]
		return true
	}
	return false
}

// pass goes past one line.
func (w *walk) pass(line string) {
	if head := hunkHead.FindStringSubmatch(line); head != nil {
		w.before, _ = strconv.Atoi(head[1])
		w.now, _ = strconv.Atoi(head[2])
		w.hunk, w.added, w.taken = true, false, false
		return
	}

	w.added, w.taken = false, false
	switch {
	case strings.HasPrefix(line, fileHead):
		w.hunk = false
		w.file = headName(strings.TrimPrefix(line, fileHead))
	case !w.hunk:
		w.file = cmp.Or(nameIn(line), w.file)
	case strings.HasPrefix(line, "+"):
		w.added = true
		w.now++
	case strings.HasPrefix(line, "-"):
		w.taken = true
		w.before++
	case strings.HasPrefix(line, " "), line == "":
		w.before, w.now = w.before+1, w.now+1
	}
}

// comment returns a comment on the line that was passed last.
func (w *walk) comment(line string, known bool, text string) Comment {
	c := Comment{File: w.file, Text: text}
	switch {
	case !w.hunk || hunkHead.MatchString(line):
	case !known:
		c.Quote = line
	case w.taken:
		c.Quote, c.Removed, c.Line = line, true, w.before-1
	default:
		c.Quote, c.Line = line, w.now-1
	}
	return c
}

// Message writes comments as one message. since is the commit that the changes are compared with.
func Message(comments []Comment, since string) string {
	var b strings.Builder
	noun := "comments"
	if len(comments) == 1 {
		noun = "comment"
	}
	if since == "HEAD" {
		since = "your last commit"
	}
	fmt.Fprintf(&b, "Review of your changes since %s: %d %s.", since[:min(len(since), longestSince)], len(comments),
		noun)

	for _, c := range comments {
		b.WriteString("\n\n")
		b.WriteString(c.place())
		b.WriteString(c.Text)
	}

	return b.String()
}

// place says in one line what a comment is about, or nothing if it is about all.
func (c Comment) place() string {
	if c.File == "" {
		return ""
	}

	place := plain.CleanLine(c.File)
	if c.Line > 0 {
		place += ":" + strconv.Itoa(c.Line)
	}
	if c.Removed {
		place += " (removed)"
	}
	if quote := strings.TrimRight(c.Quote, " \t"); quote != "" {
		place += ": " + plain.Truncate(quote, longestQuote)
	}

	return place + "\n"
}
