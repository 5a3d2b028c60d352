package sessions

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
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
	filled chan struct{} // closed when what was listed at a call of want has been read, or cannot be
	whole  bool          // everything was read before
}

func newIndex(path string) *index {
	return &index{path: path, wake: make(chan struct{}, 1), filled: make(chan struct{})}
}

const (
	// firstPatience is how long a call waits for conversations to be read while there is no whole index, and
	// laterPatience how long for those that have changed.
	firstPatience = 700 * time.Millisecond
	laterPatience = 40 * time.Millisecond

	busyTime = 2 * time.Second
	// batch is how many conversations are stored together, if they have fewer than batchText bytes of text.
	batch     = 64
	batchText = 4 << 20
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
		x.pool, x.whole = nil, false
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

// stamps returns what was read of which conversation.
func stamps(ctx context.Context, pool *sql.DB) (map[string]stamp, error) {
	rows, err := pool.QueryContext(ctx, `SELECT key, at, size FROM kept`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	all := map[string]stamp{}
	for rows.Next() {
		var key string
		var s stamp
		if err := rows.Scan(&key, &s.at, &s.size); err != nil {
			return nil, err
		}
		all[key] = s
	}
	return all, rows.Err()
}

// unread returns those of all that are not read as they are now.
func unread(ctx context.Context, pool *sql.DB, all []entry) (left []*entry, err error) {
	read, err := stamps(ctx, pool)
	for i := range all {
		if e := &all[i]; read[e.key()] != e.stamp() {
			left = append(left, e)
		}
	}
	return left, err
}

// find returns those of all that have the words, and how many of all were read. It waits a little for what was not.
func (x *index) find(ctx context.Context, all []entry, words []string) (found []entry, read int, err error) {
	pool, err := x.open(ctx)
	if err != nil {
		return nil, 0, err
	}
	left, err := unread(ctx, pool, all)
	if err == nil && len(left) > 0 {
		x.await(ctx)
		left, err = unread(ctx, pool, all)
	}
	if err != nil {
		return nil, 0, err
	}

	terms := make([]string, len(words))
	for i, word := range words {
		terms[i] = `"` + word + `"*` // words have no quotes
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
	return found, len(all) - len(left), rows.Err()
}

// await has what is not read be read, and waits a little for that.
func (x *index) await(ctx context.Context) {
	x.mu.Lock()
	filled, patience := x.filled, firstPatience
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
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil
	}

	all := a.scan(ctx, "")
	left, err := unread(ctx, pool, all)
	for len(left) > 0 && err == nil {
		n, texts, size := 0, []string(nil), 0
		for n < min(batch, len(left)) && size < batchText && ctx.Err() == nil {
			text := left[n].text(ctx)
			texts, size, n = append(texts, text), size+len(text), n+1
		}
		if err = context.Cause(ctx); err == nil {
			err = put(ctx, pool, left[:n], texts)
		}
		left = left[n:]
	}
	if err == nil {
		err = forget(ctx, pool, all)
	}
	return err
}

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
func put(ctx context.Context, pool *sql.DB, entries []*entry, texts []string) error {
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // it is committed, or the first error counts

	for i, e := range entries {
		var id int64
		s := e.stamp()
		if err := tx.QueryRowContext(ctx, `INSERT INTO kept (key, at, size) VALUES (?, ?, ?)
			ON CONFLICT (key) DO UPDATE SET at = excluded.at, size = excluded.size RETURNING id`,
			e.key(), s.at, s.size).Scan(&id); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM words WHERE rowid = ?`, id); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO words (rowid, text) VALUES (?, ?)`, id, texts[i]); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// forget removes what is no longer kept.
func forget(ctx context.Context, pool *sql.DB, all []entry) error {
	gone, err := stamps(ctx, pool)
	if err != nil {
		return err
	}
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
