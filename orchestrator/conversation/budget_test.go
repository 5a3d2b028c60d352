package conversation

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strconv"
	"testing"
	"time"

	"parley/internal/setting"
)

// turnAt returns an agent's turn at a time in seconds after noon.
func turnAt(at float64, chain string, hop int, from, to string) Turn {
	return Turn{Link: Link{chain, hop}, From: from, To: to, At: noon.Add(seconds(at))}
}

func personAt(at float64, chain, to string) Turn {
	t := turnAt(at, chain, 0, "operator", to)
	t.FromHuman = true
	return t
}

func wantHeld(t *testing.T, got Verdict, reason Reason, until float64) {
	t.Helper()
	want := time.Time{}
	if until > 0 {
		want = noon.Add(seconds(until))
	}
	if got.Reason != reason || got.Held != (reason != "") || !got.Until.Equal(want) {
		t.Errorf("got %+v, want %q until %v", got, reason, want)
	}
	if what, next := got.Explain(); (what == "") != (reason == "") || (next == "") != (reason == "") {
		t.Errorf("explained as %q, %q", what, next)
	}
}

func TestLinks(t *testing.T) {
	tests := []struct {
		name          string
		human         bool
		replied, turn Link
		want          Link
	}{
		{"a person begins", true, Link{"x", 7}, Link{"y", 3}, Link{"m", 0}},
		{"an agent out of nothing", false, Link{}, Link{}, Link{"m", 1}},
		{"a new request goes on from the turn", false, Link{}, Link{"y", 3}, Link{"y", 4}},
		{"a reply goes on from what it answers", false, Link{"x", 7}, Link{"y", 3}, Link{"x", 8}},
		{"a reply to what is long ago does not go back", false, Link{"x", 0}, Link{"x", 9}, Link{"x", 10}},
		{"nor does a reply to what is farther", false, Link{"x", 9}, Link{"x", 2}, Link{"x", 10}},
	}

	for _, test := range tests {
		if got := Next("m", test.human, test.replied, test.turn); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// A chain through many agents has 20 hops. A person or a release resets it.
func TestChainBudget(t *testing.T) {
	var b Budgets
	b.Take(personAt(0, "c", "a0"))
	hop := func(n int) Turn {
		return turnAt(float64(n), "c", n, fmt.Sprint("a", n-1), fmt.Sprint("a", n))
	}

	for n := 1; n <= 20; n++ {
		wantHeld(t, b.Admit(Settings{}, hop(n)), "", 0)
	}

	wantHeld(t, b.Admit(Settings{}, hop(21)), ChainSpent, 0)
	wantHeld(t, b.Judge(Settings{ChainHops: 21}, hop(21)), "", 0)
	wantHeld(t, b.Judge(Settings{Off: true}, hop(21)), "", 0)
	toPerson := hop(21)
	toPerson.ToHuman = true
	wantHeld(t, b.Admit(Settings{}, toPerson), "", 0)

	b.Take(personAt(30, "d", "a20"))
	wantHeld(t, b.Judge(Settings{}, turnAt(31, "d", 1, "a20", "a21")), "", 0)
	wantHeld(t, b.Judge(Settings{}, hop(21)), ChainSpent, 0)
	answer := personAt(32, "e", "a20")
	answer.Renews = "c"
	b.Take(answer)
	for n := 21; n <= 40; n++ {
		wantHeld(t, b.Admit(Settings{}, hop(n)), "", 0)
	}

	wantHeld(t, b.Judge(Settings{}, hop(41)), ChainSpent, 0)
	b.Release(hop(41))
	wantHeld(t, b.Judge(Settings{}, hop(41)), "", 0)
}

// Even if a message has many answers, two agents exchange at most 20 in a chain.
func TestChainBudgetOfTwo(t *testing.T) {
	var b Budgets
	b.Take(personAt(0, "c", "a"))
	for n := range 10 {
		wantHeld(t, b.Admit(Settings{}, turnAt(float64(n*100), "c", 1, "a", "b")), "", 0)
		wantHeld(t, b.Admit(Settings{}, turnAt(float64(n*100+50), "c", 2, "b", "a")), "", 0)
	}
	wantHeld(t, b.Admit(Settings{}, turnAt(2000, "c", 1, "a", "b")), ChainSpent, 0)
	wantHeld(t, b.Admit(Settings{}, turnAt(2000, "c", 1, "a", "x")), "", 0)
}

// All turns go in one direction, so that they make no rounds.
func TestPairBudgetOfAMinute(t *testing.T) {
	var b Budgets
	for n := range 10 {
		wantHeld(t, b.Admit(Settings{}, turnAt(float64(n), fmt.Sprint(n), 1, "a", "b")), "", 0)
	}
	wantHeld(t, b.Judge(Settings{}, turnAt(10, "x", 1, "a", "b")), PairSpent, 60)
	wantHeld(t, b.Judge(Settings{}, turnAt(10, "x", 1, "b", "a")), PairSpent, 60)
	wantHeld(t, b.Judge(Settings{}, turnAt(10, "x", 1, "a", "c")), "", 0)
	wantHeld(t, b.Judge(Settings{}, turnAt(59.9, "x", 1, "a", "b")), PairSpent, 60)
	wantHeld(t, b.Judge(Settings{}, turnAt(60, "x", 1, "a", "b")), "", 0)
}

func TestPairBudgetOfTenMinutes(t *testing.T) {
	var b Budgets
	for n := range 40 { // a turn each 14 s
		wantHeld(t, b.Admit(Settings{}, turnAt(float64(n*14), fmt.Sprint("by hand ", n), 1, "a", "b")), "", 0)
		b.Take(personAt(float64(n*14), fmt.Sprint("by hand ", n+1), "x")) // another chain, so that no chain is spent
	}
	wantHeld(t, b.Judge(Settings{}, turnAt(560, "by hand 40", 1, "a", "b")), PairSpent, 600)
	wantHeld(t, b.Judge(Settings{}, turnAt(600, "by hand 40", 1, "a", "b")), "", 0)
}

func TestAPersonsWordOrAReleaseResetsAPair(t *testing.T) {
	for name, do := range map[string]func(b *Budgets){
		"a word to the one":   func(b *Budgets) { b.Take(personAt(10, "p", "a")) },
		"a word to the other": func(b *Budgets) { b.Take(personAt(10, "p", "b")) },
		"a release":           func(b *Budgets) { b.Release(Turn{From: "b", To: "a"}) },
	} {
		t.Run(name, func(t *testing.T) {
			var b Budgets
			for n := range 10 {
				b.Take(turnAt(float64(n), fmt.Sprint(n), 1, "a", "b"))
			}

			b.Take(personAt(10, "q", "c"))
			wantHeld(t, b.Judge(Settings{}, turnAt(11, "x", 1, "a", "b")), PairSpent, 60)
			do(&b)
			wantHeld(t, b.Judge(Settings{}, turnAt(11, "x", 1, "a", "b")), "", 0)
		})
	}
}

// A review of five rounds passes at any pace. It has as many messages as a minute allows.
func TestRoundsOfTwo(t *testing.T) {
	var b Budgets
	b.Take(personAt(0, "c", "a"))
	for n := range 5 {
		wantHeld(t, b.Admit(Settings{}, turnAt(float64(2*n+1), "c", 2*n+1, "a", "b")), "", 0)
		wantHeld(t, b.Admit(Settings{}, turnAt(float64(2*n+2), "c", 2*n+2, "b", "a")), "", 0)
	}
	wantHeld(t, b.Judge(Settings{}, turnAt(11, "c", 11, "a", "b")), PairSpent, 61)
	wantHeld(t, b.Judge(Settings{}, turnAt(61, "c", 11, "a", "b")), "", 0)
}

// Three or more agents, or one with itself, get three rounds at any pace.
func TestRoundsOfMore(t *testing.T) {
	for size := range 8 {
		if size == 1 || size == 2 {
			continue
		}

		size = max(size, 1)
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			var b Budgets
			agent := func(n int) string { return fmt.Sprint("a", n%size) }
			b.Take(personAt(0, "c", "a0"))
			for n := range 3 * size { // an hour apart; hops do not count here
				wantHeld(t, b.Admit(Settings{}, turnAt(float64(n)*3600, "c", 1, agent(n), agent(n+1))), "", 0)
			}

			next := turnAt(float64(3*size)*3600, "c", 1, agent(0), agent(1))
			wantHeld(t, b.Judge(Settings{}, next), CycleSpent, 0)
			if size > 1 {
				elsewhere := next
				elsewhere.To = "x"
				wantHeld(t, b.Judge(Settings{}, elsewhere), "", 0)
			}

			b.Release(next)
			wantHeld(t, b.Judge(Settings{}, next), "", 0)
		})
	}
}

