package files

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley"
	"parley/orchestrator/admission"
	"parley/plain"
)

func (fs *Service) ListFiles(ctx context.Context, req parley.ListFilesRequest) (*parley.ListFilesResult, error) {
	list, total, err := fs.Store.Files.KeptFiles(ctx, req.Limit)
	if err != nil {
		return nil, err
	}

	for i := range list {
		if m := fs.Roster.ByID(list[i].SenderID); m != nil {
			list[i].Sender = m.Name
		}
	}

	res := &parley.ListFilesResult{Answer: parley.OK, Files: list, TotalCount: total}
	if res.ContentBytes, res.CopyBytes, err = fs.Files.Used(); err == nil {
		res.FreeBytes, err = fs.Files.Free()
	}

	return res, err
}

// RemoveFiles does op.RemoveFiles. It records a file as removed
// before it deletes the content.
func (fs *Service) RemoveFiles(
	ctx context.Context, req parley.RemoveFilesRequest,
) (*parley.RemoveFilesResult, error) {
	var ids []string
	for _, ref := range req.FileIDs {
		f, err := fs.Store.Files.File(ctx, ref, "")
		if parley.ErrorCode(err) == parley.FileNotFound { // the operator sees all files, and not only attachments
			err = parley.Errorf(parley.FileNotFound, "there is no file %q", plain.CleanLine(ref)).
				Suggest("parley files lists them.")
		}
		if err == nil && f.RemovedAt != nil {
			err = admission.FileGone(f)
		}
		if err != nil {
			return nil, err
		}

		ids = append(ids, f.ID)
	}

	removed, err := fs.Store.Files.RemoveFiles(ctx, ids, fs.Now().AddDate(0, 0, -req.OlderThanDays))
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
func (fs *Service) removeFiles(ctx context.Context, removed []parley.File) error {
	var errs []error
	for _, f := range removed {
		wanted := func() (bool, error) { return fs.Store.Files.ContentWanted(ctx, f.SHA256) }
		errs = append(errs, fs.Files.Remove(f.SHA256, f.ID, f.Name, wanted))
	}

	return errors.Join(errs...)
}

// Tidy finishes what a crash interrupted: files being stored, and files being removed.
func (fs *Service) Tidy(ctx context.Context) error {
	err := fs.Files.Recover(func(sha string) (bool, error) { return fs.Store.Files.ContentWanted(ctx, sha) },
		func(id string) (bool, error) { return fs.Store.Files.FileKnown(ctx, id) })
	if err != nil {
		return err
	}
	removed, err := fs.Store.Files.RemovedFiles(ctx)
	if err != nil {
		return err
	}
	return fs.removeFiles(ctx, removed)
}

// pruneFilesBatch is how many files one step removes.
const pruneFilesBatch = 20

// Prune removes files that were sent before a time. The zero time keeps all.
func (fs *Service) Prune(ctx context.Context, before time.Time, rest func() error) error {
	for !before.IsZero() {
		ids, err := fs.Store.Files.FilesBefore(ctx, before, pruneFilesBatch)
		if err != nil || len(ids) == 0 {
			return err
		}
		removed, err := fs.Store.Files.RemoveFiles(ctx, ids, time.Time{})
		if err == nil {
			err = fs.removeFiles(context.WithoutCancel(ctx), removed)
		}
		if err == nil {
			err = rest()
		}
		if err != nil {
			return err
		}
	}
	return nil
}
