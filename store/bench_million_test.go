package store

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
)

// A workspace of a million messages between two hundred agents. One in a thousand is a
// broadcast to all. Of the others, every tenth goes to the busy agent, whose inbox has a
// hundred thousand messages, and ten go to the quiet one. The newest few of each inbox are
// unread.
const (
	million   = 1_000_000
	teamSize  = 200
	busyAgent = 0
	quiet     = teamSize // one more agent, which gets no broadcast
)

var millionStatements = []string{
	`CREATE TEMP TABLE plan (seq INTEGER PRIMARY KEY, sender INTEGER, recipient INTEGER)`, // -1 is everyone
	fmt.Sprintf(`WITH RECURSIVE counter (seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM counter WHERE seq < %d)
		INSERT INTO plan SELECT seq, 1 + seq %% %d, CASE WHEN seq %% 1000 = 7 THEN -1 WHEN seq %% 100000 = 50000 THEN %d
			WHEN seq %% 10 = 0 THEN %d ELSE 1 + (seq / %d + seq) %% %d END FROM counter`,
		million, teamSize-1, quiet, busyAgent, teamSize, teamSize-1),
	`INSERT INTO messages (seq, id, kind, type, priority, sender_id, text, data, context_reference, in_reply_to,
			idempotency_key, accepted_at)
		SELECT p.seq, printf('%08x-0000-4000-8000-%012x', p.seq * 2654435761 & 0xffffffff, p.seq),
		CASE p.recipient WHEN -1 THEN 'broadcast' ELSE 'direct' END, 'information', CASE p.seq % 50 WHEN 0 THEN 'high' ELSE 'normal' END, w.id,
		printf('hello team, %s: please look at module%d and rebase branch%d; the build of part%d is %s again, and test%d of package%d says number%d',
			CASE p.seq % 2 WHEN 0 THEN 'evenly' ELSE 'oddly' END, p.seq * 7919 % 300, p.seq * 104729 % 50000, p.seq * 31 % 1000,
			CASE p.seq % 3 WHEN 0 THEN 'red' ELSE 'green' END, p.seq * 613 % 5000, p.seq * 17 % 90, p.seq),
		'', '', '', '', 1700000000000000000 + p.seq * 1000000000 FROM plan p JOIN who w ON w.n = p.sender`,
	fmt.Sprintf(
		`INSERT INTO deliveries (message_seq, recipient_id, conversation_id, kind, urgent, state, reason, notice,
			pane_seq, queued_at, read_at, steps)
		SELECT p.seq, w.id, b.id, CASE p.recipient WHEN -1 THEN 'broadcast' ELSE 'direct' END, 0, 'read', '', 0, p.seq,
		1700000000000000000 + p.seq * 1000000000, CASE WHEN p.seq < %d THEN 1700000000000000000 + p.seq * 1000000000 END,
		'{"state":"queued","at":"2026-01-01T00:00:00.000000000Z"}' || char(10)
		FROM plan p JOIN who w ON w.n = p.recipient OR p.recipient = -1 AND w.n < %d AND w.n <> p.sender
		JOIN pairs b ON b.x = min(p.sender, w.n) AND b.y = max(p.sender, w.n)`,
		million-5000,
		teamSize,
	),
	`INSERT INTO events (type, at, message_seq, recipient_id, recipient_count, agent_id, state, detail)
		SELECT 'agent_direct_message', 0, seq, '', 1, '', '', '' FROM plan`,
}

// pairUp numbers the agents, and stores the conversation ID of each pair.
func pairUp(db *sql.DB) error {
	if _, err := db.Exec(`CREATE TEMP TABLE who (n INTEGER PRIMARY KEY, id TEXT NOT NULL);
		INSERT INTO who SELECT row_number() OVER (ORDER BY name) - 1, id FROM agents WHERE name LIKE 'agent%';
		CREATE TEMP TABLE pairs (x INTEGER, y INTEGER, id TEXT NOT NULL, PRIMARY KEY (x, y))`); err != nil {
		return err
	}

	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()

	for y := range teamSize + 1 {
		for x := range y {
			if _, err := tx.Exec(`INSERT INTO pairs SELECT x.n, y.n, ? FROM who x, who y WHERE x.id = ? AND y.id = ?`,
				parley.ConversationID(agentID(x), agentID(y)), agentID(x), agentID(y)); err != nil {
				return err
			}
		}
	}

	return tx.Commit()
}

