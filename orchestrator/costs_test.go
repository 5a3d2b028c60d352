package orchestrator

import (
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/op"
	"parley/orchestrator/meter"
	"parley/store"
	"parley/tmux/tmuxtest"
)

// A spent budget holds messages, and the operator lets single ones go. The record says so.
func TestTheOperatorSendsInSpiteOfASpentBudget(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	log := te.launch("coder", "framed", tmuxtest.Agent{})
	used := store.TokenRecord{ID: "r", At: time.Now(), Day: time.Now().Format(time.DateOnly), Model: "m",
		Tokens: parley.Tokens{Output: 10}}
	from := store.Transcript{AgentID: te.roster.ByName("coder").ID, Path: "/none"}
	must.Do(t, te.store.Tokens.CountTokens(t.Context(), from, []store.TokenRecord{used}))
	te.reopen(func(o *Options) {
		o.Costs.Agents = map[string]meter.Budget{"coder": {Tokens: 10, WarnAt: 80, Then: "hold"}}
	})
	te.need(parley.NeedBudget)
	if all := must.Have(op.Usage.Call(te.operator(), te, parley.UsageRequest{}))(t).Programs; len(all) != 1 ||
		all[0].Output != 10 {
		t.Errorf("the operator learns of %+v", all)
	}
	if all := must.Have(op.Usage.Call(te.as("scraper"), te, parley.UsageRequest{}))(t).Programs; len(all) > 0 {
		t.Errorf("a mailbox learns of %+v", all)
	}

	first, second := te.send("coder", "first"), te.send("coder", "second")
	te.held(first, "it has used up its budget of today: 10 of 10 tokens")
	must.Have(op.RetryDelivery.Call(te.operator(), te, parley.RetryDeliveryRequest{MessageID: second}))(t)
	d := te.arrived(second)
	if got := te.story(second); !strings.Contains(got, "although a budget was used up, as the operator asked") {
		t.Errorf("the story does not say why it went:\n%s\n%+v", got, d)
	}
	te.held(first, "used up its budget")
	te.wantMessages(log, 1)

	must.Have(op.RetryDelivery.Call(te.operator(), te, parley.RetryDeliveryRequest{MessageID: first}))(t)
	te.arrived(first)
	third := te.send("coder", "third") // nothing waits before it
	te.held(third, "used up its budget")
	if got := te.story(third); strings.Contains(got, "began to type") {
		t.Errorf("the story of a message that waits for its budget:\n%s", got)
	}
}
