// Package export writes messages and their deliveries to files that need no parley to
// read: Markdown or JSON Lines. It takes one message at a time and keeps
// none, so that their number is not limited. The agents' texts stay text in each format:
// they can become neither markup nor code.
package export

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/plain"
)

// Format is a file format.
type Format string

// The formats.
const (
	Markdown Format = "markdown"
	JSONL    Format = "jsonl"
)

// Formats lists all formats.
var Formats = []Format{Markdown, JSONL}

// Head describes a file at its top.
type Head struct {
	Title string         // the conversation and its agents
	Total int            // number of messages
	At    time.Time      // when the file is written
	Zone  *time.Location // of the times in the file
}

// Writer writes one file.
type Writer interface {
	// Message writes the next message.
	Message(*parley.ExportedMessage) error
	// Close writes the end of the file. It does not close the underlying writer.
	Close() error
}

// New writes the head of a file and returns its Writer.
func New(w io.Writer, f Format, h Head) (Writer, error) {
	switch f {
	case Markdown:
		return newMarkdown(w, h)
	case JSONL:
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		return jsonl{e}, nil
	}
	return nil, fmt.Errorf("there is no format %q", f)
}

// jsonl writes one message object a line, as export_messages returns it.
type jsonl struct{ encoder *json.Encoder }

func (j jsonl) Message(m *parley.ExportedMessage) error { return j.encoder.Encode(m) }
func (j jsonl) Close() error                            { return nil }

// glyphs are the symbols of the delivery states, the same as on the screen.
var glyphs = map[parley.DeliveryState]string{
	parley.DeliveryQueued:      "○",
	parley.DeliveryHeld:        "‖",
	parley.DeliveryTyping:      "›",
	parley.DeliverySubmitted:   "✓",
	parley.DeliveryRead:        "✓✓",
	parley.DeliveryAnswered:    "↩",
	parley.DeliveryFailed:      "✗",
	parley.DeliveryUnconfirmed: "?",
	parley.DeliveryExpired:     "⊘",
}

// formatRecipients returns the names of a message's recipients, or its thread.
func formatRecipients(m *parley.ExportedMessage) string {
	var names []string
	for i := range m.Deliveries {
		names = append(names, m.Deliveries[i].Recipient)
	}

	const shown = 6
	switch {
	case m.ThreadID != "":
		return "thread “" + plain.CleanLine(m.ThreadTitle) + "”"
	case len(names) == 0:
		return "nobody"
	case len(names) > shown:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], ", "), len(names)-shown)
	}

	return strings.Join(names, ", ")
}

// formatMarks returns the properties of a message that its text does not show.
func formatMarks(m *parley.ExportedMessage) []string {
	var list []string
	if m.Type != parley.TypeInformation {
		list = append(list, string(m.Type))
	}
	if m.Kind == parley.KindSteering {
		list = append(list, "guidance")
	}
	if m.Priority != parley.PriorityNormal {
		list = append(list, string(m.Priority))
	}
	if m.InReplyTo != "" {
		list = append(list, "answers "+parley.Short(m.InReplyTo))
	}
	if m.RequiresResponse {
		list = append(list, "requires a response")
	}
	if m.ContextReference != "" {
		list = append(list, "about "+plain.CleanLine(m.ContextReference))
	}
	if n := len(m.Attachments); n > 0 {
		list = append(list, fmt.Sprintf("attachments: %d", n))
	}

	return slices.DeleteFunc(list, func(mark string) bool { return mark == "" })
}

// formatReason returns why a delivery got no further, escaped for a format.
func formatReason(d *parley.Delivery, escape func(string) string) string {
	if d.Reason == "" || d.State.Delivered() {
		return ""
	}
	return ": " + escape(plain.CleanLine(d.Reason))
}

const (
	dayForm    = "Monday, 2 January 2006"
	timeForm   = "15:04:05"
	stepForm   = "15:04:05.000"
	momentForm = "2 January 2006, 15:04 MST"
)
