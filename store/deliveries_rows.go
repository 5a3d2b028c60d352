package store

import (
	"cmp"
	"encoding/json"
	"parley"
	"parley/store/engine"
	"slices"
	"strings"
)

// deliveryColumns select a deliveryRow from deliveries d, messages m and the recipient r.
const deliveryColumns = `m.id AS message_id, d.message_seq, d.recipient_id, r.name AS recipient, d.conversation_id,
	d.state, d.reason, d.reason_code, d.notice, d.pane_seq, d.queued_at, d.read_at, d.steps,
	d.answered_at, d.answered_by, d.withheld, d.withheld_until, d.archived, d.dismissed, d.decision`

// deliveryRow is a row of deliveries and the recipient's name.
type deliveryRow struct {
	MessageID      string
	MessageSeq     int64
	RecipientID    string
	Recipient      string
	ConversationID string
	State          string
	Reason         string
	ReasonCode     string
	Announced      bool `gorm:"column:notice"`
	PaneSeq        int64
	QueuedAt       int64
	ReadAt         *int64
	Steps          string
	AnsweredAt     int64
	AnsweredBy     string
	Withheld       string
	WithheldUntil  int64
	Archived       bool // ignored by its recipient
	Dismissed      bool // by the operator, or its sender has been told that it did not arrive
	Decision       string
}

func (r *deliveryRow) delivery() parley.Delivery { return r.deliveryAfter(parseSteps(r.Steps)) }

// deliveryAfter is delivery for steps that are known.
func (r *deliveryRow) deliveryAfter(steps []parley.Step) parley.Delivery {
	d := parley.Delivery{
		MessageID:      r.MessageID,
		RecipientID:    r.RecipientID,
		Recipient:      r.Recipient,
		ConversationID: r.ConversationID,
		State:          parley.DeliveryState(r.State),
		Reason:         r.Reason,
		ReasonCode:     parley.ReasonCode(r.ReasonCode),
		Steps:          steps,
		AnsweredAt:     instantOrNil(r.AnsweredAt),
		AnsweredBy:     r.AnsweredBy,
		Decision:       parseDecision(r.Decision, r.RecipientID, r.Recipient),
	}

	if r.ReadAt != nil {
		d.ReadAt = instantOrNil(*r.ReadAt)
	}

	d.Hold = holdOf(d.State, r.Withheld, r.WithheldUntil)

	return d
}

// holdOf returns the hold of a delivery, nil if the conversation protocol does not hold it.
func holdOf(state parley.DeliveryState, why string, until int64) *parley.Hold {
	if state != parley.DeliveryHeld || why == "" {
		return nil
	}
	return &parley.Hold{Code: parley.HoldConversation, Reason: why, Until: instantOrNil(until)}
}

// key returns the delivery's key.
func (r *deliveryRow) key() Key { return Key{r.MessageSeq, r.RecipientID} }

// itemColumns and itemAgents select an itemRow from deliveries d and messages m.
const (
	itemColumns = messageColumns + `, ` + deliveryColumns
	itemAgents  = ` JOIN agents s ON s.id = m.sender_id JOIN agents r ON r.id = d.recipient_id`

	// With CROSS JOIN, SQLite goes through the tables in this order. A condition belongs to a join
	// of another kind.
	itemOn      = ` JOIN agents s ON m.seq = d.message_seq AND s.id = m.sender_id JOIN agents r ON r.id = d.recipient_id`
	messageThen = ` CROSS JOIN messages m` + itemOn
)

// itemRow is a delivery and its message.
type itemRow struct {
	Message  messageRow  `gorm:"embedded"`
	Delivery deliveryRow `gorm:"embedded"`
}

// stepLine encodes a step as it is appended to a delivery's steps.
func stepLine(st parley.Step) string {
	b, err := json.Marshal(st)
	if err != nil { // a year beyond 9999
		return ""
	}
	return string(b) + "\n"
}

func linesOf(steps []parley.Step) string {
	var lines strings.Builder
	for _, st := range steps {
		lines.WriteString(stepLine(st))
	}
	return lines.String()
}

// parseSteps is the inverse of linesOf. It skips what is not a step.
func parseSteps(lines string) []parley.Step {
	var steps []parley.Step
	for line := range strings.Lines(lines) {
		var st parley.Step
		if json.Unmarshal([]byte(line), &st) == nil {
			steps = append(steps, st)
		}
	}
	return steps
}

