package sessions

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"parley/program/transcript"
	"parley/store/engine"
)

// index knows which conversations have which words, and nothing else of what was said: it is a table of FTS5 without
// contents and without the places of words. It can be removed at any time. All daemons of the user share it, and one
// of them fills it at a time.
type index struct {
	path string
	wake chan struct{}

	mu     sync.Mutex
	pool   *sql.DB
	filled chan struct{}    // closed when a round of reading has ended
	whole  bool             // everything was read before
	known  map[string]stamp // what was read of which conversation, as far as this process knows
	rows   [2]int64         // how many rows were known, and the number of the last one
	wanted []entry          // what is read next
	tidied time.Time        // when what is no longer kept was removed
}

func newIndex(path string) *index {
	return &index{path: path, wake: make(chan struct{}, 1), filled: make(chan struct{})}
}

const (
	// firstPatience is how long after its beginning a call waits for conversations to be read while there is no whole
	// index, and laterPatience how long it waits for those that have changed.
	firstPatience = 600 * time.Millisecond
	laterPatience = 40 * time.Millisecond

	busyTime = 2 * time.Second
	// firstBatch is how many conversations are stored together at first, and lastBatch in the end, if they have fewer
	// than batchText bytes of text.
	firstBatch = 16
	lastBatch  = 1024
	batchText  = 16 << 20
	// maxText bounds what is read of what was said in one conversation, in bytes.
	maxText = 16 << 20
)

// indexVersion changes with what the index holds of a conversation.
const indexVersion = 1

var indexSchema = []string{
	`CREATE TABLE IF NOT EXISTS kept (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, at INTEGER NOT NULL,
		size INTEGER NOT NULL)`,
	`CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (text, content='', contentless_delete=1, detail=none,
		tokenize='unicode61')`,
	fmt.Sprintf(`PRAGMA user_version = %d`, indexVersion),
}

// open opens the file, and makes it if it is missing or of another version.
func (x *index) open(ctx context.Context) (*sql.DB, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.pool != nil {
		if _, err := os.Stat(x.path); err == nil {
			return x.pool, nil
		}
		_ = x.pool.Close() // somebody has removed the file
		x.pool, x.whole, x.known = nil, false, nil
	}

	for again := false; ; again = true {
		pool, err := x.begin(ctx)
		if err == nil {
			x.pool = pool
			return pool, nil
		}
		if again || ctx.Err() != nil {
			return nil, fmt.Errorf("open the index of conversations: %w", err)
		}
		for _, suffix := range []string{"", "-wal", "-shm"} { // it is damaged, or of another version
			_ = os.Remove(x.path + suffix)
		}
	}
}

var errOtherVersion = errors.New("the index has another version")

func (x *index) begin(ctx context.Context) (*sql.DB, error) {
	if err := os.MkdirAll(filepath.Dir(x.path), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(x.path, os.O_RDWR|os.O_CREATE, 0o600) // others may not read it
	if err != nil {
		return nil, err
	}
	_ = f.Close()
	// What is lost in a crash is read again.
	pool, err := engine.Connect(engine.DSN(x.path, busyTime, "journal_mode(WAL)", "synchronous(OFF)"), 2)
	if err != nil {
		return nil, err
	}

	var version int
	if err = pool.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&version); err == nil && version == 0 {
		for _, statement := range indexSchema {
			if _, err = pool.ExecContext(ctx, statement); err != nil {
				break
			}
		}
	} else if err == nil && version != indexVersion {
		err = errOtherVersion
	}
	if err != nil {
		_ = pool.Close()
		return nil, err
	}
	return pool, nil
}

// stamp says which state of a conversation was read.
type stamp struct{ at, size int64 }

func (e *entry) stamp() stamp { return stamp{e.at.UnixNano(), e.size} }

// reload reads which conversations were read, if another daemon has added some.
func (x *index) reload(ctx context.Context, pool *sql.DB) error {
	var now [2]int64
	err := pool.QueryRowContext(ctx, `SELECT count(*), coalesce(max(id), 0) FROM kept`).Scan(&now[0], &now[1])
	if err != nil || x.rows == now && x.known != nil {
		return err
	}

	rows, err := pool.QueryContext(ctx, `SELECT key, at, size FROM kept`)
	if err != nil {
		return err
	}
	defer rows.Close()
	all := map[string]stamp{}
	for rows.Next() {
		var key string
		var s stamp
		if err := rows.Scan(&key, &s.at, &s.size); err != nil {
			return err
		}
		all[key] = s
	}
	if err := rows.Err(); err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.known, x.rows = all, now
	return nil
}

// unread returns those of all that are not known to be read as they are now.
func (x *index) unread(all []entry) (left []*entry) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for i := range all {
		if e := &all[i]; x.known[e.key()] != e.stamp() {
			left = append(left, e)
		}
	}
	return left
}

// find returns those of all that have the words, and how many of all were read. It waits a little for what was not.
func (x *index) find(
	ctx context.Context, began time.Time, all []entry, words []string,
) (found []entry, read int, err error) {
	pool, err := x.open(ctx)
	if err != nil {
		return nil, 0, err
	}
	if len(x.unread(all)) > 0 {
		x.await(ctx, began, all)
	}

	terms := make([]string, len(words))
	for i, word := range words {
		terms[i] = `"` + word + `"` // words have no quotes
		if len([]rune(word)) >= leastPrefix {
			terms[i] += "*"
		}
	}
	rows, err := pool.QueryContext(ctx, `SELECT key FROM kept WHERE id IN (SELECT rowid FROM words WHERE words MATCH ?)`,
		strings.Join(terms, " AND "))
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	has := map[string]bool{}
	for rows.Next() {
		var key string
		if err := rows.Scan(&key); err != nil {
			return nil, 0, err
		}
		has[key] = true
	}
	for i := range all {
		if has[all[i].key()] {
			found = append(found, all[i])
		}
	}
	return found, len(all) - len(x.unread(all)), rows.Err()
}

