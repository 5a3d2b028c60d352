package attempt

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/orchestrator/letter"
	"parley/orchestrator/sight"
	"parley/orchestrator/team"
	"parley/program/profile"
	"parley/store"
	"parley/tmux"
)

// stage is a terminal as an attempt sees it, on a clock of its own.
type stage struct {
	t       *testing.T
	now     time.Time
	profile *profile.Profile
	on      *team.Terminal
	memory  Memory
	attempt *Attempt

	above    []string // the screen above the composer
	composer string   // "-" hides the composer
	touched  time.Time
	drawn    time.Time
	inMode   bool
	unviewed bool
	facts    sight.Facts
	tty      sight.TTYMode
	named    bool
	names    bool
	said     team.Report
}

const (
	testText = "[AGENT 12345678 TO AGENT 87654321]: hello (ann · msg 5f0c21aa)"
	testMark = "msg 5f0c21aa"
)

// framedText is a program whose composer is known; plainText is any other.
const (
	framedText = `{one_line: true, settle: 200ms, quiet: 100ms, show_within: 2s, taken_within: 3s, queue_key: Tab,
  markers: {dialog: '^Allow this\?', busy: '^working', idle: '^composer>', composer: '^composer> ?(?P<text>[^\n]*)',
    paste: '\[Pasted text[^\]]*\]'}}`
	reportingText = `{reports: {Prompt: prompted}}`
	plainText     = `{one_line: true, settle: 200ms, quiet: 100ms, startup: 0s, show_within: 2s, taken_within: 3s}`
)

// ttyHost tells only how its terminal is read.
type ttyHost struct {
	sight.Host
	mode sight.TTYMode
}

func (h ttyHost) Canonical(*team.Terminal) (bool, error) {
	if !h.mode.Known {
		return false, errors.ErrUnsupported
	}
	return h.mode.Canonical, nil
}
func (ttyHost) Echo(*team.Terminal) (bool, error) { return true, nil }

// testProgram takes messages, by the operator's word.
var testProgram = tmux.Program{File: "/bin/agent", Args: []string{"agent"}}

// another is a program of which nobody has said anything, and which reads the terminal.
var another = tmux.Reader{
	Program: tmux.Program{File: "/bin/bash", Args: []string{"bash"}}, PID: 2, Waits: tmux.ReadsInput,
}

func newStage(t *testing.T, texts ...string) *stage {
	t.Helper()
	set := must.Have(profile.Builtin())(t)
	for _, text := range texts {
		set = must.Have(set.With("test", []byte(text)))(t)
	}
	p := must.Have(set.Find("test"))(t)

	s := &stage{
		t: t, now: time.Unix(1_000_000, 0), profile: p, on: &team.Terminal{Profile: p},
		facts: sight.Facts{
			Launched: true, SameServer: true, Alive: true, Reader: tmux.Reader{Program: testProgram, PID: 1},
			Takes: func(r tmux.Reader) bool { return r.File == testProgram.File },
		},
	}
	s.begin(false)
	return s
}

// begin makes an attempt of the message.
func (s *stage) begin(resumed bool) {
	s.attempt = &Attempt{
		Resumed: resumed, Memory: &s.memory,
		Way: Way{Key: tmux.Key(s.profile.Key), Since: s.now.Add(-time.Second)},
	}
	l := letter.Letter{Text: testText, Mark: testMark, Foot: "(ann · msg 5f0c21aa)"}
	s.attempt.Text = s.memory.TextOf(&store.Job{
		Key: store.Key{MessageSeq: 7}, Message: parley.Message{Timestamp: s.now},
	}, s.on, l, resumed)
	s.attempt.Entered.Named = s.now
	if !resumed {
		s.attempt.Entered.looked = s.now // at the key
	}
	s.attempt.Entered.Reporting = !resumed && s.memory.Reports(s.observation())
}

