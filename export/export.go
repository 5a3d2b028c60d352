// Package export writes messages and what became of them as files that are read
// without parley: Markdown, JSON Lines, or one HTML page. It takes a message at a time
// and keeps none, so that there may be any number. What agents wrote stays text in each
// form: it can neither become markup nor code.
package export

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"parley"
)

// Format is a form of file.
type Format string

// The formats.
const (
	Markdown Format = "markdown"
	JSONL    Format = "jsonl"
	HTML     Format = "html"
)

// Formats are all of them.
var Formats = []Format{Markdown, JSONL, HTML}

// Head is what a file says of itself.
type Head struct {
	Title string         // what was said, and by whom
	Total int            // how many messages there are
	At    time.Time      // when it is written
	Zone  *time.Location // in which times are shown
}

// Writer writes one file.
type Writer interface {
	// Message writes one message below those before.
	Message(*parley.ExportedMessage) error
	// Close ends the file. It does not close what is written to.
	Close() error
}

// New begins a file.
func New(w io.Writer, f Format, h Head) (Writer, error) {
	switch f {
	case Markdown:
		return newMarkdown(w, h)
	case JSONL:
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		return jsonl{e}, nil
	case HTML:
		return newPage(w, h)
	}
	return nil, fmt.Errorf("there is no format %q", f)
}

// jsonl is a message object a line, as export_messages gives it.
type jsonl struct{ encoder *json.Encoder }

func (j jsonl) Message(m *parley.ExportedMessage) error { return j.encoder.Encode(m) }
func (j jsonl) Close() error                            { return nil }

// glyphs are the shapes of the rungs, as the screen has them.
var glyphs = map[parley.DeliveryState]string{
	parley.DeliveryQueued: "○", parley.DeliveryHeld: "‖", parley.DeliveryTyping: "›", parley.DeliverySubmitted: "✓",
	parley.DeliveryRead: "✓✓", parley.DeliveryAnswered: "↩", parley.DeliveryFailed: "✗", parley.DeliveryUnconfirmed: "?", parley.DeliveryExpired: "⊘",
}

// standing sorts states by how good they are.
func standing(s parley.DeliveryState) string {
	switch {
	case s.Delivered():
		return "good"
	case s.Settled():
		return "bad"
	case s == parley.DeliveryHeld:
		return "held"
	}
	return "open"
}

// to names whom a message went to.
func to(m *parley.ExportedMessage) string {
	var names []string
	for i := range m.Deliveries {
		names = append(names, m.Deliveries[i].Recipient)
	}

	const shown = 6
	switch {
	case m.ThreadID != "":
		return "thread “" + parley.CleanLine(m.ThreadTitle) + "”"
	case len(names) == 0:
		return "nobody"
	case len(names) > shown:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], ", "), len(names)-shown)
	}

	return strings.Join(names, ", ")
}

// marks are what is to be known of a message beside its text.
func marks(m *parley.ExportedMessage) []string {
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
		list = append(list, "about "+parley.CleanLine(m.ContextReference))
	}
	if n := len(m.Attachments); n > 0 {
		list = append(list, fmt.Sprintf("attachments: %d", n))
	}

	return slices.DeleteFunc(list, func(mark string) bool { return mark == "" })
}

// because is why a delivery is not further, its words made plain for a format.
func because(d *parley.Delivery, plain func(string) string) string {
	if d.Reason == "" || d.State.Delivered() {
		return ""
	}
	return ": " + plain(parley.CleanLine(d.Reason))
}

const (
	dayForm    = "Monday, 2 January 2006"
	timeForm   = "15:04:05"
	rungForm   = "15:04:05.000"
	momentForm = "2 January 2006, 15:04 MST"
)
