package room

import (
	"cmp"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"parley/tui/kit"
)

// Exported tells what came of an export.
func (d *Shared) Exported(msg ExportedMsg) tea.Cmd {
	if msg.Err != nil {
		d.Failed(msg.Err)
		return nil
	}
	d.Tell(fmt.Sprintf("%s written to %s.", kit.Plural(msg.N, "message"), cmp.Or(kit.SafeLine(msg.Path), "the file")))
	return nil
}
