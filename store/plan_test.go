package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/store/engine"
)

// queryLog keeps the queries that are made on connections.
type queryLog struct {
	engine.ConnPool
	queries []loggedQuery
}

type loggedQuery struct {
	sql  string
	args []any
}

func (r *queryLog) QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	r.queries = append(r.queries, loggedQuery{text, args})
	return r.ConnPool.QueryContext(ctx, text, args...)
}

// plansOf returns SQLite's plans for the queries that read makes.
func plansOf(t *testing.T, s *Store, read func(context.Context) error) string {
	t.Helper()
	needsFile(t)
	logged, before := &queryLog{ConnPool: s.db.base.ReaderPool}, s.db.base.Reader
	s.db.base.Reader = must.Have(s.db.base.SQL.Over(logged))(t)
	defer func() { s.db.base.Reader = before }()
	must.Do(t, read(t.Context()))
	queries := logged.queries
	if len(queries) == 0 {
		t.Fatal("no query was seen")
	}

	var plans strings.Builder
	for _, q := range queries {
		rows, err := s.db.base.ReaderPool.Query("EXPLAIN QUERY PLAN "+q.sql, q.args...)
		if err != nil {
			t.Fatalf("%s: %v", q.sql, err)
		}

		for rows.Next() {
			var id, parent, unused int
			var detail string
			must.Do(t, rows.Scan(&id, &parent, &unused, &detail))
			fmt.Fprintln(&plans, detail)
		}

		must.Do(t, rows.Close())
	}

	return plans.String()
}

