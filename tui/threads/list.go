package threads

import (
	"fmt"
	"slices"
	"strings"

	"parley"
	"parley/tui/kit"
	"parley/tui/room"
	"parley/tui/team"
)

// threadList is the threads that are known, and the marker on one of those that the filter lets pass.
type threadList struct {
	all    []parley.Thread
	list   []parley.Thread // those of all that the filter lets pass
	total  int             // threads that there are
	Sel    string          // a thread's id
	top    int
	height int
}

// Count returns how many threads are known.
func Count(t *Screen) int { return len(t.List.all) }

// sift lists the threads that a filter lets pass, the best match first.
func (l *threadList) sift(f *kit.Filter, last *team.LastWords) {
	l.list = l.list[:0]
	for i := range l.all {
		x := &l.all[i]
		if f.Matches(kit.SafeLine(x.Title), append(names(x), x.ID, last.Get(x.ID))...) {
			l.list = append(l.list, *x)
		}
	}
	f.Counted(len(l.list), len(l.all))

	title := func(x *parley.Thread) string { return kit.SafeLine(x.Title) }
	if kit.Best(f, l.list, title, kit.AsTheyAre) || l.selected() == nil && len(l.list) > 0 {
		l.Sel = l.list[0].ID
	}
}

func (l *threadList) index() int {
	return max(0, slices.IndexFunc(l.list, func(x parley.Thread) bool { return x.ID == l.Sel }))
}

// selected returns the thread under the marker, or nil.
func (l *threadList) selected() *parley.Thread {
	for i := range l.list {
		if l.list[i].ID == l.Sel {
			return &l.list[i]
		}
	}
	return nil
}

// none reports that no thread is under the marker.
func (l *threadList) none() bool { return l.selected() == nil }

func (l *threadList) move(by kit.Motion) {
	if len(l.list) > 0 {
		l.Sel = l.list[kit.Clamp(l.index()+by.Lines(l.height), 0, len(l.list)-1)].ID
	}
}

// scroll brings the thread under the marker into sight, in a list of some lines.
func (l *threadList) scroll(height int) {
	l.height = height
	l.top = kit.Window(l.top, l.index(), len(l.list), height)
}

func (l *threadList) inView() []parley.Thread {
	return l.list[kit.Clamp(l.top, 0, len(l.list)):kit.Clamp(l.top+l.height, 0, len(l.list))]
}

func takesPart(x *parley.Thread) bool {
	return slices.Contains(x.ParticipantNames, parley.OperatorName)
}

// names returns a thread's participants; the operator is "you".
func names(x *parley.Thread) []string {
	var all []string
	for i, name := range x.ParticipantNames {
		id := ""
		if i < len(x.Participants) {
			id = x.Participants[i]
		}
		all = append(all, kit.ShownName(name, id))
	}
	return all
}

// threadRows draws the list of threads.
type threadRows struct {
	room   *room.Shared
	list   *threadList
	inTalk bool // the movement keys go to the posts
}

// lines draws the threads in view.
func (t threadRows) lines(w int) []string {
	var lines []string
	for i := t.list.top; i < min(t.list.top+t.list.height, len(t.list.list)); i++ {
		lines = append(lines, t.row(&t.list.list[i], w))
	}
	return lines
}

// anyHot reports whether the list has a column for temperatures.
func (t threadRows) anyHot() bool {
	return slices.ContainsFunc(t.list.inView(),
		func(x parley.Thread) bool { return !t.room.Temperatures.Known[x.ID].Cold() })
}

