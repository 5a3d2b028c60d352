package tui

import (
	"cmp"
	"fmt"

	tea "charm.land/bubbletea/v2"
)

// exported tells what came of an export.
func (d *shared) exported(msg exportedMsg) tea.Cmd {
	if msg.err != nil {
		d.failed(msg.err)
		return nil
	}
	d.tell(fmt.Sprintf("%s written to %s.", plural(msg.n, "message"), cmp.Or(safeLine(msg.path), "the file")))
	return nil
}
