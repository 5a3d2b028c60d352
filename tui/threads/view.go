package threads

import (
	"parley/tui/kit"
	"parley/tui/room"
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
	t.scroll(max(1, listH-1))
	if talkH > 0 {
		t.talk.settleView(talkW, talkH, len(t.talk.head(t.selected(), talkW)))
	}
}

func (t *Screen) View(w, h int) []string {
	listW, listH, talkW, talkH := t.Parts(w, h)
	list := kit.Clip(t.rows(listW), listH)
	if talkH == 0 {
		return kit.Clip(list, h)
	}

	title := t.Theme.Rule(kit.SafeLine(t.selected().Title), t.talk.position(), talkW, t.InTalk)
	posts := append(append([]string{title}, t.talk.head(t.selected(), talkW)...), t.talk.view(talkW, t.InTalk)...)
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
		return append(lines, nothingLines(w)...)
	}

	return append(lines, threadRows{t.Shared, &t.threadList, t.InTalk}.lines(w)...)
}
