package tui

import (
	"fmt"
	"slices"
	"strings"

	"parley"
)

// parts divides the screen between the list and the posts. Where it is narrow,
// the one with the keys gets most of it.
func (t *threads) parts(w, h int) (listW, listH, talkW, talkH int) {
	switch {
	case t.selected() == nil:
		return w, h, 0, 0
	case t.tier >= wide:
		listW = t.dividers.listWidth(atThreads, w*42/100, w)
		return listW, h, w - listW - 3, h
	case t.inTalk:
		return w, 0, w, h
	}
	listH = t.dividers.listHeight(atThreads, min(len(t.list)+1, max(h*45/100, 4)), h)
	return w, listH, w, h - listH
}

func (t *threads) settle(w, h int) {
	if t.known && t.selected() == nil {
		t.inTalk = false
	}

	_, listH, talkW, talkH := t.parts(w, h)
	t.height = max(1, listH-1)
	t.top = window(t.top, t.index(), len(t.list), t.height)
	if talkH > 0 {
		t.talk.settleView(talkW, talkH, len(t.head(talkW)))
	}
}

func (t *threads) view(w, h int) []string {
	listW, listH, talkW, talkH := t.parts(w, h)
	list := clip(t.rows(listW), listH)
	if talkH == 0 {
		return clip(list, h)
	}

	title := t.theme.rule(safeLine(t.selected().Title), t.talk.position(), talkW, t.inTalk)
	posts := append(append([]string{title}, t.head(talkW)...), t.talk.view(talkW, t.inTalk)...)
	posts = clip(posts, talkH)
	if t.tier >= wide {
		return beside(t.theme, list, posts, listW)
	}

	return append(list, posts...)
}

// rows draws the list.
func (t *threads) rows(w int) []string {
	note := ""
	if t.total > len(t.list) {
		note = plural(t.total-len(t.list), "older one")
	}

	lines := []string{t.theme.rule("Threads", note, w, !t.inTalk)}
	switch {
	case t.err != nil:
		return append(lines, errorLines(t.theme, t.err, w)...)
	case !t.known:
		return append(lines, t.theme.dim.Render(fit("  Reading threads…", w)))
	case len(t.list) == 0:
		return append(lines, t.nothing(w)...)
	}

	for i := t.top; i < min(t.top+t.height, len(t.list)); i++ {
		lines = append(lines, t.row(&t.list[i], w))
	}

	return lines
}

func (t *threads) nothing(w int) []string {
	lines := []string{""}
	for _, text := range []string{
		"No threads yet.",
		"A thread is a group discussion with a title: each post reaches every participant. " +
			"Agents open one with create_thread. Here, o opens one and c writes in it.",
	} {
		for _, line := range wrap(text, w-2) {
			lines = append(lines, "  "+line)
		}
	}
	return lines
}

// inView returns the threads that are drawn.
func (t *threads) inView() []parley.Thread {
	return t.list[clamp(t.top, 0, len(t.list)):clamp(t.top+t.height, 0, len(t.list))]
}

// anyHot reports whether the list has a column for temperatures.
func (t *threads) anyHot() bool {
	return slices.ContainsFunc(t.inView(), func(x parley.Thread) bool { return !t.temperatures.known[x.ID].cold() })
}

// row draws a thread: when it was active last, its unread posts, temperature,
// title, and what was said last in it.
func (t *threads) row(x *parley.Thread, w int) string {
	selected := x.ID == t.sel
	mark := "  "
	if selected {
		mark = "▸ "
	}

	fresh := "    "
	if n := len(t.inbox.unreadIn(x.ID)); n > 0 {
		fresh = fmt.Sprintf("%-4s", fmt.Sprintf("✉%d", min(n, 99)))
	}

	left := mark + pad(since(x.LastMessageAt, t.now), 4) + " "
	heat := ""
	if t.anyHot() {
		heat = pad(t.temperatures.known[x.ID].inList(), temperatureColumn)
	}

	room := w - width(left) - 4 - width(heat)
	titleW := min(t.titleWidth(), max(14, room*65/100))
	if room-titleW < leastWords {
		titleW = room
	}

	title := pad(safeLine(x.Title), titleW)
	words := t.lastWords.get(x.ID)
	if words == "" {
		words = strings.Join(names(x), ", ")
	}

	rest := fit("  "+words, room-width(title))
	if selected && !t.inTalk {
		return t.theme.focus.Render(pad(left+fresh+heat+title+rest, w))
	}

	who, said, ok := strings.Cut(rest, ": ")
	if !ok {
		who, said = "", rest
	} else {
		who += ": "
	}

	return left + t.theme.warn.Render(fresh) + t.theme.dim.Render(heat) + t.theme.strong.Render(title) +
		t.theme.dim.Render(who) + said
}

// leastWords is how many columns what was said last needs to be worth a look.
const leastWords = 14

// titleWidth returns how many columns the titles in view need.
func (t *threads) titleWidth() int {
	need := 14
	for _, x := range t.inView() {
		need = max(need, width(safeLine(x.Title)))
	}
	return need
}

// head says how hot the thread is, who takes part, and what is held in it. Why, a key tells.
func (t *threads) head(w int) []string {
	x, th := t.selected(), t.theme
	words := strings.Join(names(x), ", ")
	if !takesPart(x) {
		words += " · you read along, J joins"
	}

	line, heat := "  ", t.temperatures.known[x.ID]
	if !heat.cold() {
		line += th.temperature(heat.state.State).Render(heat.bar()) + th.dim.Render(" · ")
	}
	lines := []string{line + th.dim.Render(fit(words, w-width(line)))}

	if held := t.talk.heldWords(); len(held) > 0 {
		lines = append(lines, "  "+columns(held, th.dim.Render(" · "), w-2))
	}

	return lines
}
