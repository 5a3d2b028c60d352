package tui

import (
	"reflect"
	"time"

	tea "charm.land/bubbletea/v2"
)

const (
	drawEvery = 4 * time.Millisecond   // while something happens: a key waits half of it
	restEvery = 500 * time.Millisecond // while nothing does
	drawsFor  = 100 * time.Millisecond // after the last view
)

// paced is the model of a program whose renderer rests while nothing happens. Bubble Tea looks sixty times
// a second whether there is something to draw, which takes a hundredth of a core on an idle screen, and it
// offers no way to change that while it runs. So its ticker is looked up by name.
type paced struct {
	*model
	program *tea.Program
	drawn   tea.View
	ticker  *time.Ticker // the renderer's; nil before the first view, or if this Bubble Tea has none
	rest    *time.Timer
}

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
