package tui

import (
	"io"
	"testing"

	tea "charm.land/bubbletea/v2"

	"parley/internal/must"
)

// asker asks for the ticker of its program at its first message.
type asker struct {
	program *tea.Program
	found   bool
}

func (a *asker) Init() tea.Cmd  { return func() tea.Msg { return nil } }
func (a *asker) View() tea.View { return tea.NewView("") }

func (a *asker) Update(tea.Msg) (tea.Model, tea.Cmd) {
	a.found = tickerOf(a.program) != nil
	return a, tea.Quit
}

// An idle screen costs three times as much with a Bubble Tea in which the ticker has another name.
func TestTheRenderersTickerIsFound(t *testing.T) {
	a := &asker{}
	a.program = tea.NewProgram(a, tea.WithInput(nil), tea.WithOutput(io.Discard), tea.WithWindowSize(80, 24))
	must.Have(a.program.Run())(t)
	if !a.found {
		t.Error("no ticker was found")
	}
}
