package tui

import (
	"cmp"
	"strings"

	"parley"
	"parley/plain"
	"parley/tui/kit"
)

// viewOf returns the answer of an operation as a person reads it, "" if it has no view: it is then told field by field.
func viewOf(res any) string {
	switch res := res.(type) {
	case *parley.UsageResult:
		return usageView(res)
	case *parley.ReadTerminalResult:
		return strings.Join(res.Lines, "\n")
	case *parley.ExplainMessageResult:
		return strings.Join(res.Story, "\n")
	case *parley.DiffAgentResult:
		return cmp.Or(res.Diff, "Nothing has changed.")
	}
	return ""
}

// usageView is a table of what the programs of agents, and models that answer, have used.
func usageView(res *parley.UsageResult) string {
	rows := [][]string{{"agent", "runs", "today", "cost", "in all", "cost", ""}}
	for i := range res.Programs {
		p := &res.Programs[i]
		rows = append(rows, []string{
			kit.SafeLine(p.Agent), kit.SafeLine(p.Program), countWords(p.Today.Total()), costWords(p.Today.Cost),
			countWords(p.Total()), costWords(p.Cost), kit.CodeWords(p.Unknown),
		})
	}
	for i := range res.Agents {
		a := &res.Agents[i]
		rows = append(rows, []string{
			kit.SafeLine(a.Agent), "responder", "", "", countWords(a.InputTokens + a.OutputTokens), "",
			kit.CodeWords(kit.Tally(a.Failures)),
		})
	}
	if len(rows) == 1 {
		return "Nothing has been used yet."
	}

	widths := make([]int, len(rows[0]))
	for i := range widths {
		for _, row := range rows[1:] {
			widths[i] = max(widths[i], kit.Width(row[i]))
		}
		if widths[i] > 0 { // a column in which nothing stands is left out
			widths[i] = max(widths[i], kit.Width(rows[0][i]))
		}
	}

	var lines []string
	for _, row := range rows {
		line := ""
		for i, text := range row {
			if widths[i] > 0 {
				line += kit.Pad(text, widths[i]) + "  "
			}
		}
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return strings.Join(lines, "\n")
}

// countWords and costWords leave out zeros.
func countWords(n int64) string {
	if n == 0 {
		return ""
	}
	return plain.FormatCount(n)
}

func costWords(cost float64) string {
	if cost == 0 {
		return ""
	}
	return plain.FormatCost(cost)
}
