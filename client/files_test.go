package client_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"parley"
	"parley/client"
	"parley/internal/must"
)

// two returns a file's sender and its recipient, over HTTP.
func two(t *testing.T) (sender, recipient *client.Client) {
	t.Helper()
	d := newDaemon(t)
	addr, _ := at(t, "tcp", "127.0.0.1:0", d)
	join := func(name string) *client.Client {
		return connect(t, client.Options{URL: "http://" + addr, Key: d.register(t, name)})
	}

	return join("sender"), join("recipient")
}

func TestFileGoesUpAndDown(t *testing.T) {
	sender, recipient := two(t)
	content := make([]byte, 700_000)
	_, _ = rand.Read(content) // never fails
	const name = `größe "1" ‹x›; a=b.txt`
	for _, size := range []int64{-1, int64(len(content))} {
		res, err := sender.SendFile(t.Context(),
			parley.UploadFileRequest{Filename: name, Recipient: "recipient", Description: "a\nb"},
			bytes.NewReader(content), size)
		if err != nil || !res.Success || res.Filename != name || res.MessageID == "" {
			t.Fatalf("got %+v, %v", res, err)
		}

		for _, offset := range []int64{0, 1, 699_999, 700_000} {
			var got bytes.Buffer
			f := must.Have(recipient.Download(t.Context(), res.Data.FileID, &got, offset))(t)
			if !bytes.Equal(got.Bytes(), content[offset:]) {
				t.Errorf("from %d on came %d bytes, want %d", offset, got.Len(), len(content[offset:]))
			}
			if f.Size != 700_000 || offset < 700_000 && (f.Name != name || f.SHA256 != res.Data.SHA256) {
				t.Errorf("it came as %+v", f)
			}
		}

		_, err = recipient.Download(t.Context(), res.Data.FileID, io.Discard, 700_001)
		wantCode(t, err, parley.InvalidArgument)
	}

	res, err := sender.Upload(t.Context(), "mine.txt", strings.NewReader("mine"))
	if err != nil || res.MessageID != "" {
		t.Fatalf("got %+v, %v", res, err)
	}

	var got bytes.Buffer
	if _, err := sender.Download(t.Context(), res.Data.FileID, &got, 0); err != nil || got.String() != "mine" {
		t.Errorf("got %q, %v", &got, err)
	}

	full := errors.New("the disk is full")
	_, err = sender.Download(t.Context(), res.Data.FileID, failing{full}, 0)
	if !errors.Is(err, full) || parley.ErrorCode(err) == parley.DaemonUnavailable {
		t.Errorf("where it cannot be written: %v", err)
	}

	_, err = recipient.Download(t.Context(), res.Data.FileID, io.Discard, 0)
	wantCode(t, err, parley.FileNotFound)
	_, err = recipient.Download(t.Context(), "../send_message", io.Discard, 0)
	wantCode(t, err, parley.FileNotFound)
}

// failing is a writer that fails.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func wantCode(t *testing.T, err error, want parley.Code) {
	t.Helper()
	if got := parley.ErrorCode(err); got != want {
		t.Errorf("got %q (%v), want %q", got, err, want)
	}
}

func TestRefusalOfAnUploadArrives(t *testing.T) {
	sender, _ := two(t)
	_, err := sender.Upload(t.Context(), "../up", strings.NewReader("x"))
	wantCode(t, err, parley.InvalidArgument)
	_, err = sender.SendFile(t.Context(), parley.UploadFileRequest{Filename: "x", Recipient: "nobody"},
		strings.NewReader("x"), 1)

	wantCode(t, err, parley.AgentNotFound)
	large := make([]byte, 2*maxFile)
	for _, size := range []int64{-1, int64(len(large))} {
		r := bytes.NewReader(large)
		_, err = sender.SendFile(t.Context(), parley.UploadFileRequest{Filename: "x"}, r, size)
		wantCode(t, err, parley.FileRefused)
		if sent := r.Size() - int64(r.Len()); size > 0 && sent != 0 {
			t.Errorf("%d bytes were sent of what was known to be too large", sent)
		}
	}

	broken := errors.New("the disk broke")
	if _, err := sender.Upload(t.Context(), "x", iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := sender.Upload(ctx, "x", strings.NewReader("x")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want it to be cancelled", err)
	}
}
