package main

import (
	"fmt"
	"strings"

	"parley"
	"parley/plain"
)

// eventPrinter prints events for a person.
type eventPrinter struct{ *output }

func (p eventPrinter) print(e parley.Event) error {
	if p.json {
		return p.printJSON(e)
	}
	columns := p.columns(e)
	width := columnsOf(p.out)
	if width == 0 {
		return p.printLine(joined(columns))
	}

	// What is below the first line stands under the details, or under the names where the terminal is narrow.
	columns[1] = pad(cutMiddle(strings.TrimRight(columns[1], " "), whoWidth), whoWidth)
	indent := len("15:04:05") + 2
	if wide := indent + whoWidth + 2 + stateWidth + 2; width >= 2*wide {
		indent = wide
	}

	return p.printLine(p.folded(joined(columns), indent))
}

func joined(columns []string) string { return strings.TrimRight(strings.Join(columns, "  "), " ") }

// Widths of the log's columns: two names of usual length, the longest state.
const (
	whoWidth   = 24
	stateWidth = 11
)

// line formats an event: time, from → to, state, details.
func (p eventPrinter) line(e parley.Event) string { return joined(p.columns(e)) }

func (p eventPrinter) columns(e parley.Event) []string {
	who, state, style, details := e.Sender+" → "+e.Recipient, e.State, "", e.Excerpt()
	switch e.Type {
	case parley.EventDirectMessage, parley.EventBroadcast:
		if e.Recipient == "" {
			who = fmt.Sprintf("%s → %d agents", e.Sender, e.RecipientCount)
		}
		state, style = "sent", bold
		if e.Detail != "" {
			details += "  (from " + e.Detail + ")"
		}
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
		p.paint(faint, clock(e.Time)),
		pad(who, whoWidth),
		p.paint(style, pad(state, stateWidth)),
		plain.CleanLine(details),
	}
}
