package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"parley"
	"parley/client"
	"parley/plain"
	"parley/tui"
)

// watchEvery is the time between two looks at the terminal: people see it move, and
// it costs the daemon little.
const watchEvery = 400 * time.Millisecond

// watchedEvents is the number of messages below the terminal.
const watchedEvents = 5

type watchCommand struct{}

func (w watchCommand) declare(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "watch NAME",
		Short: "Follow an agent's terminal and its messages; q ends",
		Long: `Shows an agent's terminal, or what the model of a responder writes, with its state above
and its messages below. It never types there; q or Ctrl-C ends it. When the output is not
a terminal, new lines are printed as they appear.`,
		Example: "  parley watch coder",
		Args:    usage(cobra.ExactArgs(1)),
	}

	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if c.json {
			return misused(cmd, errors.New("parley watch has no JSON; "+
				"parley screen NAME --json reads a terminal once, parley log -f --json follows messages"))
		}

		return w.run(cmd.Context(), c, args[0])
	}
	cmd.ValidArgsFunction = firstAgents(1).by(completer{c})

	return cmd
}

// sighting is what one look at a watched agent showed.
type sighting struct {
	agent  parley.AgentStatus
	screen *parley.ReadTerminalResult
	err    error // why its terminal cannot be read
}

// watcher follows one agent.
type watcher struct {
	*cli
	service *client.Client
	events  chan parley.Event // about the agent's messages
	last    sighting
}

func (watchCommand) run(ctx context.Context, c *cli, name string) error {
	if err := c.inUse(ctx); err != nil {
		return err
	}

	service, err := c.service(ctx)
	if err != nil {
		return err
	}
	defer service.Close()

	// An unknown name or an agent without a terminal is an error, not a picture.
	w := &watcher{cli: c, service: service, events: make(chan parley.Event)}
	w.last, err = w.look(ctx, name)
	if err == nil {
		err = w.last.err
	}
	if err != nil {
		return err
	}

	recent, err := service.ReadEvents(ctx, parley.ReadEventsRequest{Last: 1})
	if err != nil {
		return err
	}

	ctx, cancel := context.WithCancel(ctx)
	var reading sync.WaitGroup
	defer reading.Wait()
	defer cancel()

	reading.Go(func() { w.follow(ctx, recent.Next, w.last.agent.ID) })
	if isTerminal(c.in) && isTerminal(c.out) {
		return w.runOnTerminal(ctx)
	}

	return w.runAsLines(ctx)
}

// look reads the agent's state and screen.
func (w *watcher) look(ctx context.Context, name string) (sighting, error) {
	status, err := w.service.GetAgentStatus(ctx, parley.AgentStatusRequest{Agent: name})
	if err != nil {
		return sighting{}, err
	}

	s := sighting{agent: status.Agents[0]}
	s.screen, s.err = w.service.ReadTerminal(
		ctx, parley.ReadTerminalRequest{Agent: s.agent.ID, Colours: w.styled(w.out)},
	)

	return s, nil
}

// follow passes on the events about messages of one agent, after the event with the
// given number.
func (w *watcher) follow(ctx context.Context, after int64, id string) {
	only := logFilter{agent: id}
	for e, err := range w.service.Events(ctx, after) {
		if err != nil {
			return
		}
		if e.Type == parley.EventAgent || !only.passes(&e, "", nil) {
			continue
		}

		select {
		case w.events <- e:
		case <-ctx.Done():
			return
		}
	}
}

// event returns the line of an event.
func (w *watcher) event(e parley.Event) string { return eventPrinter{&w.output}.line(e) }

// head returns the line of state.
func (w *watcher) head() string {
	a := &w.last.agent
	line := w.paint(bold, a.Name) + "  " + w.paint(agentStyle(a.State), string(a.State)) + " " + w.ago(a.Since)
	for _, count := range []struct {
		n    int
		what string
	}{{a.Unread, "unread"}, {a.Queued, "waiting"}, {a.Owed, "owed"}, {a.Overdue, "overdue"}} {
		if count.n > 0 {
			line += fmt.Sprintf("  %d %s", count.n, count.what)
		}
	}

	if a.HeldReason != "" {
		line += "  " + w.paint(yellow, "held: "+plain.CleanLine(a.HeldReason))
	}

	return line
}

