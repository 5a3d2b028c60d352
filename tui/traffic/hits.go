package traffic

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/op"
	"parley/tui/kit"
	"parley/tui/team"
)

const (
	searchAgain = time.Second // between two that events call for
	searchHits  = 100         // as many as the daemon gives at once
)

// huntedMsg is a page of matches.
type huntedMsg struct {
	text   string
	older  bool // than those that are shown
	result *parley.SearchMessagesResult
	err    error
}

// switchRecord shows the matches of a filter, or everything.
func (f *filter) switchRecord(filtered bool) {
	t := f.traffic
	switch {
	case filtered && t.Records.Shown != &t.Records.hits:
		t.Records.hits = newRecord()
		t.Records.hits.found, t.Records.hits.list.height = true, t.Records.Live.list.height
		t.Records.Shown, f.hunt = &t.Records.hits, hunt{again: true}
	case !filtered && t.Records.Shown == &t.Records.hits:
		t.Records.Live.list.height = t.Records.hits.list.height
		t.Records.Shown, f.hunt = &t.Records.Live, hunt{}
		t.Records.Live.settle()
	}
}

// heard takes events of the stream, and reports which messages they touched.
func (t *Screen) heard(events []parley.Event) map[string]bool {
	touched := t.Records.Live.add(events)
	if t.Records.Shown != &t.Records.hits {
		return touched
	}

	for _, e := range events {
		if e.Type.Announces() || e.Type == parley.EventDelivery {
			t.Filter.hunt.again = true
			if r := t.Records.hits.ByID[e.MessageID]; r != nil {
				r.Sure = false // the search reads the newest only
			}
		}
	}

	return touched
}

// ask asks for the newest matches, or for older ones where the list has room. One search
// runs at a time, so what is typed during one is looked for together.
func (f *filter) ask() tea.Cmd {
	h := &f.hunt
	if f.query.empty() || h.asking || f.room.Link.Lost != nil {
		return nil
	}

	if f.query.problem != "" {
		f.traffic.Records.hits.replace(nil, false)
		h.again, h.more, h.shown = false, false, f.query.text
		return nil
	}

	older := !h.again && h.more && f.traffic.Records.hits.nearTop()
	if !h.again && !older {
		return nil
	}

	if !older { // today is another day after midnight
		f.query = f.parseQuery(f.Text)
	}
	request, after := f.query.request, time.Duration(0)
	switch {
	case older:
		request = *h.next
	case h.shown == f.query.text:
		after = searchAgain
	}

	request.Limit = searchHits
	h.asking, h.again = true, false
	text := f.query.text

	return f.room.Do.Later(after, func(ctx context.Context, s parley.Service) tea.Msg {
		res, err := op.FindMessages.Call(ctx, s, request)
		return huntedMsg{text: text, older: older, result: res, err: err}
	})
}

// take takes a page of matches.
func (f *filter) take(msg huntedMsg) {
	h := &f.hunt
	if h.asking = false; msg.text != f.query.text {
		return // another search follows
	}

	h.shown = msg.text
	if h.err = msg.err; msg.err != nil {
		f.traffic.Records.hits.unreadable, h.more = "the search failed", false
		if !f.room.Link.Gone(msg.err) {
			f.traffic.Records.hits.replace(nil, false)
		}
		return
	}

	rows := make([]*team.Row, 0, len(msg.result.Messages))
	for _, m := range slices.Backward(msg.result.Messages) {
		rows = append(rows, newFoundRow(m))
	}

	hits := &f.traffic.Records.hits
	if msg.older {
		hits.addOlder(rows)
	} else {
		hits.replace(rows, msg.result.HasMore || msg.result.Truncated)
	}

	if msg.older || h.next == nil || len(hits.rows) <= len(rows) {
		h.follow(&f.query, msg.result, hits)
	}
}

// follow notes how to ask for the matches before those of a result.
func (h *hunt) follow(q *query, res *parley.SearchMessagesResult, hits *record) {
	next := q.request
	h.more, h.until = res.HasMore || res.Truncated, time.Time{}
	switch {
	case res.Truncated:
		h.until, next.Until = *res.SearchedSince, res.SearchedSince
	case len(hits.rows) > 0:
		next.Before = hits.rows[0].ID
	}
	h.next = &next
	if len(hits.rows) >= maxRows {
		h.more = false
	}
}

