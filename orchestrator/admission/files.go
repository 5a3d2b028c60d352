package admission

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/orchestrator/team"
	"parley/store"
	"parley/store/files"
)

// checkAttachments fills in the attachments that name a file with the stored facts, so that no
// message can claim otherwise, and returns the ids of the files. The error is FILE_NOT_FOUND
// for a file that the sender may not read, because sending it would let the recipients read it.
// The readers of the message get their own copy of each file.
func (a *Admission) checkAttachments(
	ctx context.Context, from *team.Member, d *Draft,
) (checked []json.RawMessage, ids []string, err error) {
	readers, err := a.Access.readersOf(ctx, d)
	if err != nil {
		return nil, nil, err
	}

	c := parley.Caller{ID: from.ID, Operator: from.Kind == parley.KindHuman}
	for _, item := range d.Message.Attachments {
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

		f, err := a.Access.FileFor(ctx, c, ref)
		if err == nil && f.RemovedAt != nil {
			err = FileGone(f)
		}
		if err != nil {
			return nil, nil, err
		}

		path, err := a.Copies.Receive(ctx, f, files.FurtherCopy(f.ID, d.readers()), readers...)
		if err != nil {
			return nil, nil, err
		}
		if item, err = Attachment(members, f, path); err != nil {
			return nil, nil, err
		}

		checked, ids = append(checked, item), append(ids, f.ID)
	}

	return checked, ids, nil
}

// readers identifies the readers of a message: its thread, or its recipients.
func (d *Draft) readers() string {
	if d.Message.ThreadID != "" {
		return d.Message.ThreadID
	}
	ids := make([]string, len(d.Recipients))
	for i, m := range d.Recipients {
		ids[i] = m.ID
	}
	slices.Sort(ids)
	return strings.Join(ids, " ")
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

// Attachment writes the stored facts of a file in place of what the sender says of it. Without a path, the
// readers fetch the file.
func Attachment(members map[string]json.RawMessage, f parley.File, path string) (json.RawMessage, error) {
	known := map[string]any{
		"file_id":  f.ID,
		"filename": f.Name,
		"size":     f.Size,
		"sha256":   f.SHA256,
	}
	if path == "" {
		known["get"] = GetFile(f)
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

// factNames are the members of an attachment with a file that parley alone writes, in lower case.
var factNames = []string{"file_id", "filename", "size", "sha256", "server_path", "get", "removed_at"}

// FileGone is the error for a file that was removed, by the operator or as keep_files says.
func FileGone(f parley.File) *parley.Error {
	day := f.RemovedAt.UTC().Format(time.DateOnly)
	return parley.Errorf(parley.FileNotFound, "the file %s was removed on %s", f.Name, day).
		With("file_id", f.ID).
		With("removed_at", *f.RemovedAt).
		Suggest("Ask its sender to send it again.")
}

// Copies are the copies of files for those who read them.
type Copies struct {
	store  *store.Store
	roster *team.Roster
	Files  *files.Store
}

// Receive makes a copy of a file for its readers, and returns its path. If one of them is on another
// host, where the path would lead nowhere, it returns "", and they fetch the file.
func (k *Copies) Receive(ctx context.Context, f parley.File, id string, readers ...*team.Member) (string, error) {
	for _, m := range readers {
		if m != nil && !k.roster.Hosts.Here(m) {
			return "", nil
		}
	}
	if err := k.Fetch(ctx, f); err != nil {
		return "", err
	}
	return k.Files.Receive(f.SHA256, id, f.Name)
}

// GetFile is the command that fetches a file on any host.
func GetFile(f parley.File) string { return "parley get-file " + parley.Short(f.ID) }

// Fetch gets the content of a file that was sent on another host, unless it is here. The error is
// FILE_NOT_FOUND if that content is not shared.
func (k *Copies) Fetch(ctx context.Context, f parley.File) error {
	if k.Files.Has(f.SHA256) || k.store.Hosts.Team().Own == "" {
		return nil
	}

	r, w := io.Pipe()
	written := make(chan struct{})
	go func() {
		defer close(written)
		_ = w.CloseWithError(k.store.Files.WriteContent(ctx, f.SHA256, w)) // the reader gets the error
	}()
	content, err := k.Files.Put(ctx, r)
	_ = r.Close()
	<-written
	if err != nil {
		return err
	}

	if content.SHA256 == f.SHA256 {
		content.Keep()
		return nil
	}
	if err := content.Drop(); err != nil {
		return err
	}
	return parley.Errorf(parley.FileNotFound, "the content of %s is on another host, and not in the database", f.Name).
		With("file_id", f.ID).Suggest("Ask its sender to send it again.")
}
