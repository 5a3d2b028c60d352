package courier

import (
	"slices"
	"sync"

	"parley/program/door"
)

// hook is one that waits.
type hook interface {
	openDoor
	Moment() door.Moment
	Pass() // there is nothing for it
}

// calls are the hooks that wait, by their agents. Safe for concurrent use.
type calls struct {
	mu   sync.Mutex
	open map[string][]hook
	rows map[string]int // how many turns went on by a hook, one after the other
}

// mostInARow is how many times in a row a turn goes on by a hook at its end. Qwen Code and Grok end it at the eighth,
// and Qwen Code drops that text.
const mostInARow = 6

// add adds a hook that waits. It is not ok where the program might not go on once more.
func (c *calls) add(agentID string, call hook, again bool) (ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open == nil {
		c.open, c.rows = map[string][]hook{}, map[string]int{}
	}
	end := call.Moment().AtEnd
	if end && !again {
		delete(c.rows, agentID)
	}
	if end && c.rows[agentID] >= mostInARow {
		return false
	}
	c.open[agentID] = append(c.open[agentID], call)
	return true
}

// end removes a hook that goes on, with a letter or without.
func (c *calls) end(agentID string, call hook, taken bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open[agentID] = slices.DeleteFunc(c.open[agentID], func(open hook) bool { return open == call })
	if len(c.open[agentID]) == 0 {
		delete(c.open, agentID)
	}
	if call.Moment().AtEnd && taken {
		c.rows[agentID]++
	}
}

// first returns the hook of an agent that has waited longest, nil if none waits.
func (c *calls) first(agentID string) hook {
	c.mu.Lock()
	defer c.mu.Unlock()
	if open := c.open[agentID]; len(open) > 0 {
		return open[0]
	}
	return nil
}