func (s *stage) observation() *sight.Observation {
	lines := append([]string{}, s.above...)
	if s.composer != "-" {
		lines = append(lines, "composer> "+s.composer)
	}
	screen := tmux.Screen{Lines: lines, Width: 200, Touched: s.touched, Drawn: s.drawn, InMode: s.inMode,
		Unviewed: s.unviewed,
		CursorY:  len(lines) - 1}
	if !s.profile.HasMarkers() {
		screen.Lines, screen.CursorX = append(slices.Clone(s.above), s.composer), len(s.composer)
		screen.CursorY = len(s.above)
	}

	seen := sight.Look(ttyHost{mode: s.tty}, sight.NewReadings(1), s.on, s.now, screen)
	o := &seen
	o.Facts, o.Names, o.Report = s.facts, s.names, s.said
	o.Place = func() sight.Spot { return sight.Spot{} }
	if s.named {
		o.Named = s.now
	}
	return o
}

// look is a look at the terminal.
func (s *stage) look() { s.memory.NoteCopies(s.observation(), testMark) }

// looked is the look before the text is typed.
func (s *stage) looked() {
	s.look()
	s.begin(false)
}

// A report of a compaction that stays the last one is overruled by the screen; a report of a
// limit is not overruled: a screen need not show the limit.
func TestScreenOverrulesACompactionThatHasPassed(t *testing.T) {
	s := newStage(t, framedText)
	for _, c := range []struct {
		name      string
		passing   bool
		said      time.Duration // since the report
		looksIdle time.Duration // since the screen does
		want      parley.AgentState
	}{
		{"it has just begun", true, time.Second, time.Minute, parley.StateBlocked},
		{"it may not show yet", true, sight.Passed - time.Second, time.Minute, parley.StateBlocked},
		{"it never showed", true, sight.Passed, time.Minute, parley.StateIdle},
		{"it was over at once", true, sight.Passed, sight.Passed - time.Second, parley.StateIdle},
		{"a limit", false, time.Hour, 2 * time.Hour, parley.StateBlocked},
		{"it has worked since", false, time.Minute, 30 * time.Second, parley.StateIdle},
	} {
		o := s.observation()
		o.Report = team.Report{
			Event: "Compact", State: parley.StateBlocked, Passing: c.passing, At: s.now.Add(-c.said),
		}
		o.Since = s.now.Add(-c.looksIdle)
		if got := o.Standing(); got.State != c.want {
			t.Errorf("%s: it is %s (%s), want %s", c.name, got.State, got.Evidence, c.want)
		}
	}
}

// step asks for the next step and lets 50 ms pass.
func (s *stage) step(phase tmux.Phase, again bool) tmux.Step {
	step := s.attempt.Next(phase, again, s.observation())
	s.now = s.now.Add(50 * time.Millisecond)
	return step
}

// until asks again while the attempt waits, and returns the step that ends that, and when.
func (s *stage) until(phase tmux.Phase, again bool) (tmux.Step, time.Duration) {
	s.t.Helper()
	began := s.now
	for s.now.Sub(began) < time.Minute {
		at := s.now
		if step := s.step(phase, again); step.Do != tmux.Wait {
			return step, at.Sub(began)
		}
	}
	s.t.Fatalf("at phase %v it waits for ever", phase)
	return tmux.Step{}, 0
}

func (s *stage) want(phase tmux.Phase, want tmux.Step) time.Duration {
	s.t.Helper()
	got, after := s.until(phase, false)
	if got.Do != want.Do || got.Reason != want.Reason {
		s.t.Errorf("at phase %v after %v: %+v, want %+v", phase, after, got, want)
	}
	return after
}

var (
	press    = tmux.Step{Do: tmux.Press}
	done     = tmux.Step{Do: tmux.Done}
	blocked  = tmux.Step{Do: tmux.Stop, Reason: tmux.Blocked}
	notShown = tmux.Step{Do: tmux.Stop, Reason: tmux.NotShown}
	notTaken = tmux.Step{Do: tmux.Stop, Reason: tmux.NotTaken}
	notReady = tmux.Step{Do: tmux.Stop, Reason: tmux.NotReady}
)

