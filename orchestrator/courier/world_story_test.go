package courier

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"parley/orchestrator/attempt"
	"parley/program/profile"
)

type jsonRaw = json.RawMessage

// story is what happens in one run of the world. The same story is told the same way.
type story struct {
	Seed    uint64
	Profile string
	Calm    bool // nothing is in the way
	Shared  bool // the daemon is one host of several
	Traits  traits
	Lost    float64       // the share of reports that are lost
	Back    time.Duration // until a daemon that died comes back
	Events  []event
}

// event is one thing that happens, at a time after the beginning.
type event struct {
	At   time.Duration
	Do   string
	For  time.Duration // how long it lasts
	N    int           // which, or how many
	What string        // of which kind
}

func (e event) String() string {
	text := fmt.Sprintf("%9.3fs  %s", e.At.Seconds(), e.Do)
	if e.What != "" {
		text += " " + e.What
	}
	if e.N != 0 {
		text += fmt.Sprint(" ", e.N)
	}
	if e.For != 0 {
		text += fmt.Sprint(" for ", e.For)
	}
	return text
}

func (s *story) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, calm %v, %+v, lost reports %.2f, the daemon comes back after %v\n", s.Profile, s.Calm,
		s.Traits, s.Lost, s.Back)
	for _, e := range s.Events {
		fmt.Fprintln(&b, e)
	}
	return b.String()
}

var kinds = []string{"claude", "codex", "gemini", "opencode", "qwen", "copilot", "generic"}

// teller makes up a story.
type teller struct {
	*rand.Rand
	s *story
	p *profile.Profile
}

// tell makes up the story of a seed.
func tell(seed uint64, set *profile.Set) *story {
	r := rand.New(rand.NewPCG(seed, 0))
	s := &story{Seed: seed, Profile: kinds[r.IntN(len(kinds))], Calm: r.IntN(5) == 0}
	t := teller{r, s, must(set.Find(s.Profile))}
	if !s.Calm && r.IntN(4) == 0 {
		s.Lost = []float64{0.1, 0.5, 1}[r.IntN(3)]
	}
	s.Traits, s.Back = t.traits(), t.between(100*time.Millisecond, 5*time.Second)

	n := 4 + t.IntN(9)
	at := time.Duration(0)
	for range n {
		at += t.between(0, 6*time.Second)
		if t.IntN(3) == 0 {
			at += t.between(0, 20*time.Second)
		}
		t.send(at)
	}
	if !s.Calm {
		for range 1 + t.IntN(6) {
			t.trouble(t.between(0, at+10*time.Second))
		}
	}
	shareSome(s, at)
	t.addOddities(at)
	t.addDoor(at)
	t.addSteering(at)
	t.addClosing(at)
	t.addHooks(at)
	t.addSwallowing(at)
	t.addUndoing(at)
	t.addLaunches(at)
	slices.SortStableFunc(s.Events, func(a, b event) int { return int(a.At - b.At) })
	return s
}

func (t *teller) between(a, b time.Duration) time.Duration {
	return (a + time.Duration(t.Int64N(int64(b-a)+1))).Truncate(time.Millisecond)
}

// often mostly returns the first, and otherwise one of the others.
func often[T any](t *teller, usual T, others ...T) T {
	if t.IntN(3) > 0 {
		return usual
	}
	return others[t.IntN(len(others))]
}

func (t *teller) traits() traits {
	tr := traits{
		Width: often(t, 120, 48, 80), Joined: t.IntN(4) == 0,
		Read: t.between(0, 60*time.Millisecond), Draw: t.between(0, 150*time.Millisecond),
		Start: t.between(0, 4*time.Second), Begin: t.between(0, 500*time.Millisecond),
		Gap:  t.between(0, 300*time.Millisecond),
		Work: t.between(50*time.Millisecond, 4*time.Second), Fold: often(t, 0, 120),
		Report:  t.between(0, 500*time.Millisecond),
		Reports: t.IntN(5) > 0, ShortID: t.IntN(4) == 0,
	}
	if !t.p.HasMarkers() {
		// One that shows nothing gets no key until the operator asks for it, and so is never calm.
		tr.Mute = t.IntN(3) == 0 && !t.s.Calm
		tr.Fold, tr.Start = 0, t.between(0, 900*time.Millisecond)
		tr.Lines = t.IntN(2) == 0
	}
	// Without its reports nobody could know what it drops.
	tr.DropsBegin = t.s.Profile == "gemini" && tr.Reports && t.s.Lost == 0
	if !t.s.Calm && !tr.DropsBegin {
		tr.Draw = often(t, tr.Draw, 2*time.Second)
		tr.Begin = often(t, tr.Begin, 1500*time.Millisecond)
	}
	if !t.s.Calm {
		tr.Work = often(t, tr.Work, 15*time.Second)
		if tr.Draw < time.Second { // else a person's key could clear a text that still shows
			tr.Read = often(t, tr.Read, 800*time.Millisecond)
		}
		tr.Report = often(t, tr.Report, 3*time.Second)
	}
	tr.Suggests, tr.Home = t.p.HasMarkers() && t.IntN(4) == 0, t.p.HasMarkers() && t.IntN(4) == 0
	return tr
}

