package store

import (
	"context"
	"encoding/json"
	"time"

	"parley"
)

// KeptFiles returns at most limit of the files that were not removed, the newest first and
// without their senders' names, and the number of all.
func (s *Files) KeptFiles(ctx context.Context, limit int) (list []parley.KeptFile, total int, err error) {
	var rows []struct {
		File     fileRow `gorm:"embedded"`
		Messages int
	}

	const doing = "listing the files"
	if err = s.db.read(ctx, doing, &total, `SELECT count(*) FROM files WHERE removed_at = 0`); err != nil {
		return nil, 0, err
	}

	err = s.db.read(ctx, doing, &rows, `SELECT `+fileColumns+`,
			(SELECT count(*) FROM message_files c WHERE c.file_id = f.id) AS messages
		FROM files f WHERE removed_at = 0 ORDER BY created_at DESC, id LIMIT ?`, limit)

	list = make([]parley.KeptFile, len(rows))
	for i := range rows {
		list[i] = parley.KeptFile{File: rows[i].File.file(), Messages: rows[i].Messages}
	}

	return list, total, err
}

// FileKnown reports whether a file has this ID, removed or not.
func (s *Files) FileKnown(ctx context.Context, id string) (known bool, err error) {
	err = s.db.read(ctx, "looking for a file", &known, `SELECT EXISTS (SELECT 1 FROM files WHERE id = ?)`, id)
	return known, err
}

// ContentWanted reports whether a file that was not removed has content with this hash.
func (s *Files) ContentWanted(ctx context.Context, sha string) (wanted bool, err error) {
	err = s.db.read(ctx, "looking for a file", &wanted,
		`SELECT EXISTS (SELECT 1 FROM files WHERE sha256 = ? AND removed_at = 0)`, sha)
	return wanted, err
}

// RemovedFiles returns the files that were removed.
func (s *Files) RemovedFiles(ctx context.Context) ([]parley.File, error) {
	var rows []fileRow
	err := s.db.read(ctx, "reading the removed files", &rows, `SELECT `+fileColumns+` FROM files WHERE removed_at > 0`)
	return filesOf(rows), err
}

func filesOf(rows []fileRow) []parley.File {
	list := make([]parley.File, len(rows))
	for i := range rows {
		list[i] = rows[i].file()
	}
	return list
}

// RemoveFiles marks files as removed, also in the messages that carry them, and returns
// those that were not removed before. It takes the files with these IDs or, without IDs,
// those created before a time.
func (s *Files) RemoveFiles(ctx context.Context, ids []string, before time.Time) (removed []parley.File, err error) {
	err = s.db.write(ctx, "removing files", func(t *tx) error {
		which, arg := `created_at < ?`, any(nanos(before))
		if len(ids) > 0 {
			which, arg = `id IN ?`, ids
		}

		var rows []fileRow
		err := t.Query(&rows, `SELECT `+fileColumns+` FROM files
			WHERE `+which+` AND removed_at = 0 ORDER BY created_at, id`, arg)
		for i := 0; i < len(rows) && err == nil; i++ {
			rows[i].RemovedAt = nanos(t.Now)
			err = filesIn{t}.remove(&rows[i])
		}

		removed = filesOf(rows)

		return err
	})

	return removed, err
}

// remove marks a file and the attachments that name it as removed.
func (t filesIn) remove(r *fileRow) error {
	if _, err := t.tx.Exec(`UPDATE files SET removed_at = ? WHERE id = ?`, r.RemovedAt, r.ID); err != nil {
		return err
	}
	if err := t.removeContent(r.SHA256); err != nil {
		return err
	}

	var carriers []struct {
		Seq         int64
		Attachments string
	}

	err := t.tx.Query(&carriers, `SELECT m.seq, m.attachments
		FROM message_files c JOIN messages m ON m.seq = c.message_seq WHERE c.file_id = ?`, r.ID)
	for i := 0; i < len(carriers) && err == nil; i++ {
		list := withoutFile(parseAttachments(carriers[i].Attachments), r.ID, instant(r.RemovedAt))
		_, err = t.tx.Exec(`UPDATE messages SET attachments = ? WHERE seq = ?`, formatAttachments(list), carriers[i].Seq)
	}

	return err
}

// withoutFile replaces the way to a file by the time of its removal in the attachments
// that name it.
func withoutFile(list []json.RawMessage, id string, at time.Time) []json.RawMessage {
	for i, item := range list {
		var members map[string]json.RawMessage
		var of string
		if json.Unmarshal(item, &members) != nil || json.Unmarshal(members["file_id"], &of) != nil || of != id {
			continue
		}

		removed, err := json.Marshal(at)
		if err != nil {
			continue
		}
		delete(members, "server_path")
		delete(members, "get")
		members["removed_at"] = removed
		if b, err := json.Marshal(members); err == nil {
			list[i] = b
		}
	}
	return list
}