func TestEnterFollowsWhenTheTextRests(t *testing.T) {
	s := newStage(t, framedText)
	s.want(tmux.Unknown, tmux.Step{Do: tmux.Paste})
	if got := s.step(tmux.Pasted, false); got.Do != tmux.Wait {
		t.Errorf("before the text shows: %+v, want to wait", got)
	}
	s.composer = testText
	if got := s.step(tmux.Pasted, false); got.For != s.profile.Settle {
		t.Errorf("when the text shows: %+v, want to wait for %v of rest", got, s.profile.Settle)
	}
	if after := 50*time.Millisecond + s.want(tmux.Pasted, press); after < s.profile.Settle {
		t.Errorf("the key came after %v, want %v of rest", after, s.profile.Settle)
	}
	s.composer = ""
	s.want(tmux.Entered, done)
}

// A program that works and draws late may have opened a question that it has not drawn yet, and would take the key for
// the answer. One that rests opens none.
func TestNoEnterGoesIntoTheWorkOfASlowProgram(t *testing.T) {
	for name, c := range map[string]struct {
		works, resumed, before bool
		late                   time.Duration
		want                   tmux.Step
	}{
		"it works, and draws soon":          {works: true, late: slowDraw / 2, want: press},
		"it works, and draws late":          {works: true, late: slowDraw * 3 / 2, want: notReady},
		"it works, and drew late before":    {works: true, before: true, late: slowDraw / 2, want: press},
		"it drew this text late before":     {works: true, before: true, resumed: true, want: notReady},
		"it rests, and draws late":          {late: slowDraw * 3 / 2, want: press},
		"it rests, and drew this text late": {before: true, resumed: true, want: press},
	} {
		s := newStage(t, framedText)
		s.begin(c.resumed)
		if s.memory.Behind = c.before; c.works {
			s.attempt.Way.By = PassWork
		}
		for s.step(tmux.Pasted, false); c.late > 0; c.late -= 50 * time.Millisecond {
			s.step(tmux.Pasted, false)
		}
		s.composer = testText
		got, _ := s.until(tmux.Pasted, false)
		held := s.attempt.Refused.Code()
		if got.Do != c.want.Do || got.Reason != c.want.Reason || got.Do == tmux.Stop && held != parley.HoldBusy {
			t.Errorf("%s: %+v (%s), want %+v", name, got, held, c.want)
		}
	}
}

func TestEnterIsWithheld(t *testing.T) {
	for _, c := range []struct {
		name  string
		scene func(*stage)
		want  tmux.Step
		hold  parley.ReasonCode
	}{
		{"while nothing shows", func(s *stage) { s.composer = "" }, notShown, ""},
		{"in front of a dialog", func(s *stage) { s.above = []string{"Allow this? [y/n]"} }, blocked, ""},
		{"when the program has begun to work", func(s *stage) { s.above = []string{"working"} }, blocked, ""},
		{"beside somebody's own text",
			func(s *stage) { s.composer = "mine " + testText }, notShown, parley.HoldMixedText},
		{"when the agent is being stopped", func(s *stage) { s.facts.Stopping = true }, blocked, ""},
		{"when another program reads", func(s *stage) { s.facts.Reader = another }, notReady, parley.HoldShell},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(t, framedText)
			s.composer = testText
			c.scene(s)
			s.want(tmux.Pasted, c.want)
			if got := s.attempt.Refused.Code(); got != c.hold {
				t.Errorf("it was refused for %q, want %q", got, c.hold)
			}
		})
	}
}

// A program cuts off what does not fit. Where somebody may have typed, that can be theirs.
func TestEnterFollowsATextThatIsCutWhereNobodyLooks(t *testing.T) {
	cut := strings.Replace(testText, "hello", "hell", 1)
	for _, c := range []struct {
		composer string
		unviewed bool
		keyed    time.Duration // ago
		want     tmux.Step
	}{
		{cut, true, 0, press},
		{cut, false, 0, notShown},
		{cut, true, time.Hour, notShown},
		{"mine " + cut, true, 0, notShown},
	} {
		s := newStage(t, framedText)
		s.composer, s.unviewed = c.composer, c.unviewed
		if c.keyed > 0 {
			s.touched = s.now.Add(-c.keyed)
		}
		s.want(tmux.Pasted, c.want)
		if beside := c.want == notShown; (s.attempt.Refused.Code() == parley.HoldMixedText) != beside {
			t.Errorf("%+v: it stopped for %q; somebody's text is seen: want %v", c, s.attempt.Refused.Code(), beside)
		}
	}
}

