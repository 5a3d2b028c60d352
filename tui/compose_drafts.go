package tui

import (
	"slices"
	"strings"
)

// unsent returns the addresses, in words, for which something is written.
func (c *compose) unsent() []string {
	var labels []string
	for to, d := range c.drafts.kept {
		if !c.open || to != c.draft.to {
			labels = append(labels, d.label)
		}
	}
	if c.open && strings.TrimSpace(c.text()) != "" {
		labels = append(labels, c.draft.label)
	}
	for _, d := range c.drafts.posting {
		labels = append(labels, d.label)
	}
	slices.Sort(labels)
	return labels
}
