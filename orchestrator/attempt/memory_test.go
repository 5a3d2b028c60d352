package attempt

import (
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/orchestrator/sight"
	"parley/orchestrator/team"
	"parley/tmux"
)

func TestTheEarlierProofCounts(t *testing.T) {
	for _, c := range []struct {
		name  string
		scene func(*stage)
	}{
		{"it works", func(s *stage) { s.above = []string{"working"} }},
		{"its transcript shows the text",
			func(s *stage) { s.above = []string{"> hello", "  (ann · msg 5f0c21aa)", "answer"} }},
		{"it reports the text", func(s *stage) { s.named = true }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(t, framedText, reportingText)
			s.names = true // it has named an earlier message
			s.begin(false)
			c.scene(s)
			if after := s.want(tmux.Entered, done); after > time.Second {
				t.Errorf("it is believed after %v, want at once", after)
			}
		})
	}
}

func TestTranscriptIsNoProofWhereAPersonTypedMeanwhile(t *testing.T) {
	s := newStage(t, framedText, reportingText)
	s.names = true
	s.begin(false)
	s.above, s.touched = []string{"> (ann · msg 5f0c21aa)"}, s.now
	if got := s.step(tmux.Entered, false); got.Do != tmux.Wait {
		t.Errorf("got %+v, want to wait for the report", got)
	}
}

func TestFirstMessageWaitsTheLongerTheSlowerTheStart(t *testing.T) {
	for _, c := range []struct {
		start, rest time.Duration
		given, held bool
	}{
		{start: time.Second, rest: 300 * time.Millisecond},
		{start: time.Second, rest: 200 * time.Millisecond, held: true},
		{start: 10 * time.Second, rest: 2 * time.Second, held: true},
		{start: 10 * time.Second, rest: 3 * time.Second},
		{start: 10 * time.Second, rest: 200 * time.Millisecond, given: true},
		{start: 50 * time.Second, rest: 2900 * time.Millisecond, held: true},
		{start: 50 * time.Second, rest: 3 * time.Second},
		{start: time.Hour, rest: 200 * time.Millisecond},
	} {
		s := newStage(t, framedText)
		s.on.Started = s.now
		s.now = s.now.Add(c.start + c.rest)
		if c.given {
			s.memory.Last().On = s.on
		}

		o := s.observation()
		o.Since = s.now.Add(-c.rest)
		if got := s.memory.Ready(o); (got.Code() == parley.HoldSettling) != c.held || got.None() == c.held {
			t.Errorf("%s after a start of %s, given one %v: %+v, want held %v", c.rest, c.start, c.given, got, c.held)
		}
	}
}

// Where no marker tells that a program works, only a screen that does not move shows rest.
func TestScreenThatMovesIsNoRestWhereNothingElseTells(t *testing.T) {
	for _, c := range []struct {
		still, rests time.Duration
		held         bool
	}{
		{still: 3 * time.Second, rests: 2900 * time.Millisecond, held: true},
		{still: 3 * time.Second, rests: 3 * time.Second},
		{rests: 100 * time.Millisecond},
	} {
		s := newStage(t, framedText)
		s.profile.Still = c.still
		began := s.now
		look := func() sight.Hold {
			o := s.observation()
			o.Since = began.Add(-time.Minute)
			return s.memory.Ready(o)
		}

		for i := range 20 { // a spinner above an open composer
			s.above = []string{strings.Repeat("*", i+1)}
			s.now = s.now.Add(time.Second)
			if got := look(); (got.Code() == parley.HoldNoisy) != (c.still > 0) {
				t.Fatalf("still %s: %+v while it moves", c.still, got)
			}
		}
		s.now = s.now.Add(c.rests)
		if got := look(); (got.Code() == parley.HoldNoisy) != c.held || got.None() == c.held {
			t.Errorf("still %s, after %s: %+v, want held %v", c.still, c.rests, got, c.held)
		}
	}
}

