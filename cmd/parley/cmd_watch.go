package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"parley"
	"parley/client"
	"parley/tui"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// watchEvery is how often the terminal is looked at: a person sees it move, and the
// daemon hardly notices.
const watchEvery = 400 * time.Millisecond

// watchedEvents is how many of the last messages stand below the terminal.
const watchedEvents = 5

func (c *cli) watchCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "watch NAME",
		Short: "Follow an agent's terminal and its messages; q ends",
		Long: `Follows what stands in an agent's terminal, or what the model of a responder writes, with
its state above and its messages below. Nothing is ever written there; q or Ctrl-C ends it.
Where the output is no terminal, what is new is printed as lines.`,
		Example: "  parley watch coder",
		Args:    usage(cobra.ExactArgs(1)),
	}

	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if c.json {
			return misused(
				cmd,
				errors.New(
					"what is watched is no JSON; parley screen NAME --json is one look, parley log -f --json the messages",
				),
			)
		}

		return c.watch(cmd.Context(), args[0])
	}

	return c.withAgents(cmd, 1)
}

// sight is what is known of a watched agent at one look.
type sight struct {
	agent  parley.AgentStatus
	screen *parley.ReadTerminalResult
	err    error // why its terminal cannot be read
}

func (c *cli) watch(ctx context.Context, name string) error {
	service, err := c.service(ctx)
	if err != nil {
		return err
	}
	defer service.Close()

	// Both are asked for first: what is wrong with the name is an error, not a picture.
	now, err := c.look(ctx, service, name)
	if err == nil {
		err = now.err
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

	events := make(chan parley.Event)
	reading.Go(func() { followFor(ctx, service, recent.Next, now.agent.ID, events) })
	if isTerminal(c.in) && isTerminal(c.out) {
		return c.watchOnTerminal(ctx, service, now, events)
	}

	return c.watchAsLines(ctx, service, now, events)
}

func (c *cli) look(ctx context.Context, service *client.Client, name string) (sight, error) {
	status, err := service.GetAgentStatus(ctx, parley.AgentStatusRequest{Agent: name})
	if err != nil {
		return sight{}, err
	}
	s := sight{agent: status.Agents[0]}
	s.screen, s.err = service.ReadTerminal(ctx, parley.ReadTerminalRequest{Agent: s.agent.ID, Colours: c.styled(c.out)})
	return s, nil
}

// followFor hands over the events that concern one agent.
func followFor(ctx context.Context, service *client.Client, after int64, id string, to chan<- parley.Event) {
	only := logFilter{agent: id}
	for e, err := range service.Events(ctx, after) {
		if err != nil {
			return
		}

		if e.Type != parley.EventAgent && only.passes(&e, "", nil) {
			select {
			case to <- e:
			case <-ctx.Done():
				return
			}
		}
	}
}

// head is the line of state.
func (c *cli) head(s *sight) string {
	a := &s.agent
	line := c.paint(bold, a.Name) + "  " + c.paint(agentStyle(a.State), string(a.State)) + " " + c.ago(a.Since)
	for _, n := range []struct {
		n    int
		what string
	}{{a.Unread, "unread"}, {a.Queued, "waiting"}, {a.Owed, "owed"}, {a.Overdue, "overdue"}} {
		if n.n > 0 {
			line += fmt.Sprintf("  %d %s", n.n, n.what)
		}
	}

	if a.HeldReason != "" {
		line += "  " + c.paint(yellow, "held: "+parley.CleanLine(a.HeldReason))
	}

	return line
}

// watchAsLines prints what is new. A line of the terminal is printed when it stood there
// at two looks: what changes all the time, such as a clock, is not worth a line each.
func (c *cli) watchAsLines(ctx context.Context, service *client.Client, s sight, events <-chan parley.Event) error {
	state, last, shown := parley.AgentState(""), []string{}, map[string]bool{}
	every := time.NewTicker(watchEvery)
	defer every.Stop()

	for {
		if s.agent.State != state {
			state = s.agent.State
			if err := c.printLine("== " + clock(s.agent.Since) + "  " + c.head(&s)); err != nil {
				return err
			}
		}

		var lines []string
		if s.screen != nil {
			lines = s.screen.Lines
		}
		if err := c.printNew(lines, last, shown); err != nil {
			return err
		}

		last = lines
		select {
		case <-ctx.Done():
			return nil
		case e := <-events:
			if err := c.printLine("-- " + c.eventLine(e)); err != nil {
				return err
			}
		case <-every.C:
			next, err := c.look(ctx, service, s.agent.ID)
			switch {
			case ctx.Err() != nil:
				return nil
			case err == nil:
				s = next
			case parley.ErrorCode(err) != parley.DaemonUnavailable:
				return err
			}
		}
	}
}

// printNew prints the lines that stood there at the last look too and were not printed.
func (c *cli) printNew(lines, last []string, shown map[string]bool) error {
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
		if err := c.printLine(plain); err != nil {
			return err
		}
	}

	for line := range shown {
		if !there[line] {
			delete(shown, line) // what went away is new when it is there again
		}
	}

	return nil
}

