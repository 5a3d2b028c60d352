package tui

import (
	"fmt"
	"slices"
	"strings"

	"parley"
)

const (
	maxRows   = 5000 // rows in memory: half a day of a busy team, about 2 MB
	dropRows  = 250  // how many go at once when there are more
	wideWords = 64   // columns from which each row says its state in words
)

// record is the list of messages, oldest first.
type record struct {
	rows   []*row
	byID   map[string]*row
	seq    int64  // the last event seen: the stream may repeat itself after a loss
	sought string // lower case: what the filter looks for
	shown  []*row // rows that the filter lets through
	sel    *row
	top    int
	height int
	follow bool
	unseen int // rows that came since follow was left
}

func newRecord() record { return record{byID: map[string]*row{}, follow: true} }

// add takes events, in order, and reports which messages they touched.
func (t *record) add(events []parley.Event) (touched map[string]bool) {
	touched = map[string]bool{}
	for _, e := range events {
		if e.Seq <= t.seq {
			continue
		}
		t.seq = e.Seq
		switch e.Type {
		case parley.EventDirectMessage, parley.EventBroadcast, parley.EventThreadMessage, parley.EventThreadCreated, parley.EventThreadUpdated:
			t.insert(newRow(e))
		case parley.EventDelivery:
			if r := t.byID[e.MessageID]; r != nil {
				r.moved(recipientOf(e), parley.DeliveryState(safeLine(e.State)))
			}
		default:
			continue
		}
		touched[e.MessageID] = true
	}
	t.sift()
	return touched
}

func recipientOf(e parley.Event) string {
	for _, id := range []string{e.RecipientID, e.AgentID, e.Recipient} {
		if id != "" {
			return id
		}
	}
	return e.Agent
}

func (t *record) insert(r *row) {
	if t.byID[r.id] != nil {
		return
	}
	t.rows = append(t.rows, r)
	t.byID[r.id] = r
	if !t.follow && (t.sought == "" || r.has(t.sought)) {
		t.unseen++
	}
	if len(t.rows) <= maxRows {
		return
	}
	for _, old := range t.rows[:dropRows] {
		delete(t.byID, old.id)
	}
	t.rows = slices.Clone(t.rows[dropRows:])
}

// learn takes what a message's own record says of its deliveries.
func (t *record) learn(id string, deliveries []parley.Delivery) {
	r := t.byID[id]
	if r == nil {
		return
	}
	for _, d := range deliveries {
		r.moved(d.RecipientID, d.State)
	}
	t.sift()
}

// look sets the filter.
func (t *record) look(filter string) {
	t.sought = strings.ToLower(filter)
	t.sift()
}

// sift finds what the filter lets through.
func (t *record) sift() {
	t.shown = t.rows
	if t.sought != "" {
		t.shown = nil
		for _, r := range t.rows {
			if r.has(t.sought) {
				t.shown = append(t.shown, r)
			}
		}
	}
	t.settle()
}

// settle makes what is shown, selected and scrolled to agree.
func (t *record) settle() {
	n := len(t.shown)
	if n == 0 {
		t.sel, t.top = nil, 0
		return
	}
	i := slices.Index(t.shown, t.sel)
	if t.follow {
		i, t.unseen = n-1, 0
	} else if i < 0 && t.sought != "" {
		i = n - 1 // filtered away: the newest that is left
	} else if i < 0 {
		i = 0 // too old to be kept
	}
	t.sel = t.shown[i]
	t.top = window(t.top, i, n, t.height)
}

// window scrolls no further than needed for line i of n to be seen.
func window(top, i, n, height int) int {
	height = max(height, 1)
	return max(0, min(max(min(top, i), i-height+1), n-height))
}

// move goes n rows down, or up; going up leaves the newest, arriving at the end
// takes it up again only when asked to (follow).
func (t *record) move(n int) {
	i := slices.Index(t.shown, t.sel)
	if i < 0 {
		return
	}
	j := min(max(i+n, 0), len(t.shown)-1)
	if j != i {
		t.follow = false
	}
	t.sel = t.shown[j]
	t.settle()
}

func (t *record) setFollow(on bool) {
	t.follow = on
	t.settle()
}

func (t *record) resize(height int) {
	t.height = height
	t.settle()
}

// note says what the pane's title adds.
func (t *record) note() string {
	var parts []string
	if t.sought != "" {
		parts = append(parts, fmt.Sprintf("%d of %d match %q", len(t.shown), len(t.rows), safeLine(t.sought)))
	}
	switch {
	case t.follow:
		parts = append(parts, "following")
	case t.unseen > 0:
		parts = append(parts, fmt.Sprintf("%d new below, f follows", t.unseen))
	case len(t.rows) > 0:
		parts = append(parts, "standing still, f follows")
	}
	return strings.Join(parts, " · ")
}
