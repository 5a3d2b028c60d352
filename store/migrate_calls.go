package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/pressly/goose/v3"
)

// callsVersion is the migration that adds what calls made, by their keys, what is archived,
// and the marks of threads in the index of words.
const callsVersion = 15

// Calls that made something else than a message, by the idempotency key of their caller;
// asked is a hash, made the id of a thread or a file. A message has its key itself.
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

// archivedColumn says that its recipient ignored a message.
const archivedColumn = `ALTER TABLE deliveries ADD COLUMN archived INTEGER NOT NULL DEFAULT 0`

func callsMigration() *goose.Migration {
	up := func(ctx context.Context, tx *sql.Tx) error {
		for _, statement := range []string{callsTable, takingPartIndex, archivedColumn} {
			if _, err := tx.ExecContext(ctx, statement); err != nil {
				return err
			}
		}

		var posts int
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM (SELECT 1 FROM messages WHERE thread_id <> '' LIMIT 1)`).Scan(&posts); err != nil {
			return fmt.Errorf("look for posts to threads: %w", err)
		}
		if posts == 0 {
			return nil
		}

		for _, statement := range []string{`DROP TABLE message_words`, wordsTable} { // a row of it cannot be changed
			if _, err := tx.ExecContext(ctx, statement); err != nil {
				return err
			}
		}

		return fillWords(ctx, tx)
	}

	down := func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(
			ctx,
			`ALTER TABLE deliveries DROP COLUMN archived; DROP INDEX participants_agent; DROP TABLE calls`,
		)
		return err
	}

	return goose.NewGoMigration(callsVersion, &goose.GoFunc{RunTx: up}, &goose.GoFunc{RunTx: down})
}
