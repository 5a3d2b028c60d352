package orchestrator

import (
	"strings"
	"testing"

	"parley"
)

func TestUnknownNameGetsFittingAdvice(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	_, err := te.roster.Find("coder")
	if e := parley.AsError(err); !strings.Contains(e.Action, "parley launch") {
		t.Errorf("without an agent the action is %q", e.Action)
	}

	te.as("coder")
	te.as("reviewer")
	for ref, want := range map[string]string{"codr": "Did you mean coder?", "zz": "The agents are: ",
		"coder,reviewer": "as a list", "all": "only recipient"} {
		_, err := te.roster.Find(ref)
		if e := parley.AsError(err); e.Code != parley.AgentNotFound || !strings.Contains(e.Action, want) {
			t.Errorf("%s: got %v with the action %q, want %q in it", ref, err, e.Action, want)
		}
	}
}
