package store

import (
	"context"
	"errors"
	"io"
	"time"
)

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
	if s.base.SQL.Embedded {
		return nil
	}
	var stored int64
	if err := s.read(ctx, doing, &stored,
		`SELECT coalesce(sum(length(content)), 0) FROM file_chunks WHERE sha256 = ?`, sha); err != nil ||
		stored == size {
		return err
	}

	chunk := make([]byte, contentChunk)
	for n := int64(0); ; n++ {
		length, err := io.ReadFull(content, chunk)
		if length > 0 {
			if err := s.write(ctx, doing, func(t *tx) error {
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
	for n := int64(0); !s.base.SQL.Embedded; n++ {
		var chunks []struct{ Content []byte }
		if err := s.read(ctx, "reading the content of a file", &chunks,
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
	if t.SQL.Embedded {
		return nil
	}
	_, err := t.Exec(`DELETE FROM file_chunks WHERE sha256 = ? AND`+unwanted, sha)
	return err
}

// contents removes contents whose files were never stored.
func (p *pruning) contents(ctx context.Context) error {
	if p.base.SQL.Embedded {
		return nil
	}
	return p.write(ctx, "removing contents of no file", func(t *tx) error {
		_, err := t.Exec(`DELETE FROM file_chunks WHERE added_at < clock_timestamp() - ? * interval '1 second' AND`+unwanted,
			int64(unwantedKept.Seconds()))
		return err
	})
}
