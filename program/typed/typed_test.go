package typed_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/must"
	"parley/plain"
	"parley/program/typed"
)

// typedMessages are one message for each form of a header, and how it is found.
var typedMessages = []struct {
	message parley.Message
	want    typed.Message
}{
	{
		parley.Message{Kind: parley.KindDirect, SenderID: "12345678-0000"},
		typed.Message{Kind: parley.KindDirect, SenderID: "12345678", RecipientID: "87654321"},
	},
	{
		parley.Message{Kind: parley.KindBroadcast, SenderID: "12345678-0000"},
		typed.Message{Kind: parley.KindBroadcast, SenderID: "12345678"},
	},
	{
		parley.Message{Kind: parley.KindThread, SenderID: "12345678-0000", ThreadID: "1a2b3c4d-0000",
			ThreadTitle: `the "title"`},
		typed.Message{Kind: parley.KindThread, SenderID: "12345678", ThreadID: "1a2b3c4d", ThreadTitle: "the 'title'"},
	},
	{
		parley.Message{Kind: parley.KindSteering},
		typed.Message{Kind: parley.KindSteering, Guidance: "STUCK"},
	},
	{
		parley.Message{Kind: parley.KindNotice},
		typed.Message{Kind: parley.KindNotice},
	},
}

const typedSeal = "k7f3qa"

const typedText = "please look at main.go\n(not a footer)"

func asTyped(m parley.Message, short bool) string {
	return m.Header("87654321-0000") + " " + typedText + "\n" + m.Footer(short, typedSeal)
}

func TestTypedMessagesAreFound(t *testing.T) {
	for _, test := range typedMessages {
		for _, short := range []bool{false, true} {
			m, want := test.message, test.want
			m.ID, m.Sender, m.Priority = "5f0c21aa-0000", "planner", parley.PriorityUrgent
			want.ID, want.Seal, want.Text = "5f0c21aa", typedSeal, typedText
			if !short {
				want.Sender = m.Sender
			}

			text := asTyped(m, short)
			if diff := cmp.Diff([]typed.Message{want}, typed.Find(text)); diff != "" {
				t.Errorf("%q (-want +got):\n%s", text, diff)
			}
			if !typed.Is(text) || !typed.Ends(text) || !typed.Holds("$ "+text) {
				t.Errorf("%q is typed %v, ends typed %v, holds typed %v; want all", text,
					typed.Is(text), typed.Ends(text), typed.Holds("$ "+text))
			}

			wrapped := strings.ReplaceAll(text, " ", "\n  ")
			if !typed.Is(wrapped) {
				t.Errorf("%q is not found when it is wrapped", text)
			}
		}
	}
}

func TestTypedMessagesAreToldApart(t *testing.T) {
	var all strings.Builder
	var want []string
	for i, test := range typedMessages {
		m := test.message
		m.ID, m.Sender = strings.Repeat(string(rune('a'+i)), 8), "planner"
		all.WriteString(asTyped(m, false) + "\n\n")
		want = append(want, m.ID)
	}

	var got []string
	for _, found := range typed.Find(all.String()) {
		got = append(got, found.ID)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("ids (-want +got):\n%s", diff)
	}
}

