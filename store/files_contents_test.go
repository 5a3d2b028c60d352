package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
)

func TestContentsOfFilesAreSharedByHosts(t *testing.T) {
	hosts := openHosts(t, "ann", "bob")
	ann, bob := hosts[0], hosts[1]

	content := bytes.Repeat([]byte("0123456789abcdef\x00\xff"), contentChunk/9) // two chunks
	sum := sha256.Sum256(content)
	sha := hex.EncodeToString(sum[:])
	for range 2 { // it is stored once
		must.Do(t, ann.Files.ShareContent(t.Context(), sha, int64(len(content)), bytes.NewReader(content)))
	}
	var got bytes.Buffer
	must.Do(t, bob.Files.WriteContent(t.Context(), sha, &got))
	if !bytes.Equal(got.Bytes(), content) {
		t.Errorf("bob reads %d bytes, want the %d of ann", got.Len(), len(content))
	}

	// It stays as long as a file has it.
	for n, id := range []string{agentID(100), agentID(101)} {
		f := parley.File{ID: id, Name: "x", Size: 1, SHA256: sha, SenderID: agentID(n), CreatedAt: time.Now()}
		must.Have(ann.Files.CreateFile(t.Context(), f, Call{}))(t)
	}
	tampers(t, ann, `UPDATE file_chunks SET added_at = clock_timestamp() - interval '2 hours'`)
	must.Have(bob.Files.RemoveFiles(t.Context(), []string{agentID(100)}, time.Time{}))(t)
	must.Have(bob.Workspace.Prune(t.Context(), Retention{}, nil))(t)
	if n := chunksOf(t, ann, sha); n != 2 {
		t.Errorf("%d chunks are left, want 2", n)
	}
	must.Have(bob.Files.RemoveFiles(t.Context(), []string{agentID(101)}, time.Time{}))(t)
	if n := chunksOf(t, ann, sha); n != 0 {
		t.Errorf("%d chunks are left of a removed file", n)
	}

	// What belongs to no file goes when it is old.
	must.Do(t, ann.Files.ShareContent(t.Context(), sha, int64(len(content)), bytes.NewReader(content)))
	must.Have(bob.Workspace.Prune(t.Context(), Retention{}, nil))(t)
	if n := chunksOf(t, ann, sha); n != 2 {
		t.Errorf("%d chunks are left of a file that is being stored", n)
	}
	tampers(t, ann, `UPDATE file_chunks SET added_at = clock_timestamp() - interval '2 hours'`)
	must.Have(bob.Workspace.Prune(t.Context(), Retention{}, nil))(t)
	if n := chunksOf(t, ann, sha); n != 0 {
		t.Errorf("%d chunks are left of no file", n)
	}
}

func chunksOf(t *testing.T, s *Store, sha string) (n int) {
	t.Helper()
	must.Do(t, s.db.read(t.Context(), "counting", &n, `SELECT count(*) FROM file_chunks WHERE sha256 = ?`, sha))
	return n
}

func TestAFileAsDatabaseSharesNoContents(t *testing.T) {
	needsFile(t)
	s := openTest(t)
	must.Do(t, s.Files.ShareContent(t.Context(), "aa", 1, bytes.NewReader([]byte("x"))))
	var got bytes.Buffer
	must.Do(t, s.Files.WriteContent(t.Context(), "aa", &got))
	if got.Len() != 0 {
		t.Errorf("got %q", got.String())
	}
}
