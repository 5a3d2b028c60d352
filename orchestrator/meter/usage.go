package meter

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/store"
)

// add adds what a model used on a day to a sum.
func (p Prices) add(s *parley.Spending, d *store.TokenDay) {
	s.Responses += d.Responses
	s.Tokens = s.Tokens.Plus(d.Tokens)
	price, ok := p.of(d.Model)
	s.Cost += price.cost(d.Tokens)
	if !ok && !slices.Contains(s.Unpriced, d.Model) {
		s.Unpriced = append(s.Unpriced, d.Model)
	}
}

// Today returns what an agent has used today, as of the last look.
func (m *Meter) Today(agentID string) (s parley.Spending, unknown parley.UsageUnknown) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.today[agentID], m.unknown[agentID]
}

// Budget returns how much of the budget of an agent is used, "" for the team's; nil if there is none.
func (m *Meter) Budget(agentID string) *parley.BudgetUse {
	m.mu.Lock()
	defer m.mu.Unlock()
	b, ok := m.budgets[agentID]
	if !ok {
		return nil
	}
	return &b
}

// Programs returns what the programs of agents used since a time's day, by name; without an agent, of all
// that have used something or could have.
func (m *Meter) Programs(ctx context.Context, agentID string, since time.Time) ([]parley.ProgramUsage, error) {
	from := ""
	if !since.IsZero() {
		from = dayOf(since)
	}
	days, err := m.opts.Store.TokenDays(ctx, agentID, from)
	if err != nil {
		return nil, err
	}

	byAgent := map[string][]store.TokenDay{}
	for _, d := range days {
		byAgent[d.AgentID] = append(byAgent[d.AgentID], d)
	}

	all := []parley.ProgramUsage{}
	for _, member := range m.opts.Roster.All() {
		if agentID != "" && member.ID != agentID || member.Kind != parley.KindTerminal {
			continue
		}
		if byAgent[member.ID] == nil && member.Terminal() == nil {
			continue
		}
		a := member.Agent()
		u := m.opts.Prices.usage(byAgent[member.ID])
		u.AgentID, u.Agent, u.Program = a.ID, a.Name, a.Profile
		u.Today, u.Unknown = m.Today(a.ID)
		u.Budget = m.Budget(a.ID)
		all = append(all, u)
	}
	slices.SortFunc(all, func(a, b parley.ProgramUsage) int {
		return cmp.Compare(strings.ToLower(a.Agent), strings.ToLower(b.Agent))
	})

	return all, nil
}

// usage sums up the days of one agent.
func (p Prices) usage(days []store.TokenDay) parley.ProgramUsage {
	u := parley.ProgramUsage{Days: []parley.UsageDay{}}
	for _, d := range days {
		p.add(&u.Spending, &d)
		day := parley.UsageDay{Day: d.Day, Model: d.Model}
		p.add(&day.Spending, &d)
		u.Days = append(u.Days, day)
	}
	return u
}
