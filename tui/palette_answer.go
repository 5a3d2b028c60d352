package tui

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"parley"
	"parley/plain"
	"parley/tui/kit"
)

// answerWords puts an operation's answer into lines of names and values. What is empty is
// left out, and so is that it succeeded.
func answerWords(res any) (string, error) {
	text, err := json.Marshal(res)
	if err != nil {
		return "", err
	}

	var b strings.Builder
	if err := writeValue(&b, text, ""); err != nil {
		return "", err
	}
	if b.Len() == 0 {
		return "Done.", nil
	}

	return strings.TrimSuffix(b.String(), "\n"), nil
}

// writeValue writes a JSON value as lines that begin with a margin.
func writeValue(b *strings.Builder, value json.RawMessage, margin string) error {
	d := json.NewDecoder(bytes.NewReader(value))
	if _, err := d.Token(); err != nil {
		return err
	}

	for d.More() {
		label := "· "
		if value[0] == '{' {
			name, err := d.Token()
			if err != nil {
				return err
			}
			label = strings.ReplaceAll(fmt.Sprint(name), "_", " ") + ": "
		}

		var item json.RawMessage
		if err := d.Decode(&item); err != nil {
			return err
		}
		if err := writeItem(b, label, item, margin); err != nil {
			return err
		}
	}

	return nil
}

// writeItem writes a field of an object, or an item of a list.
func writeItem(b *strings.Builder, label string, item json.RawMessage, margin string) error {
	plain := string(item)
	switch {
	case plain == "null" || plain == `""` || plain == "[]" || plain == "{}" || label == "success: ":
		return nil
	case item[0] == '"':
		if err := json.Unmarshal(item, &plain); err != nil {
			return err
		}
	case item[0] == '{' || item[0] == '[':
		var inner strings.Builder
		if err := writeValue(&inner, item, margin+"  "); err != nil || inner.Len() == 0 {
			return err
		}
		if label == "· " { // an item begins on the line of its dot
			b.WriteString(margin + label + strings.TrimPrefix(inner.String(), margin+"  "))
		} else {
			b.WriteString(margin + strings.TrimSuffix(label, " ") + "\n" + inner.String())
		}
		return nil
	case plain == "true" || plain == "false":
		plain = map[string]string{"true": "yes", "false": "no"}[plain]
	}

	b.WriteString(margin + label + strings.ReplaceAll(plain, "\n", "\n"+margin+"  ") + "\n")

	return nil
}

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
