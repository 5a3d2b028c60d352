package conversation

import (
	"cmp"
	"maps"
	"slices"
	"sort"
	"time"
)

// Turn is a message to one recipient that would start a turn of the recipient. A notice,
// a message to a mailbox that nobody reads, and the answer that a call returns at once
// start none and are not Turns.
type Turn struct {
	Link
	From, To  string // ids
	At        time.Time
	FromHuman bool
	ToHuman   bool
	// Renews is the chain whose budgets a person's message resets: that of its thread or
	// of the answered message.
	Renews string
}

// Verdict says whether a turn may start. The zero Verdict lets it start.
type Verdict struct {
	Held   bool      `json:"held"`
	Reason Reason    `json:"reason,omitempty"`
	Limit  int       `json:"limit,omitempty"` // the spent budget
	Until  time.Time `json:"until,omitzero"`  // when the hold ends by itself; zero: it does not
}

// Budgets bound how much the agents of a team may say to each other before a person
// speaks again. The zero value is ready to use. To restore Budgets, take the turns that
// were not held in the last 24 hours or more and repeat the operator's controls, in
// their order. Not safe for concurrent use.
//
// Judge and Take cost the same however much was said before, with one exception: a turn
// between two agents that have used up their rounds searches for a cycle.
type Budgets struct {
	chains map[string]*chain
	pairs  map[pair]*pairMemory
	agents map[string]agentMemory
	pool   turnCounts // of the chains that agents began since poolBegan
	// poolBegan is when the first of these chains began.
	poolBegan time.Time
	swept     int // size after the last sweep
}

// agentMemory is the memory of one agent.
type agentMemory struct {
	turn      Link // of the latest message that started a turn of the agent
	at        time.Time
	humanWord time.Time // when a person last wrote to it
}

type pair struct{ one, other string }

// pairMemory is the memory of two agents.
type pairMemory struct {
	turns   []time.Time // of the last ten minutes, oldest first
	control control
}

// Judge reports whether a turn may start at t.At. It changes nothing. Messages from and
// to people may always start.
func (b *Budgets) Judge(s Settings, t Turn) Verdict {
	s = s.filled()
	if t.FromHuman || t.ToHuman {
		return Verdict{}
	}

	p, _ := b.currentPair(t.From, t.To)
	if v := p.control.judge(t.At); v.Held || s.Off {
		return v
	}

	c := b.peekChain(t)
	if t.Hop > c.renewedHop()+s.ChainHops || c.between(t.From, t.To) >= s.ChainHops {
		return Verdict{Held: true, Reason: ChainSpent, Limit: s.ChainHops}
	}
	if c.closesCycle(s.CycleRounds, t.From, t.To) {
		return Verdict{Held: true, Reason: CycleSpent, Limit: s.CycleRounds}
	}

	return p.judge(s, t.At)
}

// judge reports whether the two agents may exchange more messages.
func (p *pairMemory) judge(s Settings, now time.Time) Verdict {
	short, long := within(p.turns, now, pairShort), within(p.turns, now, pairLong)
	if n := len(long); n >= s.PairTenMinutes {
		until := long[n-s.PairTenMinutes].Add(pairLong)
		return Verdict{Held: true, Reason: PairSpent, Limit: s.PairTenMinutes, Until: until}
	}
	if n := len(short); n >= s.PairMinute {
		return Verdict{Held: true, Reason: PairSpent, Limit: s.PairMinute, Until: short[n-s.PairMinute].Add(pairShort)}
	}

	return Verdict{}
}

// within returns the turns that are younger than window at now.
func within(turns []time.Time, now time.Time, window time.Duration) []time.Time {
	first := sort.Search(len(turns), func(i int) bool { return now.Sub(turns[i]) < window })
	return turns[first:]
}

