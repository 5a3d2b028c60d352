package tui

import tea "charm.land/bubbletea/v2"

func (t *threads) point(p pointer) tea.Cmd {
	listW, listH, _, talkH := t.parts(p.w, p.h)
	inTalk := talkH > 0 && p.second(t.tier, listW, listH)
	switch i := t.top + p.y - 1; {
	case inTalk && p.wheel != 0:
		t.talk.scroll(p.wheel)
	case p.wheel != 0:
		t.inTalk = false
		return times(p.wheel, t.move)
	case inTalk:
		_, _, w, _ := t.parts(p.w, p.h)
		head := 1 + len(t.head(w))
		if t.tier < wide {
			head += listH
		}
		t.talk.click(p.y - head)
		if !t.inTalk {
			return t.turn()
		}
	case !inTalk && p.y > 0 && i < len(t.list):
		t.inTalk, t.sel = false, t.list[i].ID
		if p.twice {
			return t.turn()
		}
	}

	return nil
}
