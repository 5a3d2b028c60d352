package main

import "parley"

func problems(found []finding) int { return countOf(found, problem) }

func countOf(found []finding, l level) (n int) {
	for _, f := range found {
		if f.Level == l {
			n++
		}
	}
	return n
}

// report prints the findings, each with its next step below.
func (d *doctor) report(found []finding) error {
	if d.json {
		return d.printJSON(struct {
			parley.Answer
			Healthy  bool      `json:"healthy"` // no problem was found
			Problems int       `json:"problems"`
			Warnings int       `json:"warnings"`
			Findings []finding `json:"findings"`
			Repaired *repaired `json:"repaired,omitempty"`
		}{parley.OK, problems(found) == 0, problems(found), countOf(found, warning), found, d.repaired})
	}

	style := map[level]string{fine: green, warning: yellow, problem: red}
	var t table
	for _, f := range found {
		detail := f.Detail
		if f.Action != "" {
			detail += "\n" + d.paint(faint, "→") + " " + f.Action
		}
		t.add(d.paint(style[f.Level], string(f.Level)), f.Check, detail)
	}

	t.print(&d.output)

	return d.printLine(summary(problems(found), countOf(found, warning)))
}

func summary(problems, warnings int) string {
	switch {
	case problems+warnings == 0:
		return "All is well."
	case problems == 0:
		return "No problem, " + count(warnings, "warning") + "."
	case warnings == 0:
		return count(problems, "problem") + "."
	}
	return count(problems, "problem") + ", " + count(warnings, "warning") + "."
}
