package agents

import (
	"testing"

	"parley"
	"parley/internal/testhome"
)

// What parley says that a program used is what the model said. Claude Code's transcript tells no
// reasoning apart for this model.
func TestTokensAreThoseOfTheModel(t *testing.T) {
	alone(t, theTokens, tellsItsTokens)
}

func tellsItsTokens(t *testing.T, program installed) {
	s := launchReal(t, program, aloneAt)
	usage := func() parley.ProgramUsage {
		all := testhome.Run[parley.UsageResult](t, s.Home, "usage", "ann").Programs
		if len(all) != 1 {
			t.Fatalf("there are %d programs", len(all))
		}
		return all[0]
	}
	s.inState(parley.StateIdle)
	s.arrives(s.send("USE 1000 300 50 0 please"), s.send("USE 2000 700 90 0 please"))
	want := parley.Tokens{Input: 2000, Cached: 1000, Output: 140}
	s.wait("the sums are those of the model", func() bool {
		u := usage()
		return u.Unknown == "" && u.Tokens == want && u.Today.Tokens == want && u.Responses == 2
	})
}
