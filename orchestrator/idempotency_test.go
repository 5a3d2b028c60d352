package orchestrator

import (
	"strings"
	"testing"

	"parley"
	"parley/internal/must"
)

// An upload without a recipient is stored once per key, and a key cannot be used for another
// file.
func TestUploadsWithoutRecipientAreStoredOncePerKey(t *testing.T) {
	te := newTeam(t)
	planner := te.as("planner")
	te.as("coder")
	upload := func(r parley.UploadFileRequest, content string) (*parley.TransferFileResult, error) {
		return te.UploadFile(planner, strings.NewReader(content),
			func() (parley.UploadFileRequest, error) { return r, nil })
	}

	r := parley.UploadFileRequest{Filename: "b.txt", IdempotencyKey: "k"}
	first := must.Have(upload(r, "content"))(t)

	second, err := upload(r, "content")
	if err != nil || second.Data != first.Data || !second.Timestamp.Equal(first.Timestamp) {
		t.Errorf("the second time: %+v, %v, want %+v", second, err, first)
	}

	_, err = upload(r, "another")
	wantCode(t, err, parley.InvalidArgument)
	for _, other := range []parley.UploadFileRequest{
		{Filename: "c.txt", IdempotencyKey: "k"},
		{Filename: "b.txt", IdempotencyKey: "k", Recipient: "coder"},
	} {
		_, err := upload(other, "content")
		wantCode(t, err, parley.InvalidArgument)
	}

	te.sends(planner, parley.SendMessageRequest{To: parley.Names{"coder"}, Text: "hi", IdempotencyKey: "m"})

	_, err = upload(parley.UploadFileRequest{Filename: "b.txt", IdempotencyKey: "m"}, "content")
	wantCode(t, err, parley.InvalidArgument)
	if got := te.kept(); len(got) != 2 { // one content, one copy
		t.Errorf("the workspace keeps %v, want one content and one copy", got)
	}

	r.IdempotencyKey, r.Recipient, r.Description = "d", "coder", "the first"
	must.Have(upload(r, "content"))(t)

	r.Description = "the second"
	_, err = upload(r, "content")
	wantCode(t, err, parley.InvalidArgument)
}
