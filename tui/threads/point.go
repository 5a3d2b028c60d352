package threads

import (
	tea "charm.land/bubbletea/v2"

	"parley/tui/kit"
)

func (t *Screen) Point(p kit.Pointer) tea.Cmd {
	listW, listH, _, talkH := t.Parts(p.W, p.H)
	inTalk := talkH > 0 && p.Second(t.Tier, listW, listH)
	switch i := t.top + p.Y - 1; {
	case inTalk && p.Wheel != 0:
		t.talk.scroll(p.Wheel)
	case p.Wheel != 0:
		t.InTalk = false
		return kit.Times(p.Wheel, t.Move)
	case inTalk:
		_, _, w, _ := t.Parts(p.W, p.H)
		head := 1 + len(t.talk.head(t.selected(), w))
		if t.Tier < kit.Wide {
			head += listH
		}
		t.talk.click(p.Y - head)
		if !t.InTalk {
			return t.turn()
		}
	case !inTalk && p.Y > 0 && i < len(t.list):
		t.InTalk, t.Sel = false, t.list[i].ID
		if p.Twice {
			return t.turn()
		}
	}

	return nil
}
