package attempt

import (
	"testing"
	"time"

	"parley"
	"parley/orchestrator/team"
	"parley/program/profile"
	"parley/tmux"
)

// refusingText is a program that refuses by itself while it is signed out.
const refusingText = `{refuses_within: 2s, markers: {
  blocked: {a missing sign-in: '^sign in first\ncomposer>', a limit: '^too much\ncomposer>'}, refusals: [a missing sign-in],
  answer: '^● '}}`

func TestWhatFollowsOnTheScreenDecides(t *testing.T) {
	const shown = "> " + testText
	for _, c := range []struct {
		name   string
		above  []string // from the emptied composer on
		later  []string // after a second, if set
		want   tmux.Action
		within time.Duration
		cause  string
		idle   bool
		asks   bool // the program says that it waits for an answer
	}{
		{name: "a turn", above: []string{shown, "working"}, want: tmux.Done, within: 2 * time.Second},
		{
			name: "a short turn", above: []string{shown, "working"}, later: []string{shown, "hello"},
			want: tmux.Done, within: 1100 * time.Millisecond,
		},
		{name: "words", above: []string{shown, "hello"}, want: tmux.Done, within: 2 * time.Second},
		{name: "an answer", above: []string{shown, "● hello"}, want: tmux.Done},
		{name: "an answer while it works", above: []string{shown, "● hello", "working"}, want: tmux.Done},
		{
			name: "an answer after some work", above: []string{shown, "working"},
			later: []string{shown, "● hello", "working"},
			want:  tmux.Done, within: time.Second,
		},
		{name: "an answer to what was before", above: []string{"● hello", shown, "working"},
			want: tmux.Done, within: 2 * time.Second},
		{name: "an answer without the text", above: []string{"● hello", "working"},
			want: tmux.Done, within: 2 * time.Second},
		{
			name: "a refusal below an earlier answer", above: []string{"● hello", shown, "sign in first"},
			want: tmux.Stop, cause: profile.SignIn,
		},
		{name: "any dialog", above: []string{shown, "Allow this?"}, want: tmux.Stop, within: 5 * time.Second},
		{name: "a dialog before a turn", above: []string{"Allow this?"}, later: []string{shown, "working"},
			want: tmux.Done, within: 2 * time.Second},
		{name: "a dialog before a refusal", above: []string{"Allow this?"}, later: []string{shown, "sign in first"},
			want: tmux.Stop, within: time.Second, cause: profile.SignIn},
		{name: "a permission", above: []string{shown, "Allow this?"}, asks: true, want: tmux.Done},
		{
			name: "a refusal below the text", above: []string{shown, "sign in first"},
			want: tmux.Stop, cause: profile.SignIn,
		},
		{
			name: "a refusal after some work", above: []string{shown, "working"},
			later: []string{shown, "sign in first"},
			want:  tmux.Stop, within: time.Second, cause: profile.SignIn,
		},
		{
			name: "a refusal without the text", above: []string{"sign in first"},
			want: tmux.Stop, within: 2 * time.Second, cause: profile.SignIn,
		},
		{
			name: "an old refusal, and then a turn", above: []string{"sign in first"},
			later: []string{shown, "working"},
			want:  tmux.Done, within: 2 * time.Second,
		},
		{name: "a limit", above: []string{shown, "too much"}, want: tmux.Done, within: 2 * time.Second},
		{name: "nothing", above: []string{"as before"}, want: tmux.Stop, within: 2 * time.Second, idle: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(t, framedText, refusingText)
			s.composer = testText
			s.step(tmux.Entered, false)
			s.composer, s.above = "", c.above
			if c.asks {
				s.said = team.Report{State: parley.StateWaiting, At: s.now.Add(time.Second)}
			}

			began := s.now
			step := s.step(tmux.Entered, false)
			for step.Do == tmux.Wait && s.now.Sub(began) < time.Minute {
				if c.later != nil && s.now.Sub(began) >= time.Second {
					s.above = c.later
				}
				step = s.step(tmux.Entered, false)
			}

			took := s.now.Sub(began)
			if step.Do != c.want || took < c.within || took > c.within+200*time.Millisecond {
				t.Errorf("got %+v after %v, want %v after %v", step, took, c.want, c.within)
			}
			if v := s.attempt.Followed; v.Refusal != c.cause || v.idle != c.idle {
				t.Errorf("it saw %+v, want the refusal %q, idle %v", v, c.cause, c.idle)
			}
		})
	}
}

