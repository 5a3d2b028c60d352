package review

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/internal/review"
	"parley/tui/kit"
	"parley/tui/room"
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

// remarks are the comments that were not sent yet.
type remarks struct {
	room    *room.Shared
	acts    *room.Actions
	changes *changes
	of      map[string][]review.Comment // by agent
	by      map[int][]int               // places of the shown agent's, by the row below which they stand
}

// place finds the rows of the comments in the diff that is shown. Those whose file is gone from it stand at the top.
func (m *remarks) place() {
	m.by = map[int][]int{}
	for i, c := range m.of[m.changes.id] {
		at := max(0, c.Find(m.changes.rows))
		m.by[at] = append(m.by[at], i)
	}
}

// none reports whether there is nothing to send.
func (m *remarks) none() bool { return len(m.of[m.changes.id]) == 0 }

// Unsent returns for which agents comments are kept, in words.
func (r *Room) Unsent() []string {
	var labels []string
	for id, all := range r.remarks.of {
		if a := r.room.Team.Find(id); a != nil && len(all) > 0 {
			labels = append(labels, kit.Plural(len(all), "comment")+" for "+a.Name)
		}
	}
	slices.Sort(labels)
	return labels
}

// noneHere reports whether the row under the marker has no comment.
func (m *remarks) noneHere() bool { return len(m.by[m.changes.at]) == 0 }

// comment asks for a comment on the row under the marker.
func (m *remarks) comment() tea.Cmd {
	if m.changes.at >= len(m.changes.rows) {
		m.room.Lacks("There is nothing to comment.")
		return nil
	}

	c := m.changes.rows[m.changes.at].Comment("")
	where := kit.SafeLine(c.File)
	if c.Line > 0 {
		where += fmt.Sprintf(":%d", c.Line)
	}
	id := m.changes.id

	return m.room.Keys.AskLine("Comment on "+where, func(text string) tea.Cmd {
		c.Text = text
		m.of[id] = append(m.of[id], c)
		m.place()
		m.room.Tell(fmt.Sprintf("%s. %s shows the message that sends them.", kit.Plural(len(m.of[id]), "comment"),
			m.room.Key("r")))
		return nil
	})
}

// drop asks before it throws away the comment under the marker, the last if there are several.
func (m *remarks) drop() tea.Cmd {
	here := m.by[m.changes.at]
	if len(here) == 0 {
		m.room.Lacks("There is no comment here.")
		return nil
	}

	id, at := m.changes.id, here[len(here)-1]
	c := m.of[id][at]
	return m.room.Keys.Ask("Drop the comment “"+kit.Fit(c.Text, 60)+"”?", func() tea.Cmd {
		if i := slices.Index(m.of[id], c); i >= 0 {
			m.of[id] = slices.Delete(m.of[id], i, i+1)
		}
		m.place()
		return nil
	})
}

// send opens the box with all comments as one message, in the order of the diff. They are kept until it is sent.
func (r *Room) send() tea.Cmd {
	all := slices.Clone(r.remarks.of[r.Changes.id])
	if len(all) == 0 || !r.Read { // the message says since when the changes are
		r.room.Lacks("No comments yet. " + r.room.Key("c") + " comments the line under the marker.")
		return nil
	}

	slices.SortStableFunc(all, func(x, y review.Comment) int { return x.Find(r.Changes.rows) - y.Find(r.Changes.rows) })
	d := room.NewDraft(room.Address{Agent: r.Changes.id, Review: true}, "")
	d.Label, d.Text = "Review to "+r.Changes.name, review.Message(all, r.Changes.loaded.diff.Since)

	return r.shell.Send(d)
}
