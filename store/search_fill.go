package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"parley/store/engine"
)

// fillChunk is how many messages are read before their words are written: their
// texts are in memory together.
const fillChunk = 1000

// fillWords puts all messages into the index of words, which must be empty.
func fillWords(ctx context.Context, tx *sql.Tx, d *engine.Dialect) error {
	into, err := tx.PrepareContext(ctx, d.Bound(wordsOf(d).columns.InsertInto("message_words", 1)))
	if err != nil {
		return fmt.Errorf("index the words of messages: %w", err)
	}
	defer into.Close()

	for last := int64(0); ; {
		rows, err := unindexed(ctx, tx, d, last)
		if err != nil || len(rows) == 0 {
			return err
		}

		last = rows[len(rows)-1].seq
		for i := range rows {
			if _, err := into.ExecContext(ctx, wordsOf(d).columns.Values(&rows[i])...); err != nil {
				return fmt.Errorf("index the words of messages: %w", err)
			}
		}
	}
}

// unindexed reads the next messages after a number.
func unindexed(ctx context.Context, tx *sql.Tx, d *engine.Dialect, after int64) ([]wordsRow, error) {
	rows, err := tx.QueryContext(ctx, d.Bound(`SELECT m.seq, m.text, m.sender_id, m.thread_id,
		coalesce((SELECT `+d.Joined+`(d.recipient_id, ' ') FROM deliveries d WHERE d.message_seq = m.seq), '')
		FROM messages m WHERE m.seq > ? ORDER BY m.seq LIMIT ?`), after, fillChunk)
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
