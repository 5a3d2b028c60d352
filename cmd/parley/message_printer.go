package main

import (
	"strings"
	"time"

	"parley"
)

// messagePrinter prints messages for a person.
type messagePrinter struct{ *output }

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
		notNormal = "  " + p.paint(yellow, string(priority))
	}

	p.printf("%s %s  %s  %s%s\n", mark, p.paint(faint, when), p.paint(bold, sender), p.paint(faint, parley.Short(id)),
		notNormal)

	for line := range strings.SplitSeq(text, "\n") {
		p.printf("%s\n", p.folded("  "+line, 2))
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

// found prints what a search has found.
func (p messagePrinter) found(res *parley.SearchMessagesResult) error {
	for _, m := range res.Messages {
		p.received(&m.ContractMessage, "2006-01-02 15:04:05", m.Snippet)
	}

	switch {
	case res.Truncated:
		p.printf("… the search stopped there; --until %s continues.\n", res.SearchedSince.Format(time.RFC3339Nano))
	case res.HasMore:
		p.printf("… and more; --limit shows up to 100, --until shows earlier ones.\n")
	case len(res.Messages) == 0:
		return p.printLine("No messages.")
	}

	return nil
}
