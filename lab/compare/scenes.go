package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"
	"sync"
	"time"

	"parley/internal/wait"
)

// scene is a moment at which a message is sent. The person acts while it is on its way.
type scene struct {
	name    string
	senders int                                 // how many send at once; 0 is one
	before  func(context.Context, *stage) error // brings the moment about
	after   func(context.Context, *stage) error // what the person does a second later; may be nil
	text    func(*stage, int) string            // of the n-th message; nil: a request

	restarts bool // the tool ends while its messages are on the way, and begins again
}

var scenes = []scene{
	{name: "idle", before: idle},
	{name: "a dialog is open", before: dialog, after: func(_ context.Context, s *stage) error { return s.keys("2") }},
	{
		name:   "somebody's draft stands there",
		before: func(_ context.Context, s *stage) error { return s.keys(draft) },
		after:  func(_ context.Context, s *stage) error { return s.keys("", "C-u") },
	},
	{
		name:   "copy mode",
		before: copyMode,
		after:  leaveCopyMode,
	},
	{name: "two send at once", senders: 2, before: idle},
	{name: "the tool ends and begins again", senders: 2, before: idle, restarts: true},
	{
		name: "the program has ended", before: end,
		after: func(ctx context.Context, s *stage) error { return s.start(ctx) },
		text:  func(s *stage, n int) string { return fmt.Sprintf("touch %s # message %04d", s.harm, n) },
	},
}

func idle(context.Context, *stage) error { return nil }

// dialog has the agent ask for permission.
func dialog(ctx context.Context, s *stage) error {
	if err := s.keys("please ask", "Enter"); err != nil {
		return err
	}
	return s.shows(ctx, "1. Yes")
}

func copyMode(_ context.Context, s *stage) error {
	_, err := s.tmux("copy-mode", "-t", s.target)
	return err
}

func leaveCopyMode(_ context.Context, s *stage) error {
	_, err := s.tmux("if-shell", "-F", "-t", s.target, "#{pane_in_mode}", "send-keys -t '"+s.target+"' -X cancel")
	return err
}

// end ends the agent, so that the shell is there.
func end(ctx context.Context, s *stage) error {
	if err := s.keys("", "C-c"); err != nil {
		return err
	}
	return s.shows(ctx, strings.TrimSpace(prompt))
}

// row is what became of the messages of a scene that went one way.
type row struct {
	scene, way string
	counts     counts
}

// thinking is how long the agent works on a prompt.
const thinking = "200ms"

// play plays a scene so many times.
func play(ctx context.Context, sc scene, w way, times int) (row, error) {
	r := row{scene: sc.name, way: w.name}
	s, err := open(ctx, thinking)
	if err == nil {
		err = w.prepare(s)
	}

	for n := 0; n < times && err == nil; n++ {
		c, stopped := take(ctx, s, sc, w, n)
		if stopped != nil { // by what the tool has done to the terminal
			log.Printf("%s, %s: the person cannot go on: %v", sc.name, w.name, stopped)
			c = counts{Sent: max(1, sc.senders), Stopped: 1}
			if err = s.close(); err == nil {
				s, err = open(ctx, thinking)
			}
			if err == nil {
				err = w.prepare(s)
			}
		}
		r.counts.add(c)
	}

	if s != nil {
		if ended := s.close(); err == nil {
			err = ended
		}
	}
	return r, err
}

// take plays a scene once: its moment comes, the message is sent, the person acts, and all comes to rest.
func take(ctx context.Context, s *stage, sc scene, w way, n int) (counts, error) {
	_, from, err := s.logged(0)
	if err == nil {
		err = sc.before(ctx, s)
	}
	if err != nil {
		return counts{}, err
	}

	messages := make([]sent, max(1, sc.senders))
	var sending sync.WaitGroup
	for i := range messages {
		messages[i].text = fmt.Sprintf("please look at file %04d", n*10+i)
		if sc.text != nil {
			messages[i].text = sc.text(s, n)
		}
		sending.Go(func() { messages[i].says = w.send(s, messages[i].text) })
	}

	if sc.restarts {
		if err := w.restart(s); err != nil {
			sending.Wait()
			return counts{}, err
		}
	}
	if sc.after != nil {
		err := wait.Pause(ctx, time.Second) // what the person takes to notice
		if err == nil {
			err = sc.after(ctx, s)
		}
		if err != nil {
			sending.Wait()
			return counts{}, err
		}
	}
	sending.Wait()

	logged, err := s.rest(ctx, from)
	c := judge(messages, logged)
	if os.Remove(s.harm) == nil {
		c.Shell++
	}

	return c, err
}

// calm is how long the log must not change for the scene to be over: longer than the agent thinks.
const calm = 700 * time.Millisecond

// rest waits until the agent has nothing to do, and cleans its composer. It returns what was logged
// since a position, before the cleaning.
func (s *stage) rest(ctx context.Context, from int) ([]entry, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()

	last, since := from, time.Now()
	err := wait.Until(ctx, 50*time.Millisecond, func() (bool, error) {
		_, end, err := s.logged(0)
		if end != last {
			last, since = end, time.Now()
		}
		return time.Since(since) > calm, err
	})
	if err != nil {
		return nil, err
	}

	logged, _, err := s.logged(from)
	if err == nil {
		err = s.keys("", "C-u")
	}
	if err == nil {
		err = s.shows(ctx, "Type a message")
	}

	return logged, err
}
