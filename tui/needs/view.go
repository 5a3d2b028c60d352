package needs

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/op"
	"parley/tui/kit"
	"parley/tui/room"
	"parley/tui/verb"
)

// Parts divides the screen between the list and the details.
func (n *Screen) Parts(w, h int) (listW, listH, paneW, paneH int) {
	switch {
	case len(n.list.list) == 0:
		return w, h, 0, 0
	case n.room.Tier >= kit.Wide:
		listW = n.room.Division.ListWidth(w*48/100, w)
		return listW, h, w - listW - 3, h
	}
	listH = n.room.Division.ListHeight(min(len(n.list.list)+2, max(h*45/100, 5)), h)
	return w, listH, w, h - listH
}

func (n *Screen) Settle(w, h int) {
	_, listH, paneW, paneH := n.Parts(w, h)
	n.list.settle(max(1, listH-2), n.room.Do.Now()) // the row under the marker takes two lines
	if len(n.list.list) == 0 {
		n.inDetail = false
	}
	if n.Detail.Height = max(1, paneH-1); paneH > 0 {
		n.Detail.Settle(len(n.Detail.lines(n.list.selected(), paneW)))
	}
}

func (n *Screen) View(w, h int) []string {
	listW, listH, paneW, paneH := n.Parts(w, h)
	list := kit.Clip(n.rows(listW), listH)
	if paneH == 0 {
		return kit.Clip(list, h)
	}

	details := kit.Clip(n.Detail.view(n.list.selected(), paneW, n.inDetail), paneH)
	if n.room.Tier >= kit.Wide {
		return kit.Beside(n.room.Theme, list, details, listW)
	}

	return append(list, details...)
}

// rows draws the list.
func (n *Screen) rows(w int) []string {
	note, at := "", n.list.index()
	if len(n.list.list) > n.list.height {
		note = fmt.Sprintf("%d of %d", at+1, len(n.list.list))
	}

	lines := []string{n.room.Theme.Rule("Needs you", n.Filter.Note(note), w, !n.inDetail)}
	if n.Err != nil {
		lines = append(lines, room.ErrorLines(n.room.Theme, n.Err, w)...)
	}

	switch {
	case !n.Read && n.Err == nil, len(n.list.list) == 0 && !n.room.Inbox.Read(&n.room.Team):
		return append(lines, n.room.Theme.Dim.Render(kit.Fit("  Reading what needs you…", w)))
	case len(n.list.list) == 0 && n.Filter.Active():
		return append(lines, "", "  "+kit.Fit(n.Filter.Nothing("need"), w-2))
	case len(n.list.list) == 0 && n.Err == nil:
		return append(lines, nothingLines(n.room.Theme, w)...)
	}

	rows := needRows{n.room, n.list.columns(), n.inDetail}
	for i := n.list.top; i < min(n.list.top+n.list.height, len(n.list.list)); i++ {
		lines = append(lines, rows.row(&n.list.list[i], w, i == at)...)
	}

	return lines
}

// needColumns are how wide the columns before the text are.
type needColumns struct{ kind, name int }

// needRows draws the rows of the list.
type needRows struct {
	room     *room.Shared
	columns  needColumns
	inDetail bool // the movement keys go to the details
}

const needsLesson = "Listed here, with the key that helps: open dialogs; agents that are lost, have ended or " +
	"are stuck; messages that are unconfirmed; answers that you wait for; and messages to you. The number next to " +
	"this screen's name counts them. What is between agents stands below, dim: answers that they owe each other, " +
	"and what loop protection holds."

// nothingLines say that nothing needs the operator, and what the screen is for.
func nothingLines(th kit.Theme, w int) []string {
	lines := []string{"", th.Good.Render(kit.Fit("  ✓ Nothing needs you.", w)), ""}
	for _, line := range kit.Wrap(needsLesson, w-2) {
		lines = append(lines, "  "+th.Dim.Render(line))
	}
	return lines
}

