package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// traffic is the screen of messages as they happen: the list, and the deliveries
// of the one under the marker.
type traffic struct {
	actions
	*record          // live, or hits while there is a filter
	live      record // the newest messages as they come, or older ones
	hits      record // the matches of the filter
	detail    detail
	filter    filter
	want      string // the message that is shown as soon as it can be
	inDetail  bool   // the movement keys go to the message, not to the list
	verifying bool   // the deliveries of the messages in view are being read
	texts     longTexts
	picked    pickedMessages
	hidden    hiddenColumns
}

// detailDelay is how long a message is under the marker before its deliveries are
// read, while the marker follows the newest.
const detailDelay = 250 * time.Millisecond

func newTraffic(a actions) *traffic {
	t := &traffic{actions: a, live: newRecord(), picked: pickedMessages{}}
	t.record, t.filter = &t.live, filter{shared: a.shared, traffic: t}
	return t
}

func (t *traffic) title() string { return "Traffic" }

func (t *traffic) badge() badge { return badge{count: t.live.unseen} }

func (t *traffic) keys() []binding {
	some := selecting{t}
	return []binding{
		bind("enter", "open the message, or close it", t.enter).hinted("open").named("open message"),
		bind("z", "fold two agents' messages, or unfold them", t.foldOrUnfold).named("fold messages"),
		bind("f", "follow the newest, or pause", t.toggleFollow).hinted("follow").named("follow"),
		bind("tab", "between the list and the message", t.turn),
		bind("space", "select the message, or no longer", some.toggle).named("select message"),
		bind("m", "mark it read, or those selected", some.markAll).named("mark read"),
		bind("i", "explain what happened to it", t.explain).named("explain"),
		bind("E", "export those selected, or what is shown", t.exportFiltered).named("export"),
		bind("R", "retry it, or those selected", some.retryAll).named("retry"),
		bind("l", "release it, or those selected", some.releaseAll).named("release message"),
		bind("esc", "clear selection, close, drop the filter", t.back),
	}
}

func (t *traffic) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case feedMsg:
		if touched := t.heard(msg.events); t.opened() && touched[t.detail.id] {
			return t.askDetail()
		}
	case agentsMsg:
		t.filter.learn()
		if t.detail.lost && msg.err == nil {
			t.detail.lost = false
			return t.askDetail()
		}
	case sentMsg:
		t.learn(msg.id, msg.deliveries)
	case detailMsg:
		return t.takeDetail(msg)
	case readMsg:
		t.fail(msg.err)
	case pageMsg:
		t.live.takePage(msg)
		t.live.tried = t.do.now()
		if msg.of == aroundPage {
			t.arrived(msg)
		} else if msg.err != nil {
			t.link.gone(msg.err)
		}
	case huntedMsg:
		t.filter.take(msg)
	case standingsMsg:
		t.takeStandings(msg)
	case textsMsg:
		t.takeTexts(msg)
	case settledMsg:
		if t.want != "" && t.link.events && t.link.lost == nil && t.live.asking == noPage {
			return t.openMessage(t.want)
		}
		return tea.Batch(t.show(), t.askPage(), t.askStandings(), t.askTexts(), t.filter.ask())
	}

	return nil
}

// arrived opens the message for which a part of the record was read.
func (t *traffic) arrived(msg pageMsg) {
	if msg.err != nil && t.link.gone(msg.err) {
		return // it is asked for again when the daemon is back
	}
	if t.want = ""; msg.err != nil {
		t.fail(msg.err)
	} else if r := t.live.byID[msg.about]; r != nil {
		t.filter.clear()
		t.openRow(r)
	}
}

// opened reports whether the message is shown: when the person opened it, and where there is room beside
// the list unless they closed it. While the list follows the newest, the messages have all the room.
func (t *traffic) opened() bool {
	return t.sel != nil && (t.detail.open || t.tier >= wide && !t.detail.shut && !t.follow)
}

// show keeps the open detail on the selected message.
func (t *traffic) show() tea.Cmd {
	if !t.opened() || t.sel == nil || t.sel.id == t.detail.id {
		return nil
	}
	t.detail.show(t.sel.id)
	return t.askDetail()
}

func (t *traffic) askDetail() tea.Cmd {
	switch {
	case !t.opened():
		return nil
	case t.detail.asking:
		t.detail.stale = true
		return nil
	}

	t.detail.asking = true
	if t.follow { // the next one may come soon
		return t.do.later(detailDelay, readDetail(t.detail.id))
	}

	return t.do.call(readDetail(t.detail.id))
}

// takeDetail takes a message's deliveries, and asks again when they are out of
// date.
func (t *traffic) takeDetail(msg detailMsg) tea.Cmd {
	d := &t.detail
	stale := d.stale || msg.id != d.id
	d.asking, d.stale = false, false
	if msg.err == nil && msg.result != nil {
		t.learn(msg.id, msg.result.Deliveries)
		t.lengthen(msg.result.Object)
	}

	var cmd tea.Cmd
	switch {
	case msg.id != d.id:
	case msg.err == nil:
		d.result, d.err = msg.result, nil
		if t.opened() && !t.follow && d.unreadByOperator() {
			cmd = t.do.call(markMessagesRead(msg.id))
		}
	case t.link.gone(msg.err):
		cmd, d.lost = t.link.lookLater(), true
		if d.result == nil {
			d.err = msg.err
		}
	default:
		d.err = msg.err
	}

	if stale {
		cmd = tea.Batch(cmd, t.askDetail())
	}

	return cmd
}

