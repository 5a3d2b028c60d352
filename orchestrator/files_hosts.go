package orchestrator

import (
	"context"
	"io"

	"parley"
	"parley/orchestrator/team"
	"parley/store"
	"parley/store/files"
)

// share stores a content for all hosts.
func (fs *fileService) share(ctx context.Context, c *files.Content) error {
	content, err := fs.files.Content(c.SHA256)
	if err != nil {
		return err
	}
	defer content.Close()
	return fs.store.ShareContent(ctx, c.SHA256, c.Size, content)
}

// shareAgain stores for all hosts what was removed from there with another file of the same content, before the
// new file was stored. From then on it stays.
func (fs *fileService) shareAgain(ctx context.Context, c *files.Content) {
	if err := fs.share(context.WithoutCancel(ctx), c); err != nil {
		fs.log.Warn("other hosts may not have the content of a file", "sha256", c.SHA256, "error", err)
	}
}

// copies are the copies of files for those who read them.
type copies struct {
	store  *store.Store
	roster *team.Roster
	files  *files.Store
}

// receive makes a copy of a file for its readers, and returns its path. If one of them is on another
// host, where the path would lead nowhere, it returns "", and they fetch the file.
func (k *copies) receive(ctx context.Context, f parley.File, id string, readers ...*team.Member) (string, error) {
	for _, m := range readers {
		if m != nil && !k.roster.Here(m) {
			return "", nil
		}
	}
	if err := k.fetch(ctx, f); err != nil {
		return "", err
	}
	return k.files.Receive(f.SHA256, id, f.Name)
}

// getFile is the command that fetches a file on any host.
func getFile(f parley.File) string { return "parley get-file " + parley.Short(f.ID) }

// fetch gets the content of a file that was sent on another host, unless it is here. The error is
// FILE_NOT_FOUND if that content is not shared.
func (k *copies) fetch(ctx context.Context, f parley.File) error {
	if k.files.Has(f.SHA256) || k.store.Team().Own == "" {
		return nil
	}

	r, w := io.Pipe()
	written := make(chan struct{})
	go func() {
		defer close(written)
		_ = w.CloseWithError(k.store.WriteContent(ctx, f.SHA256, w)) // the reader gets the error
	}()
	content, err := k.files.Put(ctx, r)
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
