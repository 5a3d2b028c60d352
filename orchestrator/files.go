package orchestrator

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"parley"
	"parley/files"
	"parley/orchestrator/team"
)

// TransferFile implements parley.FileService.
func (fs *fileService) TransferFile(
	ctx context.Context, req parley.TransferFileRequest,
) (*parley.TransferFileResult, error) {
	from, err := fs.roster.Caller(ctx)
	if err != nil {
		return nil, err
	}

	if parley.CallerFrom(ctx).Network {
		path := parley.CleanLine(parley.Truncate(req.SourcePath, 200))
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
	if err := fs.admission.RefusePaused(); err != nil { // before the file is read
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

	if source.Size() > fs.files.Limit() {
		return nil, fs.files.TooLarge(source.Size())
	}
	if err := fs.files.CheckSpace(source.Size()); err != nil {
		return nil, err
	}
	if _, err := fs.usedBy(ctx, from, source.Size()); err != nil { // before it is read
		return nil, err
	}

	return fs.takeFile(ctx, from, source, func() (*fileNote, error) { return n, nil })
}

// UploadFile stores content and announces it to the recipient, if there is one. It calls
// described once all of content has been read.
func (fs *fileService) UploadFile(
	ctx context.Context, content io.Reader, described func() (parley.UploadFileRequest, error),
) (*parley.TransferFileResult, error) {
	from, err := fs.roster.Caller(ctx)
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
func (fs *fileService) OpenFile(ctx context.Context, ref string) (*parley.File, io.ReadSeekCloser, error) {
	c := parley.CallerFrom(ctx)
	if c.Nobody() {
		_, err := fs.roster.Caller(ctx)
		return nil, nil, err
	}

	f, err := fs.admission.fileFor(ctx, c, ref)
	if err == nil && f.RemovedAt != nil {
		err = fileGone(f)
	}
	if err != nil {
		return nil, nil, err
	}

	if err := fs.admission.fetch(ctx, f); err != nil {
		return nil, nil, err
	}
	content, err := fs.files.Content(f.SHA256)
	if err != nil {
		return nil, nil, err
	}

	return &f, content, nil
}

// FileLimit returns the size of the largest file, in bytes.
func (fs *fileService) FileLimit() int64 { return fs.files.Limit() }

// fileFor returns a file if the caller may read it: the operator, its sender, a recipient of a
// message that attaches it, or a reader of a thread that such a message is in. For others the
// error is FILE_NOT_FOUND.
func (a *admission) fileFor(ctx context.Context, c parley.Caller, ref string) (parley.File, error) {
	if c.Operator {
		return a.store.File(ctx, ref, "")
	}

	f, refused := a.store.File(ctx, ref, c.ID)
	if parley.ErrorCode(refused) != parley.FileNotFound {
		return f, refused
	}

	f, err := a.store.File(ctx, ref, "")
	if err != nil {
		return parley.File{}, err
	}

	posts, err := a.store.PostsWithFile(ctx, f.ID)
	if err != nil {
		return parley.File{}, err
	}

	for _, id := range posts {
		if _, _, err := a.visible(ctx, c, id); err == nil {
			return f, nil
		}
	}

	return parley.File{}, refused
}

// bounds returns the directories that a member may send files from.
func (fs *fileService) bounds(m *team.Member) files.Bounds {
	b := files.Bounds{
		Roots:   []string{fs.opts.Workspace},
		Private: append([]string{fs.opts.State, fs.opts.LaunchDir}, fs.opts.Private...),
	}
	if a := m.Agent(); a.Dir != "" && a.Dir != fs.opts.Workspace {
		b.Roots = append(b.Roots, a.Dir)
	}
	return b
}

// fileRecipient resolves the one recipient of a file.
func (fs *fileService) fileRecipient(from *team.Member, ref string) (*team.Member, error) {
	if isEveryone(parley.Names{ref}) {
		return nil, parley.Errorf(parley.InvalidRecipient, "a file goes to one agent").
			Suggest("Send it to one, and name its file_id in the attachments of a message to the others.")
	}
	to, err := fs.admission.recipients(from, parley.Names{ref})
	if err != nil {
		return nil, err
	}
	return to[0], nil
}

// checkAttachments fills in the attachments that name a file with the stored facts, so that no
// message can claim otherwise, and returns the ids of the files. The error is FILE_NOT_FOUND
// for a file that the sender may not read, because sending it would let the recipients read it.
// The readers of the message get their own copy of each file.
func (a *admission) checkAttachments(
	ctx context.Context, from *team.Member, d *draft,
) (checked []json.RawMessage, ids []string, err error) {
	readers, err := a.readersOf(ctx, d)
	if err != nil {
		return nil, nil, err
	}

	c := parley.Caller{ID: from.ID, Operator: from.Kind == parley.KindHuman}
	for _, item := range d.message.Attachments {
		var members map[string]json.RawMessage
		if json.Unmarshal(item, &members) != nil || members["file_id"] == nil {
			if err := refuseClaims(members); err != nil {
				return nil, nil, err
			}
			checked = append(checked, item)
			continue
		}

		var ref string
		if json.Unmarshal(members["file_id"], &ref) != nil {
			return nil, nil, parley.Errorf(parley.InvalidArgument, "the file_id of an attachment is not a string").
				With("parameter", "attachments").
				Suggest("Give the file_id that transfer_file or an upload gave you.")
		}

		f, err := a.fileFor(ctx, c, ref)
		if err == nil && f.RemovedAt != nil {
			err = fileGone(f)
		}
		if err != nil {
			return nil, nil, err
		}

		path, err := a.receive(ctx, f, files.FurtherCopy(f.ID, d.readers()), readers...)
		if err != nil {
			return nil, nil, err
		}
		if item, err = attachment(members, f, path); err != nil {
			return nil, nil, err
		}

		checked, ids = append(checked, item), append(ids, f.ID)
	}

	return checked, ids, nil
}

// refuseClaims returns an error for an attachment without a stored file that claims to be one:
// server_path is where parley has put a file.
func refuseClaims(members map[string]json.RawMessage) error {
	for name := range members {
		if strings.EqualFold(strings.TrimSpace(name), "server_path") {
			return parley.Errorf(parley.InvalidArgument, "an attachment has a server_path and no file_id").
				With("parameter", "attachments").
				Suggest("Send the file with transfer_file first and give its file_id, or name the path in the text.")
		}
	}
	return nil
}

// readers identifies the readers of a message: its thread, or its recipients.
func (d *draft) readers() string {
	if d.message.ThreadID != "" {
		return d.message.ThreadID
	}
	ids := make([]string, len(d.recipients))
	for i, m := range d.recipients {
		ids[i] = m.ID
	}
	slices.Sort(ids)
	return strings.Join(ids, " ")
}

// factNames are the members of an attachment with a file that parley alone writes, in lower case.
var factNames = []string{"file_id", "filename", "size", "sha256", "server_path", "get", "removed_at"}

// attachment writes the stored facts of a file in place of what the sender says of it. Without a path, the
// readers fetch the file.
func attachment(members map[string]json.RawMessage, f parley.File, path string) (json.RawMessage, error) {
	known := map[string]any{
		"file_id":  f.ID,
		"filename": f.Name,
		"size":     f.Size,
		"sha256":   f.SHA256,
	}
	if path == "" {
		known["get"] = getFile(f)
	} else {
		known["server_path"] = path
	}

	for name, value := range members {
		if !slices.Contains(factNames, strings.ToLower(strings.TrimSpace(name))) {
			known[name] = value
		}
	}

	b, err := json.Marshal(known)
	if err != nil {
		return nil, fmt.Errorf("write the attachment: %w", err)
	}

	return b, nil
}
