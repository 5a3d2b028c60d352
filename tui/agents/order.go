package agents

import (
	"cmp"
	"strings"

	"parley"
	"parley/tui/kit"
	"parley/tui/team"
)

// order is how the agents are grouped.
type order int

const (
	byTrouble order = iota
	byGroup
	byHost
	byName
	byMessages
	byTokens
	byTime
	orders
)

var orderNames = []string{
	"by trouble", "by group", "by host", "by name", "by messages", "by tokens", "by time in state",
}

// compare orders two agents, the most first. sum returns how many messages one had in the last hour.
func (o order) compare(x, y *parley.AgentStatus, sum func(id string) int) int {
	switch o {
	case byGroup:
		return strings.Compare(cmp.Or(groupOf(x), lastGroup), cmp.Or(groupOf(y), lastGroup))
	case byHost:
		return strings.Compare(cmp.Or(x.Host, lastGroup), cmp.Or(y.Host, lastGroup))
	case byMessages:
		return sum(y.ID) - sum(x.ID)
	case byTokens:
		return cmp.Compare(tokensOf(y), tokensOf(x))
	case byTime:
		return x.Since.Compare(y.Since)
	case byTrouble:
		if by := team.Section(x) - team.Section(y); by != 0 || team.Section(x) != team.InTrouble {
			return by
		}
		return cmp.Or(team.UrgencyOf(x)-team.UrgencyOf(y), x.Since.Compare(y.Since))
	}
	return 0
}

func tokensOf(s *parley.AgentStatus) int64 {
	if s.Today == nil {
		return 0
	}
	return s.Today.Total()
}

// heading returns the heading that an agent belongs under; "" if this order has none.
func (o order) heading(s *parley.AgentStatus) string {
	switch o {
	case byTrouble:
		return team.SectionNames[team.Section(s)]
	case byGroup:
		if group := groupOf(s); group != "" {
			return kit.SafeLine(group)
		}
		return "In no group"
	case byHost:
		if s.Host != "" {
			return kit.SafeLine(s.Host)
		}
		return "On no host"
	}
	return ""
}

// lastGroup sorts after all names: agents in no group come last.
const lastGroup = "\U0010ffff"

func groupOf(s *parley.AgentStatus) string {
	if len(s.Groups) == 0 {
		return ""
	}
	return s.Groups[0]
}
