package tui

import (
	"fmt"
	"testing"
	"time"

	"parley"
)

// longRecord has n messages. The events say of each that it was read, their own
// record that it was answered since.
func longRecord(n int) *fakeService {
	f := newFake()
	f.agent("coder", parley.StateIdle, 0, 0, "")
	put := func(e parley.Event) {
		e.Seq = int64(len(f.events)) + 1
		f.events = append(f.events, e)
	}

	for i := range n {
		id := fmt.Sprintf("%08x-1111-4111-8111-111111111111", i)
		at := noon.Add(time.Duration(i-n) * time.Second)
		put(parley.Event{
			Type:           parley.EventDirectMessage,
			Time:           at,
			MessageID:      id,
			SenderID:       idOf("coder"),
			Sender:         "coder",
			RecipientID:    idOf("tester"),
			Recipient:      "tester",
			RecipientCount: 1,
			Preview:        fmt.Sprintf("message number %d", i),
			Priority:       "normal",
		})

		for _, s := range typedStates {
			put(parley.Event{
				Type:        parley.EventDelivery,
				Time:        at,
				MessageID:   id,
				RecipientID: idOf("tester"),
				Agent:       "tester",
				State:       string(s),
			})
		}

		f.messages[id] = &parley.MessageStatusResult{Answer: parley.OK, Object: &parley.Message{ID: id, Timestamp: at},
			Deliveries: []parley.Delivery{{RecipientID: idOf("tester"), State: parley.DeliveryAnswered}}}
	}

	return f
}

// latest hands over only the newest events, as the stream does at the start.
func (s *stage) latest() {
	s.service.mu.Lock()
	events := s.service.events[max(0, len(s.service.events)-firstEvents):]
	s.service.mu.Unlock()
	s.send(feedMsg{events: events, at: noon})
}

func TestWholeRecordScrolls(t *testing.T) {
	const n = 3 * maxRows
	s := newStage(t, longRecord(n), 100, 40)
	s.latest()
	tr := s.m.traffic
	want := n - 1
	for want > 0 {
		if got := tr.sel.text; got != fmt.Sprintf("message number %d", want) {
			t.Fatalf("the marker is on %q, want number %d", got, want)
		}

		s.press("pgup")
		want = max(0, want-tr.height+1)
		if len(tr.rows) > maxRows || len(tr.byID) != len(tr.rows) {
			t.Fatalf("%d rows and %d ids are kept, want at most %d", len(tr.rows), len(tr.byID), maxRows)
		}
	}

	if !tr.apart || tr.low != 0 {
		t.Errorf("apart %v, low %d at the top; want apart from the newest, and nothing before", tr.apart, tr.low)
	}

	for range 2 * maxRows / (tr.height - 1) {
		s.press("pgdown")
		want += tr.height - 1
	}

	if got := tr.sel.text; got != fmt.Sprintf("message number %d", want) {
		t.Errorf("on the way back the marker is on %q, want number %d", got, want)
	}

	s.press("g")
	s.shows("▸ ", "message number 0 ")
	s.service.say(1<<20, "coder", []string{"tester"}, "quite new", "normal", parley.DeliveryQueued)
	s.latest()
	s.hides("quite new")
	s.shows("1 new below · f to follow")
	s.press("G")
	s.shows("quite new", "following", fmt.Sprintf("message number %d", n-1))
	s.service.say(1<<20+1, "coder", []string{"tester"}, "newer still", "normal", parley.DeliveryQueued)
	s.latest()
	s.shows("newer still")
}

func TestOlderRowsGetTheirDeliveriesRead(t *testing.T) {
	s := newStage(t, longRecord(2000), 100, 30)
	s.latest()
	s.shows("✓✓ message number") // what the stream said
	s.press("g")
	s.shows("↩  message number", "↩ answered")
	s.hides("✓✓")
}

func TestFilterSearchesTheWholeRecord(t *testing.T) {
	s := newStage(t, longRecord(2*maxRows), 100, 30)
	s.latest()
	f := s.service
	f.events[0].Preview = "a needle"
	s.enters("/from:coder needle")
	s.shows("needle")
	if got := len(s.m.traffic.rows); got > maxRows+pageEvents {
		t.Errorf("%d rows are kept", got)
	}
	s.press("esc", "f")
	s.shows(fmt.Sprintf("message number %d", 2*maxRows-1))
}

func TestFilterTermsLookInTheirPlaces(t *testing.T) {
	s := newScreen(t, busyTeam(), 120, 30)
	for _, c := range []struct {
		filter string
		want   int
	}{
		{"from:coder", 3}, {"to:coder", 4}, {"agent:you", 2}, {"type:broadcast", 3}, {"is:held", 1},
		{"state:queued", 1}, {"priority:urgent", 1}, {"from:coder is:held looking", 1}, {"from:nobody", 0},
		{"from:", 10}, {"odd:place", 0}, {"thread:x", 0},
	} {
		s.m.traffic.filter.set("")
		s.enters("/" + c.filter)
		if got := len(s.m.traffic.rows); got != c.want {
			t.Errorf("%q shows %d messages, want %d", c.filter, got, c.want)
		}
	}
}

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