func TestEnterGoesIntoWorkWhereItMay(t *testing.T) {
	s := newStage(t, framedText)
	s.above, s.composer = []string{"working"}, testText
	s.attempt.Way.Key = tmux.Key(s.profile.QueueKey)
	s.want(tmux.Pasted, press)
}

func TestTimeBeginsAgainAfterScrolling(t *testing.T) {
	s := newStage(t, framedText)
	s.composer, s.inMode = testText, true
	for range 200 { // ten seconds, five times as long as the text may take to show
		if got := s.step(tmux.Pasted, false); got.Do == tmux.Stop {
			t.Fatalf("it gives up while somebody scrolls: %+v", got)
		}
	}
	s.inMode = false
	if after := s.want(tmux.Pasted, press); after < s.profile.Settle {
		t.Errorf("the key came %v after the scrolling, want %v of rest", after, s.profile.Settle)
	}
}

func TestNothingIsDecidedByTheScreenWhileSomebodyScrolls(t *testing.T) {
	s := newStage(t, framedText)
	s.composer, s.inMode = testText, true
	s.want(tmux.Pasted, press) // tmux refuses it
	s.composer, s.above = "", []string{"working"}
	for range 200 {
		if got := s.step(tmux.Pasted, false); got.Do != tmux.Wait {
			t.Fatalf("while somebody scrolls: %+v, want to wait", got)
		}
	}
	s.composer, s.above, s.inMode = testText, nil, false
	s.want(tmux.Pasted, press)

	s.inMode = true
	s.want(tmux.Pasted, press)
	s.facts.Reader = another
	s.want(tmux.Pasted, notReady)
}

func TestProgramThatNeverEchoesGetsItsEnter(t *testing.T) {
	s := newStage(t, plainText)
	if after := s.want(tmux.Pasted, press); after < s.profile.ShowWithin {
		t.Errorf("the key came after %v, want the patience of %v", after, s.profile.ShowWithin)
	}

	s = newStage(t, plainText)
	s.begin(true)
	s.want(tmux.Pasted, notShown) // a paste that a crash left has to be seen
}

// A message that is retried may still be on the screen from the time before, while its paste goes into a dialog.
func TestAnEarlierCopyOfTheTextIsNotThePaste(t *testing.T) {
	s := newStage(t, plainText)
	s.tty.Known, s.above = true, []string{"> " + testText}
	s.looked()
	s.want(tmux.Unknown, tmux.Step{Do: tmux.Paste})
	s.above = append(s.above, "Rebase onto the main branch")
	s.want(tmux.Pasted, notShown)

	s.begin(false)
	s.above = append(s.above, "> "+testText)
	s.want(tmux.Pasted, press)
}

// A dialog that opens as the text is pasted takes it. Only what nobody can have entered is typed again.
func TestADialogSwallowsAPaste(t *testing.T) {
	for _, c := range []struct {
		name  string
		scene func(*stage) // when the dialog is gone
		want  bool
	}{
		{"and it stands nowhere", func(*stage) {}, true},
		{"and it is not read yet", func(s *stage) { s.facts.Unread = 5 }, false},
		{"and somebody has been there", func(s *stage) { s.unviewed = false }, false},
		{"and somebody has typed from elsewhere", func(s *stage) { s.touched = s.now.Add(-time.Minute) }, false},
		{"and it stands above the composer", func(s *stage) { s.above = []string{"> " + testText} }, false},
		{"and something else stands in the composer", func(s *stage) { s.composer = "mine" }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(t, framedText)
			s.unviewed, s.above = true, []string{"Allow this? [y/n]"}
			s.want(tmux.Pasted, blocked)
			s.begin(true)
			s.above, s.composer = nil, ""
			c.scene(s)
			if s.want(tmux.Pasted, notShown); (s.attempt.Refused.Code() == parley.HoldDialogOpened) != c.want {
				t.Errorf("it stopped for %q, swallowed: want %v", s.attempt.Refused.Code(), c.want)
			}
		})
	}
}

