package main

import (
	"fmt"
	"strings"
	"time"

	"parley"
	"parley/plain"
)

// eventPrinter prints events for a person.
type eventPrinter struct{ out *output }

func (p eventPrinter) print(e parley.Event) error {
	if p.out.json {
		return p.out.printJSON(e)
	}
	columns := p.columns(e)
	width := columnsOf(p.out.out)
	if width == 0 {
		return p.out.printLine(joined(columns))
	}

	// What is below the first line stands under the details, or under the names where the terminal is narrow.
	columns[1] = pad(cutMiddle(strings.TrimRight(columns[1], " "), whoWidth), whoWidth)
	indent := len("15:04:05") + 2
	if wide := indent + whoWidth + 2 + stateWidth + 2; width >= 2*wide {
		indent = wide
	}

	return p.out.printLine(p.out.folded(joined(columns), indent))
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
	case parley.EventCommunication, parley.EventDialog, parley.EventTyping, parley.EventPage:
		who, style, details = e.Agent, bold, e.Detail
	case parley.EventAgent:
		who, style, details = e.Agent, agentStyle(parley.AgentState(e.State)), e.Detail
	}

	return []string{
		p.out.paint(faint, clock(e.Time)),
		pad(who, whoWidth),
		p.out.paint(style, pad(state, stateWidth)),
		plain.CleanLine(details),
	}
}

// messagePrinter prints messages for a person.
type messagePrinter struct{ out *output }

func (p messagePrinter) inbox(messages []parley.InboxMessage) {
	for _, m := range messages {
		mark := " "
		if !m.Read {
			mark = "●"
		}
		at := m.Timestamp.Local().Format("01-02 15:04:05")
		p.message(mark, m.MessageID, at, m.Sender, m.Priority, m.Content)
	}
}

// message shows a message: a line with time and sender, and the text below.
func (p messagePrinter) message(mark, id, when, sender string, priority parley.Priority, text string) {
	notNormal := ""
	if priority != "" && priority != parley.PriorityNormal {
		notNormal = "  " + p.out.paint(yellow, string(priority))
	}

	p.out.printf("%s %s  %s  %s%s\n", mark, p.out.paint(faint, when), p.out.paint(bold, sender),
		p.out.paint(faint, parley.Short(id)), notNormal)

	for line := range strings.SplitSeq(text, "\n") {
		p.out.printf("%s\n", p.out.folded("  "+line, 2))
	}
}

// received prints a message that may be unread.
func (p messagePrinter) received(m *parley.ContractMessage, form, text string) {
	mark := " "
	if !m.ReadStatus {
		mark = "●"
	}
	p.message(mark, m.MessageID, m.Timestamp.Local().Format(form), m.SenderName, m.Priority, text)
}

func (p messagePrinter) found(res *parley.SearchMessagesResult) error {
	for _, m := range res.Messages {
		p.received(&m.ContractMessage, "2006-01-02 15:04:05", m.Snippet)
	}

	switch {
	case res.Truncated:
		p.out.printf("… the search stopped there; --until %s continues.\n", res.SearchedSince.Format(time.RFC3339Nano))
	case res.HasMore:
		p.out.printf("… and more; --limit shows up to 100, --until shows earlier ones.\n")
	case len(res.Messages) == 0:
		return p.out.printLine("No messages.")
	}

	return nil
}
