package traffic

import (
	"parley"
	"parley/tui/kit"
	"parley/tui/team"
)

// rowSet is the messages of a list.
type rowSet struct {
	rows []*team.Row // the oldest first
	ByID map[string]*team.Row
}

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
		r.Moved(team.RecipientOf(e), parley.DeliveryState(kit.SafeLine(e.State)), e.ReasonCode)
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
