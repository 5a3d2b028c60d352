package review

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/internal/review"
	"parley/tui/kit"
	"parley/tui/room"
)

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