var deliveriesTable = engine.Table[newDeliveryRow]{
	Name:  "deliveries",
	Key:   []string{"message_seq", "recipient_id"},
	Grows: true,
	Columns: engine.Columns[newDeliveryRow]{
		{"message_seq", func(r *newDeliveryRow) any { return r.MessageSeq }},
		{"recipient_id", func(r *newDeliveryRow) any { return r.RecipientID }},
		{"conversation_id", func(r *newDeliveryRow) any { return r.ConversationID }},
		{"kind", func(r *newDeliveryRow) any { return r.kind }},
		{"urgent", func(r *newDeliveryRow) any { return r.urgent }},
		{"state", func(r *newDeliveryRow) any { return r.State }},
		{"reason", func(r *newDeliveryRow) any { return r.Reason }},
		{"reason_code", func(r *newDeliveryRow) any { return r.ReasonCode }},
		{"notice", func(*newDeliveryRow) any { return false }},
		{"pane_seq", func(r *newDeliveryRow) any { return r.PaneSeq }},
		{"queued_at", func(r *newDeliveryRow) any { return r.QueuedAt }},
		{"read_at", func(r *newDeliveryRow) any { return r.ReadAt }},
		{"steps", func(r *newDeliveryRow) any { return r.Steps }},
		{"withheld", func(r *newDeliveryRow) any { return r.Withheld }},
		{"withheld_until", func(r *newDeliveryRow) any { return r.WithheldUntil }},
		{"decision", func(r *newDeliveryRow) any { return r.Decision }},
	},
	Refused: func(err error, _ []newDeliveryRow) error {
		if engine.Dangling(err) {
			return parley.Errorf(parley.AgentNotFound, "a recipient of the message is not stored").
				Suggest("get_agent_status lists the agents.")
		}
		return err
	},
}

// newDeliveryRow is a row of deliveries to be inserted.
type newDeliveryRow struct {
	deliveryRow
	kind   string
	urgent bool
}

// waits reports whether the delivery waits for its terminal, and for nothing else.
func (r *newDeliveryRow) waits() bool {
	return r.State == string(parley.DeliveryQueued) && r.Withheld == ""
}

// isTyped reports whether the delivery was claimed as it was stored.
func (r *newDeliveryRow) isTyped() bool { return r.State == string(parley.DeliveryTyping) }

// newDeliveries returns the rows of a post's deliveries, and sets out.Deliveries. It emits
// an event for each delivery that is settled, claimed or held already.
func newDeliveries(t *tx, p *Post, m *parley.Message, seq int64, out *Appended) []newDeliveryRow {
	rows := make([]newDeliveryRow, len(p.Deliveries))
	out.Deliveries = make([]parley.Delivery, len(p.Deliveries))
	var last []parley.Step // of the recipient before, and the same as the database stores it
	var lines string
	for i := range p.Deliveries {
		d := &p.Deliveries[i]
		change := d.change()
		steps := []parley.Step{change.step(t.Now)}
		row := newDeliveryRow{
			kind:   string(m.Kind),
			urgent: m.Priority == parley.PriorityUrgent,
			deliveryRow: deliveryRow{
				MessageID:      m.ID,
				MessageSeq:     seq,
				RecipientID:    d.RecipientID,
				Recipient:      d.Recipient,
				ConversationID: cmp.Or(m.ThreadID, parley.ConversationID(m.SenderID, d.RecipientID)),
				State:          string(d.State),
				Reason:         d.Reason,
				ReasonCode:     change.reasonCode(),
				QueuedAt:       nanos(t.Now),
				Withheld:       d.Withheld,
				WithheldUntil:  nanos(d.Until),
				Decision:       formatDecision(d.Decision),
			},
		}

		if d.State == parley.DeliveryRead {
			row.ReadAt = &row.QueuedAt
		}
		if paneSeq, ok := out.claims[d.RecipientID]; ok {
			change = Change{State: parley.DeliveryTyping}
			row.State, row.PaneSeq = string(change.State), int64(paneSeq)
			steps = append(steps, change.step(t.Now))
		}
		if !slices.Equal(steps, last) {
			last, lines = steps, linesOf(steps)
		}
		row.Steps = lines

		rows[i] = row
		out.Deliveries[i] = row.deliveryAfter(steps)
		if change.State != parley.DeliveryQueued { // the message's own event tells that
			emitDelivery(t, row.key(), change)
		}
	}

	return rows
}
