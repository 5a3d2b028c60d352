package orchestrator

import (
	"context"
	"crypto/rand"
	"time"

	"parley"
)

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
		c.held = map[string]answerCode{}
	}
	if len(c.held) >= maxAnswerCodes {
		return ""
	}

	code := "answer_" + rand.Text()
	c.held[code] = answerCode{need.AgentID, d.ID, choice, now.Add(answerCodeLife)}
	return code
}

// take returns what a code does, and ends it with all codes of the same dialog.
func (c *AnswerCodes) take(code string) (answerCode, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	taken, ok := c.held[code]
	if !ok || !c.Now().Before(taken.ends) {
		return answerCode{}, false
	}
	for other, held := range c.held {
		if held.agent == taken.agent && held.dialog == taken.dialog {
			delete(c.held, other)
		}
	}
	return taken, true
}

// AnswerByCode chooses the option of a code, for the operator. It returns UNAUTHENTICATED for a code that is used, too
// old or unknown, and DIALOG_CHANGED if the agent asks something else by now.
func (ks *keyService) AnswerByCode(ctx context.Context, code string) (*parley.AnswerDialogResult, error) {
	if ks.opts.Away.Codes == nil {
		return nil, parley.AnswerCodeSpent()
	}
	taken, ok := ks.opts.Away.Codes.take(code)
	if !ok {
		return nil, parley.AnswerCodeSpent()
	}

	operator, _ := ks.roster.CallerOf(ks.roster.ByName(parley.OperatorName))
	return ks.terminals.AnswerDialog(parley.WithCaller(ctx, operator), parley.AnswerDialogRequest{
		Agent: taken.agent, Dialog: taken.dialog, Choice: taken.choice,
	})
}
