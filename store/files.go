package store

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"time"

	"parley"
	"parley/plain"
	"parley/store/engine"
)

// Files keeps the names and senders of stored files, and which messages carry them. Their
// content is stored by its hash, on the disk of the host on which it was sent, and on a server for
// the other hosts too.
type Files struct{ db *database }

// fileColumns select a fileRow.
const fileColumns = `id, name, size, sha256, sender_id, created_at, removed_at`

var filesTable = engine.Table[parley.File]{
	Name:  "files",
	Key:   []string{"id"},
	Grows: true,
	Columns: engine.Columns[parley.File]{
		{"id", func(f *parley.File) any { return f.ID }},
		{"name", func(f *parley.File) any { return f.Name }},
		{"size", func(f *parley.File) any { return f.Size }},
		{"sha256", func(f *parley.File) any { return f.SHA256 }},
		{"sender_id", func(f *parley.File) any { return f.SenderID }},
		{"created_at", func(f *parley.File) any { return nanos(f.CreatedAt) }},
	},
}

type fileRow struct {
	ID        string
	Name      string
	Size      int64
	SHA256    string `gorm:"column:sha256"`
	SenderID  string
	CreatedAt int64 `gorm:"autoCreateTime:false"`
	RemovedAt int64
}

func (r *fileRow) file() parley.File {
	return parley.File{
		ID:        r.ID,
		Name:      r.Name,
		Size:      r.Size,
		SHA256:    r.SHA256,
		SenderID:  r.SenderID,
		CreatedAt: instant(r.CreatedAt),
		RemovedAt: instantOrNil(r.RemovedAt),
	}
}

// carriedRow is a row of message_files: a message carries a file.
type carriedRow struct {
	fileID string
	seq    int64
}

var carriedTable = engine.Table[carriedRow]{Name: "message_files", Key: []string{"file_id", "message_seq"}, Grows: true,
	Columns: engine.Columns[carriedRow]{
		{"file_id", func(r *carriedRow) any { return r.fileID }},
		{"message_seq", func(r *carriedRow) any { return r.seq }},
	},
	Refused: func(err error, rows []carriedRow) error {
		if engine.Dangling(err) {
			return noFile(rows[0].fileID)
		}
		return err
	}}

// CreateFile stores a file that no message carries yet. If the call was made before, it
// stores nothing and returns the earlier call. AGENT_NOT_FOUND when the sender is not
// stored.
func (s *Files) CreateFile(ctx context.Context, f parley.File, c Call) (made Call, err error) {
	err = s.db.write(ctx, "storing the file", func(t *tx) error {
		var found bool
		var err error
		if made, found, err = recordCall(t, c); found || err != nil {
			return err
		}

		err = filesTable.Insert(t, f)
		if engine.Dangling(err) {
			return noAgent(f.SenderID)
		}

		return err
	})

	return made, err
}

// attach adds the files that a message carries.
func (p posting) attach(seq int64) {
	if p.NewFile != nil {
		filesTable.Add(p.tx, *p.NewFile)
		carriedTable.Add(p.tx, carriedRow{p.NewFile.ID, seq})
	}

	ids := slices.Clone(p.FileIDs)
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		carriedTable.Add(p.tx, carriedRow{id, seq})
	}
}

// refuseRemoved refuses files that were removed after their sender looked at them: RemoveFiles does not see a
// message that comes later, which would say that the file is there.
func (t filesIn) refuseRemoved(ids []string) error {
	if len(ids) == 0 {
		return nil
	}

	var removed []string
	err := t.tx.Query(&removed, `SELECT name FROM files WHERE id IN ? AND removed_at > 0 ORDER BY id LIMIT 1`, ids)
	if err != nil || len(removed) == 0 {
		return err
	}

	return parley.Errorf(parley.FileNotFound, "the file %s was removed meanwhile: the message was not stored",
		removed[0]).
		Suggest("Leave the file out, or send it again.")
}

// File returns a file by its ID, or the first eight or more characters of it, among those
// that an agent may see: it sent them, or got a message that carries them. With viewer ""
// it may be any file. FILE_NOT_FOUND when no such file, or more than one, begins with ref.
func (s *Files) File(ctx context.Context, ref, viewer string) (parley.File, error) {
	if len(ref) < parley.ShortID {
		return parley.File{}, noFile(ref)
	}

	from, to := idRange(ref)
	var rows []fileRow
	err := s.db.read(ctx, "reading the file", &rows, `SELECT `+fileColumns+` FROM files f WHERE f.id >= ? AND f.id < ?
		AND (? = '' OR f.sender_id = ? OR EXISTS (
			SELECT 1 FROM message_files c JOIN deliveries d ON d.message_seq = c.message_seq
			WHERE c.file_id = f.id AND d.recipient_id = ?))
		ORDER BY f.id LIMIT 2`, from, to, viewer, viewer, viewer)

	switch ambiguous := len(rows) > 1 && rows[0].ID != from; {
	case err != nil:
		return parley.File{}, err
	case len(rows) == 0, ambiguous:
		return parley.File{}, noFile(ref)
	}

	return rows[0].file(), nil
}

