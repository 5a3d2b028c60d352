package store

import (
	"context"

	"parley"
)

// typeDialog is the type of the log entries of answered dialogs.
const typeDialog = "agent_dialog"

// LogDialog records that the dialog of an agent was answered: who chose what, in words.
// AGENT_NOT_FOUND.
func (s *Agents) LogDialog(ctx context.Context, id, by, question, answer string) error {
	return s.write(ctx, "storing how a dialog was answered", func(t *tx) error {
		row, err := loadAgent(t, id)
		if err != nil {
			return err
		}

		logTo(t, id, typeDialog, "Dialog of "+row.Name+" answered by "+by, struct {
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
