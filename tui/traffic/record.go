package traffic

import (
	"fmt"
	"slices"
	"strings"

	"parley"
	"parley/plain"
	"parley/tui/kit"
	"parley/tui/team"
)

const (
	maxRows  = 6000 // rows in memory, about 4 MB: the daemon has the others
	dropRows = 250  // how many go at once when there are more
	nearEdge = 150  // rows from the marker to an end of the window when more are asked for
)

func newRecord() record { return record{rowSet: newRowSet(), follow: true} }

// add takes events of the stream, in order, and reports which messages they
// touched.
func (t *record) add(events []parley.Event) (touched map[string]bool) {
	touched = map[string]bool{}
	for _, e := range events {
		if e.Seq <= t.seq {
			continue
		}
		if t.seq == 0 {
			t.low = e.Seq - 1
		}

		t.seq = e.Seq
		if e.Type.Announces() && !t.follow {
			t.unseen++
		}
		if t.apart && t.asking != noPage {
			t.missed = append(t.missed, e)
		}
		if e.Type.Announces() && t.apart {
			continue
		}
		if t.take(e, true) {
			touched[e.MessageID] = true
		}
	}

	if len(touched) > 0 {
		t.dropOld()
		t.settle()
	}

	return touched
}

// dropOld drops the oldest rows when there are too many.
func (t *record) dropOld() {
	if over := len(t.rows) - maxRows; over > 0 {
		n := max(over, dropRows)
		t.low = t.rows[n-1].Seq
		t.forget(t.rows[:n])
		t.rows = slices.Clone(t.rows[n:])
	}
}

// dropNew drops the newest rows when there are too many, which leaves the window
// apart from what comes.
func (t *record) dropNew() {
	if len(t.rows) > maxRows {
		t.forget(t.rows[maxRows:])
		t.high, t.apart = t.rows[maxRows].Seq-1, true
		t.rows = slices.Clone(t.rows[:maxRows])
	}
}

// learn takes the deliveries of a message as the daemon reported them.
func (t *record) learn(id string, deliveries []parley.Delivery) {
	r := t.ByID[id]
	if r == nil {
		return
	}
	if t.found {
		r.Legs = nil
	}
	for _, d := range deliveries {
		r.Moved(d.RecipientID, d.State, d.ReasonCode)
	}
	r.Sure = true
}

// settle makes the rows, the marker and the scrolling agree.
func (t *record) settle() {
	n := len(t.rows)
	if n == 0 {
		t.Sel, t.list.top, t.list.lines, t.laid = nil, 0, nil, laid{}
		return
	}

	i := slices.Index(t.rows, t.Sel)
	if t.follow {
		i, t.unseen = n-1, 0
	} else if i < 0 && t.found {
		i = n - 1 // it matches no longer: the newest that does
	} else if i < 0 {
		i = 0 // too old to be kept
	}

	t.Sel = t.rows[i]
	t.lay()
	at := t.list.lineOf(t.Sel)
	if t.list.top = kit.Window(t.list.top, at, len(t.list.lines), t.list.height); at > 0 && at == t.list.top &&
		t.list.lines[at-1].row == nil {
		t.list.top-- // its day
	}
}

// move goes n lines down, or up. It stops following the newest, also at the end.
func (t *record) move(n int) {
	i := t.list.lineOf(t.Sel)
	if i < 0 {
		return
	}
	j := t.list.step(i, n)
	if j != i {
		t.follow = false
	}
	t.Sel = t.list.lines[j].row
	t.settle()
}

func (t *record) setFollow(on bool) {
	t.follow = on
	t.settle()
}

func (t *record) resize(height int) {
	t.list.height = height
	t.settle()
}

// note returns what the list's title adds.
func (t *record) note() string {
	var parts []string
	switch {
	case t.asking != noPage && t.asking != newerPage:
		parts = append(parts, "reading older messages…")
	case t.unreadable != "":
		parts = append(parts, t.unreadable)
	}

	switch {
	case t.follow:
		parts = append(parts, "following")
	case t.unseen > 0:
		parts = append(parts, fmt.Sprintf("%d new below · F to follow", t.unseen))
	case t.apart:
		parts = append(parts, "far back · F to follow")
	case len(t.rows) > 0:
		parts = append(parts, "paused · F to follow")
	}

	return strings.Join(parts, " · ")
}

// learn takes the deliveries of a message as the daemon reported them.
func (t *records) learn(id string, deliveries []parley.Delivery) {
	t.Live.learn(id, deliveries)
	t.hits.learn(id, deliveries)
}

// lengthen gives the row of a message that was read the text that its line has room for.
func (t *records) lengthen(m *parley.Message) {
	if m == nil {
		return
	}
	if r := t.Live.ByID[m.ID]; r != nil && r.Cut {
		r.Cut, r.Text = false, kit.SafeLine(plain.Truncate(plain.CleanLine(m.Text), longestLine))
	}
}

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
