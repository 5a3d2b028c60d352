package orchestrator

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"parley"
	"parley/internal/must"
	"parley/tmux/tmuxtest"
)

// What the screen does not show, the program tells by itself: that it asks something needs the operator, and nothing is
// typed. That it rests is not believed.
func TestAQuestionThatOnlyItsDoorTellsNeedsTheOperator(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	s := newStage(t, tmuxtest.Agent{}, framedWith(t, "door: {kind: claude, env: {CLAUDE_CONFIG_DIR: '"+home+"'}}"))
	says := func(status string) {
		t.Helper()
		dir := filepath.Join(home, "sessions")
		must.Do(t, os.MkdirAll(dir, 0o700))
		text := fmt.Sprintf(`{"version": "1", "status": %q, "waitingFor": "permission prompt"}`, status)
		fresh := filepath.Join(dir, "fresh")
		must.Do(t, os.WriteFile(fresh, []byte(text), 0o600))
		must.Do(t, os.Rename(fresh, filepath.Join(dir, fmt.Sprint(s.roster.ByName("coder").Terminal().PID, ".json"))))
	}

	says("waiting")
	s.show(tmuxtest.HideComposer)
	s.inState("coder", parley.StateWaiting)
	s.held(s.send("coder", "hello"), "nothing that is known")
	s.wantNeed(s.need(parley.NeedDialog), "coder",
		`its registry says that it waits: "permission prompt"; a message waits for it`, "parley answer coder")

	says("busy")
	s.inState("coder", parley.StateBusy)
	says("idle")
	s.inState("coder", parley.StateUnknown)
	s.wantMessages(0)
}
