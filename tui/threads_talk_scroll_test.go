package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"parley"
)

// longTalk is a thread of n posts, each of which says its number.
func longTalk(n int) *fakeService {
	f := busyTeam()
	f.posts = nil
	for i := range n {
		f.post(i, f.threads[0].ID, []string{"coder", "reviewer", parley.OperatorName}[i%3],
			fmt.Sprintf("post number %d.", i), noon.Add(time.Duration(i-n)*time.Second), parley.DeliverySubmitted)
	}

	return f
}

func TestThreadScrollsBackToItsBeginning(t *testing.T) {
	drawsALot(t)
	const n = 345
	s := newScreen(t, longTalk(n), 100, 30)
	s.press("3", "enter")
	s.shows("▸ 11:59 you", "post number 344.")
	seen := map[string]bool{}
	for i := n - 1; i >= 0; i-- {
		want := fmt.Sprintf("post number %d.", i)
		if got := s.m.threads.About().Text; got != want {
			t.Fatalf("the marker is on %q, want %q:\n%s", got, want, s.text())
		}
		if !strings.Contains(s.text(), want) {
			t.Fatalf("%q is not in view:\n%s", want, s.text())
		}

		seen[want] = true
		s.press("k")
	}

	if len(seen) != n {
		t.Errorf("%d posts were seen, want %d", len(seen), n)
	}

	s.hides("older post")
	s.press("j", "j")
	if got := s.m.threads.About().Text; got != "post number 2." {
		t.Errorf("the marker is on %q", got)
	}

	s.press("G")
	s.shows("▸ 11:59 you", "post number 344.")
	s.press("pgup")
	s.shows("more lines, G to the newest")
	s.press("g")
	s.shows("post number 0.")
}

// A reply goes to the thread from every screen that shows the post.
func TestReplyToAPostGoesToItsThread(t *testing.T) {
	f := busyTeam()
	th := f.announcePost()

	s := newScreen(t, f, 80, 24)
	s.shows("coder → #the")
	s.press("r")
	s.shows("Reply to coder in the thread")
	s.enters("that one")
	if len(f.sent) != 1 || f.sent[0].ThreadID != th.ID || f.sent[0].InReplyTo != f.posts[1].MessageID {
		t.Errorf("sent %+v", f.sent)
	}
}

func TestLongPostScrollsLineByLine(t *testing.T) {
	f := busyTeam()
	f.posts = nil
	var text strings.Builder
	for i := range 60 {
		fmt.Fprintf(&text, "line %d.\n", i)
	}

	f.post(1, f.threads[0].ID, "coder", "before", noon, parley.DeliveryRead)
	f.post(2, f.threads[0].ID, "coder", text.String(), noon, parley.DeliveryRead)
	f.post(3, f.threads[0].ID, "coder", "after", noon, parley.DeliveryRead)
	s := newScreen(t, f, 80, 24)
	s.press("3", "enter", "g")
	shown := ""
	for range 80 {
		shown += s.text()
		s.press("j")
	}

	for i := range 60 {
		if !strings.Contains(shown, fmt.Sprintf("line %d.", i)) {
			t.Errorf("line %d was never in view on the way down", i)
		}
	}

	s.shows("▸ 12:00 coder", "after")
	for range 80 {
		s.press("k")
	}

	s.shows("before")
}

func TestListsShowTemperatures(t *testing.T) {
	f := busyTeam()
	f.threads[0].LastMessageAt = noon.Add(-time.Minute)
	s := newScreen(t, f, 180, 40)
	s.press("2", "v") // in all of the window
	s.shows("▇ hot")
	s.press("3")
	if line := s.lineWith("▸ 1m"); !strings.Contains(line, "▇ hot") {
		t.Errorf("the thread's line is %q", line)
	}
	if line, _, _ := strings.Cut(s.lineWith("storage format 2"), "│"); strings.Contains(line, "hot") {
		t.Errorf("the line of a cold thread is %q", line)
	}

	pairs := func() (n int) {
		for _, in := range f.felt {
			if strings.Contains(in, ",") {
				n++
			}
		}
		return n
	}

	asked := pairs()
	s.press("2", "j", "k", "3", "2")
	if got := pairs(); got != asked {
		t.Errorf("asked %d times more for what is known", got-asked)
	}

	s.fits("the lists")
}

// lineWith is the first line of the screen that holds a text.
func (s *stage) lineWith(text string) string {
	s.t.Helper()
	for line := range strings.SplitSeq(s.text(), "\n") {
		if strings.Contains(line, text) {
			return line
		}
	}
	s.t.Fatalf("no line holds %q:\n%s", text, s.text())
	return ""
}

// readBack is a screen on which a thread of n posts was read to its beginning.
func readBack(t testing.TB, f *fakeService, n int) *stage {
	s := newScreen(t, f, 100, 30)
	s.press("3", "enter", "g")
	for i := 0; !strings.Contains(s.text(), "post number 0."); i++ {
		if s.press("pgup"); i > n {
			t.Fatalf("the first of %d posts did not come", n)
		}
	}
	return s
}

// A frame of a thread with many posts costs no more than one of a thread with few.
func TestFrameDrawsOnlyPostsInView(t *testing.T) {
	frame := func(n int) float64 {
		s := readBack(t, longTalk(n), n)
		s.press("G")
		i := 0

		return testing.AllocsPerRun(20, func() {
			s.press([]string{"k", "j"}[i%2])
			_ = s.m.View()
			i++
		})
	}

	few, many := frame(40), frame(400)
	if many > few*1.2 {
		t.Errorf("a frame of 400 posts takes %v allocations, one of 40 takes %v", many, few)
	}
}
