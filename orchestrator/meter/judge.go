package meter

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"parley"
)

// overrun is a budget that is used up, or nearly.
type overrun struct {
	percent int
	words   string
	then    string
	since   time.Time
}

// usedUp reports whether nothing is left.
func (o overrun) usedUp() bool { return o.percent >= 100 }

// judge compares what was used today with the budgets.
func (m *Meter) judge(ctx context.Context, day string, today map[string]parley.Spending, now time.Time) error {
	over, budgets := map[string]overrun{}, map[string]parley.BudgetUse{}
	note := func(whose string, b Budget, s parley.Spending) {
		percent, words := b.usedUp(s)
		if b.Given() {
			budgets[whose] = parley.BudgetUse{Percent: percent, Used: words, Then: b.Then}
		}
		if b.Given() && percent >= b.WarnAt {
			over[whose] = overrun{percent, words, b.Then, now}
		}
	}

	var all parley.Spending
	for _, member := range m.opts.Roster.All() {
		s := today[member.ID]
		all.Tokens, all.Cost = all.Tokens.Plus(s.Tokens), all.Cost+s.Cost
		note(member.ID, m.opts.Agents[strings.ToLower(member.Name)], s)
	}
	note("", m.opts.Team, all)

	m.replace(over, budgets)

	return m.pause(ctx, day, over)
}

// replace notes the new state, and wakes the couriers of agents whose messages are held from now on, or
// no longer.
func (m *Meter) replace(over map[string]overrun, budgets map[string]parley.BudgetUse) {
	m.mu.Lock()
	before := m.over
	for whose, o := range over {
		if was, ok := before[whose]; ok && was.usedUp() == o.usedUp() {
			o.since = was.since
			over[whose] = o
		}
	}
	m.over, m.budgets = over, budgets
	m.mu.Unlock()

	for _, member := range m.opts.Roster.All() {
		if (holdOf(before, member.ID) == "") != (holdOf(over, member.ID) == "") {
			member.Wake()
		}
	}
}

// pause pauses communication for budgets that say so, once on a day: a person may then resume it.
func (m *Meter) pause(ctx context.Context, day string, over map[string]overrun) error {
	for _, whose := range slices.Sorted(maps.Keys(over)) {
		o := over[whose]
		if o.then != thenPause || !o.usedUp() || m.paused[whose] == day {
			continue
		}

		// An earlier daemon, or that of another host, may have paused for it today.
		var err error
		if m.paused, err = m.opts.Store.Workspace.BudgetPauses(ctx); err != nil {
			return err
		}
		if m.paused[whose] == day {
			continue
		}

		paused, err := m.opts.Pause(ctx, m.subject(whose)+" "+o.sentence())
		if err != nil || !paused {
			return err
		}
		if err := m.opts.Store.Workspace.NoteBudgetPause(ctx, whose, day); err != nil {
			return err
		}
	}
	return nil
}

// Hold says why messages to an agent wait, "" if no budget holds them.
func (m *Meter) Hold(agentID string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return holdOf(m.over, agentID)
}

func holdOf(over map[string]overrun, agentID string) string {
	if o, ok := over[agentID]; ok && o.then == thenHold && o.usedUp() {
		return "it " + o.sentence()
	}
	if o, ok := over[""]; ok && o.then == thenHold && o.usedUp() {
		return "the team " + o.sentence()
	}
	return ""
}

func (o overrun) sentence() string {
	if o.usedUp() {
		return "has used up its budget of today: " + o.words
	}
	return fmt.Sprintf("has used %d %% of its budget of today: %s", o.percent, o.words)
}

// subject names whose budget it is.
func (m *Meter) subject(agentID string) string {
	if agentID == "" {
		return "the team"
	}
	return m.opts.Roster.ByID(agentID).Name
}

// Needs tells of the budgets that are used up, or nearly.
func (m *Meter) Needs() (needs []parley.Need) {
	m.mu.Lock()
	over := maps.Clone(m.over)
	m.mu.Unlock()

	for _, whose := range slices.Sorted(maps.Keys(over)) {
		o, who, command := over[whose], m.opts.Roster.ByName(parley.OperatorName), "parley usage"
		if whose != "" {
			who = m.opts.Roster.ByID(whose)
			command += " " + who.Name
		}
		needs = append(needs, parley.Need{
			Kind: parley.NeedBudget, AgentID: who.ID, Agent: who.Name, Since: o.since,
			Text: o.text(whose), Command: command, Action: o.action(),
		})
	}

	return needs
}

func (o overrun) text(whose string) string {
	text := o.sentence()
	if whose == "" {
		text = "the team " + text
	}
	switch {
	case o.usedUp() && o.then == thenHold:
		text += "; messages to its terminals are held until midnight"
	case o.usedUp() && o.then == thenPause:
		text += "; that paused communication"
	}
	return text
}

func (o overrun) action() string {
	const raise = "Raise the budget in parley.yaml and restart the daemon (parley down --keep-agents, then any command)"
	switch {
	case o.usedUp() && o.then == thenPause:
		return "Resume with parley resume: a budget pauses once a day, and midnight ends no pause. " + raise + "."
	case o.usedUp() && o.then == thenHold:
		return "Let single messages go with parley retry ID. " + raise + ", or wait: a new day begins at midnight."
	}
	return raise + ", or wait: a new day begins at midnight."
}
