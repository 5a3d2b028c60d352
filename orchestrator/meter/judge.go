package meter

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/setting"
	"parley/plain"
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

// Prices are the prices of models, by the model's name. A name that ends with * is the beginning of
// names; the longest that fits counts.
type Prices map[string]Price

// Price is what a million tokens of a model cost.
type Price struct {
	Input      float64 `yaml:"input" doc:"What a million tokens cost that the model reads."`
	Cached     float64 `yaml:"cached" doc:"What a million tokens cost that are taken from a cache."`
	CacheWrite float64 `yaml:"cache_write" doc:"What a million tokens cost that are put into a cache."`
	Output     float64 `yaml:"output" doc:"What a million tokens cost that the model writes, reasoning included."`
}

func (p Prices) of(model string) (price Price, ok bool) {
	if price, ok = p[model]; ok {
		return price, true
	}
	longest := -1
	for _, name := range slices.Sorted(maps.Keys(p)) {
		begin, isBegin := strings.CutSuffix(name, "*")
		if isBegin && strings.HasPrefix(model, begin) && len(begin) > longest {
			price, longest, ok = p[name], len(begin), true
		}
	}
	return price, ok
}

const million = 1_000_000

func (p Price) cost(t parley.Tokens) float64 {
	return (float64(t.Input)*p.Input + float64(t.Cached)*p.Cached + float64(t.CacheWrite)*p.CacheWrite +
		float64(t.Output)*p.Output) / million
}

// Budget is what may be used on a day. The tags declare each setting once: see package setting.
type Budget struct {
	Tokens int     `yaml:"tokens" min:"0" doc:"Tokens for a day, those from a cache included; 0 for any number."`
	Money  float64 `yaml:"money" doc:"The cost of a day, by prices; 0 for any amount."`
	WarnAt int     `yaml:"warn_at" default:"80" min:"1" max:"100" doc:"The percentage from which you are warned."`
	Then   string  `yaml:"then" default:"warn" enum:"warn,hold,pause" doc:"When it is used up: a warning only, messages to the agents held until midnight, or communication paused."`
}

// What follows when a budget is used up.
const (
	thenHold  = "hold"
	thenPause = "pause"
)

// Given reports whether there is a budget.
func (b *Budget) Given() bool { return b.Tokens > 0 || b.Money > 0 }

// Check fills in the defaults and refuses what cannot be meant. Source tells where the budget stands.
func (b *Budget) Check(source string) error {
	if *b == (Budget{}) {
		return nil
	}
	setting.Fill(b)
	if b.Money < 0 {
		return setting.Refuse(source, "money", b.Money, "an amount of at least 0")
	}
	if !b.Given() {
		return setting.Refuse(source, "tokens", 0, "tokens or money, or leave the budget out")
	}
	return setting.Check(b, source)
}

// Check refuses prices below zero.
func (p Prices) Check(source string) error {
	for _, name := range slices.Sorted(maps.Keys(p)) {
		if price := p[name]; min(price.Input, price.Cached, price.CacheWrite, price.Output) < 0 {
			return setting.Refuse(source, name, "below zero",
				"prices of a million tokens, such as {input: 5, output: 25}")
		}
	}
	return nil
}

func (b *Budget) usedUp(s parley.Spending) (percent int, words string) {
	if b.Tokens > 0 {
		percent = int(float64(s.Total()) * 100 / float64(b.Tokens))
		words = fmt.Sprintf("%s of %s tokens", plain.FormatCount(s.Total()), plain.FormatCount(int64(b.Tokens)))
	}
	if b.Money > 0 {
		if p := int(s.Cost * 100 / b.Money); p >= percent || b.Tokens == 0 {
			percent, words = p, plain.FormatCost(s.Cost)+" of "+plain.FormatCost(b.Money)
		}
	}
	return percent, words
}
