package main

import (
	"context"
	"fmt"
	"math"
	"net/url"
	"slices"
	"sort"
	"strconv"
	"strings"

	"parley"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
)

// lastShown is how many events the log begins with unless told.
const lastShown = 20

// logPage is how many events the log reads at once, the most that the daemon gives.
const logPage = 1000

func (c *cli) logCommand() *cobra.Command {
	var follow bool
	last := lastShown
	cmd := &cobra.Command{
		Use:   "log",
		Short: "Show the record of messages, deliveries and agents",
		Long: `Shows the record: every message, what became of it, and what the agents did.
What is given must all be true of a line; of the values of one flag, one is enough.
Whole texts are searched by parley search, and written out by parley export.`,
		Example: `  parley log -f
  parley log --since 10m --is failed,unconfirmed
  parley log --from planner --type request -n 200 --json`,
		Args: usage(cobra.NoArgs),
	}

	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "go on as things happen, until Ctrl-C")
	cmd.Flags().
		IntVarP(&last, "last", "n", lastShown, "begin with so many of the newest lines; all with --since unless given")
	flags := c.addLogFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		l, err := flags.filter(cmd, c.now())
		if err != nil {
			return err
		}

		switch {
		case last < 0:
			return misused(cmd, fmt.Errorf("--last is %d; it counts lines", last))
		case !l.since.IsZero() && !cmd.Flag("last").Changed:
			last = math.MaxInt
		}

		print := c.printLast
		if last == math.MaxInt {
			print = c.printSince
		}

		next, err := print(cmd.Context(), l, last)
		if err != nil || !follow {
			return err
		}

		return c.follow(cmd.Context(), l, next)
	}

	return cmd
}

// printLast prints the newest events that pass and returns where the record goes on.
// It reads back only as far as it must.
func (c *cli) printLast(ctx context.Context, l *logFilter, n int) (int64, error) {
	page, err := c.events(ctx, url.Values{"last": {strconv.Itoa(c.firstPage(l, n))}, "limit": {strconv.Itoa(logPage)}})
	if err != nil {
		return 0, err
	}

	next, passed := page.Next, [][]parley.Event{}
	for found := 0; n > 0; {
		events := c.passing(ctx, l, page.Events)
		events = events[max(0, len(events)-(n-found)):]
		passed, found = append(passed, events), found+len(events)
		if found >= n || len(page.Events) == 0 || page.Events[0].Seq <= 1 || page.Events[0].Time.Before(l.since) {
			break
		}

		before := page.Events[0].Seq
		page, err = c.events(
			ctx,
			url.Values{"after": {strconv.FormatInt(max(0, before-1-logPage), 10)}, "limit": {strconv.Itoa(logPage)}},
		)
		if err != nil {
			return 0, err
		}

		page.Events = slices.DeleteFunc(page.Events, func(e parley.Event) bool { return e.Seq >= before })
	}

	for _, events := range slices.Backward(passed) {
		for _, e := range events {
			if err := c.printEvent(e); err != nil {
				return 0, err
			}
		}
	}

	return next, nil
}

// printSince prints all that passes since a time, however much that is, page by page.
func (c *cli) printSince(ctx context.Context, l *logFilter, _ int) (int64, error) {
	page, err := c.events(ctx, url.Values{"last": {"1"}})
	if err != nil {
		return 0, err
	}

	end := page.Next

	// The number of the last event before it. Times rise with the numbers.
	before := sort.Search(int(end), func(n int) bool {
		var one *parley.ReadEventsResult
		if err == nil {
			one, err = c.events(ctx, url.Values{"after": {strconv.Itoa(n)}, "limit": {"1"}})
		}
		return err != nil || len(one.Events) == 0 || !one.Events[0].Time.Before(l.since)
	})

	if err != nil {
		return 0, err
	}

	for after := int64(before); after < end; after = page.Next {
		if page, err = c.events(ctx, url.Values{"after": {strconv.FormatInt(after, 10)}, "limit": {strconv.Itoa(logPage)}}); err != nil {
			return 0, err
		}

		for _, e := range c.passing(ctx, l, page.Events) {
			if err := c.printEvent(e); err != nil {
				return 0, err
			}
		}
	}

	return max(end, page.Next), nil
}

// firstPage is how many of the newest events are read first: as many as are wanted
// where each is one to show.
func (c *cli) firstPage(l *logFilter, n int) int {
	if l.narrow() {
		return logPage
	}
	return min(max(n, 1), logPage) // with -n 0 too: what comes after the newest is new
}

func (c *cli) events(ctx context.Context, from url.Values) (*parley.ReadEventsResult, error) {
	return invoke[parley.ReadEventsResult](ctx, c, "read_events", from)
}

func (c *cli) passing(ctx context.Context, l *logFilter, events []parley.Event) []parley.Event {
	var passed []parley.Event
	for _, e := range events {
		if c.passes(ctx, l, &e) {
			passed = append(passed, e)
		}
	}
	return passed
}

func (c *cli) passes(ctx context.Context, l *logFilter, e *parley.Event) bool {
	line := ""
	if l.pattern != nil {
		line = ansi.Strip(c.eventLine(*e))
	}
	return l.passes(e, line, c.announced(ctx, l))
}

// follow prints events as they happen. Ctrl-C is its regular end.
func (c *cli) follow(ctx context.Context, l *logFilter, after int64) error {
	service, err := c.service(ctx)
	if err != nil {
		return err
	}
	defer service.Close()

	for e, err := range service.Events(ctx, after) {
		if err == nil && c.passes(ctx, l, &e) {
			err = c.printEvent(e)
		}
		if err != nil {
			return err
		}
	}

	return nil
}

func (c *cli) printEvent(e parley.Event) error {
	if c.json {
		return c.printJSON(e)
	}
	return c.printLine(c.eventLine(e))
}

// Widths of the log's columns: two names of usual length, the longest state.
const (
	whoWidth   = 24
	stateWidth = 11
)

// eventLine shows an event: time, from → to, state, what it is about.
func (c *cli) eventLine(e parley.Event) string {
	who, state, style, about := e.Sender+" → "+e.Recipient, e.State, "", e.Preview
	switch e.Type {
	case parley.EventDirectMessage, parley.EventBroadcast:
		if e.Recipient == "" {
			who = fmt.Sprintf("%s → %d agents", e.Sender, e.RecipientCount)
		}
		state, style = "sent", bold
		if e.Priority == parley.PriorityUrgent {
			state = "urgent"
		}
	case parley.EventThreadMessage:
		who, state, style = e.Sender+" → thread "+e.Thread, "sent", bold
	case parley.EventThreadCreated, parley.EventThreadUpdated:
		who, style = e.Agent, bold
	case parley.EventDelivery:
		style = rungStyle(parley.DeliveryState(e.State))
		about = strings.TrimSpace(parley.Short(e.MessageID) + " " + e.Detail)
	case parley.EventCommunication:
		who, style, about = e.Agent, bold, e.Detail
	case parley.EventAgent:
		who, style, about = e.Agent, agentStyle(parley.AgentState(e.State)), e.Detail
	}

	return strings.TrimRight(c.paint(faint, clock(e.Time))+"  "+pad(who, whoWidth)+"  "+
		c.paint(style, pad(state, stateWidth))+"  "+parley.CleanLine(about), " ")
}

// pad fills text with spaces up to a width on the terminal.
func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-ansi.StringWidth(text)))
}
