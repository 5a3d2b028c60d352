package tui

import (
	"fmt"
	"slices"
	"strings"

	"parley"
)

// parts divides the screen among the list and what was said. Where it is narrow
// the one that has the keys gets most of it.
func (t *threads) parts(w, h int) (listW, listH, talkW, talkH int) {
	switch {
	case t.selected() == nil:
		return w, h, 0, 0
	case t.tier >= wide:
		listW = w * 38 / 100
		return listW, h, w - listW - 3, h
	case t.inTalk:
		return w, 0, w, h
	}
	listH = min(len(t.list)+1, max(h*45/100, 4))
	return w, listH, w, h - listH
}

func (t *threads) settle(w, h int) {
	if t.known && t.selected() == nil {
		t.inTalk = false
	}

	_, listH, talkW, talkH := t.parts(w, h)
	t.height = max(1, listH-1)
	t.top = window(t.top, t.index(), len(t.list), t.height)
	if talkH == 0 {
		return
	}

	if notice := t.notice(talkW); notice != nil {
		t.talk.parts, t.talk.laid, t.talk.lines = nil, false, len(notice)
	} else {
		t.talk.lay(talkW, t.now.Location())
	}

	t.talk.settle(talkH - 1 - len(t.head(talkW)))
	t.talk.inView = nil
	for _, p := range slices.Backward(t.talk.shown()) { // the newest first
		if p.id != "" {
			t.talk.inView = append(t.talk.inView, p.id)
		}
	}
}

func (t *threads) view(w, h int) []string {
	listW, listH, talkW, talkH := t.parts(w, h)
	list := clip(t.rows(listW), listH)
	if talkH == 0 {
		return clip(list, h)
	}
	said := clip(t.conversation(talkW), talkH)
	if t.tier >= wide {
		return beside(t.theme, list, said, listW)
	}
	return append(list, said...)
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
		return append(lines, t.theme.dim.Render(fit("  Looking what is discussed…", w)))
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
	for _, text := range []string{"No threads yet.", "A thread is a discussion of several under a title: what is posted reaches all who take part. " +
		"Agents open one with create_thread. o opens one here, c writes in it."} {
		for _, line := range wrap(text, w-2) {
			lines = append(lines, "  "+line)
		}
	}
	return lines
}

// inView are the threads that are drawn.
func (t *threads) inView() []parley.Thread {
	return t.list[clamp(t.top, 0, len(t.list)):clamp(t.top+t.height, 0, len(t.list))]
}

// anyHeat reports whether the list has a column for it.
func (t *threads) anyHeat() bool {
	return slices.ContainsFunc(t.inView(), func(x parley.Thread) bool { return t.warmth.known[x.ID].words() != "" })
}

// row is a thread: when something was said last, what is unread, how hot it is, its
// title, and who takes part.
func (t *threads) row(x *parley.Thread, w int) string {
	selected := x.ID == t.sel
	mark := "  "
	if selected {
		mark = "▸ "
	}

	fresh := "    "
	if n := t.inbox.unreadIn(x.ID); n > 0 {
		fresh = fmt.Sprintf("%-4s", fmt.Sprintf("✉%d", min(n, 99)))
	}

	left := mark + pad(since(x.LastMessageAt, t.now), 4) + " "
	heat := ""
	if t.anyHeat() {
		heat = pad(t.warmth.known[x.ID].words(), warmColumns)
	}

	room := w - width(left) - 4 - width(heat)
	titleW, who := clamp(room*65/100, 14, 60), strings.Join(names(x), ", ")
	if room-titleW-2 < 10 {
		who = fmt.Sprint(len(x.ParticipantNames))
		titleW = max(titleW, room-width(who)-2)
	}

	title := pad(safeLine(x.Title), titleW)
	rest := fit("  "+who, room-width(title))
	if selected && !t.inTalk {
		return t.theme.focus.Render(pad(left+fresh+heat+title+rest, w))
	}

	return left + t.theme.warn.Render(fresh) + t.theme.dim.Render(heat) + title + t.theme.dim.Render(rest)
}

// conversation draws what was said.
func (t *threads) conversation(w int) []string {
	x := t.selected()
	note := ""
	switch more := t.talk.lines - t.talk.top - t.talk.height; {
	case more > 0:
		note = plural(more, "more line") + ", G to the newest"
	case t.talk.top > 0:
		note = "the newest"
	}

	lines := append([]string{t.theme.rule(safeLine(x.Title), note, w, t.inTalk)}, t.head(w)...)
	if notice := t.notice(w); notice != nil {
		return append(lines, notice[clamp(t.talk.top, 0, len(notice)):]...)
	}

	for _, p := range t.talk.shown() {
		for i, line := range t.part(p, w) {
			if rest, ok := strings.CutPrefix(line, "  "); ok && t.inTalk && i == 0 && p.id != "" && p.id == t.talk.sel {
				line = t.theme.accent.Render("▸") + " " + rest
			}
			if at := p.top + i; at >= t.talk.top && at < t.talk.top+t.talk.height {
				lines = append(lines, line)
			}
		}
	}

	return lines
}

// head says who takes part in the thread.
func (t *threads) head(w int) []string {
	x := t.selected()
	words := strings.Join(names(x), ", ")
	if !takesPart(x) {
		words += " · you read along, J joins"
	}

	lines := wrap(words, w-2)
	if len(lines) > 2 {
		lines = append(lines[:1], fit(lines[1], w-3)+"…")
	}

	for i := range lines {
		lines[i] = "  " + t.theme.dim.Render(lines[i])
	}

	return append(lines, t.heatLines(w)...)
}