// It tries every place to look in and each way back. The list follows the newest
// again if it did before.
func TestFilterIsSetAndDroppedByKeys(t *testing.T) {
	f := busyTeam()
	th := f.announcePost()

	s := newScreen(t, f, 100, 30)
	rows := len(s.m.traffic.rows)
	for _, drop := range [][]string{{"esc"}, {"enter", "esc"}, {"ctrl+u"}, {"enter", "/", "esc"}} {
		for text, want := range map[string]int{
			"agent:tester": 5, "from:planner": 1, "thread:parser": 1, "thread:" + parley.Short(th.ID): 1,
			"type:broadcast": 3, "state:held": 1, "is:failed": 1, "parser.go": 1,
		} {
			for _, follow := range []bool{true, false} {
				s.m.traffic.setFollow(follow)
				s.press("/")
				s.shows(filterHint)
				s.typed(text)
				s.hides(filterHint)
				if got := len(s.m.traffic.rows); got != want || want >= rows {
					t.Errorf("%q shows %d of %d messages, want %d:\n%s", text, got, rows, want, s.text())
				}

				s.shows("/" + text)
				s.press(drop...)
				s.hides("/" + text)
				if got := len(s.m.traffic.rows); got != rows || s.m.traffic.follow != follow ||
					s.m.scope() != inShell {
					t.Errorf("%q and then %q shows %d messages, follows %v, want %d, %v", text, drop, got,
						s.m.traffic.follow, rows, follow)
				}
			}
		}
	}
}

func TestTodayIsAnotherDayAfterMidnight(t *testing.T) {
	f := busyTeam()
	now := noon
	s := newScreen(t, f, 120, 40, func(o *Options) { o.Now = func() time.Time { return now } })
	s.press("/")
	s.enters("on:today")
	was := *s.m.traffic.filter.query.request.Until
	now = noon.Add(13 * time.Hour)
	s.send(tickMsg(now))
	s.m.Update(feedMsg{events: nil, at: now})
	f.say(300, "coder", []string{"reviewer"}, "after midnight", "normal", parley.DeliveryRead)
	f.mu.Lock()
	f.events[len(f.events)-2].Time = now
	f.mu.Unlock()
	_, cmd := s.m.Update(feedMsg{events: f.events, at: now})
	s.run(cmd, 0)
	if u := *s.m.traffic.filter.query.request.Until; !u.After(was) {
		t.Errorf("on:today asks until %v at %v", u, now)
	}
}

func TestOlderMatchesStayUpToDate(t *testing.T) {
	f := newFake()
	f.agent("coder", parley.StateIdle, 0, 0, "")
	f.agent("reviewer", parley.StateIdle, 0, 0, "")
	first := f.say(1, "coder", []string{"reviewer"}, "word 0", "normal", parley.DeliveryHeld)
	for i := range 160 {
		f.say(2+i, "coder", []string{"reviewer"}, "word", "normal", parley.DeliveryRead)
	}
	s := newScreen(t, f, 120, 40)
	s.press("/")
	s.enters("word")
	s.press("g", "g", "g")
	if s.m.traffic.sel.id != first {
		t.Fatalf("not at the first: %d rows", len(s.m.traffic.rows))
	}
	s.press("esc")
	s.press("/")
	s.enters("word")
	s.press("g", "g", "g")
	f.mu.Lock()
	f.messages[first].Deliveries[0].State = parley.DeliveryFailed
	f.mu.Unlock()
	f.emit(parley.Event{Type: parley.EventDelivery, Time: noon, MessageID: first, RecipientID: idOf("reviewer"),
		Agent: "reviewer", State: "failed"})
	s.press("j", "k")
	s.m.traffic.closeDetail()
	s.news()
	st, _, _ := s.m.traffic.hits.byID[first].standing()
	if st != parley.DeliveryFailed {
		t.Errorf("shown as %s, sure %v", st, s.m.traffic.hits.byID[first].sure)
	}
}

func TestAPageThatFailsIsNotAskedForWithoutEnd(t *testing.T) {
	f := newFake()
	f.agent("coder", parley.StateIdle, 0, 0, "")
	for i := range 300 {
		f.say(2+i, "coder", []string{"reviewer"}, "word", "normal", parley.DeliveryRead)
	}
	s := newStage(t, f, 120, 40)
	f.err = parley.Errorf(parley.Internal, "disk I/O error")
	s.send(feedMsg{events: f.events[590:], at: noon})
	s.shows("could not be read")
}