// openMillion makes that database, without waiting for the disk.
func openMillion(b *testing.B) (path string) {
	b.Helper()
	path = filepath.Join(b.TempDir(), "parley.db")
	s := openAt(b, path)
	addAgents(b, s, teamSize+1)
	must.Do(b, s.Close())

	db := must.Have(sql.Open(driverName,
		dsn(path, time.Second, "journal_mode(WAL)", "synchronous(OFF)", "cache_size(-200000)")))(b)
	defer db.Close()

	db.SetMaxOpenConns(1)
	must.Do(b, pairUp(db))

	for _, statement := range millionStatements {
		if _, err := db.Exec(statement); err != nil {
			b.Fatalf("%s: %v", statement, err)
		}
	}

	tx := must.Have(db.Begin())(b)
	must.Do(b, fillWords(b.Context(), tx, &sqliteDialect))
	must.Do(b, tx.Commit())

	return path
}

// BenchmarkMillion measures the queries of an agent in a workspace of a million messages,
// and opening it after a clean stop.
func BenchmarkMillion(b *testing.B) {
	path := openMillion(b)
	b.Run("open", func(b *testing.B) {
		var times []time.Duration
		for b.Loop() {
			begun := time.Now()
			s := must.Have(Open(b.Context(), Options{Path: path}))(b)

			times = append(times, time.Since(begun))
			must.Do(b, s.Close())
		}

		percentiles(b, times)
	})

	s := must.Have(Open(b.Context(), Options{Path: path}))(b)
	defer s.Close()

	for _, q := range millionQueries() {
		b.Run(q.name, func(b *testing.B) {
			var times []time.Duration
			gaveUp := 0
			for b.Loop() {
				begun := time.Now()
				n, err := q.ask(b.Context(), s)
				if err != nil || n >= 0 && (n == 0) != q.nothing {
					b.Fatalf("got %d, %v", n, err)
				}

				times = append(times, time.Since(begun))
				if n < 0 {
					gaveUp++
				}
			}

			percentiles(b, times)
			if gaveUp > 0 {
				b.ReportMetric(100*float64(gaveUp)/float64(len(times)), "%given-up")
			}
		})
	}
}

// givenUp is the result of a search that did not look at all messages.
const givenUp = -1

type millionQuery struct {
	name    string
	nothing bool // it should find nothing
	ask     func(context.Context, *Store) (int, error)
}

func millionQueries() []millionQuery {
	inbox := func(q InboxQuery) func(context.Context, *Store) (int, error) {
		q.Limit = 20
		return func(ctx context.Context, s *Store) (int, error) {
			page, err := s.Inbox.Page(ctx, q)
			return len(page.Items), err
		}
	}

	search := func(q SearchQuery) func(context.Context, *Store) (int, error) {
		q.Limit = 20
		return func(ctx context.Context, s *Store) (int, error) {
			page, err := s.Search(ctx, q)
			if !page.SearchedSince.IsZero() {
				return givenUp, err
			}
			return len(page.Items), err
		}
	}

	return []millionQuery{
		{"inbox unread", false, inbox(InboxQuery{RecipientID: agentID(9), UnreadOnly: true, OldestFirst: true})},
		{"inbox all", false, inbox(InboxQuery{RecipientID: agentID(9)})},
		{"inbox of one sender", false, inbox(InboxQuery{RecipientID: agentID(9), Senders: []string{agentID(29)}})},
		{
			"inbox of 100,000",
			false,
			inbox(InboxQuery{RecipientID: agentID(busyAgent), UnreadOnly: true, OldestFirst: true}),
		},
		{"new", false, func(ctx context.Context, s *Store) (int, error) {
			items, _, err := s.Pressing(ctx, agentID(busyAgent), 5)
			return len(items), err
		}},
		{"search a word of all", false, search(SearchQuery{Words: "hello", For: agentID(9)})},
		{"search a word of all for who sees few", false, search(SearchQuery{Words: "hello", For: agentID(quiet)})},
		{"search all", false, search(SearchQuery{Words: "rebase build green", All: true})},
		{"search a phrase", false, search(SearchQuery{Words: `"is green again"`, For: agentID(9)})},
		{"search one in a million", false, search(SearchQuery{Words: "number77", All: true})},
		{"search nothing", true, search(SearchQuery{Words: "unheard", All: true})},
		{"search what never meets", true, search(SearchQuery{Words: "evenly oddly", All: true})},
		{"search a phrase of frequent words", true, search(SearchQuery{Words: `"team hello"`, All: true})},
		{
			"search before a time",
			false,
			search(SearchQuery{Words: "hello", For: agentID(9), Until: time.Unix(1700100000, 0)}),
		},
		{"search between two", false, search(SearchQuery{Words: "hello", For: agentID(9), From: []string{agentID(29)}})},
	}
}