func newFoundRow(m parley.FoundMessage) *team.Row {
	r := &team.Row{
		ID: m.MessageID, At: m.Timestamp, Sure: true, FromID: m.SenderAgentID,
		From: kit.ShownName(m.SenderName, m.SenderAgentID), Kind: parley.MessageKind(kit.SafeLine(string(m.Kind))),
		Typ: m.MessageType, Asks: m.RequiresResponse, Priority: m.Priority, Answers: m.InReplyTo,
		Text:   kit.SafeLine(m.Snippet),
		Thread: kit.SafeLine(m.ThreadTitle), ThreadID: m.ThreadID, Count: m.RecipientCount,
	}

	switch {
	case r.ThreadID != "":
		r.To = "#" + r.Thread
	case r.Kind != parley.KindBroadcast && r.Count == 1 && len(m.RecipientIDs) == 1:
		r.ToID, r.To = m.RecipientIDs[0], kit.ShownName(nameOf(m), m.RecipientIDs[0])
	default:
		r.Count = max(1, r.Count)
		r.To = kit.Plural(r.Count, "agent")
	}

	for state, n := range m.States {
		for i := range n {
			r.Legs = append(r.Legs, team.Leg{ID: fmt.Sprint(state, i), State: state})
		}
	}

	return r
}

// replace puts newer rows in the place of those that are not older than them. Rows of which
// there are no more than these are all.
func (t *record) replace(rows []*team.Row, more bool) {
	var older []*team.Row
	if more && len(rows) > 0 {
		known := map[string]bool{}
		for _, r := range rows {
			known[r.ID] = true
		}
		for _, r := range t.rows {
			if r.At.Before(rows[0].At) && !known[r.ID] {
				older = append(older, r)
			}
		}
	}

	t.setRows(append(older, rows...))
}

func (t *record) addOlder(rows []*team.Row) {
	rows = slices.DeleteFunc(rows, func(r *team.Row) bool { return t.ByID[r.ID] != nil })
	t.setRows(append(rows, t.rows...))
}

// setRows keeps the marker on its message.
func (t *record) setRows(rows []*team.Row) {
	marked := ""
	if t.Sel != nil {
		marked = t.Sel.ID
	}

	t.rows, t.ByID = rows, make(map[string]*team.Row, len(rows))
	for _, r := range rows {
		if t.ByID[r.ID] = r; r.ID == marked {
			t.Sel = r
		}
	}

	t.settle()
}

// nearTop reports whether the list has room for older rows, or the marker is near them.
func (t *record) nearTop() bool {
	return len(t.list.lines) < t.list.height || !t.follow && slices.Index(t.rows, t.Sel) < nearEdge
}

// note says what the filter found, in the words of the bar.
func (f *filter) note() string {
	h, rows := &f.hunt, f.traffic.Records.hits.rows
	if !f.searched() {
		return "searching…"
	}

	count := kit.Plural(len(rows), "message")
	if h.more {
		count = fmt.Sprintf("%d or more messages", len(rows))
	}

	// A row does not know whose deliveries are in which state, so they are not counted for some recipients.
	if states := f.query.request.States; len(states) > 0 && f.query.request.To == "" && !h.more {
		in := map[string]int{}
		for _, r := range rows {
			for _, l := range r.Legs {
				if slices.Contains(states, string(l.State)) {
					in[string(l.State)]++
				}
			}
		}
		if words := kit.Tally(in); words != "" {
			count += " · " + words
		}
	}

	if !h.until.IsZero() && h.more {
		count += " · searched back to " + h.until.In(f.room.Now.Location()).Format("2 Jan 15:04")
	}

	return count
}

// searched reports whether what is shown is the answer to the filter.
func (f *filter) searched() bool { return f.query.empty() || f.hunt.shown == f.query.text }

// nothing says why no message is shown.
func (f *filter) nothing() string {
	h := &f.hunt
	switch {
	case f.query.problem != "" && !f.room.Link.Team: // whose names it may have is not known
		return "Searching…"
	case f.query.problem != "":
		return f.query.problem
	case h.err != nil:
		return "✗ " + kit.SafeLine(parley.AsError(h.err).Message) + ". esc shows all messages."
	case h.asking || h.again || h.more:
		return "Searching…"
	}
	return "No message matches. " + f.takenAsText() + "esc shows all of them."
}

// takenAsText names a word of the filter that looks like more than the text that it is.
func (f *filter) takenAsText() string {
	for word := range strings.FieldsSeq(f.query.text) {
		place, _, isTerm := strings.Cut(word, ":")
		name, isName := strings.CutPrefix(word, "@")
		switch {
		case isName && f.room.Saved[name] == "":
			return fmt.Sprintf("%s is text here: no filter has that name. ", kit.SafeLine(word))
		case isTerm && !slices.Contains(op.FilterPlaces(), strings.ToLower(place)+":"):
			terms := strings.Join(op.FilterPlaces(), " ")
			return fmt.Sprintf("%s: is text here: the terms are %s. ", kit.SafeLine(place), terms)
		}
	}
	return ""
}

// nameOf returns the name of a message's first recipient.
func nameOf(m parley.FoundMessage) string {
	if len(m.Recipients) == 0 {
		return ""
	}
	return m.Recipients[0]
}