// An agent that works with several others, each by itself, makes no cycle.
func TestWorkWithSeveralIsNoCircle(t *testing.T) {
	var b Budgets
	b.Take(personAt(0, "c", "planner"))
	for n := range 6 {
		for i, worker := range []string{"a", "b", "c"} {
			at := float64(n*300 + i*100)
			wantHeld(t, b.Admit(Settings{}, turnAt(at, "c", 1, "planner", worker)), "", 0)
			wantHeld(t, b.Admit(Settings{}, turnAt(at+50, "c", 2, worker, "planner")), "", 0)
		}
	}
}

// Chains that agents begin within ten minutes share their cycle counts. A chain that a
// person begins counts alone.
func TestCyclesOfChainsThatAgentsBegin(t *testing.T) {
	agents := []string{"a", "b", "c"}
	var b Budgets
	for n := range 9 {
		turn := turnAt(float64(n), fmt.Sprint("chain", n), 1, agents[n%3], agents[(n+1)%3])
		wantHeld(t, b.Admit(Settings{}, turn), "", 0)
	}

	wantHeld(t, b.Admit(Settings{}, turnAt(10, "another", 1, "a", "b")), CycleSpent, 0)
	wantHeld(t, b.Admit(Settings{}, turnAt(10, "another", 1, "a", "x")), "", 0)
	wantHeld(t, b.Admit(Settings{}, turnAt(11, "another", 2, "b", "c")), CycleSpent, 0)
	b.Take(personAt(12, "person", "x"))
	wantHeld(t, b.Judge(Settings{}, turnAt(13, "person", 1, "b", "c")), "", 0)
	wantHeld(t, b.Admit(Settings{}, turnAt(600, "later", 1, "x", "y")), "", 0)
	wantHeld(t, b.Judge(Settings{}, turnAt(601, "later", 2, "b", "c")), "", 0)
}

