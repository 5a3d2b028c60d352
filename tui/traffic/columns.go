package traffic

import (
	"slices"

	"parley/tui/kit"
)

// Columns are the columns that the traffic may have, besides its texts.
var Columns = []string{"time", "route", "state", "tag"}

// HiddenColumnsOf returns the columns that the settings leave out.
func HiddenColumnsOf(text string) hiddenColumns {
	shown := kit.ColumnsIn(text)
	if len(shown) == 0 {
		return nil
	}

	hidden := hiddenColumns{}
	for _, name := range Columns {
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
