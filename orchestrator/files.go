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

	"github.com/google/uuid"

	"parley"
	"parley/files"
	"parley/orchestrator/team"
)

// TransferFile implements parley.FileService.
func (o *Orchestrator) TransferFile(
	ctx context.Context,
	req parley.TransferFileRequest,
) (*parley.TransferFileResult, error) {
	from, err := o.roster.Caller(ctx)
	if err != nil {
		return nil, err
	}

	if parley.CallerFrom(ctx).Network {
		return nil, parley.Errorf(parley.FileRefused, "the call came over the network, where %q is no path of yours", parley.CleanLine(parley.Truncate(req.SourcePath, 200))).
			Suggest("Upload the file: POST /api/files, or parley send-file.")
	}

	name := cmp.Or(req.DestinationFilename, filepath.Base(req.SourcePath))
	n := &fileNote{name: name, description: req.Description, key: req.IdempotencyKey}
	if n.to, err = o.fileRecipient(from, req.Recipient); err != nil {
		return nil, err
	}
	if before, err := o.transferredBefore(ctx, from, n); before != nil || err != nil {
		return before, err
	}
	if err := o.refusePaused(); err != nil { // before all the work
		return nil, err
	}
	if err := parley.CheckFileName("destination_filename", name); err != nil {
		return nil, err
	}

	source, err := o.bounds(from).Open(req.SourcePath)
	if err != nil {
		return nil, err
	}
	defer source.Close()

	if source.Size() > o.files.Limit() {
		return nil, o.files.TooLarge(source.Size())
	}
	if err := o.files.CheckSpace(source.Size()); err != nil {
		return nil, err
	}

	return o.takeFile(ctx, from, source, func() (*fileNote, error) { return n, nil })
}

// UploadFile stores content, which the caller sends along, and tells the recipient of
// it, if it has one. What is known of it is asked for when the content has come.
func (o *Orchestrator) UploadFile(
	ctx context.Context,
	content io.Reader,
	described func() (parley.UploadFileRequest, error),
) (*parley.TransferFileResult, error) {
	from, err := o.roster.Caller(ctx)
	if err != nil {
		return nil, err
	}

	return o.takeFile(ctx, from, content, func() (*fileNote, error) {
		req, err := described()
		if err != nil {
			return nil, err
		}
		n := &fileNote{name: req.Filename, description: req.Description, key: req.IdempotencyKey}
		if req.Recipient != "" {
			n.to, err = o.fileRecipient(from, req.Recipient)
		}

		return n, err
	})
}

// OpenFile returns a file and what it holds, if the caller may read it. To others it
// does not exist.
func (o *Orchestrator) OpenFile(ctx context.Context, ref string) (*parley.File, io.ReadSeekCloser, error) {
	c := parley.CallerFrom(ctx)
	if c.Nobody() {
		_, err := o.roster.Caller(ctx)
		return nil, nil, err
	}

	f, err := o.fileFor(ctx, c, ref)
	if err == nil && f.RemovedAt != nil {
		err = fileGone(f)
	}
	if err != nil {
		return nil, nil, err
	}

	content, err := o.files.Content(f.SHA256)
	if err != nil {
		return nil, nil, err
	}

	return &f, content, nil
}

// FileLimit is how many bytes a file may have.
func (o *Orchestrator) FileLimit() int64 { return o.files.Limit() }

// fileFor returns a file if a caller may read it: it sent it, a message with it came
// for it, or stands in a thread that it reads, or it is the operator.
func (o *Orchestrator) fileFor(ctx context.Context, c parley.Caller, ref string) (parley.File, error) {
	if c.Operator {
		return o.store.File(ctx, ref, "")
	}

	f, refused := o.store.File(ctx, ref, c.ID)
	if parley.ErrorCode(refused) != parley.FileNotFound {
		return f, refused
	}

	f, err := o.store.File(ctx, ref, "")
	if err != nil {
		return parley.File{}, err
	}

	posts, err := o.store.PostsWithFile(ctx, f.ID)
	if err != nil {
		return parley.File{}, err
	}

	for _, id := range posts {
		if _, _, err := o.visible(ctx, c, id); err == nil {
			return f, nil
		}
	}

	return parley.File{}, refused
}

// bounds are where a member may send files from.
func (o *Orchestrator) bounds(m *team.Member) files.Bounds {
	b := files.Bounds{
		Roots:   []string{o.opts.Workspace},
		Private: append([]string{o.opts.State, o.opts.LaunchDir}, o.opts.Private...),
	}
	if a := m.Agent(); a.Dir != "" {
		b.Roots = append(b.Roots, a.Dir)
	}
	return b
}

func (o *Orchestrator) fileRecipient(from *team.Member, ref string) (*team.Member, error) {
	if isEveryone(parley.Names{ref}) {
		return nil, parley.Errorf(parley.InvalidRecipient, "a file goes to one agent").
			Suggest("Send it to one, and name its file_id in the attachments of a message to the others.")
	}
	to, err := o.recipients(from, parley.Names{ref})
	if err != nil {
		return nil, err
	}
	return to[0], nil
}

// checkAttachments completes the attachments that name a file by what is known of it,
// so that no message says otherwise, and returns the files. FILE_NOT_FOUND when there
// is one that the sender may not read: it would let its recipients read it. Those for
// whom the message is get a copy of their own.
func (o *Orchestrator) checkAttachments(
	ctx context.Context,
	from *team.Member,
	list []json.RawMessage,
	readers string,
) (checked []json.RawMessage, ids []string, err error) {
	c := parley.Caller{ID: from.ID, Operator: from.Kind == parley.KindHuman}
	for _, item := range list {
		var members map[string]json.RawMessage
		if json.Unmarshal(item, &members) != nil || members["file_id"] == nil {
			checked = append(checked, item)
			continue
		}

		var ref string
		if json.Unmarshal(members["file_id"], &ref) != nil {
			return nil, nil, parley.Errorf(parley.InvalidArgument, "the file_id of an attachment is not a string").
				With("parameter", "attachments").
				Suggest("Give the file_id that transfer_file or an upload gave you.")
		}

		f, err := o.fileFor(ctx, c, ref)
		if err == nil && f.RemovedAt != nil {
			err = fileGone(f)
		}
		if err != nil {
			return nil, nil, err
		}

		path, err := o.files.Receive(f.SHA256, copyID(f.ID, readers), f.Name)
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

// readers names those for whom a message is.
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

// copyID is where the copy of a file is that its readers share, and that none of whom it
// came to before can write into. The same readers have one.
func copyID(fileID, readers string) string {
	return uuid.NewSHA1(uuid.NameSpaceOID, []byte(fileID+" "+readers)).String()
}

// attachment writes what is known of a file over what an attachment says.
func attachment(members map[string]json.RawMessage, f parley.File, path string) (json.RawMessage, error) {
	known := map[string]any{
		"file_id":     f.ID,
		"filename":    f.Name,
		"size":        f.Size,
		"sha256":      f.SHA256,
		"server_path": path,
	}

	for name, value := range members {
		if _, ours := known[name]; !ours {
			known[name] = value
		}
	}

	b, err := json.Marshal(known)
	if err != nil {
		return nil, fmt.Errorf("write the attachment: %w", err)
	}

	return b, nil
}
