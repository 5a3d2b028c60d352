package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/must"
)

func testFile(id string, from int) parley.File {
	return parley.File{
		ID:        id,
		Name:      "größe.txt",
		Size:      1 << 40,
		SHA256:    strings.Repeat("a", 64),
		SenderID:  agentID(from),
		CreatedAt: time.Unix(5, 7).UTC(),
	}
}

func wantFile(t *testing.T, s *Store, ref string, viewer int, want *parley.File) {
	t.Helper()
	who := ""
	if viewer >= 0 {
		who = agentID(viewer)
	}

	got, err := s.Files.File(t.Context(), ref, who)
	if want == nil {
		wantCode(t, "file "+ref+" of "+who, err, parley.FileNotFound)
		return
	}

	if diff := cmp.Diff(*want, got); err != nil || diff != "" {
		t.Errorf("file %s of %q: %v, (-want +got):\n%s", ref, who, err, diff)
	}
}

func TestFileIsSeenByRecipientsOfItsMessages(t *testing.T) {
	s := openWith(t, 4)
	const one, two = "aaaaaaaa-1111-4000-8000-000000000000", "aaaaaaaa-2222-4000-8000-000000000000"
	f, g := testFile(one, 0), testFile(two, 3)
	p := post(0, 1)
	p.NewFile = &f
	must.Have(s.Messages.Append(t.Context(), p))(t)
	must.Have(s.Files.CreateFile(t.Context(), g, Call{}))(t)

	for _, ref := range []string{one, one[:8], strings.ToUpper(one[:12])} {
		wantFile(t, s, ref, 0, &f)
		wantFile(t, s, ref, 1, &f)
		wantFile(t, s, ref, 2, nil)
	}

	wantFile(t, s, one, 3, nil)
	wantFile(t, s, two[:8], 3, &g) // files of others do not make it ambiguous
	wantFile(t, s, two, 1, nil)
	wantFile(t, s, one, -1, &f)
	wantFile(t, s, one[:8], -1, nil) // ambiguous
	wantFile(t, s, one[:7], -1, nil)

	forward := post(1, 2, 3)
	forward.FileIDs = []string{one, two, one}
	must.Have(s.Messages.Append(t.Context(), forward))(t)

	wantFile(t, s, one, 2, &f)
	wantFile(t, s, two, 2, &g)
	wantFile(t, s, one, 3, &f)
}

func TestMessageWithUnknownFileStoresNothing(t *testing.T) {
	s := openWith(t, 2)
	p := post(0, 1)
	p.FileIDs = []string{"no-such-file"}
	_, err := s.Messages.Append(t.Context(), p)
	wantCode(t, "Append", err, parley.FileNotFound)
	_, _, err = s.Messages.Message(t.Context(), p.Message.ID)
	wantCode(t, "Message", err, parley.MessageNotFound)
	_, err = s.Files.CreateFile(t.Context(), testFile("x", 99), Call{})
	wantCode(t, "CreateFile", err, parley.AgentNotFound)
}

// It may be removed between a look at it and the commit of the message.
func TestMessageWithRemovedFileStoresNothing(t *testing.T) {
	s := openWith(t, 3)
	const gone, other = "aaaaaaaa-1111-4000-8000-000000000000", "bbbbbbbb-1111-4000-8000-000000000000"
	for _, id := range []string{gone, other} {
		must.Have(s.Files.CreateFile(t.Context(), testFile(id, 0), Call{}))(t)
	}
	must.Have(s.Files.RemoveFiles(t.Context(), []string{gone}, time.Time{}))(t)

	p := post(0, 1)
	p.FileIDs = []string{other, gone}
	_, err := s.Messages.Append(t.Context(), p)
	wantCode(t, "Append", err, parley.FileNotFound)
	_, _, err = s.Messages.Message(t.Context(), p.Message.ID)
	wantCode(t, "Message", err, parley.MessageNotFound)

	p.FileIDs = []string{other}
	send(t, s, p)
}

func TestRemovedFileKeepsWhatItsSenderSaid(t *testing.T) {
	s := openWith(t, 2)
	f := testFile("aaaaaaaa-1111-4000-8000-000000000000", 0)
	p := post(0, 1)
	p.NewFile = &f
	p.Message.Attachments = []json.RawMessage{
		json.RawMessage(`{"build":12345678901234567891,"file_id":"` + f.ID + `","server_path":"/x"}`),
	}
	send(t, s, p)
	removed := must.Have(s.Files.RemoveFiles(t.Context(), []string{f.ID}, time.Time{}))(t)

	m, _, err := s.Messages.Message(t.Context(), p.Message.ID)
	must.Do(t, err)
	at := must.Have(json.Marshal(removed[0].RemovedAt))(t)
	want := `{"build":12345678901234567891,"file_id":"` + f.ID + `","removed_at":` + string(at) + `}`
	if got := string(m.Attachments[0]); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestFilesOfThreads(t *testing.T) {
	s := openWith(t, 2)
	f := testFile("aaaaaaaa-1111-4000-8000-000000000000", 0)
	must.Have(s.Files.CreateFile(t.Context(), f, Call{}))(t)

	var last []string
	for _, thread := range []string{"", "t1", "t2", "t1"} {
		p := post(0, 1)
		p.Message.ThreadID, p.FileIDs = thread, []string{f.ID}
		must.Have(s.Messages.Append(t.Context(), p))(t)
		last = append(last, p.Message.ID)
	}

	got, err := s.Files.PostsWithFile(t.Context(), f.ID)
	if diff := cmp.Diff([]string{last[3], last[2]}, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestFileQueriesUseTheirIndexes(t *testing.T) {
	s := openWith(t, 2)
	plans := plansOf(t, s, func(ctx context.Context) error {
		_, err := s.Files.File(ctx, "aaaaaaaa", agentID(0))
		if parley.ErrorCode(err) != parley.FileNotFound {
			return err
		}
		_, err = s.Files.PostsWithFile(ctx, "x")
		return err
	})
	if strings.Contains(plans, "SCAN") {
		t.Errorf("a whole table is read:\n%s", plans)
	}
}

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
