package store

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/store/engine"
)

// A case of recovery is one file of a database, what is done to it, and whether the daemon was killed before, or has
// ended. The files of an open database that change are another test's: TestFilesThatVanishAreSaved.

// recovery is a database as a daemon has left it, and what happens to its files.
type recovery struct {
	ending string // of the file that is changed
	does   string // what is done to it
	killed bool   // the daemon
	copied bool   // there is a copy, of half of the messages
	root   bool   // the damaged page leads to other ones
}

func (r recovery) String() string {
	left, copied := "ended", ""
	if r.killed {
		left = "killed"
	}
	if r.copied {
		copied = ", copied"
	}
	return fmt.Sprintf("parley.db%s %s, %s%s", r.ending, r.does, left, copied)
}

// recoveryMessages is how many messages each database holds, in several pages.
const recoveryMessages = 120

// ours is the text of the messages that must be there.
const ours = "please look at"

// written is a database in a directory of its own, as it was at three moments.
type written struct {
	half  map[string][]byte // when half of the messages were acknowledged, and in the file
	left  map[string][]byte // by a daemon that was killed
	ended map[string][]byte // by one that was closed
	copy  map[string][]byte // after half of the messages
}

// writeRecovery fills a database. Most of its second half is in the log.
func writeRecovery(t *testing.T, text string) (w written) {
	t.Helper()
	s, path := openNew(t, 3)
	append := func() {
		p := post(0, 1)
		p.Message.Text = text
		must.Have(s.Messages.Append(t.Context(), p))(t)
	}
	for range recoveryMessages / 2 {
		append()
	}
	made := must.Have(s.Workspace.KeepCopy(t.Context()))(t)
	w.copy = map[string][]byte{filepath.Join("backups", filepath.Base(made.Path)): must.Have(os.ReadFile(made.Path))(t)}
	w.half = filesAt(t, path)

	must.Have(s.db.base.WriterConn.ExecContext(t.Context(), `PRAGMA wal_checkpoint(TRUNCATE)`))(t)
	for range recoveryMessages / 2 {
		append()
	}
	w.left = filesAt(t, path)
	must.Do(t, s.Close())
	w.ended = filesAt(t, path)

	return w
}

// filesAt reads the files of a database by their endings.
func filesAt(t *testing.T, path string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for _, ending := range append(engine.Endings, ".progress") {
		if content, err := os.ReadFile(path + ending); err == nil {
			files[ending] = content
		}
	}
	return files
}

// change returns what a file becomes, nil for nothing, and whether the case makes sense.
func (r recovery) change(t *testing.T, w, other written, chance *rand.Rand) (content []byte, ok bool) {
	t.Helper()
	is, foreign := w.ended[r.ending], other.ended[r.ending]
	if r.killed {
		is, foreign = w.left[r.ending], other.left[r.ending]
	}
	if r.ending != "" && !r.killed {
		foreign = other.left[r.ending]
	}

	switch r.does {
	case "absent":
		return nil, len(is) > 0
	case "empty":
		return []byte{}, true
	case "truncated":
		return is[:len(is)/2], len(is) > 1
	case "older":
		return w.half[r.ending], len(w.half[r.ending]) > 0
	case "foreign":
		return foreign, len(foreign) > 0
	case "of a page damaged":
		if len(is) < 8192 {
			return nil, false
		}
		content = append([]byte{}, is...)
		at := chance.IntN(len(is)/4096) * 4096
		for i := range 4096 {
			content[at+i] = byte(chance.Uint32())
		}
		return content, true
	}
	t.Fatalf("what is %q?", r.does)
	return nil, false
}

