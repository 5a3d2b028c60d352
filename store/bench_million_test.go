package store

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"parley/internal/must"
	"parley/store/engine"
	"parley/store/milliontest"
)

// A workspace of a million messages between two hundred agents: see milliontest. The inbox of the busy agent
// has a hundred thousand of them.
const (
	teamSize  = 200
	busyAgent = 0
	quiet     = teamSize // one more agent, which gets no broadcast
)

// openMillion makes that database, without waiting for the disk.
func openMillion(b *testing.B) (path string) {
	b.Helper()
	path = filepath.Join(b.TempDir(), "parley.db")
	s := openAt(b, path)
	addAgents(b, s, teamSize+1)
	must.Do(b, s.Close())

	db := must.Have(sql.Open("sqlite",
		engine.DSN(path, time.Second, "journal_mode(WAL)", "synchronous(OFF)", "cache_size(-200000)")))(b)
	defer db.Close()

	db.SetMaxOpenConns(1)
	ids := make([]string, teamSize+1)
	for n := range ids {
		ids[n] = agentID(n)
	}
	must.Do(b, milliontest.Fill(db, ids, milliontest.Million))

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
			page, err := s.Messages.Search(ctx, q)
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
			items, _, err := s.Inbox.Pressing(ctx, agentID(busyAgent), 5)
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
			search(SearchQuery{Words: "hello", For: agentID(9), Until: time.Now().Add(-900_000 * time.Second)}),
		},
		{"search between two", false,
			search(SearchQuery{Words: "hello", For: agentID(9), From: []string{agentID(29)}})},
	}
}
