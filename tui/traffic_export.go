package tui

import tea "charm.land/bubbletea/v2"

// exportFiltered asks for a file and writes the selected messages to it, else those that the filter lets through.
func (t *traffic) exportFiltered() tea.Cmd {
	if t.do.export == nil {
		t.tell("An export from here needs the daemon on this machine; parley export writes one.")
		return nil
	}
	if t.picks() {
		ids := idsOf(t.chosen())
		return t.askLine("File for "+plural(len(ids), "message")+" (.md, .jsonl or .html)", func(path string) tea.Cmd {
			t.tell("Exporting…")
			return t.do.export(Exported{IDs: ids}, path)
		})
	}

	if t.filter.query.problem != "" {
		t.tell("Nothing to export: " + t.filter.query.problem)
		return nil
	}

	what := "all messages"
	if !t.filter.query.empty() {
		what = "messages that match " + t.filter.query.text
	}

	return t.askLine("File for "+what+" (.md, .jsonl or .html)", func(path string) tea.Cmd {
		t.tell("Exporting…")
		if t.filter.query.empty() {
			return t.do.export(Exported{}, path)
		}
		request := t.filter.query.request
		return t.do.export(Exported{Find: &request}, path)
	})
}
