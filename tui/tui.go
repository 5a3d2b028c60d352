// Package tui is the operator's screen: traffic as it happens, the agents, what
// became of each message, and a box to write in. It shows the answers of a
// parley.Service and its event stream, in one bubbletea program: Update decides,
// commands do the I/O, View is a function of the model.
package tui

import (
	"context"
	"errors"
	"io"

	tea "charm.land/bubbletea/v2"
)

// Run shows the screen on out, reads keys from in, and returns when the person
// leaves it or ctx ends. It returns the workspace that the person chose to see next,
// "" for none. The service is called with ctx.
func Run(ctx context.Context, o Options, in io.Reader, out io.Writer) (next string, err error) {
	o = o.withDefaults()
	ctx, stop := context.WithCancel(ctx)
	notes := make(chan note, feedBuffer)
	done := make(chan struct{})
	go func() {
		defer close(done)
		feed(ctx, o.Service, o.Follow, notes)
	}()

	defer func() { stop(); <-done }()

	m := newModel(o, newCommands(ctx, o, notes))
	screen := &paced{model: m}
	screen.program = tea.NewProgram(screen, tea.WithContext(ctx),
		tea.WithInput(in), tea.WithOutput(out), tea.WithEnvironment(o.Environ))
	_, err = screen.program.Run()
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.Is(err, tea.ErrInterrupted):
		return "", nil
	}

	return m.workspaces.chosen, err
}
