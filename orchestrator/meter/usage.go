package meter

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/orchestrator/team"
	"parley/store"
)

func (p Prices) add(s *parley.Spending, model string, responses int, used parley.Tokens) {
	s.Responses += responses
	s.Tokens = s.Tokens.Plus(used)
	price, ok := p.of(model)
	s.Cost += price.cost(used)
	if !ok && !slices.Contains(s.Unpriced, model) {
		s.Unpriced = append(s.Unpriced, model)
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
	days, err := m.opts.Store.Tokens.TokenDays(ctx, agentID, from)
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

// Hours returns what the programs of all agents used in each hour since a time, the oldest first.
func (m *Meter) Hours(ctx context.Context, since time.Time) ([]parley.AgentHour, error) {
	hours, err := m.opts.Store.Tokens.TokenHours(ctx, since)
	if err != nil {
		return nil, err
	}

	all, last := []parley.AgentHour{}, store.TokenHour{}
	for _, h := range hours {
		member := m.opts.Roster.ByID(h.AgentID)
		if member == nil {
			continue
		}
		if h.AgentID != last.AgentID || h.Hour != last.Hour {
			all = append(all, parley.AgentHour{Agent: member.Name, Hour: time.Unix(h.Hour*3600, 0).UTC()})
			last = h
		}
		m.opts.Prices.add(&all[len(all)-1].Spending, h.Model, h.Responses, h.Tokens)
	}

	return all, nil
}

// usage sums up the days of one agent.
func (p Prices) usage(days []store.TokenDay) parley.ProgramUsage {
	u := parley.ProgramUsage{Days: []parley.UsageDay{}}
	for _, d := range days {
		p.add(&u.Spending, d.Model, d.Responses, d.Tokens)
		day := parley.UsageDay{Day: d.Day, Model: d.Model}
		p.add(&day.Spending, d.Model, d.Responses, d.Tokens)
		u.Days = append(u.Days, day)
	}
	return u
}

// conversation is how long the conversation of a program was at its last response.
type conversation struct {
	session string // of the program; "" if it is not known
	at      time.Time
	tokens  int64
}

// noteContext notes the last of some responses: what it read and wrote is read again by the next one.
// Subagents have conversations of their own.
func (m *Meter) noteContext(t *store.Transcript, records []store.TokenRecord) {
	member := m.opts.Roster.ByID(t.AgentID)
	if member == nil || strings.Contains(t.Path, "/subagents/") {
		return
	}

	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range records {
		if known := m.context[t.AgentID]; !r.At.Before(known.at) {
			m.context[t.AgentID] = conversation{member.Agent().Session.ID, r.At, r.Tokens.Total()}
		}
	}
}

// Context returns how many tokens the conversation of a member's program had at its last response, 0 if
// that is not known, as in a new conversation.
func (m *Meter) Context(member *team.Member) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	known := m.context[member.ID]
	if known.session != member.Agent().Session.ID {
		return 0
	}
	return known.tokens
}
