package files

import (
	"context"

	"parley"
	"parley/orchestrator/team"
)

// maxFilesOfAgent is how many files one agent may have stored: each takes a row and a directory.
const maxFilesOfAgent = 10_000

// reserve takes the room for a file of an agent until stored is called. The error is FILE_REFUSED if
// the agent has too much stored.
func (fs *Service) reserve(ctx context.Context, from *team.Member, size int64) (stored func(), err error) {
	q := &fs.arriving
	q.mu.Lock()
	defer q.mu.Unlock()

	if _, err := fs.usedBy(ctx, from, q.coming[from.ID]+size); err != nil {
		return nil, err
	}
	if q.coming == nil {
		q.coming = map[string]int64{}
	}
	q.coming[from.ID] += size

	return func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		if q.coming[from.ID] -= size; q.coming[from.ID] == 0 {
			delete(q.coming, from.ID)
		}
	}, nil
}

// usedBy returns how much an agent has stored. The error is FILE_REFUSED if there is no room for
// additional bytes.
func (fs *Service) usedBy(ctx context.Context, from *team.Member, additional int64) (int64, error) {
	number, size, err := fs.Store.Files.SentFiles(ctx, from.ID)
	limit := fs.Settings.MaxFiles()
	if err != nil || from.Kind == parley.KindHuman || number < maxFilesOfAgent && size+additional <= limit {
		return size, err
	}

	return size, parley.Errorf(parley.FileRefused,
		"%s has %d files of %d bytes stored, which is the limit for an agent", from.Name, number, size).
		With("limit", limit).
		Suggest("Send less, or ask the operator to remove old files (parley files rm) or to raise max_files_mb.")
}
