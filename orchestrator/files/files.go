// Package files takes files from agents and people, announces them, gives them out and removes them.
package files

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"parley"
	"parley/orchestrator/admission"
	"parley/orchestrator/settings"
	"parley/orchestrator/team"
	"parley/plain"
	"parley/store"
	"parley/store/files"
)

// Service does the operations on files. It stores the content of a file before it
// announces the file, and removes content that was never announced.
type Service struct {
	Admission *admission.Admission
	Store     *store.Store
	Roster    *team.Roster
	Files     *files.Store
	arriving  arriving
	Settings  *settings.Settings
	Workspace string   // the project directory, from which anybody may send
	Private   []string // directories that no file may be sent from
	Now       func() time.Time
	Log       *slog.Logger
}

// arriving knows the files that are being stored and are not in the database yet. The zero value is
// ready for use.
type arriving struct {
	mu     sync.Mutex
	coming map[string]int64 // bytes, by the sender's id
}

func (fs *Service) TransferFile(
	ctx context.Context, req parley.TransferFileRequest,
) (*parley.TransferFileResult, error) {
	from, err := fs.Roster.Caller(ctx)
	if err != nil {
		return nil, err
	}

	if parley.CallerFrom(ctx).Network {
		path := plain.CleanLine(plain.Truncate(req.SourcePath, 200))
		return nil, parley.
			Errorf(parley.FileRefused, "the call came over the network, but %q is a path on parley's machine", path).
			Suggest("Upload the file: POST /api/files, or parley send-file.")
	}

	name := cmp.Or(req.DestinationFilename, filepath.Base(req.SourcePath))
	n := &fileNote{name: name, description: req.Description, key: req.IdempotencyKey}
	if n.to, err = fs.fileRecipient(from, req.Recipient); err != nil {
		return nil, err
	}
	if before, err := fs.transferredBefore(ctx, from, n); before != nil || err != nil {
		return before, err
	}
	if err := fs.Admission.Pause.RefusePaused(); err != nil { // before the file is read
		return nil, err
	}
	if err := parley.CheckFileName("destination_filename", name); err != nil {
		return nil, err
	}

	source, err := fs.bounds(from).Open(req.SourcePath)
	if err != nil {
		return nil, err
	}
	defer source.Close()

	if source.Size() > fs.Files.Limit() {
		return nil, fs.Files.TooLarge(source.Size())
	}
	if err := fs.Files.CheckSpace(source.Size()); err != nil {
		return nil, err
	}
	if _, err := fs.usedBy(ctx, from, source.Size()); err != nil { // before it is read
		return nil, err
	}

	return fs.takeFile(ctx, from, source, func() (*fileNote, error) { return n, nil })
}

// UploadFile stores content and announces it to the recipient, if there is one. It calls
// described once all of content has been read.
func (fs *Service) UploadFile(
	ctx context.Context, content io.Reader, described func() (parley.UploadFileRequest, error),
) (*parley.TransferFileResult, error) {
	from, err := fs.Roster.Caller(ctx)
	if err != nil {
		return nil, err
	}

	return fs.takeFile(ctx, from, content, func() (*fileNote, error) {
		req, err := described()
		if err != nil {
			return nil, err
		}
		n := &fileNote{name: req.Filename, description: req.Description, key: req.IdempotencyKey}
		if req.Recipient != "" {
			n.to, err = fs.fileRecipient(from, req.Recipient)
		}

		return n, err
	})
}

// OpenFile returns a file and its content if the caller may read it. For other callers the file
// does not exist: the error is FILE_NOT_FOUND.
func (fs *Service) OpenFile(ctx context.Context, ref string) (*parley.File, io.ReadSeekCloser, error) {
	c := parley.CallerFrom(ctx)
	if c.Nobody() {
		_, err := fs.Roster.Caller(ctx)
		return nil, nil, err
	}

	f, err := fs.Admission.Access.FileFor(ctx, c, ref)
	if err == nil && f.RemovedAt != nil {
		err = admission.FileGone(f)
	}
	if err != nil {
		return nil, nil, err
	}

	if err := fs.Admission.Copies.Fetch(ctx, f); err != nil {
		return nil, nil, err
	}
	content, err := fs.Files.Content(f.SHA256)
	if err != nil {
		return nil, nil, err
	}

	return &f, content, nil
}

// FileLimit returns the size of the largest file, in bytes.
func (fs *Service) FileLimit() int64 { return fs.Files.Limit() }

// bounds returns the directories that a member may send files from.
func (fs *Service) bounds(m *team.Member) files.Bounds {
	b := files.Bounds{
		Roots:   []string{fs.Workspace},
		Private: fs.Private,
	}
	a := m.Agent()
	if a.Dir != "" && a.Dir != fs.Workspace {
		b.Roots = append(b.Roots, a.Dir)
	}
	if a.Sandboxed() { // it would have parley read what it cannot
		b.Roots = nil
		if at, err := filepath.EvalSymlinks(a.Dir); err == nil && at == a.Dir {
			b.Roots = []string{a.Dir}
		}
	}
	return b
}

func (fs *Service) fileRecipient(from *team.Member, ref string) (*team.Member, error) {
	if admission.IsEveryone(parley.Names{ref}) {
		return nil, parley.Errorf(parley.InvalidRecipient, "a file goes to one agent").
			Suggest("Send it to one, and name its file_id in the attachments of a message to the others.")
	}
	to, err := fs.Admission.Addressees.Recipients(from, parley.Names{ref})
	if err != nil {
		return nil, err
	}
	return to[0], nil
}