// Take charges a turn that starts to the budgets.
func (b *Budgets) Take(t Turn) {
	b.sweep(t.At)
	if t.ToHuman {
		return
	}

	b.remember(t)
	if t.FromHuman {
		b.renew(t)
		return
	}

	b.chain(t).take(t)
	p := b.pair(t.From, t.To)
	if n := len(p.turns); n > 0 && t.At.Before(p.turns[n-1]) {
		t.At = p.turns[n-1] // a clock may be set back
	}

	p.turns = latest(append(within(p.turns, t.At, pairLong), t.At), maxBudget)
}

// renew resets the budgets that a person's message resets.
func (b *Budgets) renew(t Turn) {
	if b.chains == nil {
		b.chains = map[string]*chain{}
	}
	if b.chains[t.Chain] == nil {
		b.chains[t.Chain] = &chain{last: t.At}
	}
	if c := b.chains[t.Renews]; c != nil {
		c.renew(0)
	}
}

// remember records that a turn reached its recipient.
func (b *Budgets) remember(t Turn) {
	if b.agents == nil {
		b.agents = map[string]agentMemory{}
	}
	m := agentMemory{turn: t.Link, at: t.At, humanWord: b.agents[t.To].humanWord}
	if t.FromHuman {
		m.humanWord = t.At
	}
	b.agents[t.To] = m
}

// Turn returns the link of the agent's latest turn, zero if it had none. Pass it to Next
// for a sender whose program does not report what it works on.
func (b *Budgets) Turn(agent string) Link { return b.agents[agent].turn }

// currentPair returns the memory of two agents without what a person's message has
// reset. It is not ok if there is none.
func (b *Budgets) currentPair(one, other string) (memory pairMemory, ok bool) {
	if other < one {
		one, other = other, one
	}

	p := b.pairs[pair{one, other}]
	if p == nil {
		return pairMemory{}, false
	}

	memory, word := *p, b.agents[one].humanWord
	if later := b.agents[other].humanWord; later.After(word) {
		word = later
	}

	for len(memory.turns) > 0 && !memory.turns[0].After(word) {
		memory.turns = memory.turns[1:]
	}

	if !memory.control.CooledUntil.Add(-coolFor).After(word) {
		memory.control.CooledUntil = time.Time{}
	}

	return memory, true
}

// pair returns the current memory of two agents, to be changed.
func (b *Budgets) pair(one, other string) *pairMemory {
	current, found := b.currentPair(one, other)
	if other < one {
		one, other = other, one
	}

	if !found {
		if b.pairs == nil {
			b.pairs = map[pair]*pairMemory{}
		}
		b.pairs[pair{one, other}] = &current
		return &current
	}

	p := b.pairs[pair{one, other}]
	*p = current

	return p
}

const (
	// chainIdle is how long an idle chain is remembered: the default time that a message
	// may wait for its terminal.
	chainIdle = 24 * time.Hour
	// maxChains bounds the chains; beyond it the half that was idle longest is forgotten. Each takes
	// up to 600 bytes, and few of a team's messages wait for an answer at a time.
	maxChains = 2000
	// sweepFrom is the growth below which nothing is swept.
	sweepFrom = 1000
)

// sweep forgets what can no longer hold a message. It works each time the memory has
// doubled.
func (b *Budgets) sweep(now time.Time) {
	size := func() int { return len(b.chains) + len(b.pairs) + len(b.agents) }
	if size() < 2*b.swept+sweepFrom {
		return
	}

	maps.DeleteFunc(b.chains, func(_ string, c *chain) bool { return now.Sub(c.last) > chainIdle })
	maps.DeleteFunc(b.pairs, func(_ pair, p *pairMemory) bool {
		return len(within(p.turns, now, pairLong)) == 0 && !p.control.judge(now).Held
	})

	maps.DeleteFunc(b.agents, func(_ string, m agentMemory) bool { return now.Sub(m.at) > chainIdle })
	if len(b.chains) > maxChains {
		ids := slices.SortedFunc(maps.Keys(b.chains), func(x, y string) int {
			return cmp.Or(b.chains[x].last.Compare(b.chains[y].last), cmp.Compare(x, y))
		})
		for _, id := range ids[:len(ids)-maxChains/2] {
			delete(b.chains, id)
		}
	}

	b.swept = size()
}
