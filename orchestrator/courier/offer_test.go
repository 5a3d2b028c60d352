package courier

import (
	"testing"
	"time"

	"parley"
	"parley/orchestrator/team"
	"parley/store"
)

// A look that is older goes through another one all the same, but not with the budgets of now: see lookAgain.
func TestALookAheadHoldsAsLongAsAClaimMayTake(t *testing.T) {
	on, ended := &team.Terminal{}, time.Now()
	look := foresight{messageID: "a", on: on, ended: ended}
	for name, c := range map[string]struct {
		id   string
		on   *team.Terminal
		now  time.Time
		want bool
	}{
		"at once":            {"a", on, ended, true},
		"in time":            {"a", on, ended.Add(slowClaim - 1), true},
		"later":              {"a", on, ended.Add(slowClaim), false},
		"for another one":    {"b", on, ended, false},
		"in another program": {"a", &team.Terminal{}, ended, false},
	} {
		job := store.Job{Message: parley.Message{ID: c.id}}
		if got := look.holds(c.on, &job, c.now); got != c.want {
			t.Errorf("%s: it holds %v, want %v", name, got, c.want)
		}
	}
}