// Whatever is done to one of the files while no daemon runs, nothing that was acknowledged is lost without a word: it
// is all there, or the start is refused, changes nothing, and a repair goes on with all that can be read. What is
// missing then is said by number, and what was there is kept.
func TestNothingIsLostWithoutAWord(t *testing.T) {
	needsFile(t)
	w, other := writeRecovery(t, ours), writeRecovery(t, "something else") // of the same length
	chance := rand.New(rand.NewPCG(1, 2))
	for _, ending := range engine.Endings {
		for _, does := range []string{"absent", "empty", "truncated", "older", "foreign", "of a page damaged"} {
			for _, killed := range []bool{false, true} {
				for _, copied := range []bool{false, true} {
					if copied && ending == "-shm" {
						continue
					}
					r := recovery{ending: ending, does: does, killed: killed, copied: copied}
					content, ok := r.change(t, w, other, chance)
					if !ok {
						continue
					}
					t.Run(r.String(), func(t *testing.T) { r.try(t, w, content) })
				}
			}
		}
	}
}

// lay puts the files of a case into a directory, and returns the path of the database.
func (r recovery) lay(t *testing.T, w written, content []byte) (path string) {
	t.Helper()
	dir := t.TempDir()
	path = filepath.Join(dir, "parley.db")
	files := w.ended
	if r.killed {
		files = w.left
	}
	for ending, was := range files {
		must.Do(t, os.WriteFile(path+ending, was, 0o600))
	}
	_ = os.Remove(path + r.ending)
	if content != nil {
		must.Do(t, os.WriteFile(path+r.ending, content, 0o600))
	}
	if r.copied {
		must.Do(t, os.Mkdir(filepath.Join(dir, "backups"), 0o700))
		for name, was := range w.copy {
			must.Do(t, os.WriteFile(filepath.Join(dir, name), was, 0o600))
		}
	}
	return path
}

func (r recovery) try(t *testing.T, w written, content []byte) {
	path := r.lay(t, w, content)
	before := filesAt(t, path)
	s, err := Open(t.Context(), Options{Path: path})
	opened := err == nil
	if opened {
		if err = s.Workspace.Check(t.Context()); err == nil {
			wantWhole(t, s, recoveryMessages, 0)
			return
		}
		must.Do(t, s.Close()) // the daemon has found it by itself
		before = filesAt(t, path)
	}

	wantCode(t, "Open", err, parley.StorageUnavailable)
	t.Logf("refused: %v", err)
	after := filesAt(t, path)
	for _, ending := range []string{"", "-wal", ".progress"} {
		if string(after[ending]) != string(before[ending]) {
			t.Errorf("the refusal changed parley.db%s", ending)
		}
	}

	done, err := Repair(t.Context(), Options{Path: path})
	if err != nil {
		r.wantUnreadable(t, path, before, err)
		return
	}
	lacks := int64(0)
	if done.Lacks != nil {
		lacks = done.Lacks.Messages
		t.Logf("%s: it lacks %s", r, done.Lacks.Words())
	}
	for _, ending := range []string{"", "-wal"} {
		if was := before[ending]; len(was) > 0 {
			if kept, err := os.ReadFile(done.Aside + ending); err != nil || string(kept) != string(was) {
				t.Errorf("what parley.db%s was is not kept: %v", ending, err)
			}
		}
	}

	wantWhole(t, must.Have(Open(t.Context(), Options{Path: path}))(t), recoveryMessages, lacks)
	if most := r.most(); lacks > most {
		t.Errorf("it lacks %d messages, want at most %d", lacks, most)
	}
}

// recoveryCosts is how many of 120 messages are lost at most, without a copy and with one of the first 60. Those 60 are
// in the file and the rest in the log while the daemon runs, and all are in the file after it has ended. What is not
// here
// costs nothing.
var recoveryCosts = map[string][2]int64{
	"parley.db absent, ended":             {120, 60},
	"parley.db absent, killed":            {60, 0},
	"parley.db empty, ended":              {120, 60},
	"parley.db empty, killed":             {60, 0},
	"parley.db truncated, ended":          {120, 60},
	"parley.db truncated, killed":         {60, 0},
	"parley.db older, ended":              {120, 60},
	"parley.db older, killed":             {60, 0},
	"parley.db foreign, ended":            {120, 60},
	"parley.db foreign, killed":           {60, 0},
	"parley.db of a page damaged, ended":  {40, 40}, // as many as a page holds
	"parley.db of a page damaged, killed": {40, 40},

	"parley.db-wal absent, killed":            {60, 60},
	"parley.db-wal empty, killed":             {60, 60},
	"parley.db-wal truncated, killed":         {40, 40},
	"parley.db-wal older, killed":             {60, 60},
	"parley.db-wal foreign, killed":           {60, 60},
	"parley.db-wal of a page damaged, killed": {60, 60}, // SQLite reads up to it
}

