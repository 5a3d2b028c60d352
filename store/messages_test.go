package store

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/must"
)

func TestMessageIsReadAsStored(t *testing.T) {
	s := openWith(t, 2)
	p := post(0, 1)
	due := time.Date(2031, 5, 6, 7, 8, 9, 10, time.UTC)
	p.Message.Kind, p.Message.ThreadID = parley.KindThread, "5f0c21aa-0000-4000-8000-000000000001"
	p.Message.Attachments = []json.RawMessage{json.RawMessage(`{"name":"a"}`), json.RawMessage(`{"name":"b"}`)}
	p.Message.RequiresResponse, p.Message.ResponseDeadline = true, &due
	p.Message.Data = json.RawMessage(`{"n":1}`)

	stored := must.Have(s.Messages.Append(t.Context(), p))(t)

	got, _, err := s.Messages.Message(t.Context(), stored.Message.ID)
	if err != nil {
		t.Fatal(err)
	}

	want := stored.Message
	want.Sender, want.SenderRole = got.Sender, got.SenderRole // they come from the sender's row
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-stored +read):\n%s", diff)
	}
}

func TestMessageIsFoundByPrefix(t *testing.T) {
	s := openWith(t, 2)
	ids := []string{
		"5f0c21aa-0000-4000-8000-000000000001",
		"5f0c21aa-0000-4000-8000-000000000002",
		"5f0c21ab-0000-4000-8000-000000000003",
	}

	for _, id := range ids {
		p := post(0, 1)
		p.Message.ID = id
		send(t, s, p)
	}

	for _, ref := range []string{ids[0], ids[1], ids[2], "5f0c21ab", "5F0C21AB-0000", strings.ToUpper(ids[1])} {
		if m, _, err := s.Messages.Message(t.Context(), ref); err != nil ||
			!strings.HasPrefix(m.ID, strings.ToLower(ref)) {
			t.Errorf("%s: got %s, %v", ref, m.ID, err)
		}
	}

	for _, ref := range []string{"", "5f0c21a", "5f0c21aa", "5f0c21ac", "5f0c21a%", "________"} {
		_, _, err := s.Messages.Message(t.Context(), ref)
		wantCode(t, ref, err, parley.MessageNotFound)
	}
}

// Messages that are sent at the same time may be stored in another order than that of their times.
func TestExportSinceATimeLeavesOutNothingLater(t *testing.T) {
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, q := range map[string]ExportQuery{
		"all": {}, "two agents": {A: agentID(1), B: agentID(0)}, "a thread": {ThreadID: "t1"},
	} {
		s := openWith(t, 2)
		for _, ms := range []int{0, 3, 1, 2, 5, 4} {
			p := post(0, 1)
			p.Message.ThreadID, p.Message.Timestamp = q.ThreadID, begin.Add(time.Duration(ms)*time.Millisecond)
			send(t, s, p)
		}

		q.Since, q.Limit = begin.Add(2*time.Millisecond), 1
		var got []int64
		total := -1
		for more := true; more; {
			page := must.Have(s.Messages.Export(t.Context(), q))(t)
			for _, m := range page.Messages {
				got = append(got, m.Timestamp.Sub(begin).Milliseconds())
			}
			if total < 0 {
				total = page.Total
			}
			q.After, more = page.Next, page.HasMore
		}
		if want := []int64{3, 5, 4}; !slices.Equal(got, want) || total != len(want) {
			t.Errorf("%s: got %v of %d, want %v", name, got, total, want)
		}
	}
}