// What was refused and is retried stands on the screen from the time before, with the refusal below it.
func TestAnEarlierCopyOfTheTextDecidesNothing(t *testing.T) {
	const shown = "> " + testText
	for _, c := range []struct {
		name  string
		above []string // before the text is typed
		later []string // a second after it has left the composer, if set
		want  tmux.Action
		idle  bool
	}{
		{"a text that is lost", []string{shown, "signed in now"}, nil, tmux.Stop, true},
		{"an answer to the old copy", []string{shown, "● hello"}, nil, tmux.Stop, true},
		{
			"a turn below the old refusal", []string{shown, "sign in first"},
			[]string{shown, "sign in first", shown, "working"}, tmux.Done, false,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(t, framedText, refusingText)
			s.above = c.above
			s.looked()
			s.composer = testText
			s.step(tmux.Entered, false)
			s.composer = ""

			began := s.now
			step := s.step(tmux.Entered, false)
			for step.Do == tmux.Wait && s.now.Sub(began) < time.Minute {
				if c.later != nil && s.now.Sub(began) >= time.Second {
					s.above = c.later
				}
				step = s.step(tmux.Entered, false)
			}
			if v := s.attempt.Followed; step.Do != c.want || v.Refusal != "" || v.idle != c.idle {
				t.Errorf("got %+v, and it saw %+v; want %v, idle %v", step, v, c.want, c.idle)
			}
		})
	}
}

// A program that reports must report a retried text too.
func TestAnEarlierCopyOfTheTextIsNoTurn(t *testing.T) {
	s := newStage(t, framedText, reportingText)
	s.names, s.above = true, []string{"> " + testText, "hello"}
	s.looked()
	s.want(tmux.Entered, notTaken)
	s.begin(false)
	s.above = append(s.above, "> "+testText)
	s.want(tmux.Entered, done)
}

// A text that the operator insists on is refused like any other. What is typed while a program that is signed in
// works shows only after that; one that may be signed out refuses it at once.
func TestOnlyWhatGoesIntoWorkIsNotFollowed(t *testing.T) {
	working := Way{By: PassQueue, Key: tmux.Enter}
	for _, c := range []struct {
		way      Way
		signedIn bool
		want     tmux.Action
	}{
		{Way{By: PassBlock, Key: tmux.Enter}, true, tmux.Wait},
		{working, false, tmux.Wait},
		{working, true, tmux.Done},
	} {
		s := newStage(t, framedText, refusingText)
		s.attempt.Way = c.way
		if c.signedIn {
			s.memory.Served = s.on
		}
		s.composer = testText
		s.step(tmux.Entered, false)
		s.composer = ""
		if step := s.step(tmux.Entered, false); step.Do != c.want {
			t.Errorf("%+v: got %+v, want %v", c.way, step, c.want)
		}
	}
}

func TestAProgramWithoutRefusalsIsBelievedAtOnce(t *testing.T) {
	s := newStage(t, framedText)
	s.composer = testText
	s.step(tmux.Entered, false)
	s.composer = ""
	if step := s.step(tmux.Entered, false); step.Do != tmux.Done {
		t.Errorf("got %+v, want done", step)
	}
}

// Once a turn has followed in a terminal, the begin of the next one is proof that it is not refused. Without a
// turn, and after a refusal, what follows is waited for as before.
func TestTheBeginOfATurnIsProofWhereOneHasFollowedBefore(t *testing.T) {
	const shown = "> " + testText
	s := newStage(t, framedText, refusingText)
	enter := func(above ...string) (tmux.Step, time.Duration) {
		s.begin(false)
		s.above, s.composer = nil, testText
		s.step(tmux.Entered, false)
		s.composer, s.above = "", above
		began := s.now
		step := s.step(tmux.Entered, false)
		for step.Do == tmux.Wait {
			step = s.step(tmux.Entered, false)
		}
		return step, s.now.Sub(began)
	}

	for i, c := range []struct {
		above  []string
		want   tmux.Action
		within time.Duration
	}{
		{[]string{shown, "working"}, tmux.Done, 2 * time.Second},
		{[]string{shown, "working"}, tmux.Done, 0},
		{[]string{shown, "hello"}, tmux.Done, 2 * time.Second},
		{[]string{shown, "working"}, tmux.Done, 0},
		{[]string{shown, "sign in first"}, tmux.Stop, 0},
		{[]string{shown, "working"}, tmux.Done, 2 * time.Second},
		{[]string{shown, "sign in first"}, tmux.Stop, 0},
		{[]string{shown, "● hello"}, tmux.Done, 0},
		{[]string{shown, "working"}, tmux.Done, 0},
	} {
		if step, took := enter(c.above...); step.Do != c.want || took < c.within ||
			took > c.within+200*time.Millisecond {
			t.Errorf("%d, %q: got %+v after %v, want %v after %v", i, c.above, step, took, c.want, c.within)
		}
	}
}