// most returns how many messages a repair may lack.
func (r recovery) most() int64 {
	if r.root {
		return recoveryMessages
	}
	costs := recoveryCosts[strings.TrimSuffix(r.String(), ", copied")]
	if r.copied {
		return costs[1]
	}
	return costs[0]
}

// wantUnreadable checks that nothing can be read, and that nothing was changed.
func (r recovery) wantUnreadable(t *testing.T, path string, before map[string][]byte, err error) {
	t.Helper()
	t.Logf("not repaired: %v: %v", err, parley.AsError(err).Details)
	wantCode(t, "Repair", err, parley.StorageUnavailable)
	if r.copied || r.ending != "" || r.does != "foreign" && tablesKnown(t, path) {
		t.Errorf("it could be repaired")
	}
	for _, ending := range []string{"", "-wal", ".progress"} {
		if string(filesAt(t, path)[ending]) != string(before[ending]) {
			t.Errorf("the repair that failed changed parley.db%s", ending)
		}
	}
}

// tablesKnown reports whether SQLite can read which tables a database has.
func tablesKnown(t *testing.T, path string) bool {
	t.Helper()
	dsn := engine.DSN(path, time.Second, "query_only(1)", "writable_schema(1)") + "&mode=ro"
	pool := must.Have(engine.Connect(dsn, 1))(t)
	defer pool.Close()
	var n int
	return pool.QueryRow(`SELECT count(sql) FROM sqlite_master`).Scan(&n) == nil
}

// wantWhole checks that a database has all messages but some, says so, and is sound. It closes it.
func wantWhole(t *testing.T, s *Store, messages int, lacks int64) {
	t.Helper()
	defer s.Close()

	found, told := messagesIn(t, s), int64(0)
	if short := must.Have(s.Workspace.Shortfall(t.Context()))(t); short != nil {
		told = short.Messages
	}
	if found+lacks != int64(messages) || told != lacks {
		t.Errorf("%d of %d messages are there, %d are said to be missing, and the operator is told of %d", found,
			messages, lacks, told)
	}
	if lacks > 0 {
		if open := must.Have(s.Deliveries.Pending(t.Context(), agentID(1), 1000))(t); len(open) > 0 {
			t.Errorf("%d messages are typed again", len(open))
		}
	}
	if _, err := s.Messages.Append(t.Context(), post(0, 1)); err != nil && lacks == 0 {
		t.Errorf("the next message: %v", err)
	}
	var dangling []struct{ Table string }
	must.Do(t, s.db.read(t.Context(), "looking for references", &dangling, `SELECT "table" FROM pragma_foreign_key_check`))
	if len(dangling) > 0 {
		t.Errorf("rows refer to none: %v", dangling)
	}
	must.Do(t, s.Workspace.Check(t.Context()))
}

func messagesIn(t *testing.T, s *Store) (n int64) {
	t.Helper()
	must.Do(t, s.db.read(t.Context(), "counting", &n, `SELECT count(*) FROM messages WHERE text LIKE '`+ours+`%'`))
	return n
}

