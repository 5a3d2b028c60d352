package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"parley"
	"parley/client"
	"parley/op"
	"parley/plain"
)

// plainScreen is the screen in words: each line that the person types is a command of parley, and what changes
// meanwhile is announced, a line for each. It says nothing while a command runs.
type plainScreen struct {
	cli     *cli
	service *client.Client
	known   map[string]heard // what waits for the person, by what it is
	all     bool             // every message is announced, and every change of state
}

// Announcements follow an event after plainPause, with which many events make one look, and come each plainEvery
// without one: some needs come with the time.
const (
	plainPause = 300 * time.Millisecond
	plainEvery = 10 * time.Second
)

// mostAnnounced is how many lines are announced at once.
const mostAnnounced = 5

// plainHelp is what "help" says.
const plainHelp = `needs: what waits for you
answer NAME CHOICE: answer a question that an agent asks
send NAME TEXT: send a message; reply ID TEXT: answer one
read: messages for you
agents: the agents and what they do
all: announce every message, too; once more: only what matters
quit: leave
Every other command of parley works here too, as in: screen coder. commands lists them.`

// begins are the commands whose answer comes first, by the name of the screen that shows the same.
var begins = map[string][]string{
	"agents": {"agents"}, "needs": {"needs"}, "threads": {"thread", "list"}, "traffic": {"log"}, "health": {"status"},
}

// firstOf returns the command that shows what a link means.
func firstOf(l screenLink, first string) []string {
	switch {
	case l.agent != "":
		return []string{"agents", l.agent}
	case l.message != "":
		return []string{"message", l.message}
	case l.thread != "":
		return []string{"thread", "show", l.thread}
	}
	return begins[cmp.Or(l.screen, first)]
}

// run reads lines and announces until the person leaves.
func (p *plainScreen) run(ctx context.Context, title string, first []string) error {
	p.cli.at.env = append(slices.Clone(p.cli.at.env), "PARLEY_SCREEN_PLAIN=true")
	p.known = map[string]heard{}
	p.cli.out.printf("Type quit to leave, help for what else there is. This is parley in words, in %s.\n",
		home(p.cli.at.env, title))
	p.do(ctx, first)

	ctx, cancel := context.WithCancel(ctx)
	events := make(chan parley.Event)
	var reading sync.WaitGroup
	defer reading.Wait()
	defer cancel()
	recent, err := op.ReadEvents.Call(ctx, p.service, parley.ReadEventsRequest{Last: 1})
	if err != nil {
		return err
	}
	reading.Go(func() { p.follow(ctx, recent.Next, events) })

	return p.loop(ctx, events)
}

func (p *plainScreen) loop(ctx context.Context, events <-chan parley.Event) error {
	in := bufio.NewReader(p.cli.program.in)
	lines := p.nextLine(in)
	look := time.NewTimer(0)
	defer look.Stop()
	var soon <-chan time.Time // nil: no event since the last look

	for {
		select {
		case <-ctx.Done():
			return nil
		case <-p.cli.program.ended:
			return nil
		case line, ok := <-lines:
			if words := plainWords(line); !ok || len(words) > 0 && isOneOf(words[0], "quit", "exit", "q") {
				return nil
			} else if len(words) > 0 {
				p.do(ctx, words)
			}
			lines = p.nextLine(in)
			look.Reset(0)
		case e := <-events:
			p.tell(&e)
			if soon == nil {
				soon = time.After(plainPause)
			}
		case <-soon:
			look.Reset(0)
			soon = nil
		case <-look.C:
			p.announce(ctx)
			look.Reset(plainEvery)
		}
	}
}

// nextLine reads a line, and nothing behind it: a command may ask something. The reading goes on as long as the
// process at most.
func (p *plainScreen) nextLine(in *bufio.Reader) <-chan string {
	lines := make(chan string, 1)
	go func() {
		defer close(lines)
		if line, err := in.ReadString('\n'); err == nil || line != "" {
			lines <- line
		}
	}()
	return lines
}

// follow passes the events on, until ctx ends. After one that cannot be read, as while the daemon restarts, it goes on.
func (p *plainScreen) follow(ctx context.Context, after int64, to chan<- parley.Event) {
	for ctx.Err() == nil {
		for e, err := range p.service.Events(ctx, after) {
			if err != nil {
				break
			}
			after = max(after, e.Seq)
			select {
			case to <- e:
			case <-ctx.Done():
			}
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
		}
	}
}

// do carries out a line.
func (p *plainScreen) do(ctx context.Context, words []string) {
	switch {
	case slices.Equal(words, []string{"help"}):
		_ = p.cli.out.printLine(plainHelp)
	case slices.Equal(words, []string{"commands"}):
		p.cli.program.run(ctx, []string{"help", "--all"})
	case slices.Equal(words, []string{"all"}):
		p.all = !p.all
		words := map[bool]string{true: "Everything is announced.", false: "Only what matters is announced."}
		_ = p.cli.out.printLine(words[p.all])
	case words[0] == "tui":
		_ = p.cli.out.printLine("This is parley tui already.")
	default:
		var place []string
		if p.cli.at.workspace != "" {
			place = append(place, "--workspace", p.cli.at.workspace)
		}
		if p.cli.at.host != "" {
			place = append(place, "--host", p.cli.at.host)
		}
		p.cli.program.run(ctx, append(place, words...))
	}
}