// watchOnTerminal draws over the whole terminal until q or Ctrl-C, and puts it back.
func (c *cli) watchOnTerminal(ctx context.Context, service *client.Client, s sight, events <-chan parley.Event) error {
	before, err := term.MakeRaw(int(c.in.Fd()))
	if err != nil {
		return fmt.Errorf("read single keys: %w", err)
	}
	defer term.Restore(int(c.in.Fd()), before)

	fmt.Fprint(c.out, "\x1b[?1049h\x1b[?25l")
	defer fmt.Fprint(c.out, "\x1b[?25h\x1b[?1049l")

	ended := make(chan struct{})
	go c.untilQuit(ended) // not waited for: a read of a terminal cannot be given up, and ends with the program
	every := time.NewTicker(watchEvery)
	defer every.Stop()

	var said []string
	for {
		c.draw(&s, said)
		select {
		case <-ctx.Done():
			return nil
		case <-ended:
			return nil
		case e := <-events:
			said = append(said, c.eventLine(e))
			said = said[max(0, len(said)-watchedEvents):]
		case <-every.C:
			if next, err := c.look(ctx, service, s.agent.ID); err == nil {
				s = next
			} else {
				s.err = err
			}
		}
	}
}

// untilQuit reads keys until one ends the watch: q, Ctrl-C, Ctrl-D, or the end of input.
func (c *cli) untilQuit(ended chan<- struct{}) {
	defer close(ended)
	keys := make([]byte, 64)
	for {
		n, err := c.in.Read(keys)
		if err != nil || strings.ContainsAny(string(keys[:n]), "qQ\x03\x04") {
			return
		}
	}
}

// draw writes a whole frame at once, each line over the one before, so that nothing
// flickers.
func (c *cli) draw(s *sight, said []string) {
	w, h, err := term.GetSize(int(c.out.Fd()))
	if err != nil || w <= 0 || h <= 0 {
		w, h = 80, 24
	}

	foot := append([]string{c.paint(faint, "── messages; q ends "+strings.Repeat("─", max(0, w-20)))}, said...)
	foot = foot[:min(len(foot), max(0, h-2))]
	room := h - 1 - len(foot)
	var body []string
	switch {
	case s.err != nil:
		body = []string{c.paint(yellow, parley.AsError(s.err).Message)}
	default:
		body = tui.SafeScreen(s.screen.Lines, w)
		body = body[max(0, len(body)-room):]
	}

	frame := append([]string{c.head(s)}, body...)
	for len(frame) < 1+room {
		frame = append(frame, "")
	}

	frame = append(frame, foot...)
	var b strings.Builder
	b.WriteString("\x1b[H")
	for i, line := range frame[:min(len(frame), h)] {
		if i > 0 {
			b.WriteString("\r\n")
		}
		b.WriteString(ansi.Truncate(line, w, "…") + "\x1b[m\x1b[K")
	}

	fmt.Fprint(c.out, b.String()+"\x1b[J")
}