// row draws a thread: when it was active last, its unread posts, temperature,
// title, and what was said last in it.
func (t threadRows) row(x *parley.Thread, w int) string {
	selected := x.ID == t.list.Sel
	mark := "  "
	if selected {
		mark = "▸ "
	}

	fresh := "    "
	if n := len(t.room.Inbox.UnreadIn(x.ID)); n > 0 {
		fresh = fmt.Sprintf("%-4s", fmt.Sprintf("✉%d", min(n, 99)))
	}

	left := mark + kit.Pad(kit.Since(x.LastMessageAt, t.room.Now), 4) + " "
	heat := ""
	if t.anyHot() {
		heat = kit.Pad(t.room.Temperatures.Known[x.ID].InList(), team.TemperatureColumn)
	}

	room := w - kit.Width(left) - 4 - kit.Width(heat)
	titleW := min(t.titleWidth(), max(14, room*65/100))
	if room-titleW < leastWords {
		titleW = room
	}

	title := kit.Pad(kit.SafeLine(x.Title), titleW)
	words := t.room.LastWords.Get(x.ID)
	if words == "" {
		words = strings.Join(names(x), ", ")
	}

	rest := kit.Fit("  "+words, room-kit.Width(title))
	if selected && !t.inTalk {
		return t.room.Theme.Focus.Render(kit.Pad(left+fresh+heat+title+rest, w))
	}

	who, said, ok := strings.Cut(rest, ": ")
	if !ok {
		who, said = "", rest
	} else {
		who += ": "
	}

	return left + t.room.Theme.Warn.Render(fresh) + t.room.Theme.Dim.Render(heat) + t.room.Theme.Strong.Render(title) +
		t.room.Theme.Dim.Render(who) + said
}

// leastWords is how many columns what was said last needs to be worth a look.
const leastWords = 14

// titleWidth returns how many columns the titles in view need.
func (t threadRows) titleWidth() int {
	need := 14
	for _, x := range t.list.inView() {
		need = max(need, kit.Width(kit.SafeLine(x.Title)))
	}
	return need
}

// nothingLines say what threads are.
func nothingLines(w int) []string {
	lines := []string{""}
	for _, text := range []string{
		"No threads yet.",
		"A thread is a group discussion with a title: each post reaches every participant. " +
			"Agents open one with create_thread. Here, O opens one and c writes in it.",
	} {
		for _, line := range kit.Wrap(text, w-2) {
			lines = append(lines, "  "+line)
		}
	}
	return lines
}

// Parts divides the screen between the list and the posts. Where it is narrow,
// the one with the keys gets most of it.
func (t *Screen) Parts(w, h int) (listW, listH, talkW, talkH int) {
	switch {
	case t.List.selected() == nil:
		return w, h, 0, 0
	case t.room.Tier >= kit.Wide:
		listW = t.room.Division.ListWidth(w*42/100, w)
		return listW, h, w - listW - 3, h
	case t.InTalk:
		return w, 0, w, h
	}
	listH = t.room.Division.ListHeight(min(len(t.List.list)+1, max(h*45/100, 4)), h)
	return w, listH, w, h - listH
}

func (t *Screen) Settle(w, h int) {
	if t.Read && t.List.selected() == nil {
		t.InTalk = false
	}

	_, listH, talkW, talkH := t.Parts(w, h)
	t.List.scroll(max(1, listH-1))
	if talkH > 0 {
		t.talk.settleView(talkW, talkH, len(t.talk.head(t.List.selected(), talkW)))
	}
}

func (t *Screen) View(w, h int) []string {
	listW, listH, talkW, talkH := t.Parts(w, h)
	list := kit.Clip(t.rows(listW), listH)
	if talkH == 0 {
		return kit.Clip(list, h)
	}

	title := t.room.Theme.Rule(kit.SafeLine(t.List.selected().Title), t.talk.position(), talkW, t.InTalk)
	posts := append(append([]string{title}, t.talk.head(t.List.selected(), talkW)...), t.talk.view(talkW, t.InTalk)...)
	posts = kit.Clip(posts, talkH)
	if t.room.Tier >= kit.Wide {
		return kit.Beside(t.room.Theme, list, posts, listW)
	}

	return append(list, posts...)
}

// rows draws the list.
func (t *Screen) rows(w int) []string {
	note := ""
	if t.List.total > len(t.List.all) {
		note = kit.Plural(t.List.total-len(t.List.all), "older one")
	}

	lines := []string{t.room.Theme.Rule("Threads", t.Filter.Note(note), w, !t.InTalk)}
	switch {
	case t.Err != nil:
		return append(lines, room.ErrorLines(t.room.Theme, t.Err, w)...)
	case !t.Read:
		return append(lines, t.room.Theme.Dim.Render(kit.Fit("  Reading threads…", w)))
	case len(t.List.list) == 0 && t.Filter.Active():
		return append(lines, "", "  "+kit.Fit(t.Filter.Nothing("thread"), w-2))
	case len(t.List.list) == 0:
		return append(lines, nothingLines(w)...)
	}

	return append(lines, threadRows{t.room, &t.List, t.InTalk}.lines(w)...)
}
