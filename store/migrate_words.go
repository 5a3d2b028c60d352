package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/pressly/goose/v3"
)

// wordsVersion is the migration that makes the index of words. It is written in Go:
// SQL cannot set the letters of a text apart.
const wordsVersion = 10

// An agent that looks for the urgent among what it has not read finds it here; there
// is nothing to write for any other message.
const pressingIndex = `CREATE INDEX deliveries_pressing ON deliveries (recipient_id, message_seq) WHERE read_at IS NULL AND urgent = 1`

func wordsMigration() *goose.Migration {
	up := func(ctx context.Context, tx *sql.Tx) error {
		for _, statement := range []string{wordsTable, pressingIndex} {
			if _, err := tx.ExecContext(ctx, statement); err != nil {
				return err
			}
		}
		return fillWords(ctx, tx)
	}

	down := func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DROP INDEX deliveries_pressing; DROP TABLE message_words`)
		return err
	}

	return goose.NewGoMigration(wordsVersion, &goose.GoFunc{RunTx: up}, &goose.GoFunc{RunTx: down})
}

// querier is what fillWords needs of a transaction.
type querier interface {
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
	ExecContext(context.Context, string, ...any) (sql.Result, error)
}

// fillChunk is how many messages are read before their words are written: their texts
// are in memory together.
const fillChunk = 1000

// fillWords puts all messages into the index of words, which is empty.
func fillWords(ctx context.Context, db querier) error {
	for last := int64(0); ; {
		rows, err := unindexed(ctx, db, last)
		if err != nil || len(rows) == 0 {
			return err
		}

		last = rows[len(rows)-1].seq
		err = inChunks(wordsColumns, rows, (*wordsRow).values, func(values string, args []any) error {
			_, err := db.ExecContext(ctx, `INSERT INTO message_words (`+wordsColumns+`) VALUES `+values, args...)
			return err
		})
		if err != nil {
			return fmt.Errorf("index the words of messages: %w", err)
		}
	}
}

// unindexed reads the messages after a number.
func unindexed(ctx context.Context, db querier, after int64) ([]wordsRow, error) {
	rows, err := db.QueryContext(ctx, `SELECT m.seq, m.text, m.sender_id, m.thread_id,
		coalesce((SELECT group_concat(d.recipient_id, ' ') FROM deliveries d WHERE d.message_seq = m.seq), '')
		FROM messages m WHERE m.seq > ? ORDER BY m.seq LIMIT ?`, after, fillChunk)
	if err != nil {
		return nil, fmt.Errorf("read the messages to be indexed: %w", err)
	}
	defer rows.Close()

	var list []wordsRow
	for rows.Next() {
		var r wordsRow
		var recipients string
		if err := rows.Scan(&r.seq, &r.text, &r.senderID, &r.threadID, &recipients); err != nil {
			return nil, err
		}

		r.recipients = strings.Fields(recipients)
		list = append(list, r)
	}

	return list, rows.Err()
}