func (t *traffic) move(by motion) tea.Cmd {
	if t.inDetail && t.opened() {
		t.detail.move(by)
		return nil
	}

	switch by {
	case toBottom: // and stays there as others come
		t.setFollow(true)
		return nil
	case toTop:
		return t.toOldest()
	}

	t.record.move(by.lines(t.height))

	return nil
}

func (t *traffic) enter() tea.Cmd {
	switch x := t.marked(); {
	case x.of != nil:
		t.setFollow(false)
		t.unfold(x)
		t.tell(t.key("z") + " folds them again.")
	case t.opened():
		t.closeDetail()
	case t.sel == nil:
		t.tell("No message to open yet.")
	default:
		t.setFollow(false)
		t.detail.open, t.detail.shut = true, false
		t.detail.show(t.sel.id)
		return t.askDetail()
	}
	return nil
}

// foldOrUnfold folds the exchange that the message under the marker is part of, or shows it one by one.
func (t *traffic) foldOrUnfold() tea.Cmd {
	switch x := t.marked(); {
	case x.of != nil:
		return t.enter()
	case !t.fold():
		t.tell("Nothing to fold here: it takes four messages in a row between two agents.")
	}
	return nil
}

func (t *traffic) closeDetail() { t.detail.open, t.detail.shut, t.inDetail = false, true, false }

// turn gives the movement keys to the message, which it opens, or to the list.
func (t *traffic) turn() tea.Cmd {
	if t.opened() {
		t.inDetail = !t.inDetail
		t.setFollow(t.follow && !t.inDetail)
		return t.askDetail()
	}
	cmd := t.enter()
	t.inDetail = t.opened()
	return cmd
}

func (t *traffic) back() tea.Cmd {
	switch {
	case selecting{t}.clear():
	case !t.filter.query.empty():
		t.filter.set("")
	case t.opened():
		t.closeDetail()
	}
	return nil
}

func (t *traffic) toggleFollow() tea.Cmd {
	t.setFollow(!t.follow)
	if t.follow {
		t.tell("Following the newest.")
	} else {
		t.tell("Paused. f follows the newest.")
	}
	return nil
}

// about describes the message under the marker. Its agent is the recipient if
// that has a terminal, else the sender.
func (t *traffic) about() subject {
	r := t.sel
	if r == nil {
		return subject{}
	}
	s := subject{message: r.id, text: r.text, threadID: r.threadID}
	s.partnerID, s.partner = r.partner()
	if r.notice() && r.threadID == "" {
		s.notice = t.noticeOf(r.answers)
	}
	for _, id := range []string{r.fromID, r.toID} {
		if a := t.team.find(id); a != nil && (s.agent == nil || a.Kind == parley.KindTerminal) {
			s.agent = a
		}
	}
	return s
}

func (t *traffic) settle(w, h int) {
	t.live.today, t.hits.today = t.now, t.now
	listW, listH, detailW, detailH := t.parts(w, h)
	t.resize(listH - 1)
	t.columns.hidden = t.hidden
	t.columns.fit(t.record.inView(), listW)
	if t.detail.height = detailH - 1; t.opened() {
		t.detail.settle(len(t.detail.lines(t.theme, t.sel, detailW, t.now)))
	}
}

// parts divides the screen between the list and the message, side by side where
// there is room.
func (t *traffic) parts(w, h int) (listW, listH, detailW, detailH int) {
	switch {
	case !t.opened():
		return w, h, 0, 0
	case t.tier >= wide:
		listW = t.dividers.listWidth(atTraffic, w-3-clamp(w*36/100, 46, 84), w)
		return listW, h, w - listW - 3, h
	}
	listH = t.dividers.listHeight(atTraffic, h-clamp(h*50/100, 6, 20), h)
	return w, listH, w, h - listH
}

func (t *traffic) view(w, h int) []string {
	if t.link.events && len(t.live.rows) == 0 {
		return t.lesson(w)
	}

	listW, listH, detailW, detailH := t.parts(w, h)
	lines := clip(t.record.view(t.theme, listW, !t.inDetail, t.listNote(), t.now), listH)
	if detailH == 0 {
		return lines
	}

	message := clip(t.detail.view(t.theme, t.sel, detailW, t.inDetail, t.now), detailH)
	if t.tier < wide {
		return append(lines, message...)
	}

	return beside(t.theme, lines, message, listW)
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
	{parley.DeliveryUnconfirmed, "typed, but without proof that it arrived: needs you"},
}

// lesson draws what an empty screen teaches: the first steps, in their order.
func (t *traffic) lesson(w int) []string {
	lines := []string{t.theme.rule("Traffic", "following", w, true), ""}
	say := func(text string) {
		for _, line := range wrap(text, w-2) {
			lines = append(lines, "  "+line)
		}
	}

	if t.link.team && len(t.team.list) == 0 {
		say(noAgents)
		say("Or adopt one that runs in your own tmux, from its pane:  parley adopt coder")
		lines = append(lines, "")
	}

	say("No messages yet. Messages between agents show up here, with proof of how far each one came:")
	lines = append(lines, "")
	for _, x := range ladderLessons {
		state := pad(deliveryGlyph(x.state), 3) + pad(string(x.state), 12)
		lines = append(lines, "  "+t.theme.delivery(x.state).Render(state)+" "+fit(x.does, w-19))
	}

	lines = append(lines, "")
	say("b writes to all agents, 2 lists them, ? shows all keys.")

	return lines
}
