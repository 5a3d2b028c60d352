package conversation

import (
	"cmp"
	"maps"
	"slices"
	"sort"
	"time"
)

// Turn is a message on its way to one recipient, in whom it would start a turn. What
// starts none is not a turn: a notice, a message for a mailbox that nobody reads, the
// answer that a call returns at once.
type Turn struct {
	Link
	From, To  string // ids
	At        time.Time
	FromHuman bool
	ToHuman   bool
	Renews    string // the chain that a person's message answers, or that of its thread; it has its budgets anew
}

// Verdict says whether a turn may start. The zero Verdict lets it.
type Verdict struct {
	Held   bool      `json:"held"`
	Reason Reason    `json:"reason,omitempty"`
	Limit  int       `json:"limit,omitempty"` // the budget that is spent
	Until  time.Time `json:"until,omitzero"`  // when waiting will have helped; zero when it does not
}

// Budgets are what the agents of a team may say to each other before a person speaks
// again. The zero value is ready. It is made again by taking the turns that were not
// held, the last 24 hours' at least, and repeating the operator's controls, in their
// order. It is no good to several goroutines at once.
//
// Judging and taking cost the same however much was said before, but for a cycle: when
// a message goes a way that was worn out before, the ways around it are walked.
type Budgets struct {
	chains map[string]*chain
	pairs  map[pair]*exchange
	agents map[string]standing
	pool   ways // of the chains that agents began since begun
	begun  time.Time
	swept  int // how much was remembered after the last sweep
}

// standing is what is remembered of an agent.
type standing struct {
	turn Link // the latest that began a turn of its
	at   time.Time
	word time.Time // when a person last wrote to it
}

type pair struct{ one, other string }

// exchange is what two agents lately said to each other.
type exchange struct {
	turns   []time.Time // of ten minutes, oldest first
	control control
}

// Admit judges a turn and takes it when it may start.
func (b *Budgets) Admit(s Settings, t Turn) Verdict {
	v := b.Judge(s, t)
	if !v.Held {
		b.Take(t)
	}
	return v
}

// Judge says whether a turn may start now, at t.At; it changes nothing. What a person
// writes always may, and so may what is written to one.
func (b *Budgets) Judge(s Settings, t Turn) Verdict {
	s = s.filled()
	if t.FromHuman || t.ToHuman {
		return Verdict{}
	}

	p, _ := b.known(t.From, t.To)
	if v := p.control.judge(t.At); v.Held || s.Off {
		return v
	}

	if c := b.look(t); t.Hop > c.allowance()+s.ChainHops || c.between(t.From, t.To) >= s.ChainHops {
		return Verdict{Held: true, Reason: ChainSpent, Limit: s.ChainHops}
	} else if c.circles(s.CycleRounds, t.From, t.To) {
		return Verdict{Held: true, Reason: CycleSpent, Limit: s.CycleRounds}
	}

	return p.judge(s, t.At)
}

// judge says whether the two may say more to each other.
func (e *exchange) judge(s Settings, now time.Time) Verdict {
	short, long := since(e.turns, now, pairShort), since(e.turns, now, pairLong)
	if n := len(long); n >= s.PairTenMinutes {
		return Verdict{
			Held:   true,
			Reason: PairSpent,
			Limit:  s.PairTenMinutes,
			Until:  long[n-s.PairTenMinutes].Add(pairLong),
		}
	}

	if n := len(short); n >= s.PairMinute {
		return Verdict{Held: true, Reason: PairSpent, Limit: s.PairMinute, Until: short[n-s.PairMinute].Add(pairShort)}
	}

	return Verdict{}
}

func since(turns []time.Time, now time.Time, window time.Duration) []time.Time {
	first := sort.Search(len(turns), func(i int) bool { return now.Sub(turns[i]) < window })
	return turns[first:]
}

