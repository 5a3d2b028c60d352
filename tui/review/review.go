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
	room *room.Shared
	acts *room.Actions
	room.Awaited
	shell   shell
	under   room.Lens // what it lies over; nil for the screen itself
	Changes changes
	list    bool // there is room for the files beside the rows
	remarks remarks
	draw    drawing
	beside  pairing
	Merge   merging
	reads   reading // of its changes
}

// New returns the room, which asks the shell s for what lies beyond it.
func New(a *room.Actions, s shell) *Room {
	r := &Room{room: a.Room, acts: a, shell: s}
	r.remarks = remarks{room: a.Room, acts: a, changes: &r.Changes, of: map[string][]review.Comment{}}
	r.draw = drawing{a.Room, &r.Changes, &r.remarks}
	r.beside = pairing{room: a.Room, changes: &r.Changes, draw: r.draw}
	r.Merge = merging{room: a.Room, shell: s, changes: &r.Changes, read: r.read}

	return r
}

// Opened reports whether the room lies over the screen.
func (r *Room) Opened() bool { return r.room.Over == room.Lens(r) }

// Asks reports whether it asks how to merge.
func (r *Room) Asks() bool { return r.Opened() && r.Merge.question != nil }

// About returns the agent whose changes are shown.
func (r *Room) About() room.Subject {
	s := room.Subject{PartnerID: r.Changes.id, Partner: r.Changes.name, Agent: r.room.Team.Find(r.Changes.id)}
	return s
}

// Keys returns the keys of the room.
func (r *Room) Keys() []kit.Binding {
	nothing := func() bool { return len(r.Changes.rows) == 0 }
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
		verb.View.To("compare with what others change there", r.beside.compare).
			Hinted("compare").Rarely().Unless(r.Changes.unshared),
		verb.Merge.To("merge its branch: shows first what happens", r.Merge.askMerge).
			Hinted("merge").Unless(r.Changes.unmergeable),
		verb.Remove.To("stop it, and remove its worktree", r.Merge.askRemove).Unless(r.Changes.unmergeable),
		verb.Follow.To("see what it has changed meanwhile", r.refresh).Hinted("refresh").Rarely(),
		verb.Up.To("up", move(kit.LineUp)),
		verb.Down.To("down", move(kit.LineDown)),
		verb.PageUp.To("a page up", move(kit.PageUp)),
		verb.PageDown.To("a page down", move(kit.PageDown)),
		verb.Top.To("to the top", move(kit.ToTop)),
		verb.Bottom.To("to the end", move(kit.ToBottom)),
		verb.Attach.To("attach to its terminal", r.acts.Attach),
		verb.Steer.To("steer it: guidance it must see", r.doing(verb.Steer)),
		verb.Run.To("run any command", r.doing(verb.Run)),
		verb.GoTo.To("go to anything by its name", r.doing(verb.GoTo)),
		verb.Undo.To("undo the last action", r.acts.UndoLast),
		verb.Help.To("all keys", r.room.OpenHelp).Hinted("help"),
		verb.Back.To("back; comments are kept", r.back, verb.Leave).Hinted("back"),
	}
}

func (r *Room) doing(v verb.Verb) func() tea.Cmd {
	return func() tea.Cmd { return r.shell.Do(v) }
}

// Start opens the room for the agent under the marker.
func (r *Room) Start() tea.Cmd {
	a := r.room.About().Agent
	if a == nil {
		r.room.Lacks(room.WhichAgent)
		return nil
	}

	r.under, r.room.Over = r.room.Over, r
	if r.Changes.id != a.ID {
		r.Changes = changes{height: r.Changes.height, width: r.Changes.width}
		r.Awaited = room.Awaited{What: "what " + a.Name + " has changed"}
	}
	r.Changes.id, r.Changes.name, r.Merge.question, r.beside.other = a.ID, a.Name, nil, beside{}

	return r.read()
}

