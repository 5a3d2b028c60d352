package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/must"
)

func message(text string) *parley.ExportedMessage {
	at := time.Date(2026, 1, 2, 14, 5, 12, 0, time.UTC)
	id := "5f0c21aa-0000-4000-8000-000000000000"
	return &parley.ExportedMessage{
		Message: parley.Message{
			ID:        id,
			Kind:      parley.KindDirect,
			Type:      parley.TypeRequest,
			Priority:  parley.PriorityUrgent,
			SenderID:  "a",
			Sender:    "planner",
			Text:      text,
			Timestamp: at,
			Hop:       1,
		},
		Deliveries: []parley.Delivery{
			{MessageID: id, RecipientID: "b", Recipient: "coder", State: parley.DeliverySubmitted, Steps: []parley.Step{
				{
					State: parley.DeliveryQueued,
					At:    at,
				}, {State: parley.DeliverySubmitted, At: at.Add(300 * time.Millisecond),
					Evidence: "the composer was emptied"}}},
		},
	}
}

func write(t *testing.T, f Format, title string, messages ...*parley.ExportedMessage) string {
	t.Helper()
	var b bytes.Buffer
	w, err := New(&b, f,
		Head{Title: title, Total: len(messages), At: time.Date(2026, 1, 3, 9, 0, 0, 0, time.UTC), Zone: time.UTC})

	for _, m := range messages {
		if err == nil {
			err = w.Message(m)
		}
	}

	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}

	return b.String()
}

func TestMarkdownReadsLikeALetter(t *testing.T) {
	reply := message("on it")
	reply.Sender, reply.Type, reply.Priority, reply.InReplyTo = "coder", parley.TypeInformation,
		parley.PriorityNormal, reply.ID
	reply.Timestamp = reply.Timestamp.Add(24 * time.Hour)
	reply.Deliveries[0].Recipient, reply.Deliveries[0].State = "planner", parley.DeliveryFailed
	reply.Deliveries[0].Reason, reply.Deliveries[0].Steps = "its program ended", nil
	got := write(t, Markdown, "The plan", message("Please rebase.\nIt is behind main.go."), reply)
	want := "# The plan\n\n2 messages, written on 3 January 2026, 09:00 UTC.\n\n## Friday, 2 January 2026\n\n" +
		"**planner → coder** · 14:05:12 · `5f0c21aa` · request · urgent\n\n> Please rebase.\\\n> It is behind main.go.\n\n" +
		"- ✓ coder: submitted\n  - 14:05:12.000 queued\n  - 14:05:12.300 submitted (the composer was emptied)\n\n" +
		"## Saturday, 3 January 2026\n\n**coder → planner** · 14:05:12 · `5f0c21aa` · answers 5f0c21aa\n\n> on it\n\n- ✗ planner: failed: its program ended\n"

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the file (-want +got):\n%s", diff)
	}
}

func TestMarkdownKeepsCodeInALongerFence(t *testing.T) {
	got := write(t, Markdown, "x", message("see:\n````\nrm -rf\n````"))
	if want := "`````text\nsee:\n````\nrm -rf\n````\n`````\n"; !strings.Contains(got, want) {
		t.Errorf("no %q in\n%s", want, got)
	}
}

func TestMarkdownEscapesMarkup(t *testing.T) {
	for text, want := range map[string]string{
		"# not a heading":               `> \# not a heading`,
		"- no list":                     `> \- no list`,
		"1. no list":                    `> 1\. no list`,
		"![x](http://example.org/t)":    `> \!\[x\](http\://example.org/t)`,
		"<script>alert(1)</script>":     `> \<script\>alert(1)\</script\>`,
		"&lt;b&gt; a_b_c *d* `e` ~~f~~": "> \\&lt;b\\&gt; a\\_b\\_c \\*d\\* \\`e\\` \\~\\~f\\~\\~",
		"www.example.org me@host":       `> www\.example.org me\@host`,
		"--- ":                          `> \-\-\-`,
		"said: it is 3 + 4 - 1 (done).": `> said: it is 3 + 4 - 1 (done).`,
	} {
		if got := write(t, Markdown, "x", message(text)); !strings.Contains(got, "\n"+want+"\n") {
			t.Errorf("%q: no %s in\n%s", text, want, got)
		}
	}
}

func TestJSONLinesAreComplete(t *testing.T) {
	m := message("<b> & \u2028")
	got := write(t, JSONL, "x", m, m)
	lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], "<b> &") {
		t.Fatalf("the file is %q", got)
	}

	var back parley.ExportedMessage
	must.Do(t, json.Unmarshal([]byte(lines[1]), &back))
	if diff := cmp.Diff(*m, back); diff != "" {
		t.Errorf("a message as it is read back (-want +got):\n%s", diff)
	}
}

func TestMemoryDoesNotGrowWithMessages(t *testing.T) {
	for _, f := range Formats {
		w := must.Have(New(io.Discard, f, Head{Zone: time.UTC}))(t)

		m := message(strings.Repeat("a word ", 100))
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		for i := range 10_000 {
			m.ID = fmt.Sprintf("%08d-0000-4000-8000-000000000000", i)
			must.Do(t, w.Message(m))
		}

		runtime.GC()
		runtime.ReadMemStats(&after)
		if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 1<<20 {
			t.Errorf("%s keeps %d bytes after 10,000 messages", f, grown)
		}
	}
}

func TestAnUnknownFormatIsRefused(t *testing.T) {
	if _, err := New(io.Discard, "pdf", Head{}); err == nil {
		t.Error("pdf was begun")
	}
}