// tell announces an event: what becomes of what the person has sent, and where everything is to be said, each.
func (p *plainScreen) tell(e *parley.Event) {
	state := parley.DeliveryState(e.State)
	switch {
	case p.all:
		_ = p.cli.out.printLine(eventPrinter{p.cli.out}.line(*e))
	case e.Type == parley.EventDelivery && e.Sender == parley.OperatorName &&
		(state.Settled() || state == parley.DeliveryHeld):
		p.cli.out.printf("Your message %s to %s: %s.%s\n", parley.Short(e.MessageID), e.Recipient, e.State,
			after(" ", e.Detail))
	case e.Type == parley.EventAgent && isOneOf(e.State, string(parley.StateStarting), string(parley.StateTerminated)):
		p.cli.out.printf("%s: %s.\n", e.Agent, e.State)
	case e.Type == parley.EventCommunication:
		p.cli.out.printf("Messages are %s.%s\n", e.State, after(" ", e.Detail))
	}
}

// announce says what waits for the person now and did not before, and what no longer does.
func (p *plainScreen) announce(ctx context.Context) {
	needs, err := op.GetNeeds.Call(ctx, p.service, parley.GetNeedsRequest{})
	inbox, failed := op.CheckInbox.Call(ctx, p.service, parley.CheckInboxRequest{})
	if err := cmp.Or(err, failed); err != nil {
		now := maps.Clone(p.known) // of what waits, nothing is known to have ended
		now["away"] = heard{line: "The daemon is away: " + parley.AsError(err).Message, end: "The daemon is back."}
		p.becomes(now)
		return
	}

	p.becomes(waits(needs.Needs, inbox.Messages))
}

func waits(needs []parley.Need, inbox []parley.InboxMessage) map[string]heard {
	now := map[string]heard{}
	roots := parley.Roots(needs)
	for i := range needs {
		n := &needs[i]
		what := heard{end: fmt.Sprintf("%s does not need you for that now: %s.", n.Agent, n.Kind.Words())}
		if slices.Contains(roots, n) {
			what.line = needSentence(n) + after(". The same of ", strings.Join(n.Also, ", "))
		}
		if n.Dialog != nil {
			what.asks = n.Dialog.ID
		}
		kind := n.Kind
		if n.IsDebt() { // late or not, it is one matter
			kind = parley.NeedOverdue
		}
		if key := string(kind) + n.AgentID + n.MessageID; now[key].line == "" {
			now[key] = what
		}
	}
	for _, m := range inbox {
		line := fmt.Sprintf("%s writes to you: %s.", m.Sender, strings.TrimRight(plain.CleanLine(m.Content), "."))
		if m.Sender != parley.SystemName {
			line += " To answer, type: reply " + parley.Short(m.MessageID) + " TEXT"
		}
		now[m.MessageID] = heard{line: line}
	}
	return now
}

// heard is something that waits for the person: its line, "" as long as it is a part of something else, and the
// line when it ends. It is said again when something else is asked.
type heard struct{ line, end, asks string }

// becomes announces the difference to what was known.
func (p *plainScreen) becomes(now map[string]heard) {
	lines := differs(p.known, now)
	for _, line := range lines[:min(len(lines), mostAnnounced)] {
		_ = p.cli.out.printLine(line)
	}
	if more := len(lines) - mostAnnounced; more > 0 {
		p.cli.out.printf("And %d more: needs and read list them.\n", more)
	}
	p.known = now
}

// differs returns the lines of what waits now and did not, and of what did and does no more. What waits still is said
// as it was.
func differs(known, now map[string]heard) (lines []string) {
	for key, what := range now {
		switch was := known[key]; {
		case was.line != "" && (what.asks == "" || what.line == "" || what.asks == was.asks):
			now[key] = was // what it says may have changed, and not what it is
		case what.line != "":
			lines = append(lines, what.line)
		}
	}
	for key, was := range known {
		if _, still := now[key]; !still && was.line != "" && was.end != "" {
			lines = append(lines, was.end)
		}
	}
	slices.Sort(lines)
	return lines
}

// needSentence says what a person must do about a need.
func needSentence(n *parley.Need) string {
	d := n.Dialog
	if d == nil || d.Question == "" {
		var steps []string
		for _, step := range n.Steps(true) {
			steps = append(steps, parley.NeedStep{Words: cmp.Or(step.Words, "type"), Command: step.Command}.String())
		}
		return fmt.Sprintf("%s needs you: %s. To help, %s", n.Agent, strings.TrimRight(n.Text, "."),
			strings.Join(steps, "; "))
	}
	words := n.Agent + " asks: " + d.Question
	for _, o := range d.Options {
		words += fmt.Sprintf(" %s:", o.Choice) + after(" ", strings.TrimPrefix(o.Label, o.Choice)) + "."
	}
	return words + fmt.Sprintf(" Type: answer %s CHOICE", n.Agent)
}

// after puts one text before another that is not empty.
func after(before, text string) string {
	if text == "" {
		return ""
	}
	return before + text
}

func isOneOf(word string, words ...string) bool { return slices.Contains(words, word) }

// plainWords splits a line into words at spaces. Double quotes keep one together, and parley before a command may be
// typed as in a shell.
func plainWords(line string) []string {
	var words []string
	for i, part := range strings.Split(line, `"`) {
		if i%2 == 1 {
			words = append(words, part)
			continue
		}
		words = append(words, strings.Fields(part)...)
	}
	if len(words) > 0 && words[0] == "parley" {
		words = words[1:]
	}
	return words
}
