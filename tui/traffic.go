package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// traffic is the screen of messages as they go: the list, and the one under the
// marker with what became of it.
type traffic struct {
	*desk
	record
	detail   detail
	filter   filter
	search   search
	want     string // a message that is to be shown as soon as it can be
	inDetail bool   // the movement keys go to the message, not to the list

	verifying bool // it is being asked how far messages have come
}

// atLeast is how long a message is under the marker before its record is read,
// while one follows the newest.
const atLeast = 250 * time.Millisecond

func newTraffic(d *desk) *traffic { return &traffic{desk: d, record: newRecord()} }

func (t *traffic) title() string { return "Traffic" }

func (t *traffic) badge() badge { return badge{count: t.unseen} }

func (t *traffic) keys() []binding {
	on := func(f func(*traffic) tea.Cmd) func(*model) tea.Cmd {
		return func(m *model) tea.Cmd { return f(m.traffic) }
	}

	return named([]binding{
		{inTraffic, []string{"enter"}, "enter", "open the message, or close it", "open", on((*traffic).enter), ""},
		{
			inTraffic,
			[]string{"/"},
			"/",
			"filter: words, agent: thread: type: state:",
			"filter",
			on((*traffic).openFilter),
			"",
		},
		{inTraffic, []string{"f"}, "f", "follow the newest, or stand still", "follow", on((*traffic).toggleFollow), ""},
		{inTraffic, []string{"tab"}, "tab", "between the list and the message", "", on((*traffic).turn), ""},
		{inTraffic, []string{"m"}, "m", "mark the message read", "", (*model).markRead, ""},
		{inTraffic, []string{"e"}, "e", "explain its whole story in plain words", "", (*model).explain, ""},
		{inTraffic, []string{"R"}, "R", "type it again where it failed", "", (*model).retry, ""},
		{inTraffic, []string{"esc"}, "esc", "close, or drop the filter", "", on((*traffic).back), ""},
	}, "enter open message", "/ filter", "f follow", "m mark read", "R retry", "e explain")
}

func (t *traffic) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case feedMsg:
		if touched := t.add(msg.events); t.opened() && touched[t.detail.id] {
			return t.askDetail()
		}
	case agentsMsg:
		if t.detail.lost && msg.err == nil {
			t.detail.lost = false
			return t.askDetail()
		}
	case sentMsg:
		t.learn(msg.id, msg.deliveries)
	case detailMsg:
		return t.detailed(msg)
	case readMsg:
		t.fail(msg.err)
	case pageMsg:
		t.paged(msg)
		if msg.of == aroundPage {
			t.arrived(msg)
		} else if msg.err != nil {
			t.daemonGone(msg.err)
		}
	case searchedMsg:
		t.searched(msg)
	case standingsMsg:
		t.ascertained(msg)
	case settledMsg:
		if t.want != "" && t.link.events && t.link.lost == nil && t.asking == noPage {
			return t.openMessage(t.want)
		}
		return tea.Batch(t.show(), t.more(), t.certain(), t.askSearch())
	}

	return nil
}

// arrived opens the message for which a part of the record was read.
func (t *traffic) arrived(msg pageMsg) {
	if msg.err != nil && t.daemonGone(msg.err) {
		return // and ask again when it is back
	}
	if t.want = ""; msg.err != nil {
		t.fail(msg.err)
	} else if r := t.byID[msg.about]; r != nil {
		t.follow, t.sel = false, r
		t.record.settle()
		t.detail.open, t.detail.shut = true, false
	}
}

// opened reports whether the message is shown: by wish, and where there is room
// beside the list unless it was closed.
func (t *traffic) opened() bool {
	return t.sel != nil && (t.detail.open || t.tier >= wide && !t.detail.shut)
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
	if t.follow { // the next may come soon: asking for each would be for nothing
		return t.do.details(t.detail.id, atLeast)
	}
	return t.do.details(t.detail.id, 0)
}

// detailed takes a message's record, and asks again when it is out of date.
func (t *traffic) detailed(msg detailMsg) tea.Cmd {
	d := &t.detail
	stale := d.stale || msg.id != d.id
	d.asking, d.stale = false, false
	if msg.err == nil && msg.result != nil {
		t.learn(msg.id, msg.result.Deliveries)
	}

	var cmd tea.Cmd
	switch {
	case msg.id != d.id:
	case msg.err == nil:
		d.result, d.err = msg.result, nil
		if t.opened() && !t.follow && d.owed() {
			cmd = t.do.read(msg.id)
		}
	case t.daemonGone(msg.err):
		cmd, d.lost = t.lookLater(), true
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
	case toBottom: // and stay there as others come
		t.setFollow(true)
		return nil
	case toTop:
		return t.toOldest()
	}

	t.record.move(by.lines(t.height))

	return nil
}