// runAsLines prints what is new. It prints a line of the terminal that stood there at
// two looks: a line that changes all the time, such as a clock, is not worth printing.
func (w *watcher) runAsLines(ctx context.Context) error {
	state, last, shown := parley.AgentState(""), []string{}, map[string]bool{}
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()

	for {
		if w.last.agent.State != state {
			state = w.last.agent.State
			if err := w.printLine("== " + clock(w.last.agent.Since) + "  " + w.head()); err != nil {
				return err
			}
		}

		var lines []string
		if w.last.screen != nil {
			lines = w.last.screen.Lines
		}
		if err := w.printNew(lines, last, shown); err != nil {
			return err
		}
		last = lines

		select {
		case <-ctx.Done():
			return nil
		case e := <-w.events:
			if err := w.printLine("-- " + w.event(e)); err != nil {
				return err
			}
		case <-tick.C:
			next, err := w.look(ctx, w.last.agent.ID)
			switch {
			case ctx.Err() != nil:
				return nil
			case err == nil:
				w.last = next
			case parley.ErrorCode(err) != parley.DaemonUnavailable:
				return err
			}
		}
	}
}

// printNew prints the lines that stood there at the last look too and have not been
// printed since they appeared.
func (w *watcher) printNew(lines, last []string, shown map[string]bool) error {
	stood := make(map[string]bool, len(last))
	for _, line := range last {
		stood[line] = true
	}

	there := make(map[string]bool, len(lines))
	safe := tui.SafeScreen(lines, math.MaxInt)
	for i, line := range lines {
		there[line] = true
		plain := strings.TrimRight(safe[i], " ")
		if !stood[line] || shown[line] || ansi.Strip(plain) == "" {
			continue
		}

		shown[line] = true
		if err := w.printLine(plain); err != nil {
			return err
		}
	}

	for line := range shown {
		if !there[line] {
			delete(shown, line)
		}
	}

	return nil
}

// runOnTerminal draws over the whole terminal until q or Ctrl-C, and restores it.
func (w *watcher) runOnTerminal(ctx context.Context) error {
	before, err := term.MakeRaw(int(w.in.Fd()))
	if err != nil {
		return fmt.Errorf("read single keys: %w", err)
	}
	defer term.Restore(int(w.in.Fd()), before)

	fmt.Fprint(w.out, "\x1b[?1049h\x1b[?25l")
	defer fmt.Fprint(w.out, "\x1b[?25h\x1b[?1049l")

	// Not waited for: reading a terminal cannot be cancelled, and ends with the program.
	quit := make(chan struct{})
	go w.awaitQuit(quit)

	tick := time.NewTicker(watchEvery)
	defer tick.Stop()

	var messages []string
	for {
		w.draw(messages)
		select {
		case <-ctx.Done():
			return nil
		case <-quit:
			return nil
		case e := <-w.events:
			messages = append(messages, w.event(e))
			messages = messages[max(0, len(messages)-watchedEvents):]
		case <-tick.C:
			if next, err := w.look(ctx, w.last.agent.ID); err == nil {
				w.last = next
			} else {
				w.last.err = err
			}
		}
	}
}

// awaitQuit reads keys until one ends the watch: q, Ctrl-C, Ctrl-D, or the end of input.
func (w *watcher) awaitQuit(quit chan<- struct{}) {
	defer close(quit)
	keys := make([]byte, 64)
	for {
		n, err := w.in.Read(keys)
		if err != nil || strings.ContainsAny(string(keys[:n]), "qQ\x03\x04") {
			return
		}
	}
}

// draw writes a whole frame at once, each line over the one before, so that nothing
// flickers.
func (w *watcher) draw(messages []string) {
	width, height, err := term.GetSize(int(w.out.Fd()))
	if err != nil || width <= 0 || height <= 0 {
		width, height = 80, 24
	}

	rule := w.paint(faint, "── messages; q ends "+strings.Repeat("─", max(0, width-20)))
	foot := append([]string{rule}, messages...)
	foot = foot[:min(len(foot), max(0, height-2))]

	room := height - 1 - len(foot)
	var body []string
	if w.last.err != nil {
		body = []string{w.paint(yellow, parley.AsError(w.last.err).Message)}
	} else {
		body = tui.SafeScreen(w.last.screen.Lines, width)
		body = body[max(0, len(body)-room):]
	}

	frame := append([]string{w.head()}, body...)
	for len(frame) < 1+room {
		frame = append(frame, "")
	}
	frame = append(frame, foot...)

	var b strings.Builder
	b.WriteString("\x1b[H")
	for i, line := range frame[:min(len(frame), height)] {
		if i > 0 {
			b.WriteString("\r\n")
		}
		b.WriteString(ansi.Truncate(line, width, "…") + "\x1b[m\x1b[K")
	}

	fmt.Fprint(w.out, b.String()+"\x1b[J")
}
