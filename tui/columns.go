package tui

import (
	"slices"
	"strings"

	"parley"
	"parley/plain"
	"parley/tui/agents"
	"parley/tui/kit"
	"parley/tui/traffic"
)

// Look is what the settings say of columns and sizes.
type Look struct {
	AgentColumns   string // names with commas between them; those that fit if empty
	TrafficColumns string // likewise
	DetailWidth    int    // percent of the columns that what stands beside a list has; 0 for as many as it chooses
	DetailHeight   int    // percent of the lines, where it stands below
}

// Bounds of the sizes, in percent.
const (
	LeastDetail = 20
	MostDetail  = 80
)

// CheckLook reports what is wrong with the columns and sizes of the settings.
func CheckLook(l Look) error {
	for _, list := range []struct {
		setting, text string
		known         []string
	}{
		{"agent_columns", l.AgentColumns, agents.Columns},
		{"traffic_columns", l.TrafficColumns, traffic.Columns},
	} {
		names := kit.ColumnsIn(list.text)
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
		if n := kit.Fuzzy(name, k); n > score {
			best, score = k, n
		}
	}

	e := parley.Errorf(parley.InvalidArgument, "%s has %q, which is no column", setting, plain.CleanLine(name)).
		With("setting", setting)
	if best != "" {
		return e.Suggest("Did you mean %s? There are %s.", best, strings.Join(known, ", "))
	}

	return e.Suggest("There are %s.", strings.Join(known, ", "))
}
