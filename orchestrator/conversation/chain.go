package conversation

import "time"

// chain is the memory of all messages that follow from one.
type chain struct {
	counts  turnCounts // nil: none yet
	last    time.Time
	highest int // highest hop of a started turn
	renewed int // the hop at which its budget was last reset
	settled int // the hop at which it last came to an end, as far as it goes to mailboxes
}

// turnCounts counts the turns by sender and recipient.
type turnCounts map[string]map[string]int

// chain returns the chain of an agent's turn. Chains that agents begin within the same
// ten minutes share their counts: a team that starts all at once begins as many chains
// as it has agents, and no person began any of them.
func (b *Budgets) chain(t Turn) *chain {
	if c := b.chains[t.Chain]; c != nil {
		return c
	}
	if b.chains == nil {
		b.chains = map[string]*chain{}
	}
	if !b.pooled(t.At) {
		b.pool, b.poolBegan = turnCounts{}, t.At
	}
	c := &chain{counts: b.pool, last: t.At}
	b.chains[t.Chain] = c
	return c
}

// pooled reports whether a chain that an agent begins now shares its counts.
func (b *Budgets) pooled(now time.Time) bool {
	return b.pool != nil && now.Sub(b.poolBegan) < pairLong
}

// peekChain returns what chain would return, without a change; nil for a new chain.
func (b *Budgets) peekChain(t Turn) *chain {
	if c := b.chains[t.Chain]; c != nil || !b.pooled(t.At) {
		return c
	}
	return &chain{counts: b.pool}
}

// renewedHop returns the hop from which the chain's hops count.
func (c *chain) renewedHop() int {
	if c == nil {
		return 0
	}
	return c.renewed
}

// settledHop returns the hop at which the chain last came to an end for mailboxes.
func (c *chain) settledHop() int {
	if c == nil {
		return 0
	}
	return c.settled
}

// rested reports whether nothing followed in the chain for so long that a mailbox begins anew.
func (c *chain) rested(now time.Time) bool { return c != nil && now.Sub(c.last) >= chainRest }

// between counts the turns of two agents in the chain. If each message has one answer,
// these are its hops. If one message has many answers, the hops stay few while two agents
// write to each other without end; only this count grows then.
func (c *chain) between(one, other string) int {
	if c == nil {
		return 0
	}
	n := c.counts[one][other]
	if one != other {
		n += c.counts[other][one]
	}
	return n
}

// bothWays counts the turns of two agents in the chain that went back and forth.
func (c *chain) bothWays(one, other string) int {
	if c == nil {
		return 0
	}
	return 2 * min(c.counts[one][other], c.counts[other][one])
}

func (c *chain) take(t Turn) {
	if c.counts == nil {
		c.counts = turnCounts{}
	}
	if c.counts[t.From] == nil {
		c.counts[t.From] = map[string]int{}
	}
	c.counts[t.From][t.To]++
	if c.rested(t.At) {
		c.settled = max(c.highest, t.Hop-1)
	}
	c.highest = max(c.highest, t.Hop)
	if t.At.After(c.last) {
		c.last = t.At
	}
}

// renew resets the chain's budgets, at hop or its highest hop.
func (c *chain) renew(hop int) {
	clear(c.counts)
	c.renewed = max(c.highest, hop)
}

// closesCycle reports whether a turn would begin another round of a cycle that has made
// rounds already: one of three or more agents, or of one agent with itself. Two agents
// are no cycle: in a review they go back and forth over their work, and they have budgets
// of their own. Three that pass something around without end get nowhere at any pace.
func (c *chain) closesCycle(rounds int, from, to string) bool {
	if c == nil || c.counts[from][to] < rounds {
		return false
	}
	if from == to {
		return true
	}

	seen, next := map[string]bool{to: true}, []string{to}
	for len(next) > 0 {
		agent := next[0]
		next = next[1:]
		for other, n := range c.counts[agent] {
			if n < rounds || other == from || seen[other] {
				continue
			}
			if c.counts[other][from] >= rounds {
				return true
			}

			seen[other] = true
			next = append(next, other)
		}
	}

	return false
}

// Link is the place of a message in a chain.
type Link struct {
	Chain string `json:"chain_id"` // id of the message that began the chain
	Hop   int    `json:"hop"`      // messages of agents from the begin of the chain to this one
}

// Next returns the link of a new message. A person's message begins a chain, at hop 0.
// An agent's message continues the one that it answers (replied), else the one that
// started the sender's current turn (turn). If both are of the same chain, it continues
// the one with the higher hop. If both are zero, it begins a chain at hop 1.
//
// If a sender's turns are not known, as with a mailbox, pass its latest turn (see
// Budgets.Turn): otherwise it could begin new chains without end.
func Next(message string, human bool, replied, turn Link) Link {
	switch {
	case human:
		return Link{message, 0}
	case replied.Chain != "" && replied.Chain == turn.Chain:
		return Link{replied.Chain, max(replied.Hop, turn.Hop) + 1}
	case replied.Chain != "":
		return Link{replied.Chain, replied.Hop + 1}
	case turn.Chain != "":
		return Link{turn.Chain, turn.Hop + 1}
	}
	return Link{message, 1}
}
