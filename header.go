package parley

import (
	"encoding/json"
	"fmt"
	"slices"
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

// Typed is a message that was found in a text, as its header and footer tell it.
type Typed struct {
	Kind        MessageKind // direct, broadcast, thread, steering or notice
	SenderID    string      // short; "" for guidance and parley's own notices
	RecipientID string      // short; of a direct message
	ThreadID    string      // short; of a thread's post
	ThreadTitle string
	Guidance    string // STUCK and the like
	Text        string // between header and footer
	Sender      string // the name in the footer; "" with a short footer
	ID          string // short; "" when no footer follows
	Seal        string // in the footer; "" if there is none
}

// The one expression of a header. Terminals wrap: where a space stands, a line may break.
const headerForm = `\[(?:` +
	`AGENT\s+([0-9a-f]{8})\s+(?:TO\s+AGENT\s+([0-9a-f]{8})|(BROADCAST)|IN\s+THREAD\s+([0-9a-f]{8})\s+"([^"]*)")` +
	`|GUARDIAN\s+GUIDANCE\s+-\s+([^\]]*)` +
	`|(PARLEY)` +
	`)\]:`

// The one expression of a footer: an optional name, the mark, an optional seal, and what is expected.
const footerForm = `\((?:(\pL[\pL\pN_-]*)\s+·\s+)?msg\s+([0-9a-f]{8})\b` +
	`(?:\s+·\s+` + plain.SealWord + `\s+([a-z0-9]+))?(?:\s+·\s+[^()]*)?\)`

// They are compiled when they are first used: most commands use none.
var (
	headerAtLine = expression(`(?m)^` + headerForm + `[ \t]?`)
	headerFirst  = expression(`^\s*` + headerForm)
	headerIn     = expression(headerForm)
	footerIn     = expression(footerForm)
	footerAtLine = expression(`(?m)` + footerForm + `[ \t]*$`)
	footerLast   = expression(footerForm + `[\s\x{200b}]*$`)
)

// FindTyped returns the messages of parley that stand in a text, such as a prompt that a
// program was given: each begins with a header at the beginning of a line and reaches to
// the last footer before the next header. A message whose footer is missing has no ID.
// Texts that quote a footer do not count: it has to be the last.
func FindTyped(text string) []Typed {
	heads := headerAtLine().FindAllStringSubmatchIndex(text, -1)
	found := make([]Typed, len(heads))
	for i, head := range heads {
		end := len(text)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		found[i] = readTyped(text, head, text[head[1]:end])
	}
	return found
}

// readTyped reads a message from the submatches of its header and what follows that.
func readTyped(text string, head []int, rest string) Typed {
	part := func(n int) string {
		if head[2*n] < 0 {
			return ""
		}
		return text[head[2*n]:head[2*n+1]]
	}

	t := Typed{SenderID: part(1), RecipientID: part(2), ThreadID: part(4), ThreadTitle: part(5), Guidance: part(6)}
	switch {
	case part(3) != "":
		t.Kind = KindBroadcast
	case t.ThreadID != "":
		t.Kind = KindThread
	case t.Guidance != "":
		t.Kind = KindSteering
	case part(7) != "":
		t.Kind = KindNotice
	default:
		t.Kind = KindDirect
	}

	feet := slices.DeleteFunc(footerAtLine().FindAllStringSubmatchIndex(rest, -1), func(foot []int) bool {
		ends := strings.TrimSpace(rest[foot[1]:]) == "" && endsInBracket(rest[:foot[0]])
		return plain.IsQuoted(rest[:foot[0]]) && !ends
	})
	if len(feet) > 0 {
		foot := feet[len(feet)-1]
		if foot[2] >= 0 {
			t.Sender = rest[foot[2]:foot[3]]
		}
		t.ID = rest[foot[4]:foot[5]]
		if foot[6] >= 0 {
			t.Seal = rest[foot[6]:foot[7]]
		}
		rest = rest[:foot[0]]
	}
	t.Text = strings.TrimSpace(rest)

	return t
}

// IsTyped reports whether a text is one message of parley's and nothing else, from its
// header to the end of its footer, however a terminal wraps it.
func IsTyped(text string) bool {
	return headerFirst().MatchString(text) && footerLast().MatchString(text)
}

// EndsTyped reports whether a text ends with the footer of a message of parley's, whose
// beginning may have scrolled away.
func EndsTyped(text string) bool { return footerLast().MatchString(text) }

// HoldsTyped reports whether a text has a header of parley's in it and ends with a footer.
// What stands before the header may be a prompt.
func HoldsTyped(text string) bool {
	head := headerIn().FindStringIndex(text)
	return head != nil && footerLast().MatchString(text[head[1]:])
}

// CutTyped removes the messages of parley from a text: each from its header to its footer,
// and what stands before the first footer if the header of that has scrolled away. A footer
// that is quoted belongs to the text of a message.
func CutTyped(text string) string {
	var rest strings.Builder
	for {
		foot := footerOutside(text)
		if foot == nil {
			break
		}
		if head := headerOutside(text[:foot[0]]); head >= 0 {
			rest.WriteString(text[:head])
		}
		text = text[foot[1]:]
	}
	rest.WriteString(text)
	return rest.String()
}

// footerOutside returns where the first footer is that is not quoted; nil if there is none. One behind
// the bracket that ends a text seems quoted, and is not if no other follows before the next header.
func footerOutside(text string) []int {
	var seems []int
	for _, foot := range footerIn().FindAllStringIndex(text, -1) {
		before := text[:foot[0]]
		switch {
		case !plain.IsQuoted(before) && seems != nil && hasHeaderOutside(text[seems[1]:foot[0]]):
			return seems
		case !plain.IsQuoted(before):
			return foot
		case endsInBracket(before) && hasHeaderOutside(before):
			seems = foot
		}
	}
	return seems
}

// endsInBracket reports whether a text ends as "<T>" does, and not with a quote mark.
func endsInBracket(text string) bool {
	text, found := strings.CutSuffix(strings.TrimRight(text, " \t"), ">")
	return found && text != "" && strings.TrimSpace(text[len(text)-1:]) != ""
}

func hasHeaderOutside(text string) bool {
	return slices.ContainsFunc(headerIn().FindAllStringIndex(text, -1), func(head []int) bool {
		return !plain.IsQuoted(text[:head[0]])
	})
}

// headerOutside returns where the last header begins that is not quoted, or else the last one: a
// prompt can stand before it. It returns -1 if there is none.
func headerOutside(text string) int {
	heads := headerIn().FindAllStringIndex(text, -1)
	for _, head := range slices.Backward(heads) {
		if !plain.IsQuoted(text[:head[0]]) {
			return head[0]
		}
	}
	if len(heads) > 0 {
		return heads[len(heads)-1][0]
	}
	return -1
}

// HeaderForms returns every form of a header, with example ids, as documents show them.
func HeaderForms() []string {
	example := func(m Message) string { return m.Header("87654321") }
	const from = "12345678"
	return []string{
		example(Message{SenderID: from, Kind: KindDirect}),
		example(Message{SenderID: from, Kind: KindBroadcast}),
		example(Message{SenderID: from, Kind: KindThread, ThreadID: "1a2b3c4d", ThreadTitle: "title"}),
		example(Message{Kind: KindSteering}),
		example(Message{Kind: KindNotice}),
	}
}
