package orchestrator

import (
	"encoding/json"
	"strings"
	"testing"

	"parley"
	"parley/internal/must"
	"parley/op"
)

// An upload without a recipient is stored once per key, and a key cannot be used for another
// file.
func TestUploadsWithoutRecipientAreStoredOncePerKey(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	planner := te.as("planner")
	te.as("coder")
	upload := func(r parley.UploadFileRequest, content string) (*parley.TransferFileResult, error) {
		return te.Files.UploadFile(planner, strings.NewReader(content),
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

// The answer to the first call was lost, and communication was paused since. "Nothing was sent" would be untrue.
func TestRepeatedCallsAreAnsweredInAPause(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	me := te.as("planner")
	te.as("coder")
	path := te.give("a.txt", "content")
	calls := map[string]func(key string) (id string, err error){
		"send_message": func(key string) (string, error) {
			req := parley.SendMessageRequest{To: parley.Names{"coder"}, Text: "hi", IdempotencyKey: key}
			res, err := op.SendMessage.Call(me, te, req)
			if err != nil {
				return "", err
			}
			return res.MessageID, nil
		},
		"broadcast_message": func(key string) (string, error) {
			res, err := op.BroadcastMessage.Call(me, te, parley.BroadcastMessageRequest{Text: "hi",
				IdempotencyKey: key})
			if err != nil {
				return "", err
			}
			return res.MessageID, nil
		},
		"create_thread": func(key string) (string, error) {
			req := parley.CreateThreadRequest{Title: "plans", Participants: []string{"coder"}, IdempotencyKey: key}
			res, err := op.CreateThread.Call(me, te, req)
			if err != nil {
				return "", err
			}
			return res.Thread.ID, nil
		},
		"transfer_file": func(key string) (string, error) {
			req := parley.TransferFileRequest{Recipient: "coder", SourcePath: path, IdempotencyKey: key}
			res, err := op.TransferFile.Call(me, te, req)
			if err != nil {
				return "", err
			}
			return res.MessageID, nil
		},
		"an upload": func(key string) (string, error) {
			res, err := te.Files.UploadFile(me, strings.NewReader("more"), func() (parley.UploadFileRequest, error) {
				return parley.UploadFileRequest{Filename: "b.txt", Recipient: "coder", IdempotencyKey: key}, nil
			})
			if err != nil {
				return "", err
			}
			return res.MessageID, nil
		},
	}

	first := map[string]string{}
	for name, call := range calls {
		first[name] = must.Have(call(name))(t)
	}

	te.pause(true)
	for name, call := range calls {
		if id, err := call(name); err != nil || id != first[name] {
			t.Errorf("%s, repeated: got %q, %v, want %q", name, id, err, first[name])
		}
		_, err := call("another " + name)
		wantCode(t, err, parley.CommunicationDisabled)
	}

	_, err := op.SendMessage.Call(me, te, parley.SendMessageRequest{
		To: parley.Names{"coder"}, Text: "another", IdempotencyKey: "send_message",
	})
	wantCode(t, err, parley.InvalidArgument)
}

// The store escapes some signs in attachments. That does not make a call another one.
func TestRepeatedCallMayHoldAnyAttachment(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	me := te.as("planner")
	te.as("coder")
	for _, item := range []string{
		`{"url":"https://example.org/?a=1&b=2"}`,
		`{"diff":"-a <b>","pages":[1.0,12345678901234567891]}`,
		"{\"a&b\":{\"c>d\":\"\u2028\"}}",
	} {
		req := parley.SendMessageRequest{
			To:             parley.Names{"coder"},
			Text:           "see this",
			IdempotencyKey: item,
			Attachments:    []json.RawMessage{json.RawMessage(item)},
		}
		first := must.Have(op.SendMessage.Call(me, te, req))(t)
		if again, err := op.SendMessage.Call(me, te, req); err != nil || again.MessageID != first.MessageID {
			t.Errorf("%s, repeated: got %+v, %v, want message %s", item, again, err, first.MessageID)
		}

		req.Attachments = []json.RawMessage{json.RawMessage(`{"url":"https://example.org/?a=1"}`)}
		_, err := op.SendMessage.Call(me, te, req)
		wantCode(t, err, parley.InvalidArgument)
	}
}

func TestRepeatedUploadOfARemovedFileSaysSo(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	me := te.as("planner")
	upload := func() (*parley.TransferFileResult, error) {
		return te.Files.UploadFile(me, strings.NewReader("content"), func() (parley.UploadFileRequest, error) {
			return parley.UploadFileRequest{Filename: "b.txt", IdempotencyKey: "k"}, nil
		})
	}
	first := must.Have(upload())(t)
	te.remove(parley.RemoveFilesRequest{FileIDs: []string{first.Data.FileID}})

	_, err := upload()
	wantCode(t, err, parley.FileNotFound)
	if err == nil || !strings.Contains(parley.AsError(err).Action, "another idempotency key") {
		t.Errorf("got %v, which does not say what to do", err)
	}
	if got := te.kept(); len(got) != 0 {
		t.Errorf("kept: %v, want nothing", got)
	}
}
