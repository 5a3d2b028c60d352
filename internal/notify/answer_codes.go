package notify

import (
	"crypto/rand"
	"sync"
	"time"

	"parley"
)

// AnswerCodes are the one-time codes with which a notice answers a dialog: each is good for one option of one dialog,
// once, for a while. They are in memory only, so they end with the daemon. Safe for concurrent use.
type AnswerCodes struct {
	Now func() time.Time

	mu   sync.Mutex
	held map[string]codeAnswer
}

// codeAnswer is what one code does: it chooses an option of a dialog of an agent.
type codeAnswer struct {
	Agent, Dialog, Choice string

	ends time.Time
}

const (
	answerCodeLife = time.Hour // longer than a person lets a notice wait who answers from it
	maxAnswerCodes = 1000
)

// New returns a code for an option of the dialog of a need, "" for one that a choice alone does not answer.
func (c *AnswerCodes) New(need *parley.Need, choice string) string {
	d := need.Dialog
	if d == nil || d.Secret {
		return ""
	}
	if o, ok := d.Find(choice); !ok || o.TakesText {
		return ""
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.Now()
	for code, held := range c.held {
		if !now.Before(held.ends) {
			delete(c.held, code)
		}
	}
	if c.held == nil {
		c.held = map[string]codeAnswer{}
	}
	if len(c.held) >= maxAnswerCodes {
		return ""
	}

	code := "answer_" + rand.Text()
	c.held[code] = codeAnswer{need.AgentID, d.ID, choice, now.Add(answerCodeLife)}
	return code
}

// Take returns what a code does, and ends it with all codes of the same dialog.
func (c *AnswerCodes) Take(code string) (codeAnswer, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	taken, ok := c.held[code]
	if !ok || !c.Now().Before(taken.ends) {
		return codeAnswer{}, false
	}
	for other, held := range c.held {
		if held.Agent == taken.Agent && held.Dialog == taken.Dialog {
			delete(c.held, other)
		}
	}
	return taken, true
}