// While a text lingers where somebody types, the terminal is looked at, and may show the text already.
func TestALookAtATypedTextFindsNoEarlierCopy(t *testing.T) {
	s := newStage(t, framedText)
	s.looked()
	s.above, s.composer = []string{"> " + testText}, testText
	s.look()
	s.begin(true)
	s.composer = ""
	if !s.attempt.Seen(s.observation()) {
		t.Error("its own text counts as an earlier copy")
	}
}

func TestPlaceholderOfAnotherPasteIsNotOurs(t *testing.T) {
	s := newStage(t, framedText)
	s.composer = "[Pasted text +99 lines]"
	s.begin(true)
	s.want(tmux.Pasted, notShown)

	s = newStage(t, framedText)
	s.composer = "[Pasted text #1]"
	s.want(tmux.Pasted, press) // right after the paste it is
}

func TestTextIsTakenWhenTheComposerIsEmptied(t *testing.T) {
	for _, c := range []struct {
		name  string
		scene func(*stage)
		want  tmux.Step
	}{
		{"emptied", func(s *stage) { s.composer = "" }, done},
		{"named by the program", func(s *stage) { s.composer, s.named = testText, true }, done},
		{"standing", func(s *stage) { s.composer = testText; s.facts.Reader = another }, notTaken},
		{"unread", func(s *stage) { s.facts.Unread = 12 }, notTaken},
		{"behind a dialog", func(s *stage) { s.composer, s.above = "-", []string{"Allow this? [y/n]"} }, notTaken},
		{"dead before it read", func(s *stage) { s.facts.Alive = false }, notTaken},
		{"being stopped", func(s *stage) { s.facts.Stopping = true }, blocked},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(t, framedText)
			c.scene(s)
			s.want(tmux.Entered, c.want)
		})
	}
}

func TestTextThatVanishedWhileNobodyLookedMustBeSeen(t *testing.T) {
	s := newStage(t, framedText)
	s.begin(true) // after a crash
	s.want(tmux.Entered, notTaken)

	s.begin(false)
	s.now = s.now.Add(blindWithin) // tmux was slow to answer
	s.want(tmux.Entered, notTaken)

	s.begin(true)
	s.above = []string{"> " + testText}
	s.want(tmux.Entered, done)
}

func TestTextMustBeSeenWhereKeysWereNotDrawnBeforeTheEnter(t *testing.T) {
	s := newStage(t, framedText)
	s.composer, s.drawn, s.touched = testText, s.now.Add(-time.Second), s.now
	s.want(tmux.Pasted, press)
	s.composer = "" // with the text, or cleared before the key
	s.want(tmux.Entered, notTaken)
}

func TestTimeToShowBeginsWhenTheTextIsRead(t *testing.T) {
	s := newStage(t, framedText)
	s.facts.Unread = 12
	if after := s.want(tmux.Pasted, notShown); after < slowReader {
		t.Errorf("an unread text is given up after %v, want %v", after, slowReader)
	}

	s.begin(false)
	for range 200 {
		s.step(tmux.Pasted, false)
	}
	s.facts.Unread, s.composer, s.drawn = 0, testText, s.now
	s.want(tmux.Pasted, press)
}

func TestKeysThatWereReadLateAreAwaited(t *testing.T) {
	s := newStage(t, framedText)
	s.composer, s.drawn, s.facts.Unread = testText, s.now, 3 // of somebody who leaves, behind the text
	for range 30 {
		s.step(tmux.Pasted, false)
	}
	s.facts.Unread = 0
	s.want(tmux.Pasted, notShown)

	s.begin(true)
	s.drawn = s.now
	s.want(tmux.Pasted, press)
}

