package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley"
	"parley/plain"
)

// ListFiles does op.ListFiles.
func (fs *fileService) ListFiles(ctx context.Context, req parley.ListFilesRequest) (*parley.ListFilesResult, error) {
	list, total, err := fs.store.KeptFiles(ctx, req.Limit)
	if err != nil {
		return nil, err
	}

	for i := range list {
		if m := fs.roster.ByID(list[i].SenderID); m != nil {
			list[i].Sender = m.Name
		}
	}

	res := &parley.ListFilesResult{Answer: parley.OK, Files: list, TotalCount: total}
	if res.ContentBytes, res.CopyBytes, err = fs.files.Used(); err == nil {
		res.FreeBytes, err = fs.files.Free()
	}

	return res, err
}

// RemoveFiles does op.RemoveFiles. It records a file as removed
// before it deletes the content.
func (fs *fileService) RemoveFiles(
	ctx context.Context, req parley.RemoveFilesRequest,
) (*parley.RemoveFilesResult, error) {
	var ids []string
	for _, ref := range req.FileIDs {
		f, err := fs.store.File(ctx, ref, "")
		if parley.ErrorCode(err) == parley.FileNotFound { // the operator sees all files, and not only attachments
			err = parley.Errorf(parley.FileNotFound, "there is no file %q", plain.CleanLine(ref)).
				Suggest("parley files lists them.")
		}
		if err == nil && f.RemovedAt != nil {
			err = fileGone(f)
		}
		if err != nil {
			return nil, err
		}

		ids = append(ids, f.ID)
	}

	removed, err := fs.store.RemoveFiles(ctx, ids, fs.now().AddDate(0, 0, -req.OlderThanDays))
	if err != nil {
		return nil, err
	}

	res := &parley.RemoveFilesResult{Answer: parley.OK, Removed: removed, Message: "No file was removed"}
	switch len(removed) {
	case 0:
	case 1:
		res.Message = fmt.Sprintf("File %s was removed", removed[0].Name)
	default:
		res.Message = fmt.Sprintf("%d files were removed", len(removed))
	}

	return res, fs.removeFiles(context.WithoutCancel(ctx), removed)
}

// removeFiles deletes the content of removed files, unless another file has the same content.
func (fs *fileService) removeFiles(ctx context.Context, removed []parley.File) error {
	var errs []error
	for _, f := range removed {
		wanted := func() (bool, error) { return fs.store.ContentWanted(ctx, f.SHA256) }
		errs = append(errs, fs.files.Remove(f.SHA256, f.ID, f.Name, wanted))
	}

	return errors.Join(errs...)
}

// tidyFiles finishes what a crash interrupted: files being stored, and files being removed.
func (fs *fileService) tidyFiles(ctx context.Context) error {
	err := fs.files.Recover(func(sha string) (bool, error) { return fs.store.ContentWanted(ctx, sha) },
		func(id string) (bool, error) { return fs.store.FileKnown(ctx, id) })
	if err != nil {
		return err
	}
	removed, err := fs.store.RemovedFiles(ctx)
	if err != nil {
		return err
	}
	return fs.removeFiles(ctx, removed)
}

// fileGone is the error for a file that was removed, by the operator or as keep_files says.
func fileGone(f parley.File) *parley.Error {
	day := f.RemovedAt.UTC().Format(time.DateOnly)
	return parley.Errorf(parley.FileNotFound, "the file %s was removed on %s", f.Name, day).
		With("file_id", f.ID).
		With("removed_at", *f.RemovedAt).
		Suggest("Ask its sender to send it again.")
}
