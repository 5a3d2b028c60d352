package store

import (
	"context"
	"encoding/json"
	"fmt"

	"parley"
	"parley/store/engine"
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

var respondersTable = engine.Table[responderRow]{
	Name:  "responders",
	Key:   []string{"agent_id"},
	Grows: true,
	Columns: engine.Columns[responderRow]{
		{"agent_id", func(r *responderRow) any { return r.AgentID }},
		{"model_id", func(r *responderRow) any { return r.ModelID }},
		{"system_prompt", func(r *responderRow) any { return r.SystemPrompt }},
		{"temperature", func(r *responderRow) any { return r.Temperature }},
		{"max_tokens", func(r *responderRow) any { return r.MaxTokens }},
		{"base_url", func(r *responderRow) any { return r.BaseURL }},
		{"api_key_env", func(r *responderRow) any { return r.APIKeyEnv }},
		{"additional_config", func(r *responderRow) any { return r.AdditionalConfig }},
		{"auto_respond", func(r *responderRow) any { return r.AutoRespond }},
		{"origin", func(r *responderRow) any { return r.Origin }},
	},
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

// respondersOf returns responders by their agents' IDs, all or those that a condition selects.
func respondersOf(q querier, where string, args ...any) (map[string]*parley.Responder, error) {
	var rows []responderRow
	if err := q.Query(&rows, `SELECT `+respondersTable.Columns.Names()+` FROM responders`+where, args...); err != nil {
		return nil, err
	}

	byID := make(map[string]*parley.Responder, len(rows))
	for i := range rows {
		p, err := rows[i].responder()
		if err != nil {
			return nil, err
		}
		byID[rows[i].AgentID] = p
	}

	return byID, nil
}

// replace replaces how a model answers for an agent; with nil, none does.
func (t respondersIn) replace(agentID string, p *parley.Responder) error {
	if _, err := t.Exec(`DELETE FROM responders WHERE agent_id = ?`, agentID); err != nil || p == nil {
		return err
	}

	extras, err := json.Marshal(p.Additional)
	if err != nil {
		return fmt.Errorf("encode the configuration of a responder: %w", err)
	}

	return respondersTable.Insert(t.tx, responderRow{
		AgentID:          agentID,
		ModelID:          p.ModelID,
		SystemPrompt:     p.SystemPrompt,
		Temperature:      p.Temperature,
		MaxTokens:        p.MaxTokens,
		BaseURL:          p.BaseURL,
		APIKeyEnv:        p.APIKeyEnv,
		AdditionalConfig: string(extras),
		AutoRespond:      p.AutoRespond,
		Origin:           string(p.Origin),
	})
}

// SetResponder records how a model answers for an agent, and with it the agent's kind and
// its approval. The agent's keys stay valid. AGENT_NOT_FOUND.
func (s *Responders) SetResponder(ctx context.Context, a parley.Agent) error {
	return s.write(ctx, "storing the responder", func(t *tx) error {
		if _, err := (agentsIn{t}).load(a.ID); err != nil {
			return err
		}
		row := agentsIn{t}.row(&a)

		if _, err := agentsTable.Update(t, &row, butFor("id", "name", "created_at"), `id = ?`, a.ID); err != nil {
			return err
		}

		words := "takes part as a " + row.Kind
		if row.Approval != "" {
			words = "is a " + row.Kind + ", " + row.Approval + " as a special agent"
		}
		agentsIn{t}.logLifecycle(&row, words)

		return respondersIn{t}.replace(a.ID, a.Responder)
	})
}

// recordReply stores what belongs to the reply of a responder: what it forgets, and its
// call to a model.
func (p posting) recordReply(seq int64) error {
	if p.Forgets {
		for i := range p.Deliveries {
			other := p.Deliveries[i].RecipientID
			if err := (respondersIn{p.tx}).forgetBefore(p.Message.SenderID, other, seq); err != nil {
				return err
			}
		}
	}
	if p.Call == nil {
		return nil
	}
	return respondersIn{p.tx}.recordCall(p.Call)
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
