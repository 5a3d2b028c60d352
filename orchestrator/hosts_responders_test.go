package orchestrator

import (
	"testing"

	"parley"
	"parley/internal/modelserver"
	"parley/store/storetest"
)

// askingHost starts a host of a team that asks models.
func askingHost(t *testing.T, url, name string, declared ...parley.DeclaredResponder) *testTeam {
	t.Helper()
	return newTeam(t, asking(declared...), func(o *Options) { o.Store = openHost(t, url, name, o.Workspace) })
}

func TestHostLeavesTheRespondersOfOthersAlone(t *testing.T) {
	t.Parallel()
	s := modelserver.StartBare()
	t.Cleanup(s.Close)
	url := storetest.URL(t)
	ann := askingHost(t, url, "ann", answeredAt(s.URL))

	bob := askingHost(t, url, "bob") // its parley.yaml declares none
	bob.as("writer")
	ann.knows("writer")
	if a := ann.roster.ByName("DM").Agent(); a.State == parley.StateTerminated {
		t.Errorf("the start of another host ended it: %s", a.Evidence)
	}
	ann.tell(ann.operator(), "SAY all the same")

	// Its own host ends it.
	ann.reopen(func(o *Options) { asking()(o); o.Store = openHost(t, url, "ann", o.Workspace) })
	bob.inState("DM", parley.StateTerminated)
}
