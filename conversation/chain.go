package conversation

import "time"

// chain is what is remembered of the messages that follow from one.
type chain struct {
	ways    ways
	last    time.Time
	highest int // hop of a turn that started
	renewed int // the hop at which its budget was last given anew
}

// ways count the turns from each agent to each other one.
type ways map[string]map[string]int

// chain returns the chain of an agent's turn. Those that agents begin within ten
// minutes count their cycles together: a team that was let loose all at once begins
// as many chains as it has agents, and no person stands behind any of them.
func (b *Budgets) chain(t Turn) *chain {
	if c := b.chains[t.Chain]; c != nil {
		return c
	}
	if b.chains == nil {
		b.chains = map[string]*chain{}
	}
	if !b.pooled(t.At) {
		b.pool, b.begun = ways{}, t.At
	}
	c := &chain{ways: b.pool, last: t.At}
	b.chains[t.Chain] = c
	return c
}

// pooled reports whether a chain that an agent begins now counts with others.
func (b *Budgets) pooled(now time.Time) bool {
	return b.pool != nil && now.Sub(b.begun) < pairLong
}

// look returns what chain would return, and changes nothing; nil for one that begins.
func (b *Budgets) look(t Turn) *chain {
	if c := b.chains[t.Chain]; c != nil || !b.pooled(t.At) {
		return c
	}
	return &chain{ways: b.pool}
}

// allowance is the hop from which a chain's hops count.
func (c *chain) allowance() int {
	if c == nil {
		return 0
	}
	return c.renewed
}

// between counts the turns of two agents in the chain. Where each message has one
// answer these are its hops; where one message has many, the hops stay few while two
// agents write to each other without end, and this counts them.
func (c *chain) between(one, other string) int {
	if c == nil {
		return 0
	}
	n := c.ways[one][other]
	if one != other {
		n += c.ways[other][one]
	}
	return n
}

func (c *chain) take(t Turn) {
	if c.ways[t.From] == nil {
		c.ways[t.From] = map[string]int{}
	}
	c.ways[t.From][t.To]++
	c.highest = max(c.highest, t.Hop)
	if t.At.After(c.last) {
		c.last = t.At
	}
}

// renew gives the chain its budgets anew, from hop at least.
func (c *chain) renew(hop int) {
	clear(c.ways)
	c.renewed = max(c.highest, hop)
}

// circles reports whether a turn would begin one more round of a cycle of three agents
// or more, or of one agent with itself, than most: each of the ways around it was gone
// so often. Two agents go back and forth over their work, as a review does, and have
// budgets of their own; where three pass something around without end, no pace makes
// it work.
func (c *chain) circles(most int, from, to string) bool {
	if c == nil || c.ways[from][to] < most {
		return false
	}
	if from == to {
		return true
	}

	seen, next := map[string]bool{to: true}, []string{to}
	for len(next) > 0 {
		agent := next[0]
		next = next[1:]
		for other, n := range c.ways[agent] {
			if n < most || other == from || seen[other] {
				continue
			}
			if c.ways[other][from] >= most {
				return true
			}

			seen[other] = true
			next = append(next, other)
		}
	}

	return false
}
