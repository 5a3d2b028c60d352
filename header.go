package parley

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"parley/plain"
)

// The grammar of what parley types into a terminal: a header line, the text, and
// a footer in parentheses. It is written and read here. Package profile finds the end of a footer by its parenthesis.

// Guidance kinds are in capitals; guidance without one says STUCK.
func guidanceKind(m *Message) string {
	var g Guidance
	if json.Unmarshal(m.Data, &g) != nil || g.Kind == "" {
		return GuidanceStuck
	}
	return g.Kind
}

// Header returns the header of the message for the recipient with the given id,
// without the space that follows it.
func (m *Message) Header(recipientID string) string {
	switch m.Kind {
	case KindSteering:
		return fmt.Sprintf("[GUARDIAN GUIDANCE - %s]:", guidanceKind(m))
	case KindNotice:
		return "[PARLEY]:"
	case KindBroadcast:
		return fmt.Sprintf("[AGENT %s BROADCAST]:", Short(m.SenderID))
	case KindThread:
		return fmt.Sprintf(`[AGENT %s IN THREAD %s "%s"]:`, Short(m.SenderID), Short(m.ThreadID),
			ShownTitle(m.ThreadTitle))
	}
	return fmt.Sprintf("[AGENT %s TO AGENT %s]:", Short(m.SenderID), Short(recipientID))
}

// Mark returns the part of the footer that proves whose text it is: "msg 5f0c21aa".
func (m *Message) Mark() string { return "msg " + Short(m.ID) }

// Footer returns the line below the text: who sent it, the message's id, and what is
// expected of the recipient. It ends in a parenthesis behind a plain word, so that no
// completion of a program takes the Enter. A short footer has the id alone. Both have the seal
// of the terminal, unless it is empty.
func (m *Message) Footer(short bool, seal string) string {
	if short {
		return "(" + m.sealed(seal) + ")"
	}

	parts := []string{m.Sender, m.sealed(seal)}
	if m.InReplyTo != "" {
		parts = append(parts, "re "+Short(m.InReplyTo))
	}
	if m.ResponseStatus != "" {
		parts = append(parts, string(m.ResponseStatus))
	}
	if m.Priority != PriorityNormal && m.Priority != "" {
		parts = append(parts, string(m.Priority))
	}
	if s := m.Schedule; s != nil && s.Late {
		parts = append(parts, "late: it was due at "+LocalTime(s.Due, m.Timestamp))
	}
	if by := m.ReplyBy(); by != "" {
		parts = append(parts, by)
	}

	return "(" + strings.Join(parts, " · ") + ")"
}

// sealed returns the mark, and the seal behind it.
func (m *Message) sealed(seal string) string {
	if seal == "" {
		return m.Mark()
	}
	return m.Mark() + " · " + plain.SealWord + " " + seal
}

// AnnouncementFooter returns the footer of the announcement of a text that has the given
// number of characters and is too long for the terminal.
func (m *Message) AnnouncementFooter(characters int, seal string) string {
	expected := ""
	if by := m.ReplyBy(); by != "" {
		expected = " · " + by
	}
	return fmt.Sprintf("(%s · %s%s · %d characters, cut here: read it whole with get_messages, or parley message %s)",
		m.Sender, m.sealed(seal), expected, characters, Short(m.ID))
}

// ReplyBy says until when an answer is expected, "" if none is. It names the day when
// that is not the day on which the message was sent.
func (m *Message) ReplyBy() string {
	if m.ResponseDeadline == nil {
		return ""
	}
	return "reply by " + LocalTime(*m.ResponseDeadline, m.Timestamp) + " with respond_to_message"
}

// LocalTime formats a time for people here: the time of day, and the day unless that is
// the day of the second time.
func LocalTime(t, day time.Time) string {
	t, day = t.In(time.Local), day.In(time.Local)
	if t.Format(time.DateOnly) == day.Format(time.DateOnly) {
		return t.Format("15:04")
	}
	return t.Format("15:04 on 2 January")
}
