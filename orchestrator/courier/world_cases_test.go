package courier

import (
	"strings"
	"testing"
	"time"

	"parley"
)

// The shortest stories that have broken a promise once.
var cases = []struct {
	name  string
	story story
}{
	{"a key that is taken late", story{
		Profile: "gemini", Traits: traits{Width: 120, Begin: 425 * time.Millisecond, Work: time.Second, DropsBegin: true},
		Events: []event{
			{At: 18 * time.Second, Do: "late key", For: 4 * time.Second},
			send(29 * time.Second), send(30 * time.Second),
		},
	}},
	{"the next text behind one that is not drawn yet", story{
		Profile: "copilot", Traits: traits{
			Width: 120, Read: 800 * time.Millisecond, Draw: 91 * time.Millisecond, Start: 3552 * time.Millisecond, Work: time.Second, Fold: 120,
		},
		Events: []event{
			{At: time.Second, Do: "hang", For: 10 * time.Second}, long(3 * time.Second), long(3 * time.Second),
		},
	}},
	{"an old report lets the next text into work that has not begun", story{
		Seed: 14604, Profile: "gemini", Traits: traits{
			Width: 120, Start: 3838 * time.Millisecond, Begin: 315 * time.Millisecond, Work: 1552 * time.Millisecond, Report: 3 * time.Second, Reports: true,
			DropsBegin: true,
		},
		Events: []event{
			send(2020 * time.Millisecond), send(6493 * time.Millisecond),
			{At: 6784 * time.Millisecond, Do: "send", What: "high"},
		},
	}},
	{"the terminal goes away after the report", story{
		Profile: "copilot", Traits: traits{
			Width: 120, Start: 2494 * time.Millisecond, Draw: 2 * time.Second, Begin: 1500 * time.Millisecond,
			Work: 15 * time.Second, Reports: true,
		},
		Events: []event{
			long(1184 * time.Millisecond), send(18675 * time.Millisecond),
			{At: 31940 * time.Millisecond, Do: "server dies", For: 14655 * time.Millisecond},
		},
	}},
	{"a person's keys, read and not drawn yet", story{
		Profile: "codex", Traits: traits{
			Width: 120, Start: 3087 * time.Millisecond, Draw: 2 * time.Second, Work: 15 * time.Second,
		},
		Events: []event{
			{At: 50 * time.Second, Do: "send", What: "high"}, send(56 * time.Second),
			{At: 58 * time.Second, Do: "hang", N: 2, For: 12 * time.Second},
			{At: 62 * time.Second, Do: "draft", What: "pastes it", N: 2, For: 14 * time.Second},
		},
	}},
	{"a retry of a text that is not drawn yet", story{
		Profile: "claude", Traits: traits{
			Width: 120, Read: 800 * time.Millisecond, Draw: 138 * time.Millisecond, Work: time.Second,
		},
		Events: []event{
			{At: 13 * time.Second, Do: "hang", For: 13 * time.Second},
			send(16 * time.Second), {At: 26 * time.Second, Do: "retry", N: 1},
		},
	}},
	{"a program that dies after its report, while tmux is slow to answer the key", story{
		Profile: "copilot", Traits: traits{Width: 120, Start: 3743 * time.Millisecond, Work: time.Second, Reports: true},
		Events: []event{
			{At: 26 * time.Second, Do: "tmux", What: "after key", For: 12 * time.Second},
			{At: 28 * time.Second, Do: "send", What: "urgent", N: 1},
			{At: 36 * time.Second, Do: "program dies", N: 3, For: 9 * time.Second},
		},
	}},
	{"a report at the moment of the verdict", story{
		Seed: 25061, Profile: "qwen", Traits: traits{
			Width: 120, Read: 38 * time.Millisecond, Draw: 2 * time.Second, Start: 3052 * time.Millisecond,
			Begin: 22 * time.Millisecond, Work: 3836 * time.Millisecond, Report: 176 * time.Millisecond, Reports: true,
		},
		Events: []event{
			send(21058 * time.Millisecond),
			{At: 27395 * time.Millisecond, Do: "tmux", What: "broken key", N: 1, For: 12 * time.Second},
			send(28446 * time.Millisecond),
			{At: 30026 * time.Millisecond, Do: "late key", N: 2, For: 4503 * time.Millisecond},
			send(30803 * time.Millisecond),
		},
	}},
	{"a retry of a text in a program that draws nothing for long", story{
		Profile: "codex", Traits: traits{Width: 120, Start: 509 * time.Millisecond, Work: time.Second},
		Events: []event{
			send(11 * time.Second), {At: 21 * time.Second, Do: "stall", For: 14 * time.Second}, long(23 * time.Second),
			{At: 29400 * time.Millisecond, Do: "retry", N: 2},
		},
	}},
	{"a person's keys that tmux keeps back until the text is taken", story{
		Seed: 305757, Profile: "claude", Traits: traits{
			Width: 120, Draw: 2 * time.Second, Start: 241 * time.Millisecond, Work: time.Second, Report: 3 * time.Second, Reports: true,
		},
		Events: []event{
			{At: 1737 * time.Millisecond, Do: "prompt", N: 2}, send(4365 * time.Millisecond), send(4985 * time.Millisecond),
			{At: 10215 * time.Millisecond, Do: "unshown", What: "pastes it", N: 1, For: 12873 * time.Millisecond},
		},
	}},
	{"a pager that reads what the program has not", story{
		Profile: "generic", Traits: traits{
			Width: 120, Read: 800 * time.Millisecond, Draw: 137 * time.Millisecond, Start: 564 * time.Millisecond, Joined: true,
			Work: time.Second, Lines: true,
		},
		Events: []event{
			send(10 * time.Second), {At: 12 * time.Second, Do: "shell", What: "less", N: 2, For: 10 * time.Second},
			{At: 14 * time.Second, Do: "prompt", N: 2, For: 10 * time.Second},
		},
	}},
	{"a draft that shows while the database is slow", story{
		Profile: "qwen", Traits: traits{Width: 120, Start: 3454 * time.Millisecond, Work: time.Second},
		Events: []event{
			{At: 38591 * time.Millisecond, Do: "database", What: "slow claim", N: 2, For: 5 * time.Second},
			{At: 44330 * time.Millisecond, Do: "unshown", What: "pastes it", N: 2, For: 13984 * time.Millisecond},
			send(53719 * time.Millisecond),
		},
	}},
	{"a text that hangs behind its unread key", story{
		Profile: "claude", Traits: traits{Width: 120, Work: time.Second},
		Events: []event{send(10 * time.Second), {At: 10100 * time.Millisecond, Do: "hang", For: 12 * time.Second}},
	}},
	{"keys of a person who has left, read and not drawn yet", story{
		Profile: "generic", Traits: traits{Width: 120, Draw: 2 * time.Second, Start: 613 * time.Millisecond, Work: time.Second},
		Events: []event{
			{At: 29 * time.Second, Do: "draft", What: "pastes it", N: 2, For: 7 * time.Second},
			{At: 31 * time.Second, Do: "send", What: "high"},
			{At: 34 * time.Second, Do: "synchronized", N: 3, For: 9 * time.Second},
			{At: 35 * time.Second, Do: "hang", N: 1, For: 9 * time.Second},
		},
	}},
}

