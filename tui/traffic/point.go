package traffic

import (
	tea "charm.land/bubbletea/v2"

	"parley/tui/kit"
)

func (t *Screen) Point(p kit.Pointer) tea.Cmd {
	listW, listH, _, detailH := t.Parts(p.W, p.H)
	inDetail := detailH > 0 && p.Second(t.Tier, listW, listH)
	switch i := t.record.top + p.Y - 1; {
	case inDetail && p.Wheel != 0:
		t.Detail.Top += p.Wheel
	case inDetail:
		t.Detail.focused = true
		t.setFollow(false)
	case p.Wheel != 0:
		return kit.Times(p.Wheel, func(by kit.Motion) tea.Cmd { t.record.move(by.Lines(1)); return nil })
	case p.Y > 0 && i < len(t.lines) && t.lines[i].row != nil:
		x := t.lines[i]
		if again := x.row == t.Sel && !t.Detail.focused; again && (x.of != nil || !t.Detail.opened()) {
			return t.enter()
		}
		t.Detail.focused, t.follow, t.Sel = false, false, x.row
		t.record.settle()
	}

	return nil
}
