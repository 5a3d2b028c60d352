package needs

import (
	"fmt"
	"slices"
	"strings"

	"parley"
)

// all returns the needs of the agents that are kept from working. Where several have lost their
// terminals, as after a reboot, one need stands for them.
func (an *AgentNeeds) all(queued map[string]int) []parley.Need {
	var needs []parley.Need
	var lost []parley.Agent
	waiting := 0
	for _, m := range an.Roster.All() {
		n, ok := an.of(m, queued[m.ID])
		if !ok {
			continue
		}

		needs = append(needs, n)
		if a := m.Agent(); a.Lost() {
			lost = append(lost, a)
			waiting += queued[m.ID]
		}
	}

	if len(lost) < 2 {
		return needs
	}
	needs = slices.DeleteFunc(needs, func(n parley.Need) bool {
		return slices.ContainsFunc(lost, func(a parley.Agent) bool { return a.ID == n.AgentID })
	})

	return append(needs, returnNeed(lost, waiting))
}

// returnNeed returns the need of agents that have lost their terminals.
func returnNeed(lost []parley.Agent, waiting int) parley.Need {
	var names []string
	since := lost[0].Since
	for _, a := range lost {
		names = append(names, a.Name)
		if a.Since.After(since) {
			since = a.Since
		}
	}

	n := parley.Need{
		Kind:  parley.NeedReturn,
		Agent: parley.SystemName,
		Since: since,
		Text:  fmt.Sprintf("%d agents were running: %s", len(lost), strings.Join(names, ", ")),
		Action: "It brings them back, each with its own conversation if its program can. " +
			"To let one go: parley stop NAME.",
	}
	back := parley.Act{Key: parley.ActOpen, Command: "parley up", ActCalls: parley.ActCalls{
		Words: "bring them back", Operation: "restart_agent", Done: "Brought back: " + strings.Join(names, ", ") + ".",
	}}
	for _, a := range lost {
		back.Arguments = append(back.Arguments, map[string]any{"agent": a.ID})
	}
	n.Acts = []parley.Act{back}
	switch {
	case waiting == 1:
		n.Text += "; a message waits for them"
	case waiting > 1:
		n.Text += fmt.Sprintf("; %d messages wait for them", waiting)
	}

	return n
}
