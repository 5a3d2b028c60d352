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
)

// agent is the loop that owns the screen. Keys come from the terminal's reader, and
// what the work comes to from the worker.
type agent struct {
	opts   options
	screen screen
	team   *team
	log    logFile

	keys     keyReader
	composer composer
	queue    []job
	working  bool
	cancel   context.CancelFunc // of the job at work
	ask      chan<- bool        // the open dialog
	ended    bool
}

// run shows the agent until it ends. What it started has ended when it returns.
func (a *agent) run(ctx context.Context, tty *terminal) error {
	stop, stopNow, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	defer stop.Close()

	ctx, cancel := context.WithCancel(ctx)
	typed, told := make(chan []byte), make(chan event)
	var started sync.WaitGroup
	started.Go(func() { tty.read(stop, typed) })
	resized := make(chan os.Signal, 1)
	signal.Notify(resized, syscall.SIGWINCH)
	defer signal.Stop(resized)

	w := &worker{opts: a.opts, team: a.team, tell: told}
	launch := func(j job) {
		jobCtx, jobCancel := context.WithCancel(ctx)
		a.cancel, a.working = jobCancel, true
		started.Go(func() { w.do(jobCtx, j) })
	}

	err = a.loop(ctx, typed, told, resized, launch)
	cancel()
	stopNow.Close()
	drain(typed, told, &started)
	a.screen.leave()

	return err
}

// drain takes what is still being said until all who speak have ended.
func drain(typed <-chan []byte, told <-chan event, started *sync.WaitGroup) {
	ended := make(chan struct{})
	go func() { started.Wait(); close(ended) }()
	for {
		select {
		case _, ok := <-typed:
			if !ok {
				typed = nil
			}
		case <-told:
		case <-ended:
			return
		}
	}
}

func (a *agent) loop(
	ctx context.Context,
	typed <-chan []byte,
	told <-chan event,
	resized <-chan os.Signal,
	launch func(job),
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
		case e := <-told:
			err = a.hear(e)
		case <-resized:
			err = a.screen.redraw(a.look())
		}

		if err != nil && !a.opts.ignoreHangup {
			return err
		}
	}

	return nil
}

func (a *agent) greet() error {
	return a.screen.say(
		a.look(),
		"·",
		"This is parley's "+a.opts.label()+". It follows a script; there is no model behind it.",
	)
}

func (a *agent) look() look {
	busy := a.working || len(a.queue) > 0
	return look{composer: a.composer.shown(), busy: busy, dialog: a.ask != nil}
}

// hear does what the worker says.
func (a *agent) hear(e event) error {
	switch {
	case e.done:
		a.cancel()
		a.working = false
	case e.exit:
		a.ended = true
	case e.ask != nil:
		a.ask = e.ask
	default:
		return a.screen.say(a.look(), e.mark, e.text)
	}
	return a.screen.draw(a.look())
}

// press does what keys say, and draws once.
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

	return a.screen.draw(a.look())
}

// choose answers the open dialog. All but its own keys is lost, pastes too.
func (a *agent) choose(k key) error {
	answer := ""
	switch {
	case k.kind == keyEnter, k.kind == keyText && k.text == "1":
		answer = "yes"
	case k.kind == keyEscape, k.kind == keyText && k.text == "2":
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

// submit puts the composed text on the transcript and into the queue of work.
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
	return a.screen.say(a.look(), ">", shown)
}
