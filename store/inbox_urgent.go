package store

import "context"

// rankedUnread is how many unread messages Pressing ranks by priority, the newest of them.
// Urgent ones it finds among all.
const rankedUnread = 500

// Pressing returns the number of messages that an agent has not read, and at most limit of
// them: the most urgent first, then the newest.
func (s *Inbox) Pressing(
	ctx context.Context, recipientID string, limit int,
) (items []InboxItem, unread int, err error) {
	_, unread, err = s.countInbox(ctx, recipientID)
	if err != nil || unread == 0 {
		return []InboxItem{}, 0, err
	}

	var seqs []int64
	err = s.read(ctx, "reading unread messages", &seqs, `SELECT u.seq FROM (
			SELECT * FROM (SELECT d.message_seq AS seq, 0 AS rank FROM deliveries d`+s.base.SQL.IndexedBy("deliveries_pressing")+`
				WHERE d.recipient_id = ? AND d.read_at IS NULL AND d.urgent = 1 ORDER BY d.message_seq DESC LIMIT ?) p
			UNION ALL
			SELECT n.seq, CASE m.priority WHEN 'high' THEN 1 WHEN 'low' THEN 3 ELSE 2 END
				FROM (SELECT d.message_seq AS seq FROM deliveries d
				WHERE d.recipient_id = ? AND d.read_at IS NULL ORDER BY d.message_seq DESC LIMIT ?) n
				CROSS JOIN messages m WHERE m.seq = n.seq AND m.priority <> 'urgent'
		) u ORDER BY u.rank, u.seq DESC LIMIT ?`, recipientID, limit, recipientID, rankedUnread, limit)
	if err != nil {
		return nil, 0, err
	}

	items = make([]InboxItem, 0, len(seqs))
	for _, seq := range seqs {
		one, err := s.items(ctx, ` WHERE d.recipient_id = ? AND d.message_seq = ?`, false, 1, recipientID, seq)
		if err != nil {
			return nil, 0, err
		}
		items = append(items, one...)
	}

	return items, unread, nil
}
