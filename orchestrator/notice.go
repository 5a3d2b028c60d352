package orchestrator

import (
	"context"
	"encoding/json"
	"slices"

	"parley"
	"parley/orchestrator/team"
)

// notify sends a word of parley's own to those of `to` that are not terminated; to
// nobody it sends nothing. data, an object, may be nil. A key makes it once for
// good, also for a daemon that starts anew; it may be empty. COMMUNICATION_DISABLED
// while communication is paused.
func (a *admission) notify(ctx context.Context, to []*team.Member, text string, data json.RawMessage, key string) error {
	to = slices.DeleteFunc(
		slices.Clone(to),
		func(m *team.Member) bool { return m.Agent().State == parley.StateTerminated },
	)
	if len(to) == 0 {
		return nil
	}

	from, err := a.roster.System(ctx)
	if err != nil {
		return err
	}

	_, err = a.admit(ctx, from, draft{recipients: to, key: key, message: parley.Message{Kind: parley.KindNotice,
		Type: parley.TypeInformation, Priority: parley.PriorityNormal, Text: text, Data: data}})
	return err
}
