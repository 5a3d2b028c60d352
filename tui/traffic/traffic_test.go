package traffic

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"parley"
	"parley/tui/kit"
	"parley/tui/room"
	"parley/tui/team"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func TestEventsDuringAPageReadAreNotLost(t *testing.T) {
	r := newRecord()
	r.resize(10)
	said := func(seq int) parley.Event {
		return parley.Event{
			Seq:       int64(seq),
			Type:      parley.EventDirectMessage,
			MessageID: fmt.Sprint(seq),
			Sender:    "a",
			Recipient: "b",
		}
	}

	r.add([]parley.Event{said(100)})
	r.apart, r.asking, r.high = true, newestPage, 50
	r.add([]parley.Event{said(101), said(102)})
	r.takePage(pageMsg{of: newestPage, low: 99, end: 101, events: []parley.Event{said(100), said(101)}})
	if got := len(r.rows); got != 3 || r.apart {
		t.Errorf("%d rows, apart %v; want all three, joined", got, r.apart)
	}

	r.apart, r.asking = true, newestPage
	r.add([]parley.Event{said(110)})
	r.takePage(pageMsg{of: newestPage, low: 99, end: 105, events: []parley.Event{said(100)}})
	if !r.apart || r.high != 105 {
		t.Errorf("apart %v, high %d; a gap was taken for the end", r.apart, r.high)
	}
}

func TestForgetsTheOldestRows(t *testing.T) {
	tr := newRecord()
	tr.resize(10)
	tr.follow = false
	for i := range maxRows + 1 {
		tr.add([]parley.Event{
			{
				Seq:       int64(i + 1),
				Type:      parley.EventDirectMessage,
				MessageID: fmt.Sprint(i),
				Sender:    "a",
				Recipient: "b",
			},
		})
	}

	if got, want := len(tr.rows), maxRows+1-dropRows; got != want || len(tr.ByID) != want {
		t.Errorf("got %d rows and %d ids, want %d", got, len(tr.ByID), want)
	}
	if got, want := tr.Sel.ID, fmt.Sprint(dropRows); got != want {
		t.Errorf("the marker stands on %s, want the oldest that is kept, %s", got, want)
	}
}

func TestThreadPostsAreTraffic(t *testing.T) {
	tr := newRecord()
	tr.resize(10)
	types := []parley.EventType{parley.EventThreadCreated, parley.EventThreadMessage, parley.EventThreadUpdated}
	for i, typ := range types {
		tr.add([]parley.Event{
			{
				Seq:            int64(i + 1),
				Type:           typ,
				MessageID:      fmt.Sprint(i),
				Sender:         "a",
				ThreadID:       "t",
				Thread:         "the parser",
				RecipientCount: 1 - i%2,
			},
		})
	}

	if len(tr.rows) != 3 || tr.rows[1].To != "#the parser" {
		t.Fatalf("the rows are %+v", tr.rows)
	}
	if got := tr.rows[1].Words(); got != "0/0 read" {
		t.Errorf("a post that nobody gets is %q", got)
	}
}

func TestOneWayTrafficDoesNotFold(t *testing.T) {
	r := newRecord()
	r.resize(10)
	for i := range 3000 {
		r.add([]parley.Event{{Seq: int64(i + 1), Type: parley.EventDirectMessage, MessageID: fmt.Sprint(i),
			SenderID: "a", Sender: "a",
			RecipientID: "b", Recipient: "b", RecipientCount: 1, Time: noon}})
	}
	if got, want := len(r.list.lines), len(r.rows); got != want+1 { // and its day
		t.Errorf("%d lines of %d messages", got, want)
	}
}

func TestRowIsNeverTooWide(t *testing.T) {
	r := &team.Row{
		From:     "a-name-of-some-length-indeed",
		To:       "another",
		Priority: "urgent",
		Text:     "what it says",
		Count:    120,
		At:       noon,
	}

	for i := range 120 {
		r.Moved(string(rune('a'+i)), parley.DeliveryUnconfirmed, "")
	}

	for w := kit.MinWidth - kit.Spare; w < 200; w++ {
		var c listColumns
		c.fit([]*team.Row{r}, w)
		for _, x := range []listLine{{row: r}, {row: r, of: []*team.Row{r, r, r, r}}} {
			if got := kit.Width(x.view(kit.ThemeOf(kit.ThemeTerminal, false), c,
				lineLook{kit.Marked(w%2 == 0, w%3 == 0), false}, noon)); got > w {
				t.Errorf("at %d columns the row takes %d", w, got)
			}
		}
	}
}
func TestFilterTellsTimesAndWhatItDoesNotKnow(t *testing.T) {
	d := &filter{room: room.NewShared(room.Setup{Now: noon}, room.Commands{})}
	for text, want := range map[string]string{
		"since:2h": "10:00", "since:09:30": "09:30", "since:today": "00:00", "on:yesterday": "00:00",
		"since:3d": "12:00",
	} {
		q := d.parseQuery(text)
		if q.request.Since == nil || q.request.Since.Format("15:04") != want {
			t.Errorf("%s: since %v, want %s (%s)", text, q.request.Since, want, q.problem)
		}
	}
	for _, text := range []string{"since:soon", "is:lost", "on:2h", "from:nobody", "has:legs"} {
		if q := d.parseQuery(text); q.problem == "" || q.empty() {
			t.Errorf("%s: no problem was found", text)
		}
	}
	if q := d.parseQuery("is:problem"); len(q.request.States) != 3 {
		t.Errorf("is:problem asks for %v", q.request.States)
	}
}

// However far one scrolls, the window keeps its size.
func TestWindowKeepsItsSize(t *testing.T) {
	r := newRecord()
	r.resize(10)
	at := func(from, n int) (events []parley.Event) {
		for i := range n {
			events = append(events, parley.Event{Seq: int64(from + i), Type: parley.EventDirectMessage,
				MessageID: fmt.Sprint(from + i), Sender: "a", Recipient: "b"})
		}
		return events
	}
	const newest = 3 * maxRows
	r.add(at(newest, 1))
	r.setFollow(false)
	for low := newest - pageEvents; low > 0; low -= pageEvents {
		r.takePage(pageMsg{of: olderPage, low: int64(low - 1), end: int64(low + pageEvents - 1),
			events: at(low, pageEvents)})
		if len(r.rows) > maxRows || len(r.ByID) != len(r.rows) {
			t.Fatalf("%d rows and %d ids are kept, want at most %d", len(r.rows), len(r.ByID), maxRows)
		}
	}
	if !r.apart {
		t.Error("the window is not apart from the newest messages")
	}
}

func TestFilterNamesAreInTheirOrder(t *testing.T) {
	if !slices.Equal(filterNames(map[string]string{"b": "x", "ab": "y"}, "@"), []string{"@ab", "@b"}) {
		t.Error("names are not in their order")
	}
}
