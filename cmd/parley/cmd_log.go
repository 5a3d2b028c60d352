package main

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"

	"parley"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
)

// lastShown is the number of events that the log begins with by default.
const lastShown = 20

// logPage is the number of events that the log reads at once, the daemon's maximum.
const logPage = 1000

func logCommand(c *cli) *cobra.Command {
	var follow bool
	last := lastShown
	cmd := &cobra.Command{
		Use:     "log [FILTER…]",
		Aliases: []string{"logs"},
		Short:   "Show the record of messages, deliveries and agents",
		Long: `Shows the record: every message, its deliveries, and what the agents did.
A line must match all flags; of several values of one flag, one is enough. A filter such as
is:held agent:coder does the same, as in parley find and behind / on the screen.
parley search searches whole texts, and parley export writes them to a file.`,
		Example: `  parley log -f
  parley log --since 10m --is failed,unconfirmed
  parley log -f is:failed agent:coder
  parley log on:yesterday has:question priority:urgent
  parley log --from planner --type request -n 200 --json`,
		Args: cobra.ArbitraryArgs,
	}

	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "go on as things happen, until Ctrl-C")
	cmd.Flags().IntVarP(&last, "last", "n", lastShown, "how many of the newest lines; with --since, all unless given")
	flags := addLogFlags(cmd, c)
	termAliases(cmd)
	cmd.ValidArgsFunction = completeTerms(c)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		words, err := takeTerms(cmd, args)
		if err != nil {
			return err
		}
		if len(words) > 0 && flags.grep == "" {
			flags.grep = strings.ToLower(regexp.QuoteMeta(strings.Join(words, " ")))
		}
		filter, err := flags.filter(cmd)
		if err != nil {
			return err
		}
		if last < 0 {
			return misused(cmd, fmt.Errorf("--last is %d; give 0 or more lines", last))
		}

		if err := flags.exist(cmd.Context(), c); err != nil {
			return err
		}

		r := &logReader{cli: c, filter: filter}
		var next int64
		if !filter.since.IsZero() && !cmd.Flag("last").Changed {
			next, err = r.printSince(cmd.Context())
		} else {
			next, err = r.printLast(cmd.Context(), last)
		}

		if err != nil || !follow {
			return err
		}

		return r.follow(cmd.Context(), next)
	}

	return cmd
}

// logReader prints the events that pass a filter.
type logReader struct {
	*cli
	filter *logFilter
}

// printLast prints the newest n events that pass, and returns the number of the record's
// last event. It reads back only as far as it must.
func (r *logReader) printLast(ctx context.Context, n int) (int64, error) {
	page, err := r.read(ctx, parley.ReadEventsRequest{Last: r.firstPage(n), Limit: logPage})
	if err != nil {
		return 0, err
	}

	end, pages := page.Next, [][]parley.Event{}
	for found := 0; n > 0; {
		events := r.passing(ctx, page.Events)
		events = events[max(0, len(events)-(n-found)):]
		pages, found = append(pages, events), found+len(events)
		if found >= n || len(page.Events) == 0 {
			break
		}

		before := page.Events[0].Seq
		if before <= 1 || page.Events[0].Time.Before(r.filter.since) {
			break
		}

		page, err = r.read(ctx, parley.ReadEventsRequest{After: max(0, before-1-logPage), Limit: logPage})
		if err != nil {
			return 0, err
		}
		page.Events = slices.DeleteFunc(page.Events, func(e parley.Event) bool { return e.Seq >= before })
	}

	for _, events := range slices.Backward(pages) {
		for _, e := range events {
			if err := printEvent(&r.output, e); err != nil {
				return 0, err
			}
		}
	}

	return end, nil
}

// printSince prints all events that pass since the filter's time, page by page, and
// returns the number of the last one.
func (r *logReader) printSince(ctx context.Context) (int64, error) {
	page, err := r.read(ctx, parley.ReadEventsRequest{Last: 1})
	if err != nil {
		return 0, err
	}

	// Times rise with the numbers of events: search for the last one before that time.
	end := page.Next
	before := sort.Search(int(end), func(n int) bool {
		var one *parley.ReadEventsResult
		if err == nil {
			one, err = r.read(ctx, parley.ReadEventsRequest{After: int64(n), Limit: 1})
		}
		return err != nil || len(one.Events) == 0 || !one.Events[0].Time.Before(r.filter.since)
	})
	if err != nil {
		return 0, err
	}

	for after := int64(before); after < end; after = page.Next {
		if page, err = r.read(ctx, parley.ReadEventsRequest{After: after, Limit: logPage}); err != nil {
			return 0, err
		}

		for _, e := range r.passing(ctx, page.Events) {
			if err := printEvent(&r.output, e); err != nil {
				return 0, err
			}
		}
	}

	return max(end, page.Next), nil
}

