package orchestrator

import (
	"strings"
	"testing"

	"parley"
)

func TestUnknownNameGetsFittingAdvice(t *testing.T) {
	te := newTeam(t)
	te.as("coder")
	te.as("reviewer")
	for ref, want := range map[string]string{"codr": "Did you mean coder?", "zz": "These are there: ",
		"coder,reviewer": "as a list", "all": "only recipient"} {
		_, err := te.roster.Find(ref)
		if e := parley.AsError(err); e.Code != parley.AgentNotFound || !strings.Contains(e.Action, want) {
			t.Errorf("%s: got %v with the action %q, want %q in it", ref, err, e.Action, want)
		}
	}
}
