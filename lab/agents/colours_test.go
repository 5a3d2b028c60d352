package agents

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"parley"
	"parley/internal/must"
	"parley/internal/testhome"
	"parley/program/profile"
)

// agentsCaptures names a directory that gets the screens with their colours, as program/profile/testdata has them.
const agentsCaptures = "PARLEY_TEST_CAPTURES"

// What stands in a composer is told apart from hints and placeholders by its cells: at the program's start, at rest
// after a turn, and with a person's draft.
func TestComposersAreReadByTheirColours(t *testing.T) {
	alone(t, theColours, func(t *testing.T, program installed) {
		const draft = "draft single line"
		s := launchReal(t, program, aloneAt)
		s.inState(parley.StateIdle)
		s.readsCells("fresh", "")
		s.arrives(s.send("say 1"))
		s.inState(parley.StateIdle)
		s.readsCells("empty", "")
		s.drafts(draft)
		s.readsCells("draft", draft)
		s.backspace(draft)
	})
}

// readsCells waits until the composer is read, with its colours, as it should be.
func (s *onStage) readsCells(name, want string) {
	s.Helper()
	var at parley.ReadTerminalResult
	var screen profile.Screen
	s.wait(fmt.Sprintf("the composer holds %q", want), func() bool {
		at = testhome.Run[parley.ReadTerminalResult](s.T, s.Home, "screen", "ann", "--colours")
		screen = profile.Screen{Width: at.Width, CursorX: at.CursorX, CursorY: at.CursorY, Colours: at.Lines}
		for _, row := range at.Lines {
			screen.Lines = append(screen.Lines, strings.TrimRight(ansi.Strip(row), " "))
		}
		text, ok := s.profile.Composer(screen)
		return ok && text == want
	})

	dir := os.Getenv(agentsCaptures)
	if dir == "" {
		return
	}
	head := must.Have(json.Marshal(map[string]any{
		"width": at.Width, "cursor_x": at.CursorX, "cursor_y": at.CursorY, "state": s.profile.Read(screen).Shows, "composer": want,
	}))(s)
	dir = filepath.Join(dir, s.program.profile)
	must.Do(s, os.MkdirAll(dir, 0o755))
	text := strings.ReplaceAll(string(head)+"\n"+strings.Join(at.Lines, "\n"), s.Workspace, "/src/garden")
	must.Do(s, os.WriteFile(filepath.Join(dir, s.size+"-"+name+".ansi"), []byte(text), 0o644))
}