func TestQueriesUseTheirIndexes(t *testing.T) {
	s := openWith(t, 2)
	say(t, s, "hello", 0, 1)
	inbox := func(q InboxQuery) func(context.Context) error {
		return func(ctx context.Context) error {
			q.RecipientID, q.Limit = agentID(1), 20
			_, err := s.Inbox.Page(ctx, q)
			return err
		}
	}

	for name, c := range map[string]struct {
		read func(context.Context) error
		want []string // all of these
		not  string   // and not this
	}{
		"Pending": {func(ctx context.Context) error { _, err := s.Deliveries.Pending(ctx, "x", 10); return err },
			[]string{"d USING INDEX deliveries_open (recipient_id=?)"}, "TEMP B-TREE"},
		"Typing": {func(ctx context.Context) error { _, err := s.Deliveries.Typing(ctx, "x"); return err },
			[]string{"d USING INDEX deliveries_open (recipient_id=?)"}, "TEMP B-TREE"},
		"TypedAs": {func(ctx context.Context) error { _, err := s.Deliveries.TypedAs(ctx, "x", 1); return err },
			[]string{"d USING INDEX deliveries_ended", "d USING INDEX deliveries_open (recipient_id=?)"}, "SCAN d"},
		"Inbox, unread": {inbox(InboxQuery{UnreadOnly: true}),
			[]string{"d USING INDEX deliveries_unread (recipient_id=? AND read_at=?)",
				"COVERING INDEX deliveries_unread", "COVERING INDEX deliveries_inbox"}, "TEMP B-TREE"},
		"Inbox, all": {inbox(InboxQuery{}),
			[]string{"d USING INDEX deliveries_inbox (recipient_id=?)"}, "TEMP B-TREE"},
		"Inbox, filtered": {inbox(InboxQuery{UnreadOnly: true, Since: time.Unix(1, 0), Priority: parley.PriorityHigh}),
			[]string{"d USING INDEX deliveries_unread (recipient_id=? AND read_at=?)"}, "TEMP B-TREE"},
		"Inbox of senders": {inbox(InboxQuery{Senders: []string{"a", "b"}}),
			[]string{"c USING COVERING INDEX deliveries_direct (conversation_id=?)",
				"o USING COVERING INDEX messages_spread (sender_id=?)", "d USING COVERING INDEX deliveries_inbox " +
					"(recipient_id=? AND message_seq=?)"}, "deliveries_inbox (recipient_id=?)"},
		"History": {func(ctx context.Context) error {
			_, err := s.Messages.History(ctx, HistoryQuery{A: agentID(0), B: agentID(1), Limit: 10})
			return err
		}, []string{"d USING INDEX deliveries_direct (conversation_id=?)"}, "TEMP B-TREE"},
		"Counts": {func(ctx context.Context) error { _, err := s.Inbox.Counts(ctx); return err },
			[]string{"COVERING INDEX deliveries_unread", "INDEX deliveries_open", "INDEX debts_owed"}, "TEMP B-TREE"},
		"Queued": {func(ctx context.Context) error { _, err := s.Needs.Queued(ctx); return err },
			[]string{"INDEX deliveries_open"}, "TEMP B-TREE"},
		"DeliveryCounts": {func(ctx context.Context) error { _, err := s.Workspace.DeliveryCounts(ctx); return err },
			[]string{"deliveries_open", "deliveries_ended"}, "PRIMARY KEY"},
		"DeliveryReasons": {func(ctx context.Context) error { _, err := s.Workspace.DeliveryReasons(ctx); return err },
			[]string{"deliveries_open", "deliveries_ended"}, "PRIMARY KEY"},
		"Events": {func(ctx context.Context) error {
			_, err := s.Events.List(ctx, EventQuery{After: 5, Limit: 10})
			return err
		},
			[]string{"SEARCH e USING INTEGER PRIMARY KEY (rowid>?)"}, "TEMP B-TREE"},
		"Events of one": {func(ctx context.Context) error {
			_, err := s.Events.List(ctx, EventQuery{Last: 10, For: "x"})
			return err
		}, []string{"SEARCH e USING INTEGER PRIMARY KEY (rowid>?)"}, "TEMP B-TREE"},
		"Message": {func(ctx context.Context) error {
			if _, _, err := s.Messages.Message(ctx, "12345678"); parley.ErrorCode(err) != parley.MessageNotFound {
				return err
			}
			return nil
		}, []string{"m USING INDEX messages_id (id>? AND id<?)"}, "TEMP B-TREE"},
		"Unconfirmed": {func(ctx context.Context) error { _, err := s.Needs.Unconfirmed(ctx); return err },
			[]string{"deliveries_ended (state=? AND dismissed=?)"}, "SCAN d"},
		"Undelivered": {func(ctx context.Context) error { _, err := s.Needs.Undelivered(ctx); return err },
			[]string{"deliveries_ended (state=? AND dismissed=?)"}, "SCAN d"},
		"Owed": {func(ctx context.Context) error {
			_, err := s.Needs.Owed(ctx, time.Unix(1, 0), time.Unix(2, 0))
			return err
		}, []string{"m USING INDEX messages_requests (accepted_at>? AND accepted_at<?)", "a USING COVERING INDEX " +
			"messages_replies (in_reply_to=? AND sender_id=?)",
			"ad USING COVERING INDEX deliveries_direct (conversation_id=? AND message_seq>?)"}, "TEMP B-TREE"},
		"Search": {func(ctx context.Context) error {
			_, err := s.Messages.Search(ctx,
				SearchQuery{Words: "hello", For: agentID(1), To: []string{agentID(0)}, Since: time.Unix(1, 0),
					Limit: 10})
			return err
		}, []string{"SCAN w VIRTUAL TABLE INDEX", "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)"}, "FOR ORDER BY"},
		"Pressing": {func(ctx context.Context) error { _, _, err := s.Inbox.Pressing(ctx, agentID(1), 5); return err },
			[]string{"COVERING INDEX deliveries_unread",
				"d USING INDEX deliveries_pressing (recipient_id=?)"}, "SCAN m"},
		"Due": {func(ctx context.Context) error { _, err := s.Debts.Due(ctx, time.Unix(1, 0)); return err },
			[]string{"b USING INDEX debts_due (due_at<?)"}, "TEMP B-TREE FOR ORDER BY"},
		"Overdue": {func(ctx context.Context) error { _, err := s.Debts.Overdue(ctx); return err },
			[]string{"b USING INDEX debts_owed"}, "messages_"},
		"Debts": {func(ctx context.Context) error { _, err := s.Debts.List(ctx, "x"); return err },
			[]string{"m USING COVERING INDEX messages_id (id=?)", "b USING PRIMARY KEY (message_seq=?)"}, "SCAN b"},
		"A thread's posts": {inbox(InboxQuery{ThreadID: "x"}),
			[]string{"COVERING INDEX messages_thread (thread_id=?", "m USING INDEX messages_thread (thread_id=?",
				"d USING PRIMARY KEY (message_seq=? AND recipient_id=?)"}, "TEMP B-TREE"},
		"Thread": {func(ctx context.Context) error {
			if _, err := s.Threads.Thread(ctx, "12345678"); parley.ErrorCode(err) != parley.ThreadNotFound {
				return err
			}
			return nil
		}, []string{"t USING PRIMARY KEY (id>? AND id<?)"}, "TEMP B-TREE"},
		"Threads": {func(ctx context.Context) error { _, _, err := s.Threads.List(ctx, "", 10); return err },
			[]string{"t USING INDEX threads_active"}, "TEMP B-TREE"},
		"Threads of one": {func(ctx context.Context) error { _, _, err := s.Threads.List(ctx, "x", 10); return err },
			[]string{"t USING INDEX threads_active",
				"p EXISTS USING COVERING INDEX participants_agent (agent_id=? AND thread_id=?)"}, "TEMP B-TREE"},
		"Export": {func(ctx context.Context) error {
			_, err := s.Messages.Export(ctx, ExportQuery{Limit: 10, Since: time.Unix(1, 0)})
			return err
		}, []string{"m USING INTEGER PRIMARY KEY (rowid>?)", "e USING PRIMARY KEY (message_seq=?)",
			"m USING INTEGER PRIMARY KEY (rowid=?)", "d USING PRIMARY KEY (message_seq=?)"}, "SCAN d"},
		"Export of two": {func(ctx context.Context) error {
			_, err := s.Messages.Export(ctx, ExportQuery{A: agentID(0), B: agentID(1), Limit: 10})
			return err
		}, []string{"d USING COVERING INDEX deliveries_direct (conversation_id=? AND message_seq>?)"}, "SCAN d"},
		"Export of a thread": {func(ctx context.Context) error {
			_, err := s.Messages.Export(ctx, ExportQuery{ThreadID: "x", Limit: 10})
			return err
		}, []string{"m USING COVERING INDEX messages_thread (thread_id=? AND seq>?)"}, "SCAN m"},
	} {
		plans := plansOf(t, s, c.read)
		for _, want := range c.want {
			if !strings.Contains(plans, want) {
				t.Errorf("%s: no %q in\n%s", name, want, plans)
			}
		}

		if strings.Contains(plans, c.not) {
			t.Errorf("%s: %q in\n%s", name, c.not, plans)
		}
	}
}
