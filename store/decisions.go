package store

import (
	"context"
	"encoding/json"

	"parley"
)

// formatDecision encodes a decision without its agent, which is the row's recipient.
func formatDecision(d *parley.ConversationDecision) string {
	if d == nil {
		return ""
	}
	kept := *d
	kept.AgentID, kept.Agent = "", ""
	b, err := json.Marshal(kept)
	if err != nil { // a number that is not finite
		return ""
	}
	return string(b)
}

// parseDecision is the inverse of formatDecision; nil for "".
func parseDecision(text, agentID, agent string) *parley.ConversationDecision {
	var d parley.ConversationDecision
	if text == "" || json.Unmarshal([]byte(text), &d) != nil {
		return nil
	}
	d.AgentID, d.Agent = agentID, agent
	return &d
}

// Decisions returns what the conversation protocol decided about the responders that got
// a message, by their IDs.
func (s *Responders) Decisions(ctx context.Context, messageID string) (map[string]parley.ConversationDecision, error) {
	var rows []struct{ RecipientID, Recipient, Decision string }
	err := s.read(ctx, "reading the decisions", &rows, `SELECT d.recipient_id, r.name AS recipient, d.decision
		FROM messages m JOIN deliveries d ON d.message_seq = m.seq JOIN agents r ON r.id = d.recipient_id
		WHERE m.id = ? AND d.decision <> ''`, messageID)

	byID := map[string]parley.ConversationDecision{}
	for _, r := range rows {
		if d := parseDecision(r.Decision, r.RecipientID, r.Recipient); d != nil {
			byID[r.RecipientID] = *d
		}
	}

	return byID, err
}
