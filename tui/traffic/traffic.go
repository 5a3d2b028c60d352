// Package traffic is the screen of every message as it happens, with what became of it.
package traffic

import (
	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/tui/kit"
	"parley/tui/room"
	"parley/tui/verb"
)

// New returns the screen.
func New(a *room.Actions) *Screen {
	t := &Screen{
		room: a.Room, acts: a, Awaited: room.Awaited{What: "the messages"},
		Records: records{Live: newRecord()},
	}
	t.Records.Shown, t.Filter = &t.Records.Live, filter{room: a.Room, traffic: t}
	t.reader = reader{room: a.Room, records: &t.Records}
	t.Selection = selection{room: a.Room, acts: a, records: &t.Records, picked: pickedMessages{}}
	t.Detail = pane{room: a.Room, records: &t.Records}
	return t
}

func (t *Screen) Title() string { return "Traffic" }

func (t *Screen) Badge() room.Badge { return room.Badge{Count: t.Records.Live.unseen} }

func (t *Screen) Keys() []kit.Binding {
	some := &t.Selection
	return []kit.Binding{
		verb.Open.To("open the message, or close it", t.enter).Hinted("open").Named("open message"),
		verb.Fold.To("fold two agents' messages, or unfold them", t.foldOrUnfold).Named("fold messages"),
		verb.Follow.To("follow the newest, or pause", t.toggleFollow).Hinted("follow").Named("follow"),
		verb.Switch.To("between the list and the message", t.turn),
		verb.Select.To("select the message, or no longer", some.toggle).Named("select message"),
		verb.Dismiss.To("mark it read, or those selected", some.markAll).Named("mark read"),
		verb.Explain.To("explain what happened to it", t.acts.Explain).Named("explain"),
		verb.Export.To("export those selected, or what is shown", t.exportFiltered).Named("export"),
		verb.Retry.To("retry it, or those selected", some.retryAll).Named("retry"),
		verb.Release.To("release it, or those selected", some.releaseAll).Named("release message"),
		verb.Back.To("clear selection, close, drop the filter", t.back),
	}
}

func (t *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case room.FeedMsg:
		if touched := t.heard(msg.Events); t.Detail.opened() && touched[t.Detail.ID] {
			return t.Detail.ask()
		}
	case room.AgentsMsg:
		t.Filter.learn()
		if t.Detail.Lost && msg.Err == nil {
			t.Detail.Lost = false
			return t.Detail.ask()
		}
	case room.SentMsg:
		t.Records.learn(msg.ID, msg.Deliveries)
	case room.DetailMsg:
		return t.Detail.take(msg)
	case room.ReadMsg:
		t.room.Fail(msg.Err)
	case pageMsg:
		t.Records.Live.takePage(msg)
		t.Records.Live.tried = t.room.Do.Now()
		if msg.of == aroundPage {
			t.arrived(msg)
		} else if msg.err != nil {
			t.room.Link.Gone(msg.err)
		}
	case huntedMsg:
		t.Filter.take(msg)
	case room.StandingsMsg:
		t.reader.takeStandings(msg)
	case textsMsg:
		t.reader.takeTexts(msg)
	case room.SettledMsg:
		if t.Want != "" && t.room.Link.Events && t.room.Link.Lost == nil && t.Records.Live.asking == noPage {
			return t.openMessage(t.Want)
		}
		cmd := tea.Batch(t.Detail.follow(), t.reader.ask(), t.Filter.ask())
		t.Read = t.room.Link.Events && t.Filter.searched() &&
			(len(t.Records.Shown.rows) > 0 || t.Records.Shown.asking == noPage)
		return cmd
	}

	return nil
}

// arrived opens the message for which a part of the record was read.
func (t *Screen) arrived(msg pageMsg) {
	if msg.err != nil && t.room.Link.Gone(msg.err) {
		return // it is asked for again when the daemon is back
	}
	if t.Want = ""; msg.err != nil {
		t.room.Fail(msg.err)
	} else if r := t.Records.Live.ByID[msg.about]; r != nil {
		t.Filter.clear()
		t.openRow(r)
	}
}

func (t *Screen) Move(by kit.Motion) tea.Cmd {
	if t.Detail.focused && t.Detail.opened() {
		t.Detail.Move(by)
		return nil
	}

	switch by {
	case kit.ToBottom: // and stays there as others come
		t.Records.Shown.setFollow(true)
		return nil
	case kit.ToTop:
		return t.reader.toOldest()
	}

	t.Records.Shown.move(by.Lines(t.Records.Shown.list.height))

	return nil
}

func (t *Screen) enter() tea.Cmd {
	switch x := t.Records.Shown.marked(); {
	case x.of != nil:
		t.Records.Shown.setFollow(false)
		t.Records.Shown.unfold(x)
		t.room.Tell(t.room.Key("z") + " folds them again.")
	case t.Detail.opened():
		t.Detail.shut()
	case t.Records.Shown.Sel == nil:
		t.room.Lacks("No message to open yet.")
	default:
		t.Records.Shown.setFollow(false)
		t.Detail.reveal()
		t.Detail.Show(t.Records.Shown.Sel.ID)
		return t.Detail.ask()
	}
	return nil
}

// foldOrUnfold folds the exchange that the message under the marker is part of, or shows it one by one.
func (t *Screen) foldOrUnfold() tea.Cmd {
	switch x := t.Records.Shown.marked(); {
	case x.of != nil:
		return t.enter()
	case !t.Records.Shown.fold():
		t.room.Lacks("Nothing to fold here: it takes four messages in a row between two agents.")
	}
	return nil
}

