// Package review is the room in which a person reads what an agent has changed, comments it, and merges it.
package review

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/internal/review"
	"parley/op"
	"parley/tui/kit"
	"parley/tui/room"
	"parley/tui/verb"
)

// shell is what the room asks of the whole.
type shell interface {
	Do(verb.Verb) tea.Cmd
	Send(room.Draft) tea.Cmd // opens the box with a draft
}

// Room shows the changes of one agent. It lies over the screen from which it was opened.
type Room struct {
	room.Actions
	room.Awaited
	shell shell
	under room.Lens // what it lies over; nil for the screen itself
	changes
	list    bool // there is room for the files beside the rows
	remarks remarks
	beside  beside
	merge   *question // how to merge; nil unless that is asked

	reads struct{ own, beside, removal reading } // what git is asked
}

// New returns the room, which asks the shell s for what lies beyond it.
func New(a room.Actions, s shell) *Room {
	r := &Room{Actions: a, shell: s}
	r.remarks = remarks{Actions: a, changes: &r.changes, of: map[string][]review.Comment{}}

	return r
}

// Opened reports whether the room lies over the screen.
func (r *Room) Opened() bool { return r.Over == room.Lens(r) }

// Asks reports whether it asks how to merge.
func (r *Room) Asks() bool { return r.Opened() && r.merge != nil }

// About returns the agent whose changes are shown.
func (r *Room) About() room.Subject {
	s := room.Subject{PartnerID: r.id, Partner: r.name, Agent: r.Team.Find(r.id)}
	return s
}

// Keys returns the keys of the room.
func (r *Room) Keys() []kit.Binding {
	nothing := func() bool { return len(r.rows) == 0 }
	move := func(by kit.Motion) func() tea.Cmd {
		return func() tea.Cmd { r.move(by); return nil }
	}

	return []kit.Binding{
		verb.NextHunk.To("the next change", r.hunk(1)).Hinted("next change").Unless(nothing),
		verb.PreviousHunk.To("the change before", r.hunk(-1)),
		verb.Next.To("the next file", r.file(1)).Hinted("next file").Rarely().Unless(nothing),
		verb.Previous.To("the file before", r.file(-1)),
		verb.Switch.To("between the files and their lines", r.turn).Unless(nothing),
		verb.Open.To("go to the file; on a line, comment it", r.open),
		verb.Write.To("comment the line, the change or the file", r.remarks.comment).Hinted("comment").Unless(nothing),
		verb.Dismiss.To("drop the comment", r.remarks.drop).Hinted("drop").Rarely().Unless(r.remarks.noneHere),
		verb.Reply.To("your comments as one message, to send", r.send).Hinted("send").Unless(r.remarks.none),
		verb.View.To("beside it, what others change there", pairing{r}.compare).
			Hinted("beside").Rarely().Unless(r.unshared),
		verb.Merge.To("merge its branch: shows first what happens", Merging{r}.askMerge).
			Hinted("merge").Unless(r.unmergeable),
		verb.Remove.To("stop it, and remove its worktree", Merging{r}.askRemove).Unless(r.unmergeable),
		verb.Follow.To("see what it has changed meanwhile", r.refresh).Hinted("refresh").Rarely(),
		verb.Up.To("up", move(kit.LineUp)),
		verb.Down.To("down", move(kit.LineDown)),
		verb.PageUp.To("a page up", move(kit.PageUp)),
		verb.PageDown.To("a page down", move(kit.PageDown)),
		verb.Top.To("to the top", move(kit.ToTop)),
		verb.Bottom.To("to the end", move(kit.ToBottom)),
		verb.Attach.To("attach to its terminal", r.Attach),
		verb.Steer.To("steer it: guidance it must see", r.doing(verb.Steer)),
		verb.Run.To("run any command", r.doing(verb.Run)),
		verb.GoTo.To("go to anything by its name", r.doing(verb.GoTo)),
		verb.Undo.To("undo the last action", r.UndoLast),
		verb.Help.To("all keys", r.OpenHelp).Hinted("help"),
		verb.Back.To("back; comments are kept", r.back, verb.Leave).Hinted("back"),
	}
}

func (r *Room) doing(v verb.Verb) func() tea.Cmd {
	return func() tea.Cmd { return r.shell.Do(v) }
}

