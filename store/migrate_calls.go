package store

import (
	"context"
	"database/sql"
	"fmt"
)

// callsTable holds the calls that made something other than a message, by the
// idempotency key of their caller. asked is a hash of the request, made the id of the
// thread or file. A message stores its key itself.
const callsTable = `CREATE TABLE calls (
	agent_id        TEXT NOT NULL REFERENCES agents (id),
	idempotency_key TEXT NOT NULL,
	asked           TEXT NOT NULL,
	made            TEXT NOT NULL,
	message_id      TEXT NOT NULL, -- of the first post in that thread, or empty
	PRIMARY KEY (agent_id, idempotency_key)
) WITHOUT ROWID`

// takingPartIndex finds the threads of an agent.
const takingPartIndex = `CREATE INDEX participants_agent ON participants (agent_id) WHERE left_at = 0`

// archivedColumn is set when the recipient ignored the message.
const archivedColumn = `ALTER TABLE deliveries ADD COLUMN archived INTEGER NOT NULL DEFAULT 0`

// addCalls adds the calls and what is archived. Where there are posts to threads it
// also fills the index of words again, in Go, because their threads are marked now.
func addCalls(ctx context.Context, tx *sql.Tx) error {
	if err := execAll(ctx, tx, callsTable, takingPartIndex, archivedColumn); err != nil {
		return err
	}

	var posts int
	if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM (SELECT 1 FROM messages WHERE thread_id <> '' LIMIT 1)`).
		Scan(&posts); err != nil {
		return fmt.Errorf("look for posts to threads: %w", err)
	}
	if posts == 0 {
		return nil
	}

	// The index stores no text, so its rows cannot be changed one by one.
	if err := execAll(ctx, tx, `DROP TABLE message_words`, wordsTable); err != nil {
		return err
	}

	return fillWords(ctx, tx, &sqliteDialect)
}

func dropCalls(ctx context.Context, tx *sql.Tx) error {
	return execAll(ctx, tx, `ALTER TABLE deliveries DROP COLUMN archived`,
		`DROP INDEX participants_agent`, `DROP TABLE calls`)
}
