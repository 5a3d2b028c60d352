package store

import (
	"context"
	"encoding/json"

	"parley"
)

// decisionText is how a decision is kept; whom it is about is known.
func decisionText(d *parley.ConversationDecision) string {
	if d == nil {
		return ""
	}
	kept := *d
	kept.AgentID, kept.Agent = "", ""
	b, err := json.Marshal(kept)
	if err != nil { // a number that is none
		return ""
	}
	return string(b)
}

func decisionFrom(text, agentID, agent string) *parley.ConversationDecision {
	var d parley.ConversationDecision
	if text == "" || json.Unmarshal([]byte(text), &d) != nil {
		return nil
	}
	d.AgentID, d.Agent = agentID, agent
	return &d
}

// Decisions returns what was decided about the responders that got a message, by their
// ids.
func (s *Responders) Decisions(ctx context.Context, messageID string) (map[string]parley.ConversationDecision, error) {
	var rows []struct{ RecipientID, Recipient, Decision string }
	err := s.read(
		ctx,
		"reading what was decided",
		&rows,
		`SELECT d.recipient_id, r.name AS recipient, d.decision FROM messages m
		JOIN deliveries d ON d.message_seq = m.seq JOIN agents r ON r.id = d.recipient_id WHERE m.id = ? AND d.decision <> ''`,
		messageID,
	)

	by := map[string]parley.ConversationDecision{}
	for _, r := range rows {
		if d := decisionFrom(r.Decision, r.RecipientID, r.Recipient); d != nil {
			by[r.RecipientID] = *d
		}
	}

	return by, err
}