// SentFiles returns how many files of an agent are stored, and their size in bytes.
func (s *Files) SentFiles(ctx context.Context, senderID string) (number, size int64, err error) {
	var sum struct{ Number, Size int64 }
	err = s.db.read(ctx, "measuring the agent's files", &sum, `SELECT count(*) AS number, coalesce(sum(size), 0) AS size
		FROM files WHERE sender_id = ? AND removed_at = 0`, senderID)
	return sum.Number, sum.Size, err
}

// maxThreads is for how many threads PostsWithFile returns a post.
const maxThreads = 50

// PostsWithFile returns the ID of one message of each thread to which a file was posted,
// the newest first.
func (s *Files) PostsWithFile(ctx context.Context, fileID string) ([]string, error) {
	var ids []string
	err := s.db.read(ctx, "reading the posts with the file", &ids, `SELECT m.id FROM messages m WHERE m.seq IN (
			SELECT max(m.seq) FROM message_files c JOIN messages m ON m.seq = c.message_seq
			WHERE c.file_id = ? AND m.thread_id <> '' GROUP BY m.thread_id)
		ORDER BY m.seq DESC LIMIT ?`, fileID, maxThreads)
	return ids, err
}

func noFile(ref string) error {
	return parley.Errorf(parley.FileNotFound, "you have no file %q", plain.CleanLine(ref)).
		Suggest("Use the file_id in the attachments of the message that carries the file.")
}

// contentChunk is how many bytes of a content one transaction stores: others wait for it.
const contentChunk = 256 << 10

// unwantedKept is how long a content stays that belongs to no file: its file may be about to be stored.
const unwantedKept = time.Hour

// unwanted selects chunks of contents that no file has.
const unwanted = ` NOT EXISTS (SELECT 1 FROM files f WHERE f.sha256 = file_chunks.sha256 AND f.removed_at = 0)`

// ShareContent stores the content of a file, of so many bytes, for all hosts. What is stored already is not
// stored again. With a file as the database there are no other hosts, and it does nothing.
func (s *Files) ShareContent(ctx context.Context, sha string, size int64, content io.Reader) error {
	const doing = "storing the content of a file"
	if s.db.base.SQL.Embedded {
		return nil
	}
	var stored int64
	if err := s.db.read(ctx, doing, &stored,
		`SELECT coalesce(sum(length(content)), 0) FROM file_chunks WHERE sha256 = ?`, sha); err != nil ||
		stored == size {
		return err
	}

	chunk := make([]byte, contentChunk)
	for n := int64(0); ; n++ {
		length, err := io.ReadFull(content, chunk)
		if length > 0 {
			if err := s.db.write(ctx, doing, func(t *tx) error {
				_, err := t.Exec(`INSERT INTO file_chunks (sha256, n, content, added_at) VALUES (?, ?, ?, clock_timestamp())
					ON CONFLICT DO NOTHING`, sha, n, chunk[:length])
				return err
			}); err != nil {
				return err
			}
		}
		switch {
		case err == io.EOF, errors.Is(err, io.ErrUnexpectedEOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// WriteContent writes the content with a hash, as far as it is stored for all hosts. The caller compares
// the hash.
func (s *Files) WriteContent(ctx context.Context, sha string, w io.Writer) error {
	for n := int64(0); !s.db.base.SQL.Embedded; n++ {
		var chunks []struct{ Content []byte }
		if err := s.db.read(ctx, "reading the content of a file", &chunks,
			`SELECT content FROM file_chunks WHERE sha256 = ? AND n = ?`, sha, n); err != nil || len(chunks) == 0 {
			return err
		}
		if _, err := w.Write(chunks[0].Content); err != nil {
			return err
		}
	}
	return nil
}

// removeContent removes the content with a hash, unless another file has it.
func (t filesIn) removeContent(sha string) error {
	if t.tx.SQL.Embedded {
		return nil
	}
	_, err := t.tx.Exec(`DELETE FROM file_chunks WHERE sha256 = ? AND`+unwanted, sha)
	return err
}

// contents removes contents whose files were never stored.
func (p *pruning) contents(ctx context.Context) error {
	if p.db.base.SQL.Embedded {
		return nil
	}
	return p.db.write(ctx, "removing contents of no file", func(t *tx) error {
		_, err := t.Exec(`DELETE FROM file_chunks WHERE added_at < clock_timestamp() - ? * interval '1 second' AND`+unwanted,
			int64(unwantedKept.Seconds()))
		return err
	})
}

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
