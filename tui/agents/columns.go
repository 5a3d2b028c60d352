package agents

import (
	"slices"
	"strings"

	"parley/tui/kit"
)

// Columns are the columns that the list of agents may have, besides their names.
var Columns = namesOfColumns()

func namesOfColumns() []string {
	var names []string
	for _, c := range agentColumns {
		names = append(names, c.name())
	}
	return names
}

// name is how the settings know a column.
func (c *agentColumn) name() string { return strings.ReplaceAll(c.head, " ", "-") }

// agentColumnsOf returns the columns of the settings, the first of which gets room first; else all of them.
func agentColumnsOf(text string) []agentColumn {
	names := kit.ColumnsIn(text)
	if len(names) == 0 {
		return agentColumns
	}

	var columns []agentColumn
	for i, name := range names {
		at := slices.IndexFunc(agentColumns, func(c agentColumn) bool { return c.name() == name })
		if at < 0 {
			continue // CheckLook refuses it
		}
		c := agentColumns[at]
		c.rank = i
		columns = append(columns, c)
	}

	return columns
}
