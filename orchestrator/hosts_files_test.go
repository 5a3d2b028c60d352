package orchestrator

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"parley"
	"parley/internal/must"
	"parley/op"
	"parley/store/storetest"
	"parley/tmux/tmuxtest"
)

// memberContext returns a context in which an agent is the caller.
func (te *testTeam) memberContext(name string) context.Context {
	te.t.Helper()
	caller, ok := te.roster.CallerNamed(context.Background(), name)
	if !ok {
		te.t.Fatalf("there is no %s", name)
	}
	return parley.WithCaller(context.Background(), caller)
}

func TestFilesReachAgentsOfOtherHosts(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	ann, bob := hostOf(t, url, "ann"), hostOf(t, url, "bob")
	log := bob.launch("bobby", "framed", tmuxtest.Agent{})
	bob.launch("beth", "framed", tmuxtest.Agent{})
	ann.knows("beth")

	source := filepath.Join(ann.dir, "notes.md")
	must.Do(t, os.WriteFile(source, []byte("what was found"), 0o600))
	sent := must.Have(op.TransferFile.Call(ann.operator(), ann,
		parley.TransferFileRequest{Recipient: "bobby", SourcePath: source}))(t)
	id := sent.Data.FileID
	if sent.Data.ServerPath != "" {
		t.Errorf("a path of this machine is told: %s", sent.Data.ServerPath)
	}
	bob.wantMessages(log, 1)
	if text := tmuxtest.Messages(t, log)[0].Text; !strings.Contains(text, "parley get-file "+parley.Short(id)) ||
		strings.Contains(text, ann.dir) {
		t.Errorf("bobby is told %q", text)
	}

	// It is there although the host on which it was sent sleeps, and can be sent on.
	ann.close()
	f, content, err := bob.Files.OpenFile(bob.memberContext("bobby"), id)
	must.Do(t, err)
	text := must.Have(io.ReadAll(content))(t)
	must.Do(t, content.Close())
	if string(text) != "what was found" || f.Name != "notes.md" {
		t.Errorf("bobby reads %q of %s", text, f.Name)
	}

	on := bob.sends(bob.memberContext("bobby"), parley.SendMessageRequest{
		To: parley.Names{"beth"}, Text: "see this", Attachments: []json.RawMessage{[]byte(`{"file_id":"` + id + `"}`)},
	})
	msg, _, err := bob.store.Messages.Message(t.Context(), on.MessageID)
	must.Do(t, err)
	var attached struct {
		Path string `json:"server_path"`
	}
	must.Do(t, json.Unmarshal(msg.Attachments[0], &attached))
	if !strings.HasPrefix(attached.Path, bob.dir) {
		t.Errorf("beth got %s", msg.Attachments[0])
	}
	ann.back(url, "ann")

	// A removed file is gone for all.
	must.Have(op.RemoveFiles.Call(ann.operator(), ann, parley.RemoveFilesRequest{FileIDs: []string{id}}))(t)
	_, _, err = bob.Files.OpenFile(bob.operator(), id)
	if parley.ErrorCode(err) != parley.FileNotFound {
		t.Errorf("a removed file: got %v", err)
	}
	announced := must.Have(op.GetMessageStatus.Call(ann.operator(), ann,
		parley.MessageStatusRequest{MessageID: sent.MessageID}))(t)
	if item := string(announced.Object.Attachments[0]); strings.Contains(item, "get-file") ||
		!strings.Contains(item, "removed_at") {
		t.Errorf("the message still leads to it: %s", item)
	}
}

// A file is removed while another one with the same content is sent: the other host has that one whole.
func TestFileThatIsSentWhileItsTwinIsRemovedStaysWhole(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	ann, bob := hostOf(t, url, "ann"), hostOf(t, url, "bob")
	ann.as("reader")
	for n := range 10 {
		content := strings.Repeat(fmt.Sprintf("round %d of many", n), 40_000) // more than one chunk
		source := filepath.Join(ann.dir, "twin")
		must.Do(t, os.WriteFile(source, []byte(content), 0o600))
		transfer := parley.TransferFileRequest{Recipient: "reader", SourcePath: source}
		first := must.Have(op.TransferFile.Call(ann.operator(), ann, transfer))(t).Data.FileID

		var both sync.WaitGroup
		var second *parley.TransferFileResult
		var sendErr, removeErr error
		both.Go(func() { second, sendErr = op.TransferFile.Call(ann.operator(), ann, transfer) })
		both.Go(func() {
			_, removeErr = op.RemoveFiles.Call(bob.operator(), bob, parley.RemoveFilesRequest{FileIDs: []string{first}})
		})
		both.Wait()
		must.Do(t, errors.Join(sendErr, removeErr))

		var got bytes.Buffer
		f, err := bob.store.Files.File(t.Context(), second.Data.FileID, "")
		must.Do(t, err)
		must.Do(t, bob.store.Files.WriteContent(t.Context(), f.SHA256, &got))
		if got.String() != content {
			t.Errorf("round %d: of %d bytes the other host has %d", n, len(content), got.Len())
		}
	}
}
