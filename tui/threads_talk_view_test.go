package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// readBack is a screen on which a thread of n posts was read to its beginning.
func readBack(t testing.TB, f *fakeService, n int) *stage {
	s := newScreen(t, f, 100, 30)
	s.press("3", "enter", "g")
	for i := 0; len(s.m.threads.talk.posts) < n; i++ {
		if s.press("pgup"); i > n {
			t.Fatalf("only %d of %d posts came", len(s.m.threads.talk.posts), n)
		}
	}
	return s
}

// Posts that are not drawn can be scrolled over.
func TestPostHasTheHeightOfItsLayout(t *testing.T) {
	const n = 60
	f := longTalk(n)
	for i := range f.posts {
		p := &f.posts[i]
		p.Content.Text = strings.Repeat(pieces[i%len(pieces)]+" 日本語 and words\n", i%9)
		p.Timestamp = noon.AddDate(0, 0, (i-n)/7)
		if i%5 == 0 {
			p.SenderName = parley.SystemName
		}
	}

	s := readBack(t, f, n)
	for w := minWidth; w < 220; w += 7 {
		s.send(tea.WindowSizeMsg{Width: w, Height: 30})
		k := &s.m.threads.talk
		_, _, talkW, _ := s.m.threads.parts(s.m.layout.inner, s.m.layout.screenH)
		end := 0
		for i, p := range k.parts {
			if p.top != end {
				t.Fatalf("at %d columns part %d begins at line %d, want %d", w, i, p.top, end)
			}

			if end = p.top + p.height; len(k.part(p, talkW)) != p.height {
				t.Fatalf("at %d columns part %d has %d lines, want %d: %+v", w, i, len(k.part(p, talkW)), p.height, p)
			}
		}

		if end != k.lines {
			t.Errorf("at %d columns there are %d lines, want %d", w, k.lines, end)
		}

		for range 3 {
			s.press("k", "pgup")
			s.fits("pgup")
		}
	}
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