func TestChangeOfTheTerminalsModeProvesNothing(t *testing.T) {
	s := newStage(t, plainText)
	s.tty = sight.TTYMode{Canonical: false, Known: true}
	s.attempt.Entered.Mode = sight.TTYMode{Canonical: true, Known: true}
	s.want(tmux.Entered, blocked)
}

func TestModeThatReturnsIsWaitedFor(t *testing.T) {
	s := newStage(t, plainText)
	s.attempt.Entered.Mode = sight.TTYMode{Canonical: false, Known: true}
	s.tty = sight.TTYMode{Canonical: true, Known: true} // while Python runs the line
	if got := s.attempt.Next(tmux.Entered, false, s.observation()); got.Do != tmux.Wait {
		t.Fatalf("got %+v, want it to wait", got)
	}
	s.tty = s.attempt.Entered.Mode
	s.want(tmux.Entered, tmux.Step{Do: tmux.Done})
}

func TestLostEnterIsPressedOnce(t *testing.T) {
	s := newStage(t, framedText)
	s.composer = testText
	if after := s.want(tmux.Entered, press); after < s.profile.TakenWithin {
		t.Errorf("it is pressed again after %v, want %v", after, s.profile.TakenWithin)
	}
	if got, _ := s.until(tmux.Entered, true); got != notTaken {
		t.Errorf("after the second key: %+v, want %+v", got, notTaken)
	}
}

func TestLostEnterOfARetryIsPressedWhereTheProgramIsBlocked(t *testing.T) {
	for _, past := range []bool{true, false} {
		s := newStage(t, strings.Replace(framedText, "markers: {", "markers: {blocked: {an error: '^failed'}, ", 1))
		s.above, s.composer = []string{"failed"}, testText
		if past {
			s.attempt.Way.By = PassBlock
		}
		got, _ := s.until(tmux.Entered, false)
		if want := map[bool]tmux.Step{true: press, false: notTaken}[past]; got != want {
			t.Errorf("past what blocks it %v: got %+v, want %+v", past, got, want)
		}
	}
}

func TestLostEnterIsNotPressedBeforeThePersonsScreenRests(t *testing.T) {
	s := newStage(t, framedText)
	s.composer, s.touched = testText, s.now.Add(time.Second)
	s.drawn = s.touched.Add(time.Second)
	left := s.touched.Add(sight.TypingPause).Sub(s.now)
	if after := s.want(tmux.Entered, press); after < left+s.profile.Settle {
		t.Errorf("it is pressed again after %v, want %v and %v of rest", after, left, s.profile.Settle)
	}
}

func TestLostEnterIsNotPressedAtOnceWithoutATimeInTheProfile(t *testing.T) {
	s := newStage(t, strings.Replace(framedText, "taken_within: 3s", "taken_within: 0s", 1))
	s.composer = testText
	s.want(tmux.Entered, notTaken)
}

func TestLostEnterIsNotPressedForAPerson(t *testing.T) {
	s := newStage(t, framedText)
	s.composer, s.touched = testText, s.now
	for s.now.Sub(s.touched) < sight.TypingPause {
		if got := s.step(tmux.Entered, false); got.Do != tmux.Wait {
			t.Fatalf("%v after a person's key: %+v, want to wait", s.now.Sub(s.touched), got)
		}
	}
	if !s.attempt.Entered.Lingering {
		t.Error("it is not known that the text stands where somebody typed")
	}
}

func TestTextThatVanishedFromAPersonsComposerMustBeSeen(t *testing.T) {
	s := newStage(t, framedText)
	s.composer, s.touched = testText+" and mine", s.now
	for range 70 { // longer than taken_within
		s.step(tmux.Entered, false)
	}
	s.composer = "" // taken, or cleared away
	s.want(tmux.Entered, notTaken)

	s = newStage(t, framedText)
	s.composer, s.touched = testText+" and mine", s.now
	for range 70 {
		s.step(tmux.Entered, false)
	}
	s.composer, s.above = "", []string{"> " + testText}
	s.want(tmux.Entered, done)
}