func TestOperatorControlsTwo(t *testing.T) {
	next := turnAt(20, "c", 1, "a", "b")
	tests := []struct {
		name   string
		do     func(b *Budgets)
		reason Reason
		until  float64
	}{
		{"mute", func(b *Budgets) { b.Mute("b", "a") }, MutedByOperator, 0},
		{"unmute", func(b *Budgets) { b.Mute("a", "b"); b.Unmute("b", "a") }, "", 0},
		{"another pair's mute", func(b *Budgets) { b.Mute("a", "c") }, "", 0},
		{"a release does not unmute", func(b *Budgets) { b.Mute("a", "b"); b.Release(next) }, MutedByOperator, 0},
		{
			"nor does a person",
			func(b *Budgets) { b.Mute("a", "b"); b.Take(personAt(10, "p", "a")) },
			MutedByOperator,
			0,
		},
		{"cool", func(b *Budgets) { b.Cool("a", "b", noon) }, CooledDown, 600},
		{"a release ends cool", func(b *Budgets) { b.Cool("a", "b", noon); b.Release(next) }, "", 0},
		{"a person ends cool", func(b *Budgets) { b.Cool("a", "b", noon); b.Take(personAt(10, "p", "b")) }, "", 0},
		{
			"an earlier word does not",
			func(b *Budgets) { b.Take(personAt(10, "p", "b")); b.Cool("a", "b", noon.Add(seconds(15))) },
			CooledDown,
			615,
		},
	}

	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var b Budgets
			test.do(&b)
			wantHeld(t, b.Judge(Settings{}, next), test.reason, test.until)
			off := Settings{Off: true}
			if got := b.Judge(off, next); got.Reason != test.reason {
				t.Errorf("switched off: %+v; the operator's word stands", got)
			}

			wantHeld(t, b.Judge(Settings{}, personAt(20, "q", "a")), "", 0)
		})
	}
}

