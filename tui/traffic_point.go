package tui

import tea "charm.land/bubbletea/v2"

func (t *traffic) point(p pointer) tea.Cmd {
	listW, listH, _, detailH := t.parts(p.w, p.h)
	inDetail := detailH > 0 && p.second(t.tier, listW, listH)
	switch i := t.record.top + p.y - 1; {
	case inDetail && p.wheel != 0:
		t.detail.top += p.wheel
	case inDetail:
		t.inDetail = true
		t.setFollow(false)
	case p.wheel != 0:
		return times(p.wheel, func(by motion) tea.Cmd { t.record.move(by.lines(1)); return nil })
	case p.y > 0 && i < len(t.lines) && t.lines[i].row != nil:
		x := t.lines[i]
		if again := x.row == t.sel && !t.inDetail; again && (x.of != nil || !t.opened()) {
			return t.enter()
		}
		t.inDetail, t.follow, t.sel = false, false, x.row
		t.record.settle()
	}

	return nil
}