// firstPage returns how many of the newest events to read first: n if every event
// passes.
func (r *logReader) firstPage(n int) int {
	if r.filter.narrow() {
		return logPage
	}
	return min(max(n, 1), logPage) // with -n 0, the answer still says where the record ends
}

func (r *logReader) read(ctx context.Context, req parley.ReadEventsRequest) (*parley.ReadEventsResult, error) {
	return call[parley.ReadEventsResult](ctx, r.cli, "read_events", req)
}

// passing returns the events that pass.
func (r *logReader) passing(ctx context.Context, events []parley.Event) []parley.Event {
	var passing []parley.Event
	for _, e := range events {
		if r.passes(ctx, &e) {
			passing = append(passing, e)
		}
	}
	return passing
}

func (r *logReader) passes(ctx context.Context, e *parley.Event) bool {
	line := ""
	if r.filter.pattern != nil {
		line = ansi.Strip(eventLine(&r.output, *e))
	}
	return r.filter.passes(e, line, func(e *parley.Event) *announced { return r.announcement(ctx, e) })
}

// announcement returns what the message of e is, nil if that is not known.
func (r *logReader) announcement(ctx context.Context, e *parley.Event) *announced {
	messages := r.filter.messages
	if len(messages) > keptAnnouncements {
		clear(messages)
	}
	if known, found := messages[e.MessageID]; found {
		return known
	}

	var known *announced
	if e.Type.Announces() && !slices.Contains(r.filter.has, parley.HasFile) {
		known = announcedBy(e)
	} else if res, err := r.status(ctx, e.MessageID); err == nil {
		m := res.Object
		known = announcedBy(&parley.Event{Kind: m.Kind, MessageType: m.Type, Priority: m.Priority,
			RequiresResponse: m.RequiresResponse, InReplyTo: m.InReplyTo})
		if len(m.Attachments) > 0 {
			known.has = append(known.has, parley.HasFile)
		}
	}
	messages[e.MessageID] = known

	return known
}

func (r *logReader) status(ctx context.Context, message string) (*parley.MessageStatusResult, error) {
	req := parley.MessageStatusRequest{MessageID: message}
	return call[parley.MessageStatusResult](ctx, r.cli, "get_message_status", req)
}

// follow prints events as they happen, after the one with the given number. Ctrl-C is
// its regular end.
func (r *logReader) follow(ctx context.Context, after int64) error {
	service, err := r.service(ctx)
	if err != nil {
		return err
	}
	defer service.Close()

	for e, err := range service.Events(ctx, after) {
		if err == nil && r.passes(ctx, &e) {
			err = printEvent(&r.output, e)
		}
		if err != nil {
			return err
		}
	}

	return nil
}

func printEvent(o *output, e parley.Event) error {
	if o.json {
		return o.printJSON(e)
	}
	columns := eventColumns(o, e)
	width := columnsOf(o.out)
	if width == 0 {
		return o.printLine(joined(columns))
	}

	// What is below the first line stands under the details, or under the names where the terminal is narrow.
	columns[1] = pad(cutMiddle(strings.TrimRight(columns[1], " "), whoWidth), whoWidth)
	indent := len("15:04:05") + 2
	if wide := indent + whoWidth + 2 + stateWidth + 2; width >= 2*wide {
		indent = wide
	}

	return o.printLine(folded(o, joined(columns), indent))
}

func joined(columns []string) string { return strings.TrimRight(strings.Join(columns, "  "), " ") }

// Widths of the log's columns: two names of usual length, the longest state.
const (
	whoWidth   = 24
	stateWidth = 11
)

// eventLine formats an event: time, from → to, state, details.
func eventLine(o *output, e parley.Event) string { return joined(eventColumns(o, e)) }

func eventColumns(o *output, e parley.Event) []string {
	who, state, style, details := e.Sender+" → "+e.Recipient, e.State, "", e.Excerpt()
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
		details = strings.TrimSpace(parley.Short(e.MessageID) + " " + e.Detail)
	case parley.EventCommunication, parley.EventDialog, parley.EventTyping:
		who, style, details = e.Agent, bold, e.Detail
	case parley.EventAgent:
		who, style, details = e.Agent, agentStyle(parley.AgentState(e.State)), e.Detail
	}

	return []string{
		o.paint(faint, clock(e.Time)),
		pad(who, whoWidth),
		o.paint(style, pad(state, stateWidth)),
		parley.CleanLine(details),
	}
}

// pad fills text with spaces to a width in terminal columns.
func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-ansi.StringWidth(text)))
}
