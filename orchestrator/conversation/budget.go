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
	ToMailbox bool // only what goes back and forth is limited
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

type agentMemory struct {
	turn      Link // of the latest message that started a turn of the agent
	at        time.Time
	humanWord time.Time // when a person last wrote to it
}

type pair struct{ one, other string }

// pairMemory is the memory of two agents.
type pairMemory struct {
	turns   []exchange // of the last ten minutes, oldest first
	control control
}

// exchange is a turn that one of two agents caused the other.
type exchange struct {
	at      time.Time
	from    string
	answers bool // the turn before went the other way
}

// Judge reports whether a turn may start at t.At. It changes nothing. Messages from and
// to people may always start.
func (b *Budgets) Judge(s Settings, t Turn) Verdict {
	s = s.Filled()
	if t.FromHuman || t.ToHuman {
		return Verdict{}
	}

	p, _ := b.currentPair(t.From, t.To)
	if v := p.control.judge(t.At); v.Held || s.Off {
		return v
	}

	c := b.peekChain(t)
	if v := c.judge(s, t); v.Held {
		return v
	}

	return p.judge(s, t)
}

// judge reports whether the chain may go on. What goes to mailboxes goes back and forth only if many
// messages followed from one another as well: programs send each other many that follow from none. These
// count since a request was last settled, or since the chain rested.
func (c *chain) judge(s Settings, t Turn) Verdict {
	far := t.Hop > c.renewedHop()+s.ChainHops
	chainSpent := far || c.between(t.From, t.To) >= s.ChainHops
	cycleSpent := c.closesCycle(s.CycleRounds, t.From, t.To)
	if t.ToMailbox {
		far = far && t.Hop > c.settledHop()+s.ChainHops && !c.rested(t.At)
		chainSpent = far && c.bothWays(t.From, t.To) >= s.ChainHops
		cycleSpent = far && cycleSpent
	}

	switch {
	case chainSpent:
		return Verdict{Held: true, Reason: ChainSpent, Limit: s.ChainHops}
	case cycleSpent:
		return Verdict{Held: true, Reason: CycleSpent, Limit: s.CycleRounds}
	}
	return Verdict{}
}

// judge reports whether the two agents may exchange more messages. To a mailbox, only the turns that
// answer the one before count: a loop alternates, and a stream does not.
func (p *pairMemory) judge(s Settings, t Turn) Verdict {
	turns := p.turns
	if t.ToMailbox {
		if !p.answers(t.From) {
			return Verdict{}
		}
		turns = slices.DeleteFunc(slices.Clone(turns), func(e exchange) bool { return !e.answers })
	}

	short, long := within(turns, t.At, pairShort), within(turns, t.At, pairLong)
	if n := len(long); n >= s.PairTenMinutes {
		until := long[n-s.PairTenMinutes].at.Add(pairLong)
		return Verdict{Held: true, Reason: PairSpent, Limit: s.PairTenMinutes, Until: until}
	}
	if n := len(short); n >= s.PairMinute {
		return Verdict{
			Held:   true,
			Reason: PairSpent,
			Limit:  s.PairMinute,
			Until:  short[n-s.PairMinute].at.Add(pairShort),
		}
	}

	return Verdict{}
}

// answers reports whether a turn from one of the two would go the other way than the last.
func (p *pairMemory) answers(from string) bool {
	n := len(p.turns)
	return n > 0 && p.turns[n-1].from != from
}

// within returns the turns that are younger than window at now.
func within(turns []exchange, now time.Time, window time.Duration) []exchange {
	first := sort.Search(len(turns), func(i int) bool { return now.Sub(turns[i].at) < window })
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
	if n := len(p.turns); n > 0 && t.At.Before(p.turns[n-1].at) {
		t.At = p.turns[n-1].at // a clock may be set back
	}

	e := exchange{at: t.At, from: t.From, answers: p.answers(t.From)}
	p.turns = latest(append(within(p.turns, t.At, pairLong), e), maxBudget)
}

// Settle ends a chain, as far as it goes to mailboxes: the message at l is the formal answer to a request,
// or was ignored. The order of Settle and Take does not matter.
func (b *Budgets) Settle(l Link) {
	if c := b.chains[l.Chain]; c != nil {
		c.settled = max(c.settled, l.Hop)
	}
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

	for len(memory.turns) > 0 && !memory.turns[0].at.After(word) {
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
	// chainRest is how long the agents of a chain say nothing until those with mailboxes may begin anew.
	chainRest = time.Hour
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
