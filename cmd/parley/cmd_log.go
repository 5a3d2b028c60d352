package main

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"parley"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
)

// lastShown is how many events the log begins with unless told.
const lastShown = 20

func (c *cli) logCommand() *cobra.Command {
	var follow bool
	last := lastShown
	cmd := &cobra.Command{
		Use:     "log",
		Short:   "Show the record of messages, deliveries and agents",
		Example: "  parley log -f\n  parley log -n 200 --json",
		Args:    usage(cobra.NoArgs),
	}
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "go on as things happen, until Ctrl-C")
	cmd.Flags().IntVarP(&last, "last", "n", lastShown, "begin with so many of the newest events, 1000 at most")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		n := strconv.Itoa(cmp.Or(last, 1)) // with -n 0 too: what comes after the newest is new
		page, err := invoke[parley.ReadEventsResult](cmd.Context(), c, "read_events", url.Values{"last": {n}, "limit": {"1000"}})
		if err != nil {
			return err
		}
		for _, e := range page.Events {
			if last == 0 {
				break
			}
			if err := c.printEvent(e); err != nil {
				return err
			}
		}
		if !follow {
			return nil
		}
		return c.follow(cmd.Context(), page.Next)
	}
	return cmd
}

// follow prints events as they happen. Ctrl-C is its regular end.
func (c *cli) follow(ctx context.Context, after int64) error {
	service, err := c.service(ctx)
	if err != nil {
		return err
	}
	defer service.Close()
	for e, err := range service.Events(ctx, after) {
		if err == nil {
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
