package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"parley"
)

// responderRow is a row of responders.
type responderRow struct {
	AgentID          string
	ModelID          string
	SystemPrompt     string
	Temperature      *float64
	MaxTokens        int
	BaseURL          string
	APIKeyEnv        string `gorm:"column:api_key_env"`
	AdditionalConfig string
	AutoRespond      bool
	Origin           string
}

func (r *responderRow) responder() (*parley.Responder, error) {
	p := &parley.Responder{AutoRespond: r.AutoRespond, Origin: parley.ResponderOrigin(r.Origin),
		ResponderConfig: parley.ResponderConfig{
			ModelID:      r.ModelID,
			SystemPrompt: r.SystemPrompt,
			Temperature:  r.Temperature,
			MaxTokens:    r.MaxTokens,
			BaseURL:      r.BaseURL,
			APIKeyEnv:    r.APIKeyEnv,
		}}

	if err := json.Unmarshal([]byte(r.AdditionalConfig), &p.Additional); err != nil {
		return nil, fmt.Errorf("read the configuration of responder %s: %w", parley.Short(r.AgentID), err)
	}

	return p, nil
}

// responders returns how models answer, by agent.
func (s *Store) responders(ctx context.Context) (map[string]*parley.Responder, error) {
	var rows []responderRow
	if err := s.read(ctx, "reading the responders", &rows, `SELECT agent_id, model_id, system_prompt, temperature, max_tokens,
		base_url, api_key_env, additional_config, auto_respond, origin FROM responders`); err != nil {
		return nil, err
	}

	by := make(map[string]*parley.Responder, len(rows))
	for i := range rows {
		p, err := rows[i].responder()
		if err != nil {
			return nil, s.fail("reading the responders", err)
		}
		by[rows[i].AgentID] = p
	}

	return by, nil
}

// setResponder replaces how a model answers for an agent; nil is not at all.
func (t *tx) setResponder(agentID string, p *parley.Responder) error {
	if _, err := t.exec(`DELETE FROM responders WHERE agent_id = ?`, agentID); err != nil || p == nil {
		return err
	}

	extras, err := json.Marshal(p.Additional)
	if err != nil {
		return fmt.Errorf("encode the configuration of a responder: %w", err)
	}

	_, err = t.exec(
		`INSERT INTO responders (agent_id, model_id, system_prompt, temperature, max_tokens, base_url, api_key_env,
		additional_config, auto_respond, origin) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		agentID,
		p.ModelID,
		p.SystemPrompt,
		p.Temperature,
		p.MaxTokens,
		p.BaseURL,
		p.APIKeyEnv,
		string(extras),
		p.AutoRespond,
		string(p.Origin),
	)

	return err
}

// SetResponder records how a model answers for an agent, what kind of agent that makes
// it, and the decision on it. The agent's keys stay good. AGENT_NOT_FOUND.
func (s *Store) SetResponder(ctx context.Context, a parley.Agent) error {
	return s.write(ctx, "storing the responder", func(t *tx) error {
		if _, err := t.agent(a.ID); err != nil {
			return err
		}
		row := t.complete(&a)
		if err := t.db.Select("*").Omit("id", "name", "created_at").Where("id = ?", a.ID).Updates(&row).Error; err != nil {
			return err
		}
		t.wrote = true
		t.lifecycle(&row, "is a "+row.Kind+", "+row.Approval+" as a special agent")
		return t.setResponder(a.ID, a.Responder)
	})
}

// forget makes a responder forget what it said with another up to a message of its own.
func (t *tx) forget(responderID, otherID string, seq int64) error {
	_, err := t.exec(`INSERT INTO forgotten (responder_id, other_id, message_seq) VALUES (?, ?, ?)
		ON CONFLICT DO UPDATE SET message_seq = max(message_seq, excluded.message_seq)`, responderID, otherID, seq)
	return err
}

// recallScan is how many messages are looked through for each that is wanted: commands
// and what was not answered do not count.
const recallScan = 3

// Recall returns what a responder remembers of what it said with another before a
// message: the last of it, oldest first. Commands, their answers, and what the
// responder left unanswered are no part of it.
func (s *Store) Recall(
	ctx context.Context,
	responderID, otherID, messageID string,
	limit int,
) ([]parley.Message, error) {
	if limit <= 0 {
		return nil, nil
	}

	items, err := s.items(ctx, ` WHERE d.conversation_id = ? AND d.kind = 'direct'
		AND d.message_seq < (SELECT seq FROM messages WHERE id = ?)
		AND d.message_seq > coalesce((SELECT f.message_seq FROM forgotten f WHERE f.responder_id = ? AND f.other_id = ?), 0)
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

// replied stores what belongs to a message that answers for a model.
func (t *tx) replied(p *Post, seq int64) error {
	if p.Forgets {
		for i := range p.Deliveries {
			if err := t.forget(p.Message.SenderID, p.Deliveries[i].RecipientID, seq); err != nil {
				return err
			}
		}
	}
	if p.Call == nil {
		return nil
	}
	return t.account(p.Call)
}
