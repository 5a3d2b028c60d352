package main

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"parley"
)

// lastShown is the number of events that the log begins with by default.
const lastShown = 20

// logPage is the number of events that the log reads at once, the daemon's maximum.
const logPage = 1000

// logCommand shows the record.
type logCommand struct {
	follow bool
	last   int
	flags  logFlags
}

func (l *logCommand) declare(c *cli) *cobra.Command {
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
	}

	cmd.Flags().BoolVarP(&l.follow, "follow", "f", false, "go on as things happen, until Ctrl-C")
	cmd.Flags().IntVarP(&l.last, "last", "n", lastShown, "how many of the newest lines; with --since, all unless given")
	l.flags.add(cmd, completer{c})
	termAliases(cmd)
	cmd.ValidArgsFunction = completion(completeTerms).by(completer{c})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		words, err := takeTerms(cmd, args)
		if err != nil {
			return err
		}
		if len(words) > 0 && l.flags.grep == "" {
			l.flags.grep = strings.ToLower(regexp.QuoteMeta(strings.Join(words, " ")))
		}
		filter, err := l.flags.filter(cmd)
		if err != nil {
			return err
		}
		if l.last < 0 {
			return misused(cmd, fmt.Errorf("--last is %d; give 0 or more lines", l.last))
		}

		return l.run(cmd.Context(), &logReader{cli: c, filter: filter}, cmd.Flag("last").Changed)
	}

	return cmd
}

// run prints the events. counted tells that their number was given.
func (l *logCommand) run(ctx context.Context, r *logReader, counted bool) (err error) {
	if err := l.flags.exist(ctx, r.cli); err != nil {
		return err
	}

	var next int64
	if !r.filter.since.at.IsZero() && !counted {
		next, err = r.printSince(ctx)
	} else {
		next, err = r.printLast(ctx, l.last)
	}
	if err != nil || !l.follow {
		return err
	}

	return r.follow(ctx, next)
}

// logReader prints the events that pass a filter.
type logReader struct {
	cli    *cli
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
		if before <= 1 || page.Events[0].Time.Before(r.filter.since.at) {
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
			if err := r.print(e); err != nil {
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
		return err != nil || len(one.Events) == 0 || !one.Events[0].Time.Before(r.filter.since.at)
	})
	if err != nil {
		return 0, err
	}

	for after := int64(before); after < end; after = page.Next {
		if page, err = r.read(ctx, parley.ReadEventsRequest{After: after, Limit: logPage}); err != nil {
			return 0, err
		}

		for _, e := range r.passing(ctx, page.Events) {
			if err := r.print(e); err != nil {
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
		line = ansi.Strip(eventPrinter{r.cli.out}.line(*e))
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
	service, err := r.cli.service(ctx)
	if err != nil {
		return err
	}
	defer service.Close()

	for e, err := range service.Events(ctx, after) {
		if err == nil && r.passes(ctx, &e) {
			err = r.print(e)
		}
		if err != nil {
			return err
		}
	}

	return nil
}

func (r *logReader) print(e parley.Event) error { return eventPrinter{r.cli.out}.print(e) }

// pad fills text with spaces to a width in terminal columns.
func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-ansi.StringWidth(text)))
}
