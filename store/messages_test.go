package store

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
)

func TestAMessageComesBackAsItWasStored(t *testing.T) {
	s := openTest(t)
	addAgents(t, s, 2)
	p := post(0, 1)
	due := time.Date(2031, 5, 6, 7, 8, 9, 10, time.UTC)
	p.Message.Kind, p.Message.ThreadID = parley.KindThread, "5f0c21aa-0000-4000-8000-000000000001"
	p.Message.Attachments = []json.RawMessage{json.RawMessage(`{"name":"a"}`), json.RawMessage(`{"name":"b"}`)}
	p.Message.RequiresResponse, p.Message.ResponseDeadline = true, &due
	p.Message.Data = json.RawMessage(`{"n":1}`)

	stored, err := s.Append(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}

	got, _, err := s.Message(t.Context(), stored.Message.ID)
	if err != nil {
		t.Fatal(err)
	}

	want := stored.Message
	want.Sender, want.SenderRole = got.Sender, got.SenderRole // they come from the sender's own row
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-stored +read):\n%s", diff)
	}
}