// read reads what the agent has changed.
func (r *Room) read() tea.Cmd {
	id, isolated := r.Changes.id, false
	if a := r.room.Team.Find(id); a != nil {
		isolated = a.Worktree != nil
	}

	return r.reads.ask(r.room.Do.Call(func(ctx context.Context, s parley.Service) tea.Msg {
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
		if msg.id == r.Changes.id {
			r.take(msg)
		}
		return r.reads.came()
	case besideMsg:
		r.beside.other.take(msg)
		return r.beside.reads.came()
	case removalMsg:
		if again := r.Merge.removal.came(); again != nil || msg.err == nil && !r.Opened() {
			return again
		}
		return r.Merge.confirmRemoval(msg)
	case finishedMsg:
		if msg.err == nil && msg.result.Removed && r.Opened() && r.Changes.id == msg.result.AgentID {
			r.room.Over, r.under, r.Read = r.under, nil, false
			r.Changes.loaded, r.Changes.rows = loadedMsg{}, nil
		}
		return r.Merge.finished(msg)
	case room.SentMsg:
		if msg.Err == nil && msg.Draft.To.Review {
			delete(r.remarks.of, msg.Draft.To.Agent)
			r.remarks.place()
		}
	}
	return nil
}

func (r *Room) refresh() tea.Cmd {
	r.room.Tell("Reading what " + r.Changes.name + " has changed meanwhile.")
	return r.read()
}

// take shows what was read, with the marker where it was.
func (r *Room) take(msg loadedMsg) {
	if r.Err = msg.err; msg.err != nil {
		if !r.room.Link.Gone(msg.err) && r.Read {
			r.room.Fail(msg.err) // what was read before stays
		}
		return
	}

	r.Read = true
	r.Changes.show(msg)
	if r.Merge.question != nil && msg.preview != nil {
		r.Merge.question.preview = msg.preview
	}
	r.remarks.place()
}

func (r *Room) move(by kit.Motion) {
	if r.Changes.inFiles {
		r.toFile(r.Changes.fileAt() + by.Lines(r.Changes.height))
		return
	}
	r.Changes.Scroll(by.Lines(r.Changes.height))
}

// toFile goes to the beginning of a file that the diff has, at a place or nearest to it.
func (r *Room) toFile(i int) {
	if len(r.Changes.files) == 0 {
		r.room.Lacks("It has changed no file.")
		return
	}
	f := r.Changes.files[kit.Clamp(i, 0, len(r.Changes.files)-1)]
	if f.row < 0 {
		r.room.Tell(kit.SafeLine(f.Path) + " is not shown: the diff is too long.")
		return
	}
	r.Changes.at, r.Changes.top = f.row, f.row
}

func (r *Room) file(n int) func() tea.Cmd {
	return func() tea.Cmd { r.toFile(r.Changes.fileAt() + n); return nil }
}

// hunk goes to the next change or the one before.
func (r *Room) hunk(n int) func() tea.Cmd {
	return func() tea.Cmd {
		if !r.Changes.toHunk(n) {
			r.room.Lacks(map[int]string{1: "This is the last change.", -1: "This is the first change."}[n])
		}
		return nil
	}
}

func (r *Room) turn() tea.Cmd { r.Changes.inFiles = !r.Changes.inFiles; return nil }

func (r *Room) open() tea.Cmd {
	if r.Changes.inFiles {
		return r.turn()
	}
	return r.remarks.comment()
}

// back leaves the room. Comments are kept until they are sent.
func (r *Room) back() tea.Cmd {
	switch {
	case r.beside.other.id != "":
		r.beside.other = beside{}
		return nil
	case r.Changes.inFiles:
		return r.turn()
	}

	r.room.Over, r.under = r.under, nil
	if n := len(r.remarks.of[r.Changes.id]); n > 0 {
		r.room.Tell(fmt.Sprintf("%s for %s kept. %s opens the review again.", kit.Plural(n, "comment"), r.Changes.name,
			r.room.Key("d")))
	}
	return nil
}