func TestWordsOfAPersonThatWentWithTheTextAreKept(t *testing.T) {
	for name, see := range map[string]func(*stage) *Typed{
		"right after the key": func(s *stage) *Typed {
			s.above, s.touched = []string{"> " + testText + " and mine"}, s.now
			s.want(tmux.Entered, done)
			return s.attempt.Text
		},
		"and were wrapped": func(s *stage) *Typed {
			s.composer, s.touched = testText+" and mine", s.now
			s.step(tmux.Entered, false)
			s.above, s.composer = []string{"> " + testText + " and", "  mine"}, ""
			s.want(tmux.Entered, done)
			return s.attempt.Text
		},
		"with the person's own key": func(s *stage) *Typed {
			s.above, s.composer, s.named, s.touched = []string{"> " + testText + " and mine"}, "", true, s.now
			s.want(tmux.Pasted, done)
			return s.attempt.Text
		},
		"after the attempt was over": func(s *stage) *Typed {
			l := &Typed{On: s.on, Letter: s.attempt.Text.Letter, Stranded: Stranded{Phase: tmux.PaneEntered}}
			l.Key, l.State = s.attempt.Text.Key, parley.DeliveryUnconfirmed
			s.composer = testText + " and mine"
			l.See(s.observation(), false)
			s.above, s.composer = []string{"> " + testText + " and", "  mine"}, ""
			l.See(s.observation(), false)
			return l
		},
	} {
		if got := see(newStage(t, framedText)).Mixed; got != "and mine" {
			t.Errorf("%s: kept %q, want what was typed behind the text", name, got)
		}
	}
}

func TestReportingProgramMustReport(t *testing.T) {
	s := newStage(t, framedText, reportingText)
	s.names = true // it has named an earlier message
	s.want(tmux.Entered, notTaken)
	if !s.attempt.Text.unsaid {
		t.Error("the verdict does not know that the report is missing")
	}

	s = newStage(t, framedText, reportingText)
	s.names, s.named = true, true
	s.want(tmux.Entered, done)

	s = newStage(t, framedText, reportingText) // it has never named any: its user may have turned that off
	if after := s.want(tmux.Entered, done); after < s.profile.TakenWithin {
		t.Errorf("it is believed after %v, want %v", after, s.profile.TakenWithin)
	}
	if s.memory.silent != s.on {
		t.Error("the next message waits for a report again")
	}
}

func TestMissingReportIsKnownToALaterAttempt(t *testing.T) {
	s := newStage(t, framedText, reportingText)
	s.names = true
	s.want(tmux.Entered, notTaken)
	s.begin(true) // a dialog had opened, and is answered now

	got := s.attempt.NotTaken(tmux.Outcome{Phase: tmux.Entered, Reason: tmux.NotTaken}, 0)
	if want := parley.EndedUnreported; got != want {
		t.Errorf("it ended %q, want %q", got, want)
	}
}

func TestScreenCountsFromWhenTheProgramHasItsTerminal(t *testing.T) {
	s := newStage(t, strings.Replace(framedText, "one_line: true", "one_line: false", 1))
	var shown team.StateTimer
	s.tty = sight.TTYMode{Canonical: true, Known: true}
	s.observation().See(&shown)

	s.now, s.tty.Canonical = s.now.Add(time.Minute), false
	o := s.observation()
	if o.See(&shown); !o.Since.Equal(s.now) {
		t.Errorf("it shows the same since %v before the program had the terminal, want since now", s.now.Sub(o.Since))
	}
}

func TestRefusalWithoutACodeIsInTheWordsOfTmux(t *testing.T) {
	got := new(Attempt).Refusal(tmux.Outcome{Reason: tmux.Repeated, Detail: "the pane is at message 5"},
		new(team.Member))
	if want := "the pane is at message 5"; got.Words() != want || got.Code() != parley.HoldRefused {
		t.Errorf("got %+v, want %q", got, want)
	}
}