func TestNextMessageWaitsUntilTheFirstIsShown(t *testing.T) {
	s := newStage(t, framedText)
	s.memory.Given = &Typed{On: s.on, Letter: s.attempt.Text.Letter, Given: Given{Entered: s.now, Unshown: true}}
	s.now = s.now.Add(beginsWithin*s.profile.Quiet + time.Second)
	look := func() sight.Hold {
		o := s.observation()
		o.Since = s.now.Add(-time.Minute)
		return s.memory.Ready(o)
	}

	if got := look(); got.Code() != parley.HoldNotBegun {
		t.Errorf("before it shows: %+v, want %s", got, parley.HoldNotBegun)
	}
	s.above = []string{"> hello", "(ann · msg 5f0c21aa)"}
	if got := look(); !got.None() {
		t.Errorf("when it shows: held by %+v", got)
	}
	s.above = nil
	if got := look(); !got.None() {
		t.Errorf("when it has scrolled away: held by %+v", got)
	}

	s.memory.Given.Unshown = true
	s.now = s.now.Add(shownWithin)
	if got := look(); !got.None() {
		t.Errorf("after a long time: held by %+v", got)
	}
}

func TestScreenWithoutAComposerProvesNothingAtOnce(t *testing.T) {
	s := newStage(t, framedText)
	s.composer, s.above = "-", []string{"working"}
	if got := s.step(tmux.Entered, false); got.Do != tmux.Wait {
		t.Errorf("a frame that may be half drawn: %+v, want to wait", got)
	}
	s.want(tmux.Entered, done)
}

func TestTextThatWasProvenIsExpectedToLeaveTheComposer(t *testing.T) {
	s := newStage(t, framedText)
	s.composer = testText
	s.memory.Given = &Typed{On: s.on, Letter: s.attempt.Text.Letter, Given: Given{Entered: s.now}}
	look := func() parley.ReasonCode {
		o := s.observation()
		o.Since = s.now.Add(-time.Minute)
		return s.memory.Ready(o).Code()
	}

	if got := look(); got != parley.HoldNotBegun {
		t.Errorf("right after it was entered: held by %q, want %q", got, parley.HoldNotBegun)
	}
	s.now = s.now.Add(s.profile.TakenWithin + time.Second)
	if got := look(); got != parley.HoldRecalled {
		t.Errorf("later: held by %q, want %q", got, parley.HoldRecalled)
	}
	s.composer = "a person's own"
	if got := look(); got != parley.HoldDraft {
		t.Errorf("a person's draft: held by %q, want %q", got, parley.HoldDraft)
	}
}

func TestWorkThatIsOnlyReportedDoesNotLetTheNextTextIn(t *testing.T) {
	s := newStage(t, framedText)
	s.memory.Given = &Typed{On: s.on, Letter: s.attempt.Text.Letter, Given: Given{Entered: s.now}}
	look := func() parley.ReasonCode {
		o := s.observation()
		o.Since = s.now.Add(-time.Second)
		o.Report = team.Report{Event: "Prompt", State: parley.StateBusy, At: s.now.Add(-2 * time.Second)}
		return s.memory.Ready(o).Code()
	}

	if got := look(); got != parley.HoldNotBegun {
		t.Errorf("while the screen looks idle: held by %q, want %q", got, parley.HoldNotBegun)
	}
	s.above = []string{"working"}
	if got := look(); got != parley.HoldBusy {
		t.Errorf("while the screen shows work: held by %q, want %q", got, parley.HoldBusy)
	}
}

func TestTimeOfAKeyThatIsTakenLateIsRemembered(t *testing.T) {
	s := newStage(t, framedText)
	s.composer = testText
	out := tmux.Outcome{EnteredAt: s.now}
	for range 30 {
		s.step(tmux.Entered, false)
	}
	s.composer = ""
	s.want(tmux.Entered, done)
	if got, want := s.attempt.Entered.At(&out).Sub(out.EnteredAt), 29*50*time.Millisecond; got != want {
		t.Errorf("it counts as entered after %v, want %v, when it stood there last", got, want)
	}
}

func TestLagOfTheProgramIsRemembered(t *testing.T) {
	s := newStage(t, framedText)
	for range 30 {
		s.step(tmux.Pasted, false)
	}
	s.composer = testText
	s.want(tmux.Pasted, press)
	if want := 30 * 50 * time.Millisecond; s.memory.lag != want {
		t.Errorf("a lag of %v, want %v", s.memory.lag, want)
	}
}

// What waits to be read in a terminal that nobody has ever viewed is what tmux has answered to its program.
func TestOnlyWhatAPersonCanHaveTypedIsReadLate(t *testing.T) {
	for _, unviewed := range []bool{true, false} {
		s := newStage(t, framedText)
		s.memory.Unread, s.drawn = s.now.Add(-time.Second), s.now.Add(-5*time.Second)
		o := s.observation()
		o.Screen.Unviewed = unviewed
		if got := s.memory.touched(o); got.None() != unviewed {
			t.Errorf("never viewed: %v: got %+v", unviewed, got)
		}
		if got := s.memory.readLate(o); got == unviewed {
			t.Errorf("never viewed: %v: what was read late: %v", unviewed, got)
		}
	}
}