func (t *traffic) enter() tea.Cmd {
	switch {
	case t.opened():
		t.closeDetail()
	case t.sel == nil:
		t.desk.tell("There is no message to open yet.")
	default:
		t.setFollow(false)
		t.detail.open, t.detail.shut = true, false
		t.detail.show(t.sel.id)
		return t.askDetail()
	}
	return nil
}

func (t *traffic) closeDetail() { t.detail.open, t.detail.shut, t.inDetail = false, true, false }

// turn gives the movement keys to the message, opened if need be, or to the list.
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
	case !t.sought.empty():
		t.filterBy("")
	case t.opened():
		t.closeDetail()
	}
	return nil
}

func (t *traffic) toggleFollow() tea.Cmd {
	t.setFollow(!t.follow)
	t.desk.tell(
		map[bool]string{true: "Following the newest.", false: "Standing still. f follows the newest."}[t.follow],
	)
	return nil
}

// about is the message under the marker: the agent is the one it was typed to,
// else the one that sent it.
func (t *traffic) about() subject {
	r := t.sel
	if r == nil {
		return subject{}
	}
	s := subject{message: r.id, text: r.text, threadID: r.threadID}
	s.partnerID, s.partner = r.other()
	for _, id := range []string{r.fromID, r.toID} {
		if a := t.team.find(id); a != nil && (s.agent == nil || a.Kind == parley.KindTerminal) {
			s.agent = a
		}
	}
	return s
}

func (t *traffic) settle(w, h int) {
	_, listH, detailW, detailH := t.parts(w, h)
	t.resize(listH - 1)
	if t.detail.height = detailH - 1; t.opened() {
		t.detail.settle(len(t.detail.lines(t.theme, t.sel, detailW, t.now)))
	}
}

// parts divides the screen among the list and the message: beside each other
// where there is room.
func (t *traffic) parts(w, h int) (listW, listH, detailW, detailH int) {
	switch {
	case !t.opened():
		return w, h, 0, 0
	case t.tier >= wide:
		listW = w * 56 / 100
		return listW, h, w - listW - 3, h
	}
	detailH = clamp(h*50/100, 6, 20)
	return w, h - detailH, w, detailH
}

func (t *traffic) view(w, h int) []string {
	if t.link.events && len(t.rows) == 0 {
		return t.lesson(w)
	}

	listW, listH, detailW, detailH := t.parts(w, h)
	lines := clip(t.record.view(t.theme, listW, !t.inDetail, t.link.events, t.now), listH)
	if detailH == 0 {
		return lines
	}

	message := clip(t.detail.view(t.theme, t.sel, detailW, t.inDetail, t.now), detailH)
	if t.tier < wide {
		return append(lines, message...)
	}

	return beside(t.theme, lines, message, listW)
}

// lesson is what an empty screen teaches: the first steps, in order.
func (t *traffic) lesson(w int) []string {
	lines := []string{t.theme.rule("Traffic", "following", w, true), ""}
	say := func(text string) {
		for _, line := range wrap(text, w-2) {
			lines = append(lines, "  "+line)
		}
	}

	if t.link.team && len(t.team.list) == 0 {
		say(noAgents)
		say("Or take in one that runs in a tmux of yours, from its pane:  parley adopt coder")
		lines = append(lines, "")
	}

	say("No messages yet. What agents say to each other is shown here as it happens, with proof of how far it came:")
	lines = append(lines, "")
	for _, step := range []struct {
		s    parley.DeliveryState
		does string
	}{
		{parley.DeliveryQueued, "stored, and on its way"},
		{parley.DeliveryHeld, "kept back while typing would do harm"},
		{parley.DeliverySubmitted, "typed and taken by its program"},
		{parley.DeliveryRead, "read"},
		{parley.DeliveryUnconfirmed, "typed, but nobody can prove it arrived: that needs you"},
	} {
		lines = append(
			lines,
			"  "+t.theme.delivery(step.s).
				Render(pad(deliveryGlyph(step.s), 3)+pad(string(step.s), 12))+
				" "+fit(
				step.does,
				w-19,
			),
		)
	}

	lines = append(lines, "")
	say("b writes to all of them, 2 shows who is there, ? tells all keys.")

	return lines
}