// Start opens the room for the agent under the marker.
func (r *Room) Start() tea.Cmd {
	a := r.Actions.About().Agent
	if a == nil {
		r.Lacks(room.WhichAgent)
		return nil
	}

	r.under, r.Over = r.Over, r
	if r.id != a.ID {
		r.changes = changes{height: r.height, width: r.width}
		r.Awaited = room.Awaited{What: "what " + a.Name + " has changed"}
	}
	r.id, r.name, r.merge, r.beside = a.ID, a.Name, nil, beside{}

	return r.read()
}

// read reads what the agent has changed.
func (r *Room) read() tea.Cmd {
	id, isolated := r.id, false
	if a := r.Team.Find(id); a != nil {
		isolated = a.Worktree != nil
	}

	return r.reads.own.ask(r.Do.Call(func(ctx context.Context, s parley.Service) tea.Msg {
		msg := loadedMsg{id: id}
		msg.diff, msg.err = op.DiffAgent.Call(ctx, s, parley.DiffAgentRequest{Agent: id})
		if msg.err == nil && isolated {
			msg.preview, msg.err = op.PreviewMerge.Call(ctx, s, parley.PreviewMergeRequest{Agent: id})
		}
		return msg
	}))
}

// Update takes what was read, and what was done.
func (r *Room) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case loadedMsg:
		if msg.id == r.id {
			r.take(msg)
		}
		return r.reads.own.came()
	case besideMsg:
		r.beside.take(msg)
		return r.reads.beside.came()
	case removalMsg:
		if again := r.reads.removal.came(); again != nil {
			return again
		}
		return Merging{r}.confirmRemoval(msg)
	case finishedMsg:
		return Merging{r}.finished(msg)
	case room.SentMsg:
		if msg.Err == nil && msg.Draft.To.Review {
			delete(r.remarks.of, msg.Draft.To.Agent)
			r.remarks.place()
		}
	}
	return nil
}

func (r *Room) refresh() tea.Cmd {
	r.Tell("Reading what " + r.name + " has changed meanwhile.")
	return r.read()
}

// take shows what was read, with the marker where it was.
func (r *Room) take(msg loadedMsg) {
	if r.Err = msg.err; msg.err != nil {
		if !r.Link.Gone(msg.err) && r.Read {
			r.Fail(msg.err) // what was read before stays
		}
		return
	}

	r.Read = true
	r.show(msg)
	if r.merge != nil && msg.preview != nil {
		r.merge.preview = msg.preview
	}
	r.remarks.place()
}

func (r *Room) move(by kit.Motion) {
	if r.inFiles {
		r.toFile(r.fileAt() + by.Lines(r.height))
		return
	}
	r.Scroll(by.Lines(r.height))
}

// toFile goes to the beginning of a file that the diff has, at a place or nearest to it.
func (r *Room) toFile(i int) {
	if len(r.files) == 0 {
		r.Lacks("It has changed no file.")
		return
	}
	f := r.files[kit.Clamp(i, 0, len(r.files)-1)]
	if f.row < 0 {
		r.Tell(kit.SafeLine(f.Path) + " is not shown: the diff is too long.")
		return
	}
	r.at, r.top = f.row, f.row
}

func (r *Room) file(n int) func() tea.Cmd {
	return func() tea.Cmd { r.toFile(r.fileAt() + n); return nil }
}

// hunk goes to the next change or the one before.
func (r *Room) hunk(n int) func() tea.Cmd {
	return func() tea.Cmd {
		if !r.toHunk(n) {
			r.Lacks(map[int]string{1: "This is the last change.", -1: "This is the first change."}[n])
		}
		return nil
	}
}

func (r *Room) turn() tea.Cmd { r.inFiles = !r.inFiles; return nil }

func (r *Room) open() tea.Cmd {
	if r.inFiles {
		return r.turn()
	}
	return r.remarks.comment()
}

// back leaves the room. Comments are kept until they are sent.
func (r *Room) back() tea.Cmd {
	switch {
	case r.beside.id != "":
		r.beside = beside{}
		return nil
	case r.inFiles:
		return r.turn()
	}

	r.Over, r.under = r.under, nil
	if n := len(r.remarks.of[r.id]); n > 0 {
		r.Tell(fmt.Sprintf("%s for %s kept. %s opens the review again.", kit.Plural(n, "comment"), r.name, r.Key("d")))
	}
	return nil
}
