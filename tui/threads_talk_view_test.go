package tui

import (
	"strings"
	"testing"
)

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
