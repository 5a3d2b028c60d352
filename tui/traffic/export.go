package traffic

import (
	tea "charm.land/bubbletea/v2"

	"parley/tui/kit"
	"parley/tui/room"
)

// exportFiltered asks for a file and writes the selected messages to it, else those that the filter lets through.
func (t *Screen) exportFiltered() tea.Cmd {
	if t.Do.Export == nil {
		t.Tell("An export from here needs the daemon on this machine; parley export writes one.")
		return nil
	}
	if t.Picks() {
		ids := room.IDsOf(t.Chosen())
		label := "File for " + kit.Plural(len(ids), "message") + " (.md or .jsonl)"
		return t.AskLine(label, func(path string) tea.Cmd {
			t.Tell("Exporting…")
			return t.Do.Export(room.Exported{IDs: ids}, path)
		})
	}

	if t.Filter.query.problem != "" {
		t.Tell("Nothing to export: " + t.Filter.query.problem)
		return nil
	}

	what := "all messages"
	if !t.Filter.query.empty() {
		what = "messages that match " + t.Filter.query.text
	}

	return t.AskLine("File for "+what+" (.md or .jsonl)", func(path string) tea.Cmd {
		t.Tell("Exporting…")
		if t.Filter.query.empty() {
			return t.Do.Export(room.Exported{}, path)
		}
		request := t.Filter.query.request
		return t.Do.Export(room.Exported{Find: &request}, path)
	})
}
