package courier

import (
	"testing"
	"time"

	"parley"
	"parley/orchestrator/team"
	"parley/store"
)

func TestReportOutlivesTheTerminal(t *testing.T) {
	queued := time.Unix(1_000_000, 0)
	job := store.Job{Message: parley.Message{ID: "5f0c21aa-0000"}, QueuedAt: queued}
	for _, c := range []struct {
		name string
		at   time.Duration // of the report; 0: it has not come
		want parley.DeliveryState
	}{
		{"no report", 0, parley.DeliveryUnconfirmed},
		{"of an earlier attempt", -time.Second, parley.DeliveryUnconfirmed},
		{"of this one", time.Second, parley.DeliverySubmitted},
	} {
		m := team.NewMember(parley.Agent{ID: agentID})
		if c.at != 0 {
			m.Reports.Note(team.Report{Event: "Prompt", At: queued.Add(c.at)}, true, []string{"5f0c21aa"})
		}
		if got := lost(m, &job, "it is gone")[0].State; got != c.want {
			t.Errorf("%s: it is %s, want %s", c.name, got, c.want)
		}
	}
}
