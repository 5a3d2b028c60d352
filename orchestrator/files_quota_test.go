package orchestrator

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"parley"
	"parley/internal/must"
	"parley/op"
)

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