// Take takes a turn into account that starts.
func (b *Budgets) Take(t Turn) {
	b.sweep(t.At)
	if t.ToHuman {
		return
	}

	b.reach(t)
	if t.FromHuman {
		b.hear(t)
		return
	}

	b.chain(t).take(t)
	p := b.pair(t.From, t.To)
	if n := len(p.turns); n > 0 && t.At.Before(p.turns[n-1]) {
		t.At = p.turns[n-1] // clocks may be set back
	}

	p.turns = latest(append(since(p.turns, t.At, pairLong), t.At), mostAllowed)
}

// hear resets what a person's message resets.
func (b *Budgets) hear(t Turn) {
	if b.chains == nil {
		b.chains = map[string]*chain{}
	}
	if b.chains[t.Chain] == nil {
		b.chains[t.Chain] = &chain{ways: ways{}, last: t.At}
	}
	if c := b.chains[t.Renews]; c != nil {
		c.renew(0)
	}
}

func (b *Budgets) reach(t Turn) {
	if b.agents == nil {
		b.agents = map[string]standing{}
	}
	s := standing{t.Link, t.At, b.agents[t.To].word}
	if t.FromHuman {
		s.word = t.At
	}
	b.agents[t.To] = s
}

// Turn returns the link of the turn that the agent was last given, zero when there is
// none: what Next wants of a sender whose own program does not say what it works on.
func (b *Budgets) Turn(agent string) Link { return b.agents[agent].turn }

// known returns the exchange of two agents without what a person's word has reset,
// and whether there was one.
func (b *Budgets) known(one, other string) (exchange, bool) {
	if other < one {
		one, other = other, one
	}

	p := b.pairs[pair{one, other}]
	if p == nil {
		return exchange{}, false
	}

	e, word := *p, b.agents[one].word
	if later := b.agents[other].word; later.After(word) {
		word = later
	}

	for len(e.turns) > 0 && !e.turns[0].After(word) {
		e.turns = e.turns[1:]
	}

	if !e.control.CooledUntil.Add(-coolFor).After(word) {
		e.control.CooledUntil = time.Time{}
	}

	return e, true
}

// pair returns the exchange of two agents to be changed.
func (b *Budgets) pair(one, other string) *exchange {
	e, found := b.known(one, other)
	if other < one {
		one, other = other, one
	}

	if !found {
		if b.pairs == nil {
			b.pairs = map[pair]*exchange{}
		}
		b.pairs[pair{one, other}] = &e
		return &e
	}

	p := b.pairs[pair{one, other}]
	*p = e

	return p
}

const (
	// chainIdle is how long a chain is remembered: as long as a message may wait for
	// its terminal unless the settings say otherwise.
	chainIdle = 24 * time.Hour
	// mostChains bounds the chains; beyond it the longest idle half is forgotten.
	mostChains = 10_000
	// sweepFrom keeps small teams from being swept at all.
	sweepFrom = 1000
)

// sweep forgets what can hold nothing any more, each time as much was added as
// remained.
func (b *Budgets) sweep(now time.Time) {
	size := func() int { return len(b.chains) + len(b.pairs) + len(b.agents) }
	if size() < 2*b.swept+sweepFrom {
		return
	}

	maps.DeleteFunc(b.chains, func(_ string, c *chain) bool { return now.Sub(c.last) > chainIdle })
	maps.DeleteFunc(b.pairs, func(_ pair, e *exchange) bool {
		return len(since(e.turns, now, pairLong)) == 0 && !e.control.judge(now).Held
	})

	maps.DeleteFunc(b.agents, func(_ string, s standing) bool { return now.Sub(s.at) > chainIdle })
	if len(b.chains) > mostChains {
		ids := slices.SortedFunc(maps.Keys(b.chains), func(x, y string) int {
			return cmp.Or(b.chains[x].last.Compare(b.chains[y].last), cmp.Compare(x, y))
		})
		for _, id := range ids[:len(ids)-mostChains/2] {
			delete(b.chains, id)
		}
	}

	b.swept = size()
}
