package store

import (
	"context"
	"slices"

	"parley"
	"parley/store/engine"
)

// Recall returns the latest messages between a responder and another agent before a given
// one, oldest first, as far as the responder has not forgotten them. It leaves out
// commands, their answers, and messages that the responder did not answer.
func (s *Responders) Recall(
	ctx context.Context, responderID, otherID, messageID string, limit int,
) ([]parley.Message, error) {
	if limit <= 0 {
		return nil, nil
	}

	items, err := s.db.items(ctx, ` WHERE d.conversation_id = ? AND d.kind = 'direct'
		AND d.message_seq < (SELECT seq FROM messages WHERE id = ?)
		AND d.message_seq > coalesce(
			(SELECT f.message_seq FROM forgotten f WHERE f.responder_id = ? AND f.other_id = ?), 0)
		AND (m.sender_id = ? OR d.answered_by <> '')`, false, recallScan*limit+recallScan,
		parley.ConversationID(responderID, otherID), messageID, responderID, otherID, responderID)
	if err != nil {
		return nil, err
	}

	commands := map[string]bool{}
	for _, item := range items {
		if _, is := parley.IsCommand(item.Message.Text); is && item.Message.SenderID != responderID {
			commands[item.Message.ID] = true
		}
	}

	var said []parley.Message
	for _, item := range items {
		if m := item.Message; !commands[m.ID] && !commands[m.InReplyTo] && len(said) < limit {
			said = append(said, m)
		}
	}

	slices.Reverse(said)

	return said, nil
}

// RecallThread returns what a responder knows of a thread when it answers one of its
// posts: the latest posts before that one, and the responder's own since, oldest first.
func (s *Responders) RecallThread(
	ctx context.Context, responderID, threadID, messageID string, limit int,
) ([]parley.Message, error) {
	if limit <= 0 {
		return nil, nil
	}

	var rows []messageRow
	err := s.db.read(ctx, "reading the thread", &rows, `SELECT `+messageColumns+`
		FROM messages m JOIN agents s ON s.id = m.sender_id
		WHERE m.thread_id = ? AND m.thread_id <> '' AND m.kind = 'thread' AND m.id <> ?
			AND (m.seq < (SELECT seq FROM messages WHERE id = ?) OR m.sender_id = ?)
		ORDER BY m.seq DESC LIMIT ?`, threadID, messageID, messageID, responderID, limit)
	return oldestFirst(rows), err
}

// forgetBefore makes a responder forget its talk with another, up to one of its messages.
func (t respondersIn) forgetBefore(responderID, otherID string, seq int64) error {
	_, err := t.tx.Exec(`INSERT INTO forgotten (responder_id, other_id, message_seq) VALUES (?, ?, ?)
		ON CONFLICT (responder_id, other_id) DO UPDATE SET
			message_seq = `+engine.Greatest(`forgotten.message_seq`, `excluded.message_seq`), responderID, otherID, seq)
	return err
}

// recallScan is how many messages Recall reads for each that it returns, since it leaves
// some out.
const recallScan = 3

// forgottenTable has what responders have forgotten.
var forgottenTable = engine.Table[struct{}]{Name: "forgotten", Key: []string{"responder_id", "other_id"}}
