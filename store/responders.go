package store

import (
	"encoding/json"
	"fmt"

	"parley"
	"parley/store/engine"
)

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
	Name:    "responders",
	Key:     []string{"agent_id"},
	Grows:   true,
	Columns: engine.ColumnsOf[responderRow](butFor()),
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
	if _, err := t.tx.Exec(`DELETE FROM responders WHERE agent_id = ?`, agentID); err != nil || p == nil {
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
