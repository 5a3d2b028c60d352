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

// Parts divides the screen between the list and the posts. Where it is narrow,
// the one with the keys gets most of it.
func (t *Screen) Parts(w, h int) (listW, listH, talkW, talkH int) {
	switch {
	case t.selected() == nil:
		return w, h, 0, 0
	case t.Tier >= kit.Wide:
		listW = t.Dividers.ListWidth(room.AtThreads, w*42/100, w)
		return listW, h, w - listW - 3, h
	case t.InTalk:
		return w, 0, w, h
	}
	listH = t.Dividers.ListHeight(room.AtThreads, min(len(t.list)+1, max(h*45/100, 4)), h)
	return w, listH, w, h - listH
}

func (t *Screen) Settle(w, h int) {
	if t.Read && t.selected() == nil {
		t.InTalk = false
	}

	_, listH, talkW, talkH := t.Parts(w, h)
	t.height = max(1, listH-1)
	t.top = kit.Window(t.top, t.index(), len(t.list), t.height)
	if talkH > 0 {
		t.talk.settleView(talkW, talkH, len(t.head(talkW)))
	}
}

func (t *Screen) View(w, h int) []string {
	listW, listH, talkW, talkH := t.Parts(w, h)
	list := kit.Clip(t.rows(listW), listH)
	if talkH == 0 {
		return kit.Clip(list, h)
	}

	title := t.Theme.Rule(kit.SafeLine(t.selected().Title), t.talk.position(), talkW, t.InTalk)
	posts := append(append([]string{title}, t.head(talkW)...), t.talk.view(talkW, t.InTalk)...)
	posts = kit.Clip(posts, talkH)
	if t.Tier >= kit.Wide {
		return kit.Beside(t.Theme, list, posts, listW)
	}

	return append(list, posts...)
}

// rows draws the list.
func (t *Screen) rows(w int) []string {
	note := ""
	if t.total > len(t.all) {
		note = kit.Plural(t.total-len(t.all), "older one")
	}

	lines := []string{t.Theme.Rule("Threads", t.Filter.Note(note), w, !t.InTalk)}
	switch {
	case t.Err != nil:
		return append(lines, room.ErrorLines(t.Theme, t.Err, w)...)
	case !t.Read:
		return append(lines, t.Theme.Dim.Render(kit.Fit("  Reading threads…", w)))
	case len(t.list) == 0 && t.Filter.Active():
		return append(lines, "", "  "+kit.Fit(t.Filter.Nothing("thread"), w-2))
	case len(t.list) == 0:
		return append(lines, t.nothing(w)...)
	}

	for i := t.top; i < min(t.top+t.height, len(t.list)); i++ {
		lines = append(lines, t.row(&t.list[i], w))
	}

	return lines
}

func (t *Screen) nothing(w int) []string {
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

// inView returns the threads that are drawn.
func (t *Screen) inView() []parley.Thread {
	return t.list[kit.Clamp(t.top, 0, len(t.list)):kit.Clamp(t.top+t.height, 0, len(t.list))]
}

// anyHot reports whether the list has a column for temperatures.
func (t *Screen) anyHot() bool {
	return slices.ContainsFunc(t.inView(), func(x parley.Thread) bool { return !t.Temperatures.Known[x.ID].Cold() })
}

// row draws a thread: when it was active last, its unread posts, temperature,
// title, and what was said last in it.
func (t *Screen) row(x *parley.Thread, w int) string {
	selected := x.ID == t.Sel
	mark := "  "
	if selected {
		mark = "▸ "
	}

	fresh := "    "
	if n := len(t.Inbox.UnreadIn(x.ID)); n > 0 {
		fresh = fmt.Sprintf("%-4s", fmt.Sprintf("✉%d", min(n, 99)))
	}

	left := mark + kit.Pad(kit.Since(x.LastMessageAt, t.Now), 4) + " "
	heat := ""
	if t.anyHot() {
		heat = kit.Pad(t.Temperatures.Known[x.ID].InList(), team.TemperatureColumn)
	}

	room := w - kit.Width(left) - 4 - kit.Width(heat)
	titleW := min(t.titleWidth(), max(14, room*65/100))
	if room-titleW < leastWords {
		titleW = room
	}

	title := kit.Pad(kit.SafeLine(x.Title), titleW)
	words := t.LastWords.Get(x.ID)
	if words == "" {
		words = strings.Join(names(x), ", ")
	}

	rest := kit.Fit("  "+words, room-kit.Width(title))
	if selected && !t.InTalk {
		return t.Theme.Focus.Render(kit.Pad(left+fresh+heat+title+rest, w))
	}

	who, said, ok := strings.Cut(rest, ": ")
	if !ok {
		who, said = "", rest
	} else {
		who += ": "
	}

	return left + t.Theme.Warn.Render(fresh) + t.Theme.Dim.Render(heat) + t.Theme.Strong.Render(title) +
		t.Theme.Dim.Render(who) + said
}

// leastWords is how many columns what was said last needs to be worth a look.
const leastWords = 14

// titleWidth returns how many columns the titles in view need.
func (t *Screen) titleWidth() int {
	need := 14
	for _, x := range t.inView() {
		need = max(need, kit.Width(kit.SafeLine(x.Title)))
	}
	return need
}

// head says how hot the thread is, who takes part, and what is held in it. Why, a key tells.
func (t *Screen) head(w int) []string {
	x, th := t.selected(), t.Theme
	words := strings.Join(names(x), ", ")
	if !takesPart(x) {
		words += " · you read along, J joins"
	}

	line, heat := "  ", t.Temperatures.Known[x.ID]
	if !heat.Cold() {
		line += th.Temperature(heat.State.State).Render(heat.Bar()) + th.Dim.Render(" · ")
	}
	lines := []string{line + th.Dim.Render(kit.Fit(words, w-kit.Width(line)))}

	if held := t.talk.heldWords(); len(held) > 0 {
		lines = append(lines, "  "+kit.Columns(held, th.Dim.Render(" · "), w-2))
	}

	return lines
}
