package tui

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/tui/kit"
	"parley/tui/room"
)

// keptRows are more than the screen keeps in memory.
const keptRows = 6000

// hint is what the empty filter says.
const hint = "words, is: from:"

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
	s.send(room.FeedMsg{Events: events, At: noon})
}

func TestWholeRecordScrolls(t *testing.T) {
	const n = 3 * keptRows
	s := newStage(t, longRecord(n), 100, 40)
	s.latest()
	tr := s.m.traffic
	want, page := n-1, 0
	for want > 0 {
		if got := tr.Records.Shown.Sel.Text; got != fmt.Sprintf("message number %d", want) {
			t.Fatalf("the marker is on %q, want number %d", got, want)
		}
		s.press("pgup")
		if page == 0 {
			_, _ = fmt.Sscanf(tr.Records.Shown.Sel.Text, "message number %d", &page)
			page = want - page
		}
		want = max(0, want-page)
	}

	for range 2 * keptRows / page {
		s.press("pgdown")
		want += page
	}

	if got := tr.Records.Shown.Sel.Text; got != fmt.Sprintf("message number %d", want) {
		t.Errorf("on the way back the marker is on %q, want number %d", got, want)
	}

	s.press("g")
	s.shows("▸ ", "message number 0 ")
	s.service.say(1<<20, "coder", []string{"tester"}, "quite new", "normal", parley.DeliveryQueued)
	s.latest()
	s.hides("quite new")
	s.shows("1 new below · F to follow")
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
	s := newStage(t, longRecord(2*keptRows), 100, 30)
	s.latest()
	f := s.service
	f.events[0].Preview = "a needle"
	s.enters("/from:coder needle")
	s.shows("needle")
	s.press("esc", "F")
	s.shows(fmt.Sprintf("message number %d", 2*keptRows-1))
}

// messages is how many messages the traffic lists.
func (s *stage) messages() int {
	n := 0
	for line := range strings.SplitSeq(s.text(), "\n") {
		if regexp.MustCompile(`^..\d\d:\d\d`).MatchString(line) {
			n++
		}
	}
	return n
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
		s.m.traffic.Filter.Set("")
		s.enters("/" + c.filter)
		if got := s.messages(); got != c.want {
			t.Errorf("%q shows %d messages, want %d", c.filter, got, c.want)
		}
	}
}

// It tries every place to look in and each way back. The list follows the newest
// again if it did before.
func TestFilterIsSetAndDroppedByKeys(t *testing.T) {
	f := busyTeam()
	th := f.announcePost()

	s := newScreen(t, f, 100, 30)
	rows := s.messages()
	for _, drop := range [][]string{{"esc"}, {"enter", "esc"}, {"ctrl+u"}, {"enter", "/", "esc"}} {
		for text, want := range map[string]int{
			"agent:tester": 5, "from:planner": 1, "thread:parser": 1, "thread:" + parley.Short(th.ID): 1,
			"type:broadcast": 3, "state:held": 1, "is:failed": 1, "parser.go": 1,
		} {
			for _, follow := range []bool{true, false} {
				s.press(map[bool]string{true: "G", false: "g"}[follow], "/")
				s.shows(hint)
				s.typed(text)
				s.hides(hint)
				if got := s.messages(); got != want || want >= rows {
					t.Errorf("%q shows %d of %d messages, want %d:\n%s", text, got, rows, want, s.text())
				}

				s.shows("/" + text)
				s.press(drop...)
				s.hides("/" + text)
				follows := strings.Contains(s.text(), "following")
				if got := s.messages(); got != rows || follows != follow || s.m.scope() != kit.InShell {
					t.Errorf("%q and then %q shows %d messages, follows %v, want %d, %v", text, drop, got,
						follows, rows, follow)
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
	was := *f.sought.Until
	now = noon.Add(13 * time.Hour)
	s.send(room.TickMsg(now))
	s.m.Update(room.FeedMsg{Events: nil, At: now})
	f.say(300, "coder", []string{"reviewer"}, "after midnight", "normal", parley.DeliveryRead)
	f.mu.Lock()
	f.events[len(f.events)-2].Time = now
	f.mu.Unlock()
	_, cmd := s.m.Update(room.FeedMsg{Events: f.events, At: now})
	s.run(cmd, 0)
	if u := *f.sought.Until; !u.After(was) {
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
	if s.m.traffic.Records.Shown.Sel.ID != first {
		t.Fatalf("not at the first:\n%s", s.text())
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
	s.news()
	if line := s.lineWith("word 0"); !strings.Contains(line, "✗") {
		t.Errorf("the first is shown as %q", line)
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
	s.send(room.FeedMsg{Events: f.events[590:], At: noon})
	s.shows("could not be read")
}
