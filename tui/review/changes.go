package review

import (
	"slices"

	"parley"
	"parley/internal/review"
	"parley/tui/kit"
)

// changes are what an agent has changed, as rows of a diff, with the marker on one of them.
type changes struct {
	id      string // of the agent
	name    string
	loaded  loadedMsg
	rows    []review.Row
	files   []file
	at      int  // the row under the marker
	top     int  // the first row that is drawn
	inFiles bool // the movement keys go from file to file
	height  int
	width   int // of the rows
}

// file is a file of the diff.
type file struct {
	parley.ChangedFile
	row int // its first; -1 if the diff is too short to have it
}

// loadedMsg is what was read of an agent's changes.
type loadedMsg struct {
	id      string
	diff    *parley.DiffAgentResult
	preview *parley.PreviewMergeResult // nil if it has no worktree
	err     error
}

// show takes what was read, with the marker where it was.
func (c *changes) show(msg loadedMsg) {
	var was review.Comment
	if c.at < len(c.rows) {
		was = c.rows[c.at].Comment("")
	}
	c.loaded, c.rows, c.files = msg, review.Rows(msg.diff.Diff), nil

	first := map[string]int{}
	for i, row := range slices.Backward(c.rows) {
		if row.Kind == review.FileRow {
			first[row.File] = i
		}
	}
	for _, f := range msg.diff.Files {
		at, ok := first[f.Path]
		if !ok {
			at = -1
		}
		c.files = append(c.files, file{f, at})
	}

	c.at = max(0, was.Find(c.rows))
}

// fileAt returns the place of the file under the marker, -1 if there is none.
func (c *changes) fileAt() int {
	if c.at >= len(c.rows) {
		return -1
	}
	name := c.rows[c.at].File
	return slices.IndexFunc(c.files, func(f file) bool { return f.Path == name })
}

// Scroll moves the marker some rows.
func (c *changes) Scroll(n int) { c.at = kit.Clamp(c.at+n, 0, max(0, len(c.rows)-1)) }

// toHunk goes to the next change or the one before, and reports whether there is one.
func (c *changes) toHunk(n int) bool {
	for i := c.at + n; i >= 0 && i < len(c.rows); i += n {
		if c.rows[i].Kind == review.HunkRow {
			c.at, c.top, c.inFiles = i, max(0, i-1), false
			return true
		}
	}
	return false
}

// others returns who changes a file, too.
func (c *changes) others(file string) []parley.SharedFiles {
	if c.loaded.preview == nil {
		return nil
	}
	var all []parley.SharedFiles
	for _, s := range c.loaded.preview.Shared {
		if slices.Contains(s.Files, file) {
			all = append(all, s)
		}
	}
	return all
}

// here returns who changes the file under the marker, too.
func (c *changes) here() []parley.SharedFiles {
	if c.at >= len(c.rows) {
		return nil
	}
	return c.others(c.rows[c.at].File)
}

func (c *changes) unshared() bool { return len(c.here()) == 0 }

// unmergeable reports whether there is no branch to merge.
func (c *changes) unmergeable() bool { return c.loaded.preview == nil }
