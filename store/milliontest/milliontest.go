// Package milliontest fills a new database with messages, for benchmarks.
package milliontest

import (
	"database/sql"
	"fmt"
	"strings"

	"parley"
)

// Million is how many messages the large workspaces of the benchmarks have.
const Million = 1_000_000

// Seldom begins the text of ten messages, which are held. Nothing else on a screen looks like it.
const Seldom = "QQQQQQQQ"

// Newest returns a word near the beginning of the newest of so many messages.
func Newest(messages int) string { return fmt.Sprintf("branch%d;", messages*104729%50000) }

// Fill writes messages between agents into a new database of SQLite, and the words of these messages. It takes
// the ids of the agents. One message in a thousand is a broadcast. Of the others, every tenth goes to the first
// agent, and ten go to the last one, which gets no broadcast. The newest few of each inbox are unread.
func Fill(db *sql.DB, agents []string, messages int) error {
	if err := pairUp(db, agents); err != nil {
		return err
	}
	for _, statement := range statements(len(agents)-1, messages) {
		if _, err := db.Exec(statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// pairUp numbers the agents, and stores the conversation ID of each pair.
func pairUp(db *sql.DB, agents []string) error {
	if _, err := db.Exec(`CREATE TEMP TABLE who (n INTEGER PRIMARY KEY, id TEXT NOT NULL, mark TEXT NOT NULL);
		CREATE TEMP TABLE pairs (x INTEGER, y INTEGER, id TEXT NOT NULL, PRIMARY KEY (x, y))`); err != nil {
		return err
	}

	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // does nothing after Commit

	for y, id := range agents {
		if _, err := tx.Exec(`INSERT INTO who VALUES (?, ?, ?)`, y, id, strings.ReplaceAll(id, "-", "")); err != nil {
			return err
		}
		for x := range y {
			pair := parley.ConversationID(agents[x], id)
			if _, err := tx.Exec(`INSERT INTO pairs VALUES (?, ?, ?)`, x, y, pair); err != nil {
				return err
			}
		}
	}

	return tx.Commit()
}

// statements returns what writes the messages: last is the number of the agent that gets few. A message takes
// a second, and the newest is of now.
func statements(last, messages int) []string {
	const at = `(CAST(strftime('%%s') AS INTEGER) - %d + p.seq) * 1000000000`
	accepted := fmt.Sprintf(at, messages)

	return []string{
		`CREATE TEMP TABLE plan (seq INTEGER PRIMARY KEY, sender INTEGER, recipient INTEGER)`, // -1 is everyone
		fmt.Sprintf(`WITH RECURSIVE counter (seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM counter WHERE seq < %d)
			INSERT INTO plan SELECT seq, 1 + seq %% %d, CASE WHEN seq %% 1000 = 7 THEN -1 WHEN seq %% %d = %d THEN %d
			WHEN seq %% 10 = 0 THEN 0 ELSE 1 + (seq / %d + seq) %% %d END FROM counter`,
			messages, last-1, messages/10, messages/20, last, last, last-1),

		fmt.Sprintf(`INSERT INTO messages (seq, id, kind, type, priority, sender_id, text, data, context_reference,
				in_reply_to, idempotency_key, accepted_at)
			SELECT p.seq, printf('%%08x-0000-4000-8000-%%012x', p.seq * 2654435761 & 0xffffffff, p.seq),
			CASE p.recipient WHEN -1 THEN 'broadcast' ELSE 'direct' END, 'information',
			CASE p.seq %% 50 WHEN 0 THEN 'high' ELSE 'normal' END, w.id,
			CASE p.recipient WHEN %d THEN '%s ' ELSE '' END ||
			printf('hello team, %%s: please look at module%%d and rebase branch%%d; the build of part%%d is %%s again, '
				|| 'and test%%d of package%%d says number%%d',
				CASE p.seq %% 2 WHEN 0 THEN 'evenly' ELSE 'oddly' END, p.seq * 7919 %% 300, p.seq * 104729 %% 50000,
				p.seq * 31 %% 1000, CASE p.seq %% 3 WHEN 0 THEN 'red' ELSE 'green' END, p.seq * 613 %% 5000,
				p.seq * 17 %% 90, p.seq),
			'', '', '', '', %s FROM plan p JOIN who w ON w.n = p.sender`, last, Seldom, accepted),

		fmt.Sprintf(`INSERT INTO deliveries (message_seq, recipient_id, conversation_id, kind, urgent, state, reason,
				notice, pane_seq, queued_at, read_at, steps)
			SELECT p.seq, w.id, b.id, CASE p.recipient WHEN -1 THEN 'broadcast' ELSE 'direct' END, 0,
			CASE p.recipient WHEN %d THEN 'held' ELSE 'read' END, '', 0, p.seq,
			%[2]s, CASE WHEN p.seq < %[3]d THEN %[2]s END,
			'{"state":"queued","at":"2026-01-01T00:00:00.000000000Z"}' || char(10)
			FROM plan p JOIN who w ON w.n = p.recipient OR p.recipient = -1 AND w.n < %[1]d AND w.n <> p.sender
			JOIN pairs b ON b.x = min(p.sender, w.n) AND b.y = max(p.sender, w.n)`, last, accepted, messages-messages/200),

		fmt.Sprintf(`INSERT INTO events (type, at, message_seq, recipient_id, recipient_count, agent_id, state, detail)
			SELECT CASE p.recipient WHEN -1 THEN 'agent_broadcast' ELSE 'agent_direct_message' END, %s, p.seq,
			coalesce(w.id, ''), CASE p.recipient WHEN -1 THEN %d ELSE 1 END, '', '', ''
			FROM plan p LEFT JOIN who w ON w.n = p.recipient`, accepted, last-1),

		`INSERT INTO message_words (rowid, words, marks)
			SELECT m.seq, m.text, printf('n16x%d n18x%d s%s ', m.seq >> 16, m.seq >> 18, replace(m.sender_id, '-', '')) ||
			coalesce((SELECT group_concat('r' || w.mark, ' ') FROM deliveries d JOIN who w ON w.id = d.recipient_id
				WHERE d.message_seq = m.seq), '')
			FROM messages m`,
	}
}
