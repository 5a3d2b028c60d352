package tui

import "slices"

// TrafficColumns are the columns that the traffic may have, besides its texts.
var TrafficColumns = []string{"time", "route", "state", "tag"}

// hiddenColumns are the columns of the traffic that are not drawn.
type hiddenColumns map[string]bool

func hiddenColumnsOf(text string) hiddenColumns {
	shown := columnsIn(text)
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