func (t *teller) send(at time.Duration) {
	e := event{At: at, Do: "send", What: "normal"}
	switch n := t.IntN(12); {
	case n == 0:
		e.What = "urgent"
	case n == 1:
		e.What = "high"
	}
	if t.IntN(6) == 0 {
		e.N = 1 // a longer text
	} else if t.IntN(12) == 0 {
		e.N = 2 // too long for a terminal
	}
	t.s.Events = append(t.s.Events, e)
}

// trouble adds one obstacle.
func (t *teller) trouble(at time.Duration) {
	e := event{At: at, Do: troubles[t.IntN(len(troubles))], For: t.between(50*time.Millisecond, 15*time.Second),
		N: 1 + t.IntN(3)}
	switch e.Do {
	case "unshown":
		e.For, e.What = t.between(6*time.Second, 15*time.Second), t.ending()
		t.send(at + t.between(3*time.Second, 12*time.Second))
	case "shown in a claim":
		e.For, e.What = t.between(12*time.Second, 20*time.Second), t.ending()
		t.send(at + t.between(10*time.Second, 12*time.Second))
	case "mingle", "left keys":
		e.What = t.ending()
	case "daemon dies after":
		e.What = []string{"paste", "key"}[t.IntN(2)] + ", " + meddling[t.IntN(len(meddling))]
		e.N = t.IntN(12)
	case "draft":
		e.What = t.ending()
	case "daemon dies":
		e.N, e.For = 1+t.IntN(60), 0
		e.What = often(t, "at once", "late")
	case "tmux":
		e.What = []string{"lost", "broken", "before", "after"}[t.IntN(4)] + " " +
			[]string{"paste", "key", "screen", "info", "run"}[t.IntN(5)]
		e.For = often(t, t.between(0, 2*time.Second), 12*time.Second, 70*time.Second)
	case "database":
		e.What = []string{"lost", "error", "slow", "late error"}[t.IntN(4)] + " " +
			[]string{"pending", "typing", "claim", "advance"}[t.IntN(4)]
		e.For = often(t, t.between(0, 500*time.Millisecond), 5*time.Second)
	case "retry":
		e.N = 1 + t.IntN(8)
	case "lose keys", "break keys":
		e.For = 0
	case "late key":
		e.For = t.between(100*time.Millisecond, 8*time.Second)
	case "shell":
		e.What, e.N = []string{"bash", "less"}[t.IntN(2)], often(t, 2, 1, 3)
		if e.N == 2 { // nobody opens and leaves one in less, and so looks at a text that are a second apart see it
			e.For = max(e.For, attempt.StrangeWithin)
		}
		t.s.Traits.Joined = t.s.Traits.Joined || !t.p.HasMarkers() // only there it matters
	case "server dies":
		e.What = often(t, "", "in a claim")
	case "in a claim":
		e.What = meanwhile[t.IntN(len(meanwhile))]
		e.For = t.between(10*time.Millisecond, 90*time.Millisecond)
		if t.IntN(2) == 0 {
			e.For = t.between(100*time.Millisecond, 4*time.Second)
		}
	case "unread":
		e.For, e.What = t.between(3*time.Second, 15*time.Second), t.ending()
		t.send(at + t.between(0, 12*time.Second))
	case "unread key":
		e.For = t.between(3*time.Second, 15*time.Second)
	case "unseen":
		e.For = t.between(5*time.Second, 12*time.Second)
	case "program dies":
		e.What = []string{"", "", "in a claim", "before it reads"}[t.IntN(4)]
	}
	t.s.Events = append(t.s.Events, e)
}

// ending says what a person does with words that they have typed.
func (t *teller) ending() string {
	return []string{"clears it", "submits it", "leaves it", "pastes it"}[t.IntN(4)]
}

// meddling is what can happen as a daemon resumes what the one before it left.
var meddling = []string{"stranger", "enter", "clear", "dialog", "draft", "scroll", "program dies", "shell", "attach"}

// meanwhile is what can happen while the database claims a message, soon or slowly.
var meanwhile = []string{"fetch", "server dies", "work", "dialog", "draft", "prompt", "shell", "stranger", "resize",
	"scroll"}

var troubles = []string{
	"in a claim", "in a claim", "in a claim", "unread", "unseen", "unread key", "left keys",
	"daemon dies after", "daemon dies after", "daemon dies after", "unshown", "shown in a claim", "mingle",
	"dies unanswered",
	"dialog", "dialog", "dialog", "draft", "draft", "draft", "prompt", "scroll", "scroll", "attach",
	"lose keys", "lose keys", "break keys", "late key", "late key", "hang", "hang", "stall",
	"program dies", "program dies", "daemon dies", "daemon dies", "daemon dies", "daemon stops", "tmux", "tmux", "tmux",
	"server dies",
	"database", "database", "shell", "input off", "synchronized", "resize", "retry", "retry", "force", "blocked",
	"stopping", "stranger", "pause", "fetch", "work",
}