// Escape before the first word takes a text out of the conversation again. A text that a person recalls stands there.
func TestATextThatItsProgramGivesBackIsSeen(t *testing.T) {
	before := []string{"● what it said before", "  a hint"}
	refused := []string{"> " + testText, "● sign in first"}
	for _, c := range []struct {
		name     string
		above    []string
		composer string
		kept     bool // its program rested with it
		want     bool
		undrawn  bool // its program has drawn nothing since its key
		untaken  bool // it never left the composer
	}{
		{"as it was before", before, testText, false, true, false, false},
		{"not drawn yet", before, testText, false, false, true, false},
		{"with another hint", []string{before[0], "  another", "  and one"}, testText, false, true, false, false},
		{"recalled", append(slices.Clone(before), "> "+testText), testText, false, false, false, false},
		{"recalled after a long answer", []string{"one", "two", "three"}, testText, false, false, false, false},
		{"recalled after all is cleared", before[:1], testText, true, false, false, false},
		{"somebody has gone on with it", before, testText + " and more", false, false, false, false},
		{"cleared", before, "", false, false, false, false},
		{"as it was before, with a refused one of before", refused, testText, false, true, false, false},
		{"recalled, with a refused one of before", append(slices.Clone(refused), "> "+testText), testText, false, false,
			false, false},
		{"in another width", []string{"● what it", "  said before", "  a hint", "  more", "  hints"}, testText, false,
			true, false, false},
		{"never taken", before, testText, false, false, false, true},
	} {
		s := newStage(t, framedText)
		if s.above = before; strings.Contains(strings.Join(c.above, ""), refused[1]) {
			s.above = refused
		}
		s.looked()
		s.begin(false)
		s.memory.Given = s.attempt.Text
		s.memory.Given.Entered, s.memory.Given.Told, s.memory.Given.Taken = s.now, s.now, !c.untaken
		if s.drawn = s.now.Add(time.Second); c.undrawn {
			s.drawn = s.now
		}
		look := func() {
			for range 100 { // until the screen has rested
				s.now = s.now.Add(100 * time.Millisecond)
				o := s.observation()
				o.Since = s.now.Add(-time.Minute)
				s.memory.SeeGiven(o, s.memory.Ready(o))
			}
		}
		if c.kept {
			s.above = append(slices.Clone(before), "> "+testText)
			look()
		}
		s.above, s.composer = c.above, c.composer
		look()
		if got := s.memory.Undone != nil; got != c.want {
			t.Errorf("%s: it is given back: %v, want %v", c.name, got, c.want)
		}
	}
}

// Who has pressed a key just now may have entered the text again, which is not drawn yet.
func TestATextIsGivenBackOnceItsPersonRests(t *testing.T) {
	s := newStage(t, framedText)
	s.above = []string{"● what it said before"}
	s.looked()
	s.begin(false)
	s.memory.Given = s.attempt.Text
	s.memory.Given.Entered, s.memory.Given.Told, s.memory.Given.Taken = s.now, s.now, true
	s.composer, s.drawn, s.touched = testText, s.now.Add(10*time.Second), s.now.Add(10*time.Second)

	for rested, want := range map[time.Duration]bool{time.Second: false, sight.TypingPause + time.Second: true} {
		s.now = s.touched.Add(rested)
		o := s.observation()
		o.Since = s.now.Add(-time.Minute)
		if s.memory.SeeGiven(o, sight.Hold{}); (s.memory.Undone != nil) != want {
			t.Errorf("%v after a key: given back is %v, want %v", rested, !want, want)
		}
	}
}

func TestKeysBehindATextThatWaitsForItsKeyHoldForLonger(t *testing.T) {
	for _, keyless := range []bool{true, false} {
		s := newStage(t, framedText)
		s.touched, s.drawn = s.now.Add(-sight.TypingPause-time.Second), s.now // it has drawn something since
		s.memory.Text.Keyless = keyless
		if h := s.memory.touched(s.observation()); h.None() == keyless {
			t.Errorf("the text waits for its key: %v; got %+v", keyless, h)
		}
	}
}
