package orchestrator

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/op"
)

// remove deletes files as the operator.
func (te *testTeam) remove(req parley.RemoveFilesRequest) *parley.RemoveFilesResult {
	te.t.Helper()
	return must.Have(op.RemoveFiles.Call(te.operator(), te, req))(te.t)
}

func TestRemovedFileIsGoneAndSaysSo(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	planner, coder, reviewer := te.as("planner"), te.as("coder"), te.as("reviewer")
	first := te.transfer(planner, "coder", te.give("a.txt", "content"))
	second := te.transfer(planner, "reviewer", te.give("b.txt", "content")) // the same content under another name
	te.remove(parley.RemoveFilesRequest{FileIDs: []string{first.Data.FileID}})
	if want := []string{second.Data.SHA256, "b.txt"}; !slices.Equal(te.kept(), want) {
		t.Errorf("kept: %v, want %v", te.kept(), want)
	}

	_, _, err := te.Files.OpenFile(coder, first.Data.FileID)
	wantCode(t, err, parley.FileNotFound)
	if err == nil || !strings.Contains(err.Error(), "a.txt was removed on ") {
		t.Errorf("who asks for it is told: %v", err)
	}

	_, err = op.SendMessage.Call(planner, te, parley.SendMessageRequest{To: parley.Names{"coder"}, Text: "see this",
		Attachments: []json.RawMessage{json.RawMessage(`{"file_id":"` + first.Data.FileID + `"}`)}})
	wantCode(t, err, parley.FileNotFound)
	if !te.mayRead(te.operator(), second.Data.FileID) {
		t.Error("the other file with that content cannot be read")
	}

	forward := parley.SendMessageRequest{To: parley.Names{"coder"}, Text: "see this too",
		Attachments: []json.RawMessage{json.RawMessage(`{"file_id":"` + second.Data.FileID + `"}`)}}
	must.Have(op.SendMessage.Call(reviewer, te, forward))(t)
	if got := te.kept(); len(got) != 3 {
		t.Errorf("forwarded: kept %v, want a copy for the new reader too", got)
	}
	te.remove(parley.RemoveFilesRequest{FileIDs: []string{second.Data.FileID}})
	if got := te.kept(); len(got) != 0 {
		t.Errorf("kept in the end: %v", got)
	}

	te.transfer(planner, "coder", te.give("c.txt", "content"))
	if got := te.kept(); len(got) != 2 {
		t.Errorf("sent once more: kept %v", got)
	}
}

func TestFilesAreRemovedByTheirAge(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	planner := te.as("planner")
	te.as("coder")

	te.close()
	te.opts.Now = func() time.Time { return time.Now().AddDate(0, 0, -31) }
	te.open()
	te.transfer(planner, "coder", te.give("old.txt", "old"))
	te.close()
	te.opts.Now = time.Now
	te.open()
	te.transfer(planner, "coder", te.give("new.txt", "new"))
	if got := te.remove(parley.RemoveFilesRequest{OlderThanDays: 30}).Removed; len(got) != 1 ||
		got[0].Name != "old.txt" {
		t.Errorf("removed %+v, want old.txt", got)
	}

	must.Do(t, te.Files.Prune(t.Context(), te.now().Add(-time.Hour), func() error { return nil }))

	list, err := op.ListFiles.Call(te.operator(), te, parley.ListFilesRequest{Limit: 10})
	if err != nil || len(list.Files) != 1 || list.Files[0].Name != "new.txt" || list.ContentBytes != 3 ||
		list.CopyBytes != 3 {
		t.Errorf("kept: %+v, %v", list, err)
	}
}

