package tui

import (
	"slices"
	"strings"

	"parley"
)

// Look is what the settings say of columns and sizes.
type Look struct {
	AgentColumns   string // names with commas between them; those that fit if empty
	TrafficColumns string // likewise
	DetailWidth    int    // percent of the columns that what stands beside a list has; 0 for as many as it chooses
	DetailHeight   int    // percent of the lines, where it stands below
}

// Columns that a list may have, besides the names of its agents and its texts.
var (
	AgentColumns   = namesOfColumns()
	TrafficColumns = []string{"time", "route", "state", "tag"}
)

// Bounds of the sizes, in percent.
const (
	LeastDetail = 20
	MostDetail  = 80
)

func namesOfColumns() []string {
	var names []string
	for _, c := range agentColumns {
		names = append(names, c.name())
	}
	return names
}

// name is how the settings know a column.
func (c *agentColumn) name() string { return strings.ReplaceAll(c.head, " ", "-") }

// CheckLook reports what is wrong with the columns and sizes of the settings.
func CheckLook(l Look) error {
	for _, list := range []struct {
		setting, text string
		known         []string
	}{
		{"agent_columns", l.AgentColumns, AgentColumns},
		{"traffic_columns", l.TrafficColumns, TrafficColumns},
	} {
		names := columnsIn(list.text)
		for i, name := range names {
			if !slices.Contains(list.known, name) {
				return noColumn(list.setting, name, list.known)
			}
			if slices.Contains(names[:i], name) {
				return parley.Errorf(parley.InvalidArgument, "%s has %s twice", list.setting, name).
					With("setting", list.setting).Suggest("Name it once.")
			}
		}
	}

	for _, size := range []struct {
		setting string
		percent int
	}{{"detail_width", l.DetailWidth}, {"detail_height", l.DetailHeight}} {
		if n := size.percent; n != 0 && (n < LeastDetail || n > MostDetail) {
			return parley.Errorf(parley.InvalidArgument, "%s is %d", size.setting, n).
				With("setting", size.setting).
				Suggest("Give %d to %d, in percent, or 0.", LeastDetail, MostDetail)
		}
	}

	return nil
}

// noColumn says that there is no such column, and which one is meant.
func noColumn(setting, name string, known []string) error {
	best, score := "", 0
	for _, k := range known {
		if n := fuzzy(name, k); n > score {
			best, score = k, n
		}
	}

	e := parley.Errorf(parley.InvalidArgument, "%s has %q, which is no column", setting, parley.CleanLine(name)).
		With("setting", setting)
	if best != "" {
		return e.Suggest("Did you mean %s? There are %s.", best, strings.Join(known, ", "))
	}

	return e.Suggest("There are %s.", strings.Join(known, ", "))
}

// columnsIn splits a list of names.
func columnsIn(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r == ',' || r == ' ' })
}

// agentColumnsOf returns the columns of the settings, the first of which gets room first; else all of them.
func agentColumnsOf(l Look) []agentColumn {
	names := columnsIn(l.AgentColumns)
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

// hiddenColumns are the columns of the traffic that are not drawn.
type hiddenColumns map[string]bool

func hiddenColumnsOf(l Look) hiddenColumns {
	shown := columnsIn(l.TrafficColumns)
	if len(shown) == 0 {
		return nil
	}

	hidden := hiddenColumns{}
	for _, name := range TrafficColumns {
		hidden[name] = !slices.Contains(shown, name)
	}

	return hidden
}

// or returns the text of a column, "" if that is hidden.
func (h hiddenColumns) or(column, text string) string {
	if h[column] {
		return ""
	}
	return text
}
