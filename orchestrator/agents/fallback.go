package agents

import (
	"context"
	"fmt"
	"slices"
	"time"

	"parley"
	"parley/internal/wait"
	"parley/orchestrator/team"
	"parley/plain"
)

// fallbackEvery is the interval between two looks whose usage limit lasts too long.
const fallbackEvery = 2 * time.Second

// Run ends the handoffs that an earlier daemon has begun. Then it hands over what stands still at a usage limit, as
// the agents' fallback says, until ctx ends.
func (hs *Handoffs) Run(ctx context.Context) {
	hs.resume(ctx)
	f := fallback{hs, map[string]time.Time{}}
	for wait.Pause(ctx, fallbackEvery) == nil {
		for _, m := range hs.Roster.All() {
			if a := m.Agent(); len(a.Fallback) > 0 && hs.Roster.Hosts.Here(m) && hs.Admission.Pause.Is() == nil {
				f.look(parley.WithCaller(ctx, hs.Roster.Operator()), m, &a)
			}
		}
	}
}

// fallback remembers until when programs are of no use to go on: by profile at a usage limit, by agent and profile
// where they did not start.
type fallback struct {
	*Handoffs
	useless map[string]time.Time
}

// look hands an agent over whose program is at a usage limit for long, to the first program that can go on.
func (f fallback) look(ctx context.Context, m *team.Member, a *parley.Agent) {
	now := f.Admission.Now()
	until, lasts := f.limit(m, a, now)
	if !lasts {
		return
	}
	f.useless[a.Profile] = until

	can := func(name string) bool {
		return name != a.Profile && now.After(f.useless[name]) && now.After(f.useless[m.ID+" "+name])
	}
	at := slices.IndexFunc(a.Fallback, can)
	if at < 0 {
		return
	}
	to := a.Fallback[at]
	_, err := f.handoff(ctx, parley.HandoffAgentRequest{Agent: m.ID, To: to, Record: true})
	text := fmt.Sprintf("%s goes on for %s as %s, whose usage limit lasts until %s.", to, a.Profile, m.Name,
		plain.FormatEnd(until))
	if err != nil {
		f.useless[m.ID+" "+to] = now.Add(f.Admission.Settings.FallbackAfter)
		text = fmt.Sprintf("%s is at its usage limit until %s, and its fallback failed: %s", m.Name,
			plain.FormatEnd(until), parley.AsError(err).Message)
	}
	operator := []*team.Member{f.Roster.ByName(parley.OperatorName)}
	key := fmt.Sprintf("fallback %s %s %d", m.ID, to, now.Unix())
	if told := f.Admission.Notify(ctx, operator, text, nil, key); told != nil {
		f.log.Warn(text, "error", told)
	}
}

// limit returns when the usage limit of an agent ends, and whether it lasts so long that another program is to go on.
// Where its end is not known, it counts how long it has lasted.
func (f fallback) limit(m *team.Member, a *parley.Agent, now time.Time) (until time.Time, lasts bool) {
	t, after := m.Terminal(), f.Admission.Settings.FallbackAfter
	if t == nil || !a.State.Live() || a.State == parley.StateIdle || !t.Limit.Limit().On {
		return until, false
	}
	l := t.Limit.Limit()
	if until = l.Until; until.IsZero() {
		return now.Add(after), now.Sub(l.Since) >= after
	}
	return until, until.Sub(now) >= after
}