// Files that somebody has yet to read stay, however old.
func TestOldFilesArePruned(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	planner := te.as("planner")
	coder := te.as("coder")
	te.close()
	te.opts.Now = func() time.Time { return time.Now().AddDate(0, 0, -31) }
	te.open()
	te.transfer(planner, "coder", te.give("read.txt", "read"))
	must.Have(op.GetMessages.Call(coder, te, parley.GetMessagesRequest{Limit: 10, MarkRead: new(true),
		Filters: &parley.MessageFilters{}}))(t)
	te.transfer(planner, "coder", te.give("unread.txt", "unread"))
	te.close()
	te.opts.Now = time.Now
	te.open()

	must.Do(t, te.Files.Prune(t.Context(), time.Time{}, func() error { return nil }))
	for _, want := range []int{2, 1} {
		list, err := op.ListFiles.Call(te.operator(), te, parley.ListFilesRequest{Limit: 10})
		if err != nil || len(list.Files) != want || list.Files[0].Name != "unread.txt" {
			t.Errorf("kept: %+v, %v, want %d files", list, err, want)
		}
		must.Do(t, te.Files.Prune(t.Context(), te.now().Add(-24*time.Hour), func() error { return nil }))
	}
}

func TestStartRemovesFilesLeftByACrash(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	planner, coder := te.as("planner"), te.as("coder")
	kept := te.transfer(planner, "coder", te.give("a.txt", "kept"))
	going := te.transfer(planner, "coder", te.give("b.txt", "going"))
	// The crash comes before the content is deleted.
	must.Have(te.opts.Store.Files.RemoveFiles(t.Context(), []string{going.Data.FileID}, time.Time{}))(t)

	c := must.Have(te.files.Put(t.Context(), strings.NewReader("nobody noted it")))(t)
	must.Have(te.files.Begin("an-id"))(t)
	must.Have(te.files.Receive(c.SHA256, "an-id", "c.txt"))(t)

	te.restart()
	if want := []string{kept.Data.SHA256, "a.txt"}; !slices.Equal(te.kept(), want) {
		t.Errorf("kept: %v, want %v", te.kept(), want)
	}
	if entries, err := os.ReadDir(filepath.Join(te.dir, ".parley", "received")); err != nil || len(entries) != 1 {
		t.Errorf("received holds %v, %v", entries, err)
	}
	if !te.mayRead(coder, kept.Data.FileID) {
		t.Error("what was there cannot be read")
	}
}

func TestFilesOfAnAgentHaveAQuota(t *testing.T) {
	t.Parallel()
	te := newTeam(t, func(o *Options) { o.Settings.MaxFilesMB = 1 })
	planner, coder := te.as("planner"), te.as("coder")
	text := strings.Repeat("x", 600_000)
	path := te.give("a.txt", text)
	first := te.transfer(planner, "coder", path)
	before := te.kept()

	uploadAs := func(ctx context.Context, key string) error {
		_, err := te.Files.UploadFile(ctx, strings.NewReader(text), func() (parley.UploadFileRequest, error) {
			return parley.UploadFileRequest{Filename: "b.txt", IdempotencyKey: key}, nil
		})
		return err
	}
	upload := func(ctx context.Context) error { return uploadAs(ctx, "") }

	_, err := op.TransferFile.Call(planner, te, parley.TransferFileRequest{Recipient: "coder", SourcePath: path})
	wantCode(t, err, parley.FileRefused)
	wantCode(t, upload(planner), parley.FileRefused)
	if after := te.kept(); !slices.Equal(before, after) {
		t.Errorf("a refused file leaves %q, before were %q", after, before)
	}

	reviewer := te.as("reviewer")
	for range 3 {
		wantCode(t, upload(te.operator()), "")
		wantCode(t, uploadAs(reviewer, "again"), "") // a repeated call stores nothing
	}

	var racing sync.WaitGroup
	passed := make(chan error, 4)
	for range cap(passed) {
		racing.Go(func() { passed <- upload(coder) })
	}
	racing.Wait()
	close(passed)
	stored := 0
	for err := range passed {
		if err == nil {
			stored++
		}
	}
	if stored != 1 {
		t.Errorf("%d of %d files at once were stored, want 1", stored, cap(passed))
	}

	must.Have(op.RemoveFiles.Call(te.operator(), te,
		parley.RemoveFilesRequest{FileIDs: []string{first.Data.FileID}}))(t)
	wantCode(t, upload(planner), "")
}
