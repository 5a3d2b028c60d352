package orchestrator

import (
	"context"
	"strings"
	"testing"

	"parley/internal/must"
	"parley/orchestrator/team"
	"parley/store"
	"parley/tmux/tmuxtest"
)

func TestNoticesAreTypedOnceAndNotToTerminatedAgents(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	log := te.launch("coder", "framed", tmuxtest.Agent{})
	te.as("gone")
	te.stop("gone")

	to := []*team.Member{te.roster.ByName("coder"), te.roster.ByName("gone")}
	for range 2 {
		must.Do(t, te.admission.Notify(context.Background(), to, "lunch is at noon", nil, "lunch"))
	}

	typed := tmuxtest.WaitMessages(t, log, 1)
	if !strings.HasPrefix(typed[0].Text, "[PARLEY]: lunch is at noon\n(parley · msg ") {
		t.Errorf("what was typed is %q", typed[0].Text)
	}

	for name, want := range map[string]int{"coder": 1, "gone": 0} {
		page, err := te.store.Inbox.Page(context.Background(),
			store.InboxQuery{RecipientID: te.roster.ByName(name).ID, Limit: 10})
		if err != nil || page.Total != want {
			t.Errorf("%s has %d notices, want %d (%v)", name, page.Total, want, err)
		}
	}

	if err := te.admission.Notify(context.Background(), to[1:], "nobody hears this", nil, ""); err != nil {
		t.Error(err)
	}
}
