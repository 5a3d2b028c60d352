package store

import (
	"testing"

	"parley"
	"parley/internal/must"
)

func TestKeyIsRefusedForAnotherRequest(t *testing.T) {
	s := openWith(t, 2)
	f := testFile("aaaaaaaa-1111-4000-8000-000000000000", 0)
	call := Call{AgentID: agentID(0), Key: "k", Asked: "one", Made: f.ID}
	if _, found, err := s.Idempotency.Called(t.Context(), call); found || err != nil {
		t.Errorf("before it was made: %v, %v", found, err)
	}

	must.Have(s.Files.CreateFile(t.Context(), f, call))(t)
	next := testFile("bbbbbbbb-1111-4000-8000-000000000000", 0)
	call.Made = next.ID

	was, err := s.Files.CreateFile(t.Context(), next, call)
	if err != nil || was.Made != f.ID {
		t.Errorf("again: it made %q, %v, want %q", was.Made, err, f.ID)
	}

	_, err = s.Files.File(t.Context(), next.ID, "")
	wantCode(t, "the file of the second call", err, parley.FileNotFound)
	call.Asked = "two"
	_, _, err = s.Idempotency.Called(t.Context(), call)
	wantCode(t, "another call", err, parley.InvalidArgument)
	_, err = s.Files.CreateFile(t.Context(), next, call)
	wantCode(t, "another file", err, parley.InvalidArgument)
	message := post(0, 1)
	message.IdempotencyKey = "k"
	_, err = s.Messages.Append(t.Context(), message)
	wantCode(t, "a message", err, parley.InvalidArgument)
	wantStored(t, s, 0)

	call.AgentID = agentID(1)
	if _, found, err := s.Idempotency.Called(t.Context(), call); found || err != nil {
		t.Errorf("another's: %v, %v", found, err)
	}
}

func TestIdempotencyKeyStoresOnce(t *testing.T) {
	s := openWith(t, 3)
	first := post(0, 1)
	first.IdempotencyKey = "k"
	done := send(t, s, first)
	again := post(0, 2)
	again.IdempotencyKey, again.Message.Text = "k", "something else"
	got := send(t, s, again)
	if !got.Repeated || got.Message.ID != done.Message.ID || got.Message.Text != done.Message.Text ||
		len(got.Deliveries) != 1 || got.Deliveries[0].Recipient != agentName(1) {
		t.Errorf("got %+v, want the first message", got)
	}

	other := post(2, 1) // another sender's key is another key
	other.IdempotencyKey = "k"
	if got := send(t, s, other); got.Repeated {
		t.Error("another sender's key was taken for this one's")
	}

	wantStored(t, s, 2)
}