// The files of an open database are removed, replaced, cut or overwritten: what was acknowledged until it is noticed is
// there afterwards, or said to be missing. (SQLite maps the index of the log. A process that loses a part of that ends
// at once, as if it were killed.)
func TestNothingIsLostWithoutAWordWhileOpen(t *testing.T) {
	needsFile(t)
	for _, ending := range engine.Endings {
		for _, does := range []string{"absent", "empty", "foreign", "truncated", "overwritten"} {
			if inPlace := does == "truncated" || does == "overwritten"; inPlace && ending == "-shm" {
				continue
			}
			t.Run("parley.db"+ending+" "+does, func(t *testing.T) {
				t.Parallel()
				changeWhileOpen(t, ending, does)
			})
		}
	}
}

func changeWhileOpen(t *testing.T, ending, does string) {
	path := filepath.Join(t.TempDir(), "parley.db")
	must.Do(t, os.WriteFile(path, must.Have(empty())(t), 0o600))
	s := must.Have(Open(t.Context(), Options{Path: path}))(t)
	addAgents(t, s, 3)
	for range 40 {
		appended(t, s)
	}
	must.Have(s.db.base.WriterConn.ExecContext(t.Context(), `PRAGMA wal_checkpoint(PASSIVE)`))(t)

	file := path + ending
	size := must.Have(os.Stat(file))(t).Size()
	replace := func(content string) {
		must.Do(t, os.WriteFile(file+".new", []byte(content), 0o600))
		must.Do(t, os.Rename(file+".new", file))
	}
	switch does {
	case "absent":
		must.Do(t, os.Remove(file))
	case "empty":
		replace("")
	case "foreign":
		replace("something else")
	case "truncated":
		must.Do(t, os.Truncate(file, size/2))
	case "overwritten":
		scribble(t, file, 4096)
	}

	acknowledged := 40
	for begun := time.Now(); time.Since(begun) < 3*engine.WatchEvery/2; {
		if _, err := s.Messages.Append(t.Context(), post(0, 1)); err != nil {
			break
		}
		acknowledged++
	}
	noticed := s.Workspace.Check(t.Context()) != nil
	_ = s.Close() // what it could not write is known below

	lacks := int64(0)
	if s, err := Open(t.Context(), Options{Path: path}); err != nil || s.Workspace.Check(t.Context()) != nil {
		if err == nil {
			must.Do(t, s.Close())
		}
		done, err := Repair(t.Context(), Options{Path: path})
		if err != nil && !tablesKnown(t, path) {
			wantCode(t, "Repair", err, parley.StorageUnavailable)
			return
		}
		must.Do(t, err)
		if done.Lacks != nil {
			lacks = done.Lacks.Messages
		}
	} else {
		must.Do(t, s.Close())
	}
	t.Logf("%d acknowledged, noticed: %t, lacks %d", acknowledged, noticed, lacks)
	s = must.Have(Open(t.Context(), Options{Path: path}))(t)
	if n := messagesIn(t, s); n+lacks == int64(acknowledged)+1 {
		acknowledged++ // the last one was stored, and its caller does not know
	}
	wantWhole(t, s, acknowledged, lacks)
}

// leftToWhole leaves a test to the run of a check without the race detector, where it is tried whole: see WHOLE in the
// Makefile. What runs at once in the store is raced by the other tests.
func leftToWhole(t *testing.T) {
	t.Helper()
	if must.Raced {
		t.Skip("tried whole without the race detector")
	}
}

// interiorPage begins a page that leads to others of a table.
const interiorPage = 5

// Whichever page is damaged, all that is on the others is recovered, but for those to which it leads.
func TestADamagedPageCostsItsRows(t *testing.T) {
	leftToWhole(t)
	needsFile(t)
	w := writeRecovery(t, ours)
	for at := 0; at < len(w.ended[""]); at += 4096 {
		if page := at / 4096; page%5 != 2 || testing.Short() && page%3 != 1 {
			continue
		}
		content := append([]byte{}, w.ended[""]...)
		copy(content[at:], strings.Repeat("damage! ", 512))
		t.Run(fmt.Sprint("page ", at/4096+1), func(t *testing.T) {
			recovery{does: "of a page damaged", root: w.ended[""][at] == interiorPage}.try(t, w, content)
		})
	}
}