// leastPrefix is how many characters a word has that may be the beginning of one. Very many begin with fewer.
const leastPrefix = 3

// await has what is not read be read, and waits a little for that.
func (x *index) await(ctx context.Context, began time.Time, all []entry) {
	x.mu.Lock()
	x.wanted = all
	filled, patience := x.filled, firstPatience-time.Since(began)
	if x.whole {
		patience = laterPatience
	}
	x.mu.Unlock()
	select {
	case x.wake <- struct{}{}:
	default:
	}

	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-filled:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// Run reads conversations into the index when somebody looks for words, until ctx ends.
func (a *Archive) Run(ctx context.Context) {
	x := a.index
	defer func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		if x.pool != nil {
			_ = x.pool.Close() // what it holds can be read again
		}
	}()

	for {
		select {
		case <-x.wake:
		case <-ctx.Done():
			return
		}
		err := a.fill(ctx)
		if err != nil && ctx.Err() == nil {
			a.opts.Log.Warn("read the conversations of programs", "error", err)
		}
		x.mu.Lock()
		close(x.filled)
		x.filled, x.whole = make(chan struct{}), err == nil
		x.mu.Unlock()
	}
}

// fill reads what is not read as it is now, the newest first. While another daemon does that, it does nothing.
func (a *Archive) fill(ctx context.Context) error {
	pool, err := a.index.open(ctx)
	if err != nil {
		return err
	}
	lock, err := os.OpenFile(a.index.path+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer lock.Close()
	alone := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
	if err := a.index.reload(ctx, pool); err != nil || !alone {
		return err
	}

	a.index.mu.Lock()
	all := a.index.wanted
	a.index.mu.Unlock()
	left := a.index.unread(all)
	for batch := firstBatch; len(left) > 0 && err == nil; batch = min(2*batch, lastBatch) {
		n, texts, size := 0, []string(nil), 0
		for n < min(batch, len(left)) && size < batchText && ctx.Err() == nil {
			text := left[n].text(ctx)
			texts, size, n = append(texts, text), size+len(text), n+1
		}
		if err = context.Cause(ctx); err == nil {
			err = a.index.put(ctx, pool, left[:n], texts)
		}
		left = left[n:]
	}
	if err == nil && time.Since(a.index.tidied) > tidyEvery {
		a.index.tidied = time.Now()
		err = a.index.forget(ctx, pool, a.scan(ctx, ""))
	}
	return err
}

// tidyEvery is the time between two looks for what is no longer kept.
const tidyEvery = time.Hour

// text returns what was said in a conversation, and where. What cannot be read has no text.
func (e *entry) text(ctx context.Context) string {
	var b strings.Builder
	facts, _ := e.turns(ctx, 1<<62, func(t transcript.Turn, _ *transcript.Facts) bool {
		b.WriteString(spaced(shown(t.Text)))
		b.WriteByte('\n')
		return b.Len() < maxText
	})
	return b.String() + facts.Dir + "\n" + facts.Branch
}

// put stores what was read.
func (x *index) put(ctx context.Context, pool *sql.DB, entries []*entry, texts []string) error {
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // it is committed, or the first error counts

	var id, last int64
	for i, e := range entries {
		s := e.stamp()
		if err := tx.QueryRowContext(ctx, `INSERT INTO kept (key, at, size) VALUES (?, ?, ?)
			ON CONFLICT (key) DO UPDATE SET at = excluded.at, size = excluded.size RETURNING id`,
			e.key(), s.at, s.size).Scan(&id); err != nil {
			return err
		}
		last = max(last, id)
		if _, had := x.known[e.key()]; had { // only this goroutine changes it
			if _, err := tx.ExecContext(ctx, `DELETE FROM words WHERE rowid = ?`, id); err != nil {
				return err
			}
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO words (rowid, text) VALUES (?, ?)`, id, texts[i]); err != nil {
			return err
		}
	}
	if err := tx.Commit(); err != nil {
		return err
	}

	x.mu.Lock()
	defer x.mu.Unlock()
	for _, e := range entries {
		if _, had := x.known[e.key()]; !had {
			x.rows[0]++
		}
		x.known[e.key()] = e.stamp()
	}
	x.rows[1] = max(x.rows[1], last)
	return nil
}

// forget removes what is no longer kept.
func (x *index) forget(ctx context.Context, pool *sql.DB, all []entry) error {
	x.mu.Lock()
	gone := maps.Clone(x.known)
	x.mu.Unlock()
	for i := range all {
		delete(gone, all[i].key())
	}
	for key := range gone {
		if _, err := pool.ExecContext(ctx, `DELETE FROM words WHERE rowid = (SELECT id FROM kept WHERE key = ?)`,
			key); err != nil {
			return err
		}
		if _, err := pool.ExecContext(ctx, `DELETE FROM kept WHERE key = ?`, key); err != nil {
			return err
		}
	}
	return nil
}
