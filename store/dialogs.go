package store

import (
	"context"

	"parley"
)

// typeDialog is the type of the log entries of answered dialogs.
const typeDialog = "agent_dialog"

// typeTyping is the type of the log entries of what a person types from elsewhere.
const typeTyping = "agent_typing"

// LogTyping records that a person types into the terminal of an agent from elsewhere: who, in which session of the
// page. AGENT_NOT_FOUND.
func (s *Agents) LogTyping(ctx context.Context, id, by, session string) error {
	return s.write(ctx, "storing who typed", func(t *tx) error {
		row, err := agentsIn{t}.load(id)
		if err != nil {
			return err
		}

		agentsIn{t}.log(id, typeTyping, by+" typed into the terminal of "+row.Name, struct {
			AgentID string `json:"agent_id"`
			By      string `json:"by"`
			Session string `json:"session,omitempty"`
		}{id, by, session})
		detail := by + " types in its terminal"
		if session != "" {
			detail += ", in session " + session + " of the page"
		}
		emit(t, eventRow{Type: parley.EventTyping, AgentID: id, Detail: detail})

		return nil
	})
}

// LogDialog records that the dialog of an agent was answered: who chose what, in words.
// AGENT_NOT_FOUND.
func (s *Agents) LogDialog(ctx context.Context, id, by, question, answer string) error {
	return s.write(ctx, "storing how a dialog was answered", func(t *tx) error {
		row, err := agentsIn{t}.load(id)
		if err != nil {
			return err
		}

		agentsIn{t}.log(id, typeDialog, "Dialog of "+row.Name+" answered by "+by, struct {
			AgentID  string `json:"agent_id"`
			By       string `json:"by"`
			Question string `json:"question"`
			Answer   string `json:"answer"`
		}{id, by, question, answer})
		emit(t, eventRow{
			Type: parley.EventDialog, AgentID: id, State: string(parley.DeliveryAnswered),
			Detail: by + " answered “" + question + "”: " + answer,
		})

		return nil
	})
}
