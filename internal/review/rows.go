package review

import "strings"

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
