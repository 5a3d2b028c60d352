package tui

import (
	"slices"
	"strings"
)

// unposted are the drafts that are kept and not on their way, by their labels.
func (c *compose) unposted() []draft {
	var all []draft
	for to, d := range c.kept {
		if !c.posting[to] && (!c.open || to != c.draft.to) {
			all = append(all, d)
		}
	}
	slices.SortFunc(all, func(a, b draft) int { return strings.Compare(a.label+a.text, b.label+b.text) })
	return all
}

// forget throws a draft away.
func (c *compose) forget(to address) { delete(c.kept, to) }
