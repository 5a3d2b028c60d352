package admission

import (
	"context"
	"io"

	"parley"
	"parley/orchestrator/team"
	"parley/store"
	"parley/store/files"
)

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
		if m != nil && !k.roster.Here(m) {
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
	if k.Files.Has(f.SHA256) || k.store.Team().Own == "" {
		return nil
	}

	r, w := io.Pipe()
	written := make(chan struct{})
	go func() {
		defer close(written)
		_ = w.CloseWithError(k.store.WriteContent(ctx, f.SHA256, w)) // the reader gets the error
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
