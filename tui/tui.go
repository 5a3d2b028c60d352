// Package tui is the operator's screen: traffic as it happens, the agents, what
// became of each message, and a box to write in. It shows the answers of a
// parley.Service and its event stream, in one bubbletea program: Update decides,
// commands do the I/O, View is a function of the model.
package tui

import (
	"context"
	"errors"
	"io"
	"reflect"
	"time"

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

const (
	drawEvery = 4 * time.Millisecond   // while something happens: a key waits half of it
	restEvery = 500 * time.Millisecond // while nothing does
	drawsFor  = 100 * time.Millisecond // after the last view
)

// paced is the model of a program whose renderer rests while nothing happens. Bubble Tea looks sixty times
// a second whether there is something to draw, which takes a hundredth of a core on an idle screen, and it
// offers no way to change that while it runs. So its ticker is looked up by name.
type paced struct {
	model   *model
	program *tea.Program
	drawn   tea.View
	ticker  *time.Ticker // the renderer's; nil before the first view, or if this Bubble Tea has none
	rest    *time.Timer
}

// Init asks for everything once.
func (p *paced) Init() tea.Cmd { return p.model.Init() }

// Update decides what a message means.
func (p *paced) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	_, cmd := p.model.Update(msg)
	return p, cmd
}

// View draws the screen, and wakes the renderer to write it.
func (p *paced) View() tea.View {
	if p.model.same && p.drawn.Content != "" {
		return p.drawn
	}
	p.drawn = p.model.View()
	p.wake()
	return p.drawn
}

// wake makes the renderer look often for a while.
func (p *paced) wake() {
	if p.ticker == nil {
		if p.ticker = tickerOf(p.program); p.ticker == nil {
			return
		}
		p.rest = time.AfterFunc(drawsFor, func() { p.ticker.Reset(restEvery) })
		p.ticker.Reset(drawEvery)
		return
	}

	// A rest that is over means that the ticker is slow.
	if resting := !p.rest.Reset(drawsFor); resting {
		p.ticker.Reset(drawEvery)
	}
}

// tickerOf returns the ticker of a running program's renderer, nil if there is none by its name.
func tickerOf(program *tea.Program) *time.Ticker {
	field := reflect.ValueOf(program).Elem().FieldByName("ticker")
	if !field.IsValid() || field.Type() != reflect.TypeFor[*time.Ticker]() {
		return nil
	}
	return *(**time.Ticker)(field.Addr().UnsafePointer())
}