// row draws a need on one line: a glyph and a label that may be skipped, who it is about, and what it
// says. Below the one under the marker is what can be done about it.
func (n *needRows) row(x *need, w int, selected bool) []string {
	l, _ := x.look()
	kind := kit.Pad(l.Glyph, 2) + kit.Pad(kit.CodeWords(x.Kind), n.columns.kind) + " "
	who, ago := kit.PadName(kit.SafeLine(x.Agent), n.columns.name)+" ", kit.Pad(x.ago(n.room.Now), 4)+" "

	used := 2 + kit.Width(kind+who+ago)
	also := kit.Fit(alsoWords(&n.room.Team, x), max(0, w-used-leastText))
	if also != "" {
		also = "  " + also
	}
	lead := kit.Fit(x.lead, w-used)
	text := kit.Fit(x.headline(), w-used-kit.Width(lead)-kit.Width(also))

	if selected {
		first := kit.Pad("▸ "+kind+who+ago+lead+text+also, w)
		if !n.inDetail {
			first = n.room.Theme.Focus.Render(first)
		}
		return []string{first, "    " + kit.Columns(n.optionWords(x), n.room.Theme.Dim.Render(" · "), w-4)}
	}

	style := n.room.Theme.Warn
	switch {
	case x.Kind == needUnsent:
		style = n.room.Theme.Plain
	case l.Grave:
		style = n.room.Theme.Bad
	}

	dim := n.room.Theme.Dim
	if x.Between {
		return []string{dim.Render(kit.Fit("  "+kind+who+ago+lead+text+also, w))}
	}
	return []string{"  " + style.Render(kind[:len(l.Glyph)]) + dim.Render(kind[len(l.Glyph):]) +
		n.room.Theme.Name(strings.TrimSpace(who)).Render(who) + dim.Render(ago+lead) + text + dim.Render(also)}
}

// leastText is how many columns of a row its text keeps before the rest of the matter is said.
const leastText = 20

// optionWords draws what can be done about a need.
func (n *needRows) optionWords(x *need) []string {
	a := n.room.Team.Find(x.AgentID)
	attachable := a != nil && a.Kind == parley.KindTerminal
	key := func(o option) string { return n.room.Key(kit.First(o.verb.Row().Keys)) }

	var words []string
	for _, o := range x.options() {
		switch {
		case o.verb == verb.Attach && !attachable:
			continue
		case o.verb == verb.Open && x.letter() && x.thread != "":
			o.does = "open the thread"
		case o.verb == verb.Open && x.answerable():
			words = append(words, n.room.Theme.Accent.Render(key(o))+" answer")
			o.verb = verb.Attach
		}
		words = append(words, n.room.Theme.Accent.Render(key(o))+" "+o.does)
	}

	return words
}

// report is what the daemon says that a person is needed for, and the requests for it.
type report struct {
	room   *room.Shared
	asking bool // one request runs at a time
	needs  []parley.Need
	count  int // the daemon's count that needs answer
}

// needsMsg is the daemon's list.
type needsMsg struct {
	list  []parley.Need
	count int // for which it was read
	err   error
}

func readNeeds(count int) room.Request {
	return func(ctx context.Context, s parley.Service) tea.Msg {
		res, err := op.GetNeeds.Call(ctx, s, parley.GetNeedsRequest{})
		if err != nil {
			return needsMsg{err: err}
		}
		return needsMsg{list: res.Needs, count: count}
	}
}

// ask reads the list while a screen shows it, and else when the daemon counts another number: the
// bar counts matters. read says that it was read before.
func (r *report) ask(read bool) tea.Cmd {
	count := 0
	if r.room.Link.Status != nil {
		count = r.room.Link.Status.Needs
	}
	shown := r.room.At == room.AtNeeds || r.room.At == room.AtAgents && r.room.Team.AnyAsks()
	if r.asking || !shown && r.count == count && (read || count == 0) {
		return nil
	}
	r.asking = true
	return r.room.Do.Call(readNeeds(count))
}

// take takes an answer. After an error the last one stays.
func (r *report) take(msg needsMsg) {
	if r.asking = false; msg.err == nil {
		r.needs, r.count = msg.list, msg.count
		r.room.Team.Asked = map[string]*parley.Dialog{}
		for i := range r.needs {
			if x := &r.needs[i]; x.Dialog != nil {
				r.room.Team.Asked[x.AgentID] = x.Dialog
			}
		}
	}
}

// sees notes what stands on the screen of an agent now, whose options are not known.
func (r *report) sees(agent string, screen []string) {
	for i := range r.needs {
		if x := &r.needs[i]; x.AgentID == agent && x.Kind == parley.NeedDialog {
			x.Screen = screen
		}
	}
}