// Budgets restored from the taken turns give the same verdicts.
func TestBudgetsAreRestoredFromTakenTurns(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for range 20 {
		var first, second Budgets
		var taken []Turn
		at, held := 0.0, 0
		for n := range 600 {
			at += random.ExpFloat64() * 5
			next := turnAt(at, fmt.Sprint("c", random.IntN(1+n/100)), random.IntN(23),
				fmt.Sprint("a", random.IntN(4)), fmt.Sprint("a", random.IntN(4)))
			if next.FromHuman = random.IntN(40) == 0; next.FromHuman {
				next.Link = Link{fmt.Sprint("p", n), 0}
			}

			before := first.Judge(Settings{}, next)
			if again := first.Admit(Settings{}, next); again != before {
				t.Fatalf("judged %+v, then %+v", before, again)
			}

			if before.Held {
				held++
				continue
			}

			taken = append(taken, next)
		}

		for _, turn := range taken {
			second.Take(turn)
		}

		for n := range 50 {
			next := turnAt(at, fmt.Sprint("c", n%6), n%23,
				fmt.Sprint("a", random.IntN(4)), fmt.Sprint("a", random.IntN(4)))
			if got, want := second.Judge(Settings{}, next), first.Judge(Settings{}, next); got != want {
				t.Fatalf("made again: %+v, want %+v", got, want)
			}
		}

		if held == 0 || len(taken) == 0 {
			t.Fatalf("%d held, %d taken", held, len(taken))
		}
	}
}

func TestTurnIsTheLastThatReachedAnAgent(t *testing.T) {
	var b Budgets
	if got := b.Turn("b"); got != (Link{}) {
		t.Errorf("before any turn: %v", got)
	}

	b.Take(turnAt(0, "c", 3, "a", "b"))
	b.Admit(Settings{ChainHops: 3}, turnAt(1, "c", 4, "a", "b"))
	if got, want := b.Turn("b"), (Link{"c", 3}); got != want {
		t.Errorf("%v, want %v", got, want)
	}

	b.Take(personAt(2, "p", "b"))
	if got, want := b.Turn("b"), (Link{"p", 0}); got != want {
		t.Errorf("after a person's word %v, want %v", got, want)
	}
}

func TestBudgetsForgetIdleMemory(t *testing.T) {
	var b Budgets
	b.Mute("m", "n")
	const aDay = 2 * 24 * 60 * 60 / 10 // agents
	for n := range 40_000 {
		b.Take(turnAt(float64(n)*10, fmt.Sprint(n), 1, fmt.Sprint("a", n), fmt.Sprint("b", n)))
		b.Take(personAt(float64(n)*10, fmt.Sprint("p", n), fmt.Sprint("c", n)))
	}
	if len(b.chains)+len(b.pairs) > 5*maxChains || len(b.agents) > 2*aDay {
		t.Errorf("%d chains, %d pairs and %d agents are remembered", len(b.chains), len(b.pairs), len(b.agents))
	}
	if got := b.Judge(Settings{}, turnAt(2e6, "x", 1, "n", "m")); got.Reason != MutedByOperator {
		t.Errorf("a mute is forgotten: %+v", got)
	}
}

func TestDefaults(t *testing.T) {
	want := Settings{ChainHops: 20, PairMinute: 10, PairTenMinutes: 40, CycleRounds: 3, RefuseMailboxes: true}
	if got := Defaults(); got != want {
		t.Errorf("defaults %+v, want %+v", got, want)
	}
	if got := setting.Find(reflect.TypeFor[Settings](), "pair_minute").Max; got != strconv.Itoa(maxBudget) {
		t.Errorf("the highest setting is %s, and a pair remembers %d turns", got, maxBudget)
	}
}
