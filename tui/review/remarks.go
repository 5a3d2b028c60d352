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
	of map[string][]review.Comment // by agent
	by map[int][]int               // places of the shown agent's, by the row below which they stand
}

// place finds the rows of the comments in the diff that is shown. Those whose file is gone from it stand at the top.
func (m *remarks) place(r *Room) {
	m.by = map[int][]int{}
	for i, c := range m.of[r.id] {
		at := max(0, c.Find(r.rows))
		m.by[at] = append(m.by[at], i)
	}
}

// none returns whether there is nothing to send.
func (m *remarks) none(r *Room) func() bool {
	return func() bool { return len(m.of[r.id]) == 0 }
}

// Unsent returns for which agents comments are kept, in words.
func (r *Room) Unsent() []string {
	var labels []string
	for id, all := range r.remarks.of {
		if a := r.Team.Find(id); a != nil && len(all) > 0 {
			labels = append(labels, kit.Plural(len(all), "comment")+" for "+a.Name)
		}
	}
	slices.Sort(labels)
	return labels
}

func (r *Room) uncommented() bool { return len(r.remarks.by[r.at]) == 0 }

// comment asks for a comment on the row under the marker.
func (r *Room) comment() tea.Cmd {
	if r.at >= len(r.rows) {
		r.Lacks("There is nothing to comment.")
		return nil
	}

	c := r.rows[r.at].Comment("")
	where := kit.SafeLine(c.File)
	if c.Line > 0 {
		where += fmt.Sprintf(":%d", c.Line)
	}
	id := r.id

	return r.AskLine("Comment on "+where, func(text string) tea.Cmd {
		c.Text = text
		r.remarks.of[id] = append(r.remarks.of[id], c)
		r.remarks.place(r)
		r.Tell(fmt.Sprintf("%s. %s shows the message that sends them.", kit.Plural(len(r.remarks.of[id]), "comment"),
			r.Key("r")))
		return nil
	})
}

// drop asks before it throws away the comment under the marker, the last if there are several.
func (r *Room) drop() tea.Cmd {
	here := r.remarks.by[r.at]
	if len(here) == 0 {
		r.Lacks("There is no comment here.")
		return nil
	}

	id, at := r.id, here[len(here)-1]
	c := r.remarks.of[id][at]
	return r.Ask("Drop the comment “"+kit.Fit(c.Text, 60)+"”?", func() tea.Cmd {
		if i := slices.Index(r.remarks.of[id], c); i >= 0 {
			r.remarks.of[id] = slices.Delete(r.remarks.of[id], i, i+1)
		}
		r.remarks.place(r)
		return nil
	})
}

// send opens the box with all comments as one message, in the order of the diff. They are kept until it is sent.
func (r *Room) send() tea.Cmd {
	all := slices.Clone(r.remarks.of[r.id])
	if len(all) == 0 || !r.Read { // the message says since when the changes are
		r.Lacks("No comments yet. " + r.Key("c") + " comments the line under the marker.")
		return nil
	}

	slices.SortStableFunc(all, func(x, y review.Comment) int { return x.Find(r.rows) - y.Find(r.rows) })
	d := room.NewDraft(room.Address{Agent: r.id, Review: true}, "")
	d.Label, d.Text = "Review to "+r.name, review.Message(all, r.loaded.diff.Since)

	return r.shell.Send(d)
}
