package tui

import (
	"fmt"
	"strings"
	"testing"

	"parley"
)

func TestOpensAtTheTarget(t *testing.T) {
	f := busyTeam()
	old := parley.Thread{ID: "0000000f-2222-4222-8222-222222222222", Title: "older than all others"}
	for _, c := range []struct {
		to    Target
		shows []string
	}{
		{Target{Screen: "needs"}, []string{"▸4 Needs you", "∅ lost"}},
		{Target{Screen: "health"}, []string{"▸5 Health"}},
		{Target{Agent: agentID("reviewer")}, []string{"▸2 Agents", "▸ ● reviewer"}},
		{Target{Thread: &f.threads[0]}, []string{"▸3 Threads", "▸ the parser's error messages", "Do it. One commit."}},
		{Target{Thread: &old}, []string{"▸3 Threads", "▸ older than all others"}},
		{Target{Message: "5f0c0003-1111-4111-8111-111111111111"},
			[]string{"▸1 Traffic", "─ Message 5f0c0003", "the error for an empty body"}},
	} {
		s := newScreen(t, f, 80, 24, func(o *Options) { o.Open = c.to })
		s.shows(c.shows...)
		s.fits("the link")
	}
}

func TestTargetMessageIsFoundAnywhereInTheRecord(t *testing.T) {
	const n = keptRows + 2000
	f := longRecord(n)
	for _, i := range []int{0, 1, 700, n / 2, n - 260, n - 1} {
		id := fmt.Sprintf("%08x-1111-4111-8111-111111111111", i)
		s := newStage(t, f, 100, 40, func(o *Options) { o.Open = Target{Message: id} })
		s.latest()
		if r := s.m.traffic.Records.Shown.Sel; r == nil || r.ID != id {
			t.Errorf("the marker for number %d is on %+v", i, r)
		}

		s.shows("─ Message "+parley.Short(id), fmt.Sprintf("message number %d", i))
		s.press("F") // and from there to the newest
		s.shows(fmt.Sprintf("message number %d", n-1))
	}
}

func TestTargetMessageThatIsGoneIsReported(t *testing.T) {
	f := longRecord(40)
	f.messages["00000bad-1111-4111-8111-111111111111"] = &parley.MessageStatusResult{
		Object: &parley.Message{ID: "00000bad-1111-4111-8111-111111111111", Timestamp: noon},
	}
	s := newStage(t, f, 100, 40, func(o *Options) { o.Open = Target{Message: "00000bad-1111-4111-8111-111111111111"} })
	s.latest()
	s.shows("message 00000bad is no longer in the event record", "parley message 00000bad")
}

func TestFilterFindsWordsInWholeTexts(t *testing.T) {
	f := busyTeam()
	f.say(11, "coder", []string{"tester"}, strings.Repeat("so many words before it ", 6)+"the needle at last", "normal",
		parley.DeliverySubmitted)

	s := newScreen(t, f, 120, 24)
	s.hides("needle")
	s.press("/")
	s.typed("needle")
	s.shows("needle at last", "1 message · /needle")
	s.press("enter")
	s.shows("needle at last")
	s.fits("the filter")
	if got, want := fmt.Sprint(f.searches), "[n ne nee need needl needle]"; got != want {
		t.Errorf("searched for %s, want %s", got, want)
	}

	s.press("esc")
	s.hides("needle")
	s.press("/")
	s.typed("from:reviewer needle")
	s.shows("No message matches")
}