func TestTypedMessagesAreCut(t *testing.T) {
	const one = "[AGENT 12345678 TO AGENT 87654321]: one (ann · msg 5f0c21aa)"
	for text, want := range map[string]string{
		"before\n" + one + "\nafter":                "before\n\nafter",
		"a" + one + "b" + one + "c":                 "abc",
		"end of it (ann · msg 5f0c21aa)\nafter":     "\nafter",
		"[AGENT 12345678 BROADCAST]: not ended yet": "[AGENT 12345678 BROADCAST]: not ended yet",
		"nothing": "nothing",

		// What ends with a bracket of its own is not quoted for that.
		"[PARLEY]: in <main> (ann · msg 5f0c21aa)\nafter":                  "\nafter",
		"[PARLEY]: in <main> (ann · msg 5f0c21aa)\nsays\n" + one + "after": "\nsays\nafter",
		"shows > (ann · msg 5f0c21aa)\nafter":                              "shows > (ann · msg 5f0c21aa)\nafter",

		"a\n[AGENT 12345678 BROADCAST]: x\n> (ann · msg 0a0b0c0d)\n> [PARLEY]: y (ann · msg 5f0c21aa)\nb": "a\n\nb",
		"> " + one + "\nsays\n> " + one + "\nafter": "" +
			"> \nsays\n> \nafter",
	} {
		if got := typed.Cut(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestQuotedFootersAreNoMessages(t *testing.T) {
	text := "(ann · msg 0a0b0c0d)\n[AGENT 11111111 TO AGENT 22222222]: did you get this?\n(ann · msg 0a0b0c0d)\n" +
		"(ann · msg 5f0c21aa)"
	got := typed.Find(text)
	if len(got) != 1 || got[0].ID != "5f0c21aa" {
		t.Errorf("found %+v, want the message 5f0c21aa alone", got)
	}
	for _, text := range []string{"", "plain words", "(ann · msg 0a0b0c0d) and more", "[AGENT 1 TO AGENT 2]: x"} {
		if found := typed.Find(text); len(found) > 0 || typed.Is(text) || typed.Ends(text) {
			t.Errorf("%q is taken for a message: %+v", text, found)
		}
	}
}

// A person's words behind the footer do not make a footer of what the text quotes.
func TestQuotedFooterIsNeverTheMessage(t *testing.T) {
	const text = "[AGENT 11111111 TO AGENT 22222222]: see\n> (ann · msg 0a0b0c0d)\nand > (ann · msg 0a0b0c0d)\n"
	for foot, want := range map[string]string{
		"(ann · msg 5f0c21aa)": "5f0c21aa", "(ann · msg 5f0c21aa) and mine": "", "": "",
		"in <main> (ann · msg 5f0c21aa)": "5f0c21aa",
	} {
		if got := typed.Find(text + foot); len(got) != 1 || got[0].ID != want {
			t.Errorf("%q: found %+v, want the id %q", foot, got, want)
		}
	}
}

func TestQuotedHeadersAreNoHeaders(t *testing.T) {
	for _, head := range typed.Forms() {
		quoted := plain.QuoteForms("see\n" + head + " text\n(msg 5f0c21aa)")
		if found := typed.Find(quoted); len(found) > 0 {
			t.Errorf("%q is a header still: %+v", quoted, found)
		}
	}
}

func TestFootersSayWhatIsExpected(t *testing.T) {
	sent := time.Date(2026, 3, 1, 9, 0, 0, 0, time.Local)
	tomorrow := sent.AddDate(0, 0, 1)
	m := parley.Message{
		ID: "5f0c21aa-0000", Sender: "planner", InReplyTo: "0a0b0c0d-0000", ResponseStatus: parley.ResponsePartial,
		Priority: parley.PriorityHigh, Timestamp: sent, ResponseDeadline: &tomorrow,
	}
	got := m.Footer(false, "")
	want := "(planner · msg 5f0c21aa · re 0a0b0c0d · partial · high · reply by 09:00 on 2 March with " +
		"respond_to_message)"
	if got != want {
		t.Errorf("the footer is %q, want %q", got, want)
	}
	for _, foot := range []string{got, m.AnnouncementFooter(3000, typedSeal)} {
		if !typed.Ends("x " + foot) {
			t.Errorf("%q is not known as a footer", foot)
		}
	}
}

// docs/delivery.md shows every form that is typed, and no other.
func TestFooterSaysThatAPlannedMessageIsLate(t *testing.T) {
	at := time.Date(2026, 12, 1, 9, 20, 0, 0, time.Local)
	m := parley.Message{ID: "5f0c21aa-1111", Sender: "planner", Timestamp: at,
		Schedule: &parley.ScheduledFor{Due: at.Add(-20 * time.Minute)}}
	for late, want := range map[bool]string{
		false: "(planner · msg 5f0c21aa)",
		true:  "(planner · msg 5f0c21aa · late: it was due at 09:00)",
	} {
		m.Schedule.Late = late
		if got := m.Footer(false, ""); got != want || !typed.Ends(got) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestDocumentsShowTheHeaderForms(t *testing.T) {
	page := must.Have(os.ReadFile("../../docs/delivery.md"))(t)
	want := "```\n" + strings.Join(typed.Forms(), " text\n") + " text\n```\n"
	if !strings.Contains(string(page), want) {
		t.Errorf("docs/delivery.md does not show these forms:\n%s", want)
	}
	for _, head := range typed.Forms() {
		if found := typed.Find(head + " text\n(msg 5f0c21aa)"); len(found) != 1 {
			t.Errorf("%q is documented and not found", head)
		}
	}
}
