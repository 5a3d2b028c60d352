package traffic

import (
	"slices"

	"parley"
	"parley/tui/kit"
	"parley/tui/team"
)

func newRowSet() rowSet { return rowSet{ByID: map[string]*team.Row{}} }

// take adds an event's row at the end, or moves the row that it is about. sure
// says that no later event can have moved the row.
func (s *rowSet) take(e parley.Event, sure bool) bool {
	switch {
	case e.Type.Announces():
		if s.ByID[e.MessageID] != nil {
			return false
		}
		r := team.NewRow(e)
		r.Sure = sure
		s.rows = append(s.rows, r)
		s.ByID[r.ID] = r
	case e.Type == parley.EventDelivery:
		r := s.ByID[e.MessageID]
		if r == nil {
			return false
		}
		r.Moved(team.RecipientOf(e), parley.DeliveryState(kit.SafeLine(e.State)))
	default:
		return false
	}

	return true
}

func (s *rowSet) forget(rows []*team.Row) {
	for _, r := range rows {
		delete(s.ByID, r.ID)
	}
}

// lineOf returns the line that a row is on, or -1.
func (l *listLines) lineOf(r *team.Row) int {
	for i := len(l.lines) - 1; i >= 0; i-- {
		x := &l.lines[i]
		if x.row == r && r != nil || slices.Contains(x.of, r) {
			return i
		}
	}
	return -1
}

// step returns the line that is n lines from i and has a message.
func (l *listLines) step(i, n int) int {
	j := kit.Clamp(i+n, 0, len(l.lines)-1)
	if l.lines[j].row == nil && (n > 0 || j == 0) {
		j++
	} else if l.lines[j].row == nil {
		j--
	}
	return kit.Clamp(j, 0, len(l.lines)-1)
}

// linesInView returns the lines that are drawn.
func (l *listLines) linesInView() []listLine {
	return l.lines[kit.Clamp(l.top, 0, len(l.lines)):kit.Clamp(l.top+l.height, 0, len(l.lines))]
}

// inView returns the rows that are drawn.
func (l *listLines) inView() (rows []*team.Row) {
	for _, x := range l.linesInView() {
		switch {
		case x.of != nil:
			rows = append(rows, x.of...)
		case x.row != nil:
			rows = append(rows, x.row)
		}
	}
	return rows
}
