package demoagent

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"parley"
)

// agent is the loop that owns the screen. Keys come from the terminal's reader, events
// from the worker.
type agent struct {
	opts   options
	screen screen
	team   parley.Service // nil: it is on no team
	log    logFile

	keys     keyReader
	composer composer
	queue    []job
	working  bool
	cancel   context.CancelFunc // ends the running job
	ask      chan<- bool        // takes the answer to the open dialog; nil: none is open
	refuses  bool               // the dialog's second option is marked
	ended    bool
}

// run runs the agent until it ends, and waits for all that it started.
func (a *agent) run(ctx context.Context, tty *terminal) error {
	stop, stopNow, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	defer stop.Close()

	ctx, cancel := context.WithCancel(ctx)
	typed, events := make(chan []byte), make(chan event)
	var running sync.WaitGroup
	running.Go(func() { tty.read(stop, typed) })
	resized := make(chan os.Signal, 1)
	signal.Notify(resized, syscall.SIGWINCH)
	defer signal.Stop(resized)

	w := &worker{opts: a.opts, team: a.team, tell: events}
	launch := func(j job) {
		jobCtx, jobCancel := context.WithCancel(ctx)
		a.cancel, a.working = jobCancel, true
		running.Go(func() { w.do(jobCtx, j) })
	}

	err = a.loop(ctx, typed, events, resized, launch)
	cancel()
	stopNow.Close()
	drain(typed, events, &running)
	a.screen.leave()

	return err
}

// drain receives from both channels until the goroutines that send on them have ended.
func drain(typed <-chan []byte, events <-chan event, running *sync.WaitGroup) {
	ended := make(chan struct{})
	go func() { running.Wait(); close(ended) }()
	for {
		select {
		case _, ok := <-typed:
			if !ok {
				typed = nil
			}
		case <-events:
		case <-ended:
			return
		}
	}
}

func (a *agent) loop(
	ctx context.Context, typed <-chan []byte, events <-chan event, resized <-chan os.Signal, launch func(job),
) error {
	a.queue = []job{{start: true}}
	if err := a.greet(); err != nil {
		return err
	}

	escape := time.NewTimer(escapeWithin)
	defer escape.Stop()

	for !a.ended {
		if !a.working && len(a.queue) > 0 {
			launch(a.queue[0])
			a.queue = a.queue[1:]
		}

		var err error
		select {
		case <-ctx.Done():
			return nil
		case b, ok := <-typed:
			if !ok && !a.opts.ignoreHangup {
				return nil
			}

			if !ok {
				typed = nil
				err = a.log.add(entry{Hangup: true})
				break
			}

			err = a.press(a.keys.read(b))
			escape.Reset(escapeWithin)
		case <-escape.C:
			err = a.press(a.keys.flush())
		case e := <-events:
			err = a.handle(e)
		case <-resized:
			err = a.screen.redraw(a.block())
		}

		if err != nil && !a.opts.ignoreHangup {
			return err
		}
	}

	return nil
}

func (a *agent) greet() error {
	text := "This is parley's " + a.opts.label() + ". It follows a script; there is no model behind it."
	return a.screen.say(a.block(), "·", text)
}

// block returns the content of the block at the bottom of the screen.
func (a *agent) block() block {
	busy := a.working || len(a.queue) > 0
	return block{composer: a.composer.shown(), busy: busy, dialog: a.ask != nil, refuses: a.refuses}
}

// handle applies an event of the worker.
func (a *agent) handle(e event) error {
	switch {
	case e.done:
		a.cancel()
		a.working = false
	case e.exit:
		a.ended = true
	case e.ask != nil:
		a.ask, a.refuses = e.ask, false
	default:
		return a.screen.say(a.block(), e.mark, e.text)
	}
	return a.screen.draw(a.block())
}

// press applies keys, and draws once.
func (a *agent) press(keys []key) error {
	for _, k := range keys {
		var err error
		if a.ask != nil {
			err = a.choose(k)
		} else {
			err = a.compose(k)
		}

		if err != nil {
			return err
		}
	}

	if len(keys) == 0 {
		return nil
	}

	return a.screen.draw(a.block())
}

// choose answers the open dialog. Keys that the dialog does not know are lost, and so
// are pastes.
func (a *agent) choose(k key) error {
	answer := ""
	switch {
	case k.kind == keyUp, k.kind == keyDown:
		a.refuses = k.kind == keyDown
		return nil
	case k.kind == keyEnter && !a.refuses, k.kind == keyText && k.text == "1":
		answer = "yes"
	case k.kind == keyEnter, k.kind == keyEscape, k.kind == keyText && k.text == "2":
		answer = "no"
	case k.kind == keyInterrupt:
		a.ended = true
		return nil
	default:
		return nil
	}

	a.ask <- answer == "yes"
	a.ask = nil

	return a.log.add(entry{Dialog: answer})
}

func (a *agent) compose(k key) error {
	switch k.kind {
	case keyText:
		a.composer.add(k.text)
	case keyPaste:
		a.composer.paste(k.text)
	case keyBackspace:
		a.composer.backspace()
	case keyClear:
		a.composer.clear()
	case keyEnter:
		return a.submit()
	case keyEscape:
		if a.working {
			a.cancel()
		}
	case keyInterrupt:
		a.ended = true
	case keyEnd:
		a.ended = a.composer.text() == ""
	}

	return nil
}

// submit puts the composed text on the transcript and into the queue of jobs.
func (a *agent) submit() error {
	text, shown := a.composer.text(), a.composer.shown()
	if strings.TrimSpace(text) == "" {
		return nil
	}
	a.composer.clear()
	a.queue = append(a.queue, job{prompt: text})
	if err := a.log.add(entry{Text: text}); err != nil {
		return err
	}
	return a.screen.say(a.block(), ">", shown)
}
