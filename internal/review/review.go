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

// fileHead begins the lines of a file in a diff.
const fileHead = "diff --git "

// headName returns the name of a file from the two behind fileHead, which git separates by a space only. They differ
// where the file was renamed; then another line has the name.
func headName(names string) string {
	if i := strings.LastIndex(names, ` "b/`); i >= 0 && strings.HasSuffix(names, `"`) {
		return unprefixed(names[i+1:], "b/")
	}

	half := len(names) / 2
	if len(names)%2 == 1 && names[half] == ' ' && names[:half] == "a/"+strings.TrimPrefix(names[half+1:], "b/") {
		return names[half+len(" b/"):]
	}
	_, after, _ := strings.Cut(names, " b/")

	return after
}

// nameIn returns the name that a line above the first hunk has, "" if it has none.
func nameIn(line string) string {
	if name, ok := strings.CutPrefix(line, "+++ "); ok {
		return unprefixed(strings.TrimSuffix(name, "\t"), "b/") // the tab ends a name with spaces in it
	}
	if name, ok := strings.CutPrefix(line, "rename to "); ok {
		return unquoted(name)
	}
	return ""
}

// unprefixed returns the name behind a prefix, "" if it has another one, as /dev/null has.
func unprefixed(name, prefix string) string {
	name, ok := strings.CutPrefix(unquoted(name), prefix)
	if !ok {
		return ""
	}
	return name
}

// unquoted returns a name as it is. Git quotes one with control characters or quotes in it as C does.
func unquoted(name string) string {
	if !strings.HasPrefix(name, `"`) {
		return name
	}
	if plain, err := strconv.Unquote(name); err == nil {
		return plain
	}
	return name
}

// Kind says what a row of a diff is.
type Kind int

// The kinds of rows.
const (
	FileRow Kind = iota // begins a file
	HunkRow             // begins a hunk
	SameRow
	AddedRow
	RemovedRow
	NoteRow // such as that the last line has no end
)

// Row is a line of a diff that a person sees and can comment.
type Row struct {
	Kind Kind
	File string
	Line int    // its number in the file, as it was for a removed line; 0 for a row that is no line
	Text string // with its sign; of a file row, what git says of the file beyond its name, such as that it is binary
}

// Rows returns the rows of a diff. The lines in which git describes a file are one row.
func Rows(diff string) []Row {
	var (
		rows []Row
		at   walk
		file = -1
	)

	for line := range strings.Lines(diff) {
		line = strings.TrimRight(line, "\r\n")
		at.pass(line)
		switch {
		case strings.HasPrefix(line, fileHead):
			file = len(rows)
			rows = append(rows, Row{Kind: FileRow, File: at.file})
		case file < 0:
		case !at.hunk:
			rows[file].File = at.file
			rows[file].note(line)
		case hunkHead.MatchString(line):
			rows = append(rows, Row{Kind: HunkRow, File: at.file, Text: line})
		case at.added:
			rows = append(rows, Row{AddedRow, at.file, at.now - 1, line})
		case at.taken:
			rows = append(rows, Row{RemovedRow, at.file, at.before - 1, line})
		case strings.HasPrefix(line, `\`):
			rows = append(rows, Row{Kind: NoteRow, File: at.file, Text: line})
		default:
			rows = append(rows, Row{SameRow, at.file, at.now - 1, line})
		}
	}

	return rows
}

// note adds to the row of a file what a line above its first hunk says.
func (r *Row) note(line string) {
	for _, word := range []string{"new file", "deleted file", "old mode", "new mode", "rename from ", "copy from ",
		"Binary files"} {
		if !strings.HasPrefix(line, word) {
			continue
		}
		if word == "Binary files" {
			line = "binary"
		}
		if r.Text != "" {
			r.Text += ", "
		}
		r.Text += line
	}
}

// Comment returns a comment on the row.
func (r Row) Comment(text string) Comment {
	c := Comment{File: r.File, Text: text}
	switch r.Kind {
	case SameRow, AddedRow, RemovedRow:
		c.Line, c.Removed, c.Quote = r.Line, r.Kind == RemovedRow, r.Text
	case HunkRow:
		c.Quote = r.Text
	}
	return c
}

// Find returns the place of the row that a comment is about, in a diff that may be newer than the comment: the row
// with its text that is nearest to where it was, or else that of its file. It is -1 if the diff no longer has the file.
func (c Comment) Find(rows []Row) int {
	best, distance := -1, 0
	for i, r := range rows {
		if r.File != c.File {
			continue
		}
		is := r.Comment(c.Text)
		switch d := max(is.Line-c.Line, c.Line-is.Line); {
		case best < 0:
			best, distance = i, -1
		case c.Quote == "" || is.Quote != c.Quote || is.Removed != c.Removed:
		case distance < 0 || d < distance:
			best, distance = i, d
		}
	}
	return best
}
