package terminal

import (
	"context"
	"time"

	"parley/orchestrator/team"
	"parley/tmux"
)

// Programs and tmux do not agree how wide some characters are, such as emoji with a colour
// of skin. The rows that hold them push others out of their places, and what the program
// draws later does not heal that. It draws all rows again when the size of its window
// changes.

// redrawWithin is how long a program may take to draw its screen at another size.
const redrawWithin = 5 * time.Second

// redraw makes the window of a terminal one row smaller. giveSizeBack ends that. It does
// nothing where somebody views the window or has chosen its size, nor while a message is
// being typed.
func (w *watcher) redraw(ctx context.Context, m *team.Member, t *team.Terminal, info tmux.PaneInfo) {
	if !info.Unviewed || info.Resized || info.InMode || info.LaunchHeight < 2 || !m.Typing.TryLock() {
		return
	}
	defer m.Typing.Unlock()

	err := t.Pane.Resize(ctx, info.LaunchWidth, info.LaunchHeight-1)
	if err != nil && !w.ts.ending.Load() {
		w.ts.log.Warn("have its screen drawn again", "agent", m.Name, "error", err)
	}
	t.RedrawnAt = w.ts.now()
}

// isRedrawing reports whether a program that was made to draw its screen again has not
// begun to: it would not notice a size that comes and goes within a moment.
func isRedrawing(t *team.Terminal, info tmux.PaneInfo, now time.Time) bool {
	drawn := info.Activity.Unix() > t.RedrawnAt.Unix() // tmux tells whole seconds
	return !drawn && now.Sub(t.RedrawnAt) < redrawWithin
}
