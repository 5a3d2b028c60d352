package store

import (
	"encoding/json"
	"slices"

	"parley"
	"parley/store/engine"
)

// deliveryColumns select a deliveryRow from deliveries d, messages m and the recipient r.
const deliveryColumns = `m.id AS message_id, d.message_seq, d.recipient_id, r.name AS recipient, d.conversation_id,
	d.state, d.reason, d.reason_code, d.notice, d.pane_seq, d.queued_at, d.read_at, d.steps,
	d.answered_at, d.answered_by, d.withheld, d.withheld_until, d.archived, d.dismissed, d.decision, d.door`

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
	Characters     int  // of its text, if that was announced; only for attest
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
	Door           bool
}

func (r *deliveryRow) delivery() parley.Delivery { return r.deliveryAfter(parseSteps(r.Steps)) }

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

// isArgument reports whether the program was started with the message as an argument. Later claims are for its
// terminal.
func (r *deliveryRow) isArgument() bool {
	return r.Door && slices.ContainsFunc(parseSteps(r.Steps), func(st parley.Step) bool {
		return st.Code == parley.HoldArgument
	})
}

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

func (r *itemRow) job() Job {
	d := &r.Delivery
	return Job{
		Key:       Key{d.MessageSeq, d.RecipientID},
		Message:   r.Message.message(),
		State:     parley.DeliveryState(d.State),
		Cause:     parley.ReasonCode(d.ReasonCode).In(d.Reason),
		PaneSeq:   uint64(d.PaneSeq),
		QueuedAt:  instant(d.QueuedAt),
		Announced: d.Announced,
		Door:      d.Door,
		Argument:  d.isArgument(),
	}
}

// isRetriable selects the deliveries that ended without proof. It must be spelled as in the index.
const isRetriable = `(d.state = 'failed' OR d.state = 'unconfirmed' OR d.state = 'expired')`

// isOurs leaves out what agents' programs send each other past parley: nobody can see to that, and parley never types
// it.
const isOurs = `d.reason_code <> '` + string(parley.EndedNative) + `'`

// isWithheld selects the deliveries that the conversation protocol withholds. It must be
// spelled as in the index, or SQLite does not use that.
const isWithheld = `d.state = 'held' AND d.withheld <> ''`

// isOwed selects the debts that are still open. It must be spelled as in the indexes, or
// SQLite does not use them.
const isOwed = `b.state IN ('open', 'partial')`

// find returns the delivery of the message that ref names, nil when there is none, or more than
// one. A condition, unless "", begins with AND.
func (t deliveriesIn) find(recipientID, ref, condition string) (*deliveryRow, error) {
	if len(ref) < parley.ShortID {
		return nil, nil
	}
	from, to := idRange(ref)
	var rows []deliveryRow
	err := t.tx.Query(&rows, `SELECT m.id AS message_id, d.message_seq, d.recipient_id, d.state, d.reason, d.notice,
			d.read_at, d.steps, d.answered_by, d.withheld, d.withheld_until, d.door,
			CASE WHEN d.notice = 1 THEN length(m.text) ELSE 0 END AS characters
		FROM messages m JOIN deliveries d ON d.message_seq = m.seq AND d.recipient_id = ?
		WHERE m.id >= ? AND m.id < ?`+condition+` ORDER BY m.id LIMIT 2`, recipientID, from, to)
	if err != nil || len(rows) != 1 {
		return nil, err
	}
	return &rows[0], nil
}
