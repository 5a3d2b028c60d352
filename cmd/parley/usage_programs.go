package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley"
	"parley/plain"
)

// daysShown bounds the days that are printed of one agent; --json has all.
const daysShown = 7

// printPrograms prints what the programs of agents used, with the last days of an agent that was asked
// for alone.
func (usageCommand) printPrograms(o *output, programs []parley.ProgramUsage, team *parley.BudgetUse) {
	t, days := table{fits: []fit{inner, prose, prose}}, table{fits: []fit{whole, inner, prose}}
	silent := map[parley.UsageUnknown][]string{} // the agents of which nothing but this is known
	for _, p := range programs {
		if p.Unknown != "" && p.Responses == 0 && p.Budget == nil && len(programs) > 1 {
			silent[p.Unknown] = append(silent[p.Unknown], p.Agent)
			continue
		}
		t.add(o.paint(bold, p.Agent), programWords(&p.Spending, p.Unknown), todayPart(&p))
	}
	t.print(o)
	for _, why := range slices.Sorted(maps.Keys(silent)) {
		line := o.paint(bold, strings.Join(silent[why], ", ")) + ": " + why.Words()
		o.printf("%s\n", o.folded(line, 2))
	}
	if team != nil {
		o.printf("The team has used %s today.\n", team.Words())
	}

	if len(programs) != 1 {
		return
	}
	for _, d := range programs[0].Days[:min(len(programs[0].Days), daysShown)] {
		days.add(d.Day, d.Model, programWords(&d.Spending, ""))
	}
	days.print(o)
}

func programWords(s *parley.Spending, unknown parley.UsageUnknown) string {
	var words []string
	if s.Responses > 0 {
		words = append(words, fmt.Sprintf("%s: %s in, %s cached, %s into the cache, %s out",
			count(s.Responses, "response"), plain.FormatCount(s.Input), plain.FormatCount(s.Cached),
			plain.FormatCount(s.CacheWrite), plain.FormatCount(s.Output)))
	}
	if s.Cost > 0 {
		words = append(words, "cost "+plain.FormatCost(s.Cost))
	}
	if s.Cost > 0 && len(s.Unpriced) > 0 {
		words = append(words, "without "+strings.Join(s.Unpriced, ", "))
	}

	switch {
	case unknown == "" && words == nil:
		return "nothing yet"
	case unknown == "":
	case words == nil:
		return unknown.Words()
	default:
		words = append(words, "more is "+unknown.Words())
	}

	return strings.Join(words, "; ")
}

func todayPart(p *parley.ProgramUsage) string {
	words := ""
	if p.Today.Responses > 0 {
		words = "today " + todayWords(&p.Today)
	}
	if p.Budget != nil {
		words = strings.TrimPrefix(words+", "+p.Budget.Words(), ", ")
	}
	return words
}

// todayWords says what an agent's program has used today, "" if that is not known.
func todayWords(s *parley.Spending) string {
	if s == nil {
		return ""
	}
	words := plain.FormatCount(s.Total())
	if s.Cost > 0 {
		words += " (" + plain.FormatCost(s.Cost) + ")"
	}
	return words
}
