package traffic

import (
	tea "charm.land/bubbletea/v2"

	"parley/tui/kit"
	"parley/tui/room"
)

// exportFiltered asks for a file and writes the selected messages to it, else those that the filter lets through.
func (t *Screen) exportFiltered() tea.Cmd {
	if t.room.Do.Export == nil {
		t.room.Tell("An export from here needs the daemon on this machine; parley export writes one.")
		return nil
	}
	if t.Selection.Picks() {
		ids := room.IDsOf(t.Selection.Chosen())
		label := "File for " + kit.Plural(len(ids), "message") + " (.md or .jsonl)"
		return t.room.Keys.AskLine(label, func(path string) tea.Cmd {
			t.room.Tell("Exporting…")
			return t.room.Do.Export(room.Exported{IDs: ids}, path)
		})
	}

	if t.Filter.query.problem != "" {
		t.room.Tell("Nothing to export: " + t.Filter.query.problem)
		return nil
	}

	what := "all messages"
	if !t.Filter.query.empty() {
		what = "messages that match " + t.Filter.query.text
	}

	return t.room.Keys.AskLine("File for "+what+" (.md or .jsonl)", func(path string) tea.Cmd {
		t.room.Tell("Exporting…")
		if t.Filter.query.empty() {
			return t.room.Do.Export(room.Exported{}, path)
		}
		request := t.Filter.query.request
		return t.room.Do.Export(room.Exported{Find: &request}, path)
	})
}