func send(at time.Duration) event { return event{At: at, Do: "send", What: "normal"} }

func long(at time.Duration) event { return event{At: at, Do: "send", What: "normal", N: 1} }

func TestShortestStories(t *testing.T) {
	k := newCommon()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, func() {
				if broken, _, log := runStory(&c.story, k, true); broken != nil {
					t.Errorf("%s: %s\n%s", broken.invariant, broken.detail, strings.Join(log, "\n"))
				}
			})
		})
	}
}

func TestAPauseAfterTheLookHolds(t *testing.T) {
	k := newCommon()
	inBubble(t, func() {
		w := newWorld(&story{Profile: "claude", Traits: traits{Width: 120}, Events: []event{send(5 * time.Second)}}, k, true)
		w.store.claimed = func() { w.paused = &parley.Pause{By: "operator"} }
		w.run(time.Now().Add(20 * time.Second))
		if r := w.store.rows[0]; r.job.State != parley.DeliveryHeld || r.job.Code != parley.HoldPaused {
			t.Errorf("it is %s (%s)\n%s", r.job.State, r.job.Code, strings.Join(w.log, "\n"))
		}

		w.store.claimed = nil
		w.calmDown()
		if r := w.store.rows[0]; !r.job.State.Delivered() || w.broken != nil {
			t.Errorf("after the pause it is %s, %+v\n%s", r.job.State, w.broken, strings.Join(w.log, "\n"))
		}
		w.daemon.end()
	})
}
