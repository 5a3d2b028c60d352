package store

import "parley"

// followedMessages reads the messages that others have accepted.
var followedMessages = reread{
	about: isOf(parley.EventDirectMessage, parley.EventBroadcast, parley.EventThreadMessage,
		parley.EventThreadCreated, parley.EventThreadUpdated),
	read: readNewMessages,
}

func readNewMessages(q querier, about []followedEvent, n *News) error {
	wanted := make([]int64, len(about))
	for i := range about {
		wanted[i] = about[i].MessageSeq
	}

	var rows []struct {
		ID, Kind, SenderID, Text, ThreadID, Title, ChainID, RepliedChain, RepliedSender, ResponseStatus string
		Seq, AcceptedAt, Replied                                                                        int64
		Hop                                                                                             int
		RequiresResponse                                                                                bool
	}
	if err := q.Query(&rows, `SELECT m.seq, m.id, m.kind, m.sender_id,
			CASE WHEN m.kind = 'thread' THEN m.text ELSE '' END AS text,
			m.thread_id, coalesce(t.title, '') AS title, m.chain_id, m.hop, m.accepted_at, m.response_status,
			m.requires_response, coalesce(a.seq, 0) AS replied, coalesce(a.chain_id, '') AS replied_chain,
			coalesce(a.sender_id, '') AS replied_sender
		FROM messages m LEFT JOIN messages a ON a.id = m.in_reply_to AND m.in_reply_to <> ''
		LEFT JOIN threads t ON t.id = m.thread_id AND m.thread_id <> ''
		WHERE m.seq IN ? ORDER BY m.seq`, wanted); err != nil {
		return err
	}

	for i := range rows {
		if rows[i].ResponseStatus != "" {
			wanted = append(wanted, rows[i].Replied)
		}
	}
	rungs, err := rungsOf(q, wanted)
	if err != nil {
		return err
	}

	for i := range rows {
		m := &rows[i]
		if m.ThreadID != "" {
			n.Titles[m.ThreadID] = m.Title
		}

		next := NewMessage{
			Message: parley.Message{ID: m.ID, Kind: parley.MessageKind(m.Kind), SenderID: m.SenderID, Text: m.Text,
				ThreadID: m.ThreadID, ChainID: m.ChainID, Hop: m.Hop, Timestamp: instant(m.AcceptedAt),
				RequiresResponse: m.RequiresResponse},
			RepliedChain: m.RepliedChain, RepliedSender: m.RepliedSender, Deliveries: rungs[m.Seq],
		}
		if m.ResponseStatus != "" {
			for _, rung := range rungs[m.Replied] {
				next.Concerns = append(next.Concerns, rung.RecipientID)
			}
		}
		n.Messages = append(n.Messages, next)
	}

	return nil
}