// turn gives the movement keys to the message, which it opens, or to the list.
func (t *Screen) turn() tea.Cmd {
	if t.Detail.opened() {
		t.Detail.focused = !t.Detail.focused
		t.Records.Shown.setFollow(t.Records.Shown.follow && !t.Detail.focused)
		return t.Detail.ask()
	}
	cmd := t.enter()
	t.Detail.focused = t.Detail.opened()
	return cmd
}

func (t *Screen) back() tea.Cmd {
	switch {
	case t.Selection.clear():
	case !t.Filter.query.empty():
		t.Filter.Set("")
	case t.Detail.opened():
		t.Detail.shut()
	}
	return nil
}

func (t *Screen) toggleFollow() tea.Cmd {
	t.Records.Shown.setFollow(!t.Records.Shown.follow)
	if t.Records.Shown.follow {
		t.room.Tell("Following the newest.")
	} else {
		t.room.Tell("Paused. F follows the newest.")
	}
	return nil
}

// About describes the message under the marker. Its agent is the recipient if
// that has a terminal, else the sender.
func (t *Screen) About() room.Subject {
	r := t.Records.Shown.Sel
	if r == nil {
		return room.Subject{}
	}
	s := room.Subject{Message: r.ID, Text: r.Text, ThreadID: r.ThreadID}
	s.PartnerID, s.Partner = r.Partner()
	if r.Notice() && r.ThreadID == "" {
		s.Notice = t.room.NoticeOf(r.Answers)
	}
	for _, id := range []string{r.FromID, r.ToID} {
		if a := t.room.Team.Find(id); a != nil && (s.Agent == nil || a.Kind == parley.KindTerminal) {
			s.Agent = a
		}
	}
	return s
}

func (t *Screen) Settle(w, h int) {
	t.Records.Live.today, t.Records.hits.today = t.room.Now, t.room.Now
	listW, listH, detailW, detailH := t.Parts(w, h)
	t.Records.Shown.resize(listH - 1)
	t.Records.Shown.columns.hidden = t.Hidden
	t.Records.Shown.columns.fit(t.Records.Shown.list.inView(), listW)
	if t.Detail.Height = detailH - 1; t.Detail.opened() {
		t.Detail.Settle(len(t.Detail.Lines(t.room.Theme, t.Records.Shown.Sel, detailW, t.room.Now)))
	}
}

// Parts divides the screen between the list and the message, side by side where
// there is room.
func (t *Screen) Parts(w, h int) (listW, listH, detailW, detailH int) {
	switch {
	case !t.Detail.opened():
		return w, h, 0, 0
	case t.room.Tier >= kit.Wide:
		listW = t.room.Division.ListWidth(w-3-kit.Clamp(w*36/100, 46, 84), w)
		return listW, h, w - listW - 3, h
	}
	listH = t.room.Division.ListHeight(h-kit.Clamp(h*50/100, 6, 20), h)
	return w, listH, w, h - listH
}

func (t *Screen) View(w, h int) []string {
	if t.room.Link.Events && len(t.Records.Live.rows) == 0 && t.Records.Live.asking == noPage {
		return lesson(t.room, w)
	}

	listW, listH, detailW, detailH := t.Parts(w, h)
	lines := kit.Clip(t.Records.Shown.view(t.room.Theme, listW, !t.Detail.focused, t.listNote(), t.room.Now), listH)
	if detailH == 0 {
		return lines
	}

	message := kit.Clip(t.Detail.View(t.room.Theme, t.Records.Shown.Sel, detailW, t.Detail.focused, t.room.Now),
		detailH)
	if t.room.Tier < kit.Wide {
		return append(lines, message...)
	}

	return kit.Beside(t.room.Theme, lines, message, listW)
}

// ladderLessons explain the ladder on an empty screen.
var ladderLessons = []struct {
	state parley.DeliveryState
	does  string
}{
	{parley.DeliveryQueued, "stored, and on its way"},
	{parley.DeliveryHeld, "waits until typing is safe"},
	{parley.DeliverySubmitted, "typed, and taken by its program"},
	{parley.DeliveryRead, "read"},
	{parley.DeliveryUnconfirmed, "without proof that it arrived; typed by parley, it needs you"},
}

// lesson draws what an empty screen teaches: the first steps, in their order.
func lesson(t *room.Shared, w int) []string {
	lines := []string{t.Theme.Rule("Traffic", "following", w, true), ""}
	say := func(text string) {
		for _, line := range kit.Wrap(text, w-2) {
			lines = append(lines, "  "+line)
		}
	}

	if t.Link.Team && len(t.Team.List) == 0 {
		say(t.Team.None(t.Key("L")))
		say("Or adopt one that runs in your own tmux, from its pane:  parley adopt coder")
		lines = append(lines, "")
	}

	say("No messages yet. Messages between agents show up here, with proof of how far each one came:")
	lines = append(lines, "")
	for _, x := range ladderLessons {
		state := kit.Pad(kit.DeliveryGlyph(x.state), 3) + kit.Pad(string(x.state), 12)
		lines = append(lines, "  "+t.Theme.Delivery(x.state).Render(state)+" "+kit.Fit(x.does, w-19))
	}

	lines = append(lines, "")
	say("b writes to all agents, 2 lists them, ? shows all keys.")

	return lines
}
