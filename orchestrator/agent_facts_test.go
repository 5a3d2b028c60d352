package orchestrator

import (
	"context"
	"testing"

	"parley"
	"parley/internal/must"
	"parley/op"
)

// The page is told what lists say of an agent, in words; models and programs read the fields.
func TestAgentsAreDescribedToThePageAlone(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	agent := te.as("ci")
	session := te.roster.Operator()
	session.Session = "session"
	watching := parley.Caller{Watches: te.roster.Operator().ID}

	for _, c := range []struct {
		who string
		ctx context.Context
		few bool
	}{
		{"a session", parley.WithCaller(t.Context(), session), false},
		{"one that may only look", parley.WithCaller(t.Context(), watching.Viewer()), false},
		{"the operator's command", te.operator(), true},
		{"an agent", agent, true},
	} {
		res := must.Have(op.GetAgentStatus.Call(c.ctx, te, parley.AgentStatusRequest{Agent: "ci"}))(t)
		if got := res.Agents[0].Facts; (len(got) == 0) != c.few || !c.few && got[0] != "mailbox" {
			t.Errorf("%s is told %q", c.who, got)
		}
	}
}
