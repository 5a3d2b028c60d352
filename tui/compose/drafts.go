package compose

import (
	"slices"
	"strings"
)

// Unsent returns the addresses, in words, for which something is written.
func (c *Box) Unsent() []string {
	var labels []string
	for to, d := range c.Drafts.Kept {
		if !c.Open || to != c.Draft.To {
			labels = append(labels, d.Label)
		}
	}
	if c.Open && strings.TrimSpace(c.text()) != "" {
		labels = append(labels, c.Draft.Label)
	}
	for _, d := range c.Drafts.Posting {
		labels = append(labels, d.Label)
	}
	slices.Sort(labels)
	return labels
}
