package store

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"parley"
)

// Post is a message to be stored, with all that belongs to it. The message has
// its id and, if the caller wants one of its own, its time.
type Post struct {
	Message        parley.Message
	Deliveries     []NewDelivery
	IdempotencyKey string           // of the sender; may be empty
	Event          parley.EventType // one that announces a message
	Answers        *Answering       // what the message is a reply to; nil for nothing
	NewFile        *parley.File     // to be stored with the message, which carries it
	Call           *ModelCall       // to a model, which brought the message
	Forgets        bool             // its sender remembers nothing of what it said with the recipients up to this
	FileIDs        []string         // of stored files that it carries

	Reach  Reach // of a thread's post: makes the deliveries
	Judge  Judge // says which deliveries are withheld; nil: none
	Member Member
}

// Member is whom a post about a thread's participants speaks of.
type Member struct {
	AgentID string
	Status  parley.MembershipStatus
}

// NewDelivery is where a delivery begins.
type NewDelivery struct {
	RecipientID string
	Recipient   string // its name, for the answer; may be empty
	State       parley.DeliveryState
	Reason      string
	Evidence    string
	Notice      bool      // the text is too long for a terminal and will be announced
	Withheld    string    // why the conversation protocol holds it; State is held then
	Until       time.Time // when it is looked at again; zero for no time
	Silent      bool      // nobody answers there: no answer is owed

	Decision *parley.ConversationDecision // on whether a responder answers a thread's post; nil elsewhere
}

// Appended is what is stored now.
type Appended struct {
	Message    parley.Message
	Deliveries []parley.Delivery
	Seq        int64 // the message's number, for the keys of its deliveries
	Repeated   bool  // the sender's key was used before: this is what it stored then
	Updated    bool  // the message that it answers stands elsewhere now
	Passed     []Job // that message, for the terminals of those who are to answer it instead
}

// Jobs returns the new deliveries that wait for a terminal, as Pending does later.
func (a *Appended) Jobs() []Job {
	var jobs []Job
	for _, d := range a.Deliveries {
		if !d.State.Settled() && d.Hold == nil && !a.Repeated {
			jobs = append(
				jobs,
				Job{Key: Key{a.Seq, d.RecipientID}, Message: a.Message, State: d.State, QueuedAt: d.Steps[0].At},
			)
		}
	}
	return jobs
}

// logContent is how many characters of a message the agent log keeps.
const logContent = 200

// Judge withholds those of a message's deliveries that the conversation protocol does
// not let pass, by changing them. Like a Reach it is called by the goroutine that
// writes, perhaps more than once, and then has to say the same again.
type Judge func([]NewDelivery)

// Append stores a message, its deliveries, a row of the agent log for each, and
// its events, all or nothing; when it returns they are durable. A key that the
// sender has used before stores nothing and returns what it stored then.
// AGENT_NOT_FOUND when the sender or a recipient is not stored.
func (s *Store) Append(ctx context.Context, p Post) (Appended, error) {
	var out Appended
	err := s.write(ctx, "storing the message", func(t *tx) error {
		out = Appended{}
		if p.IdempotencyKey != "" {
			found, err := t.repeated(&p, &out)
			if found || err != nil {
				return err
			}
		}

		if p.Answers != nil {
			if p.Judge != nil && len(p.Answers.Delegates) > 0 {
				p.Judge(p.Answers.Delegates)
			}
			if err := t.answer(&p, &out); err != nil {
				return err
			}
		}

		return t.append(&p, &out)
	})

	return out, err
}

// repeated looks for the message that the sender stored with this key.
func (t *tx) repeated(p *Post, out *Appended) (bool, error) {
	var rows []messageRow
	err := t.query(&rows, `SELECT `+messageColumns+` FROM messages m JOIN agents s ON s.id = m.sender_id
		WHERE m.sender_id = ? AND m.idempotency_key = ? AND m.idempotency_key <> ''`, p.Message.SenderID, p.IdempotencyKey)
	if err != nil || len(rows) == 0 {
		return false, err
	}
	out.Repeated = true
	out.Message, out.Deliveries, err = whole(t.db, &rows[0])
	return true, err
}

func (t *tx) append(p *Post, out *Appended) error {
	if p.Reach != nil {
		if err := t.address(p); err != nil {
			return err
		}
	}

	if p.Judge != nil {
		p.Judge(p.Deliveries)
	}

	m := p.Message
	if m.Timestamp.IsZero() {
		m.Timestamp = t.now
	}

	m.Recipients = make([]string, len(p.Deliveries))
	for i := range p.Deliveries {
		m.Recipients[i] = p.Deliveries[i].RecipientID
	}

	seq, err := t.number()
	if err != nil {
		return err
	}

	t.wrote = true
	t.messages = append(t.messages, newMessageRow{Message: &m, seq: seq, key: p.IdempotencyKey})
	out.Message, out.Seq = m, seq
	t.carry(p, seq)
	t.announce(p, seq)
	t.deliveries = append(t.deliveries, t.newDeliveries(p, &m, seq, out)...)
	if m.RequiresResponse {
		t.owe(&m, seq, p.Deliveries)
	}

	t.logDeliveries(p, &m)

	return t.replied(p, seq)
}

// number gives the next message's number: there is one writer, so it can count.
func (t *tx) number() (int64, error) {
	if t.nextSeq == 0 {
		if err := t.query(&t.nextSeq, `SELECT coalesce(max(seq), 0) + 1 FROM messages`); err != nil {
			return 0, err
		}
	}
	t.nextSeq++
	return t.nextSeq - 1, nil
}

const newMessageColumns = `seq, id, kind, type, priority, sender_id, text, data, context_reference, in_reply_to, idempotency_key, accepted_at,
	thread_id, attachments, requires_response, response_deadline, response_status, chain_id, hop`

type newMessageRow struct {
	*parley.Message
	seq int64
	key string
}

func (r *newMessageRow) values() []any {
	return []any{r.seq, r.ID, string(r.Kind), string(r.Type), string(r.Priority), r.SenderID, r.Text, string(r.Data),
		r.ContextReference, r.InReplyTo, r.key, nanos(r.Timestamp),
		r.ThreadID, attachmentsText(r.Attachments), r.RequiresResponse, r.due(), string(r.ResponseStatus), r.ChainID, r.Hop}
}

func (r *newMessageRow) due() int64 {
	if r.ResponseDeadline == nil {
		return 0
	}
	return nanos(*r.ResponseDeadline)
}

func (t *tx) flushMessages() error {
	err := insert(t, "messages", newMessageColumns, t.messages, (*newMessageRow).values)
	switch {
	case dangling(err):
		return noAgent(t.messages[0].SenderID)
	case duplicate(err):
		return parley.Errorf(parley.InvalidArgument, "there is a message %s already", t.messages[0].ID).
			Suggest("Give each message an id of its own.")
	}
	return err
}

// flushWords makes the messages findable: see words.go.
func (t *tx) flushWords() error {
	rows := make([]wordsRow, len(t.messages))
	for i := range t.messages {
		m := &t.messages[i]
		rows[i] = wordsRow{
			seq:        m.seq,
			text:       m.Text,
			senderID:   m.SenderID,
			threadID:   m.ThreadID,
			recipients: m.Recipients,
		}
	}
	return insert(t, "message_words", wordsColumns, rows, (*wordsRow).values)
}

func (t *tx) flushDeliveries() error {
	err := insert(t, "deliveries", newDeliveryColumns, t.deliveries, (*newDeliveryRow).values)
	if dangling(err) {
		return parley.Errorf(parley.AgentNotFound, "a recipient of the message is not stored").
			Suggest("See who is there with get_agent_status.")
	}
	return err
}

func (t *tx) flushLogs() error {
	return insert(t, "agent_log", logColumns, t.logs, (*logRow).values)
}

// announce emits the event of the message itself.
func (t *tx) announce(p *Post, seq int64) {
	e := eventRow{Type: p.Event, MessageSeq: seq, RecipientCount: len(p.Deliveries),
		AgentID: p.Member.AgentID, State: string(p.Member.Status)}
	if len(p.Deliveries) == 1 && p.Event == parley.EventDirectMessage {
		e.RecipientID = p.Deliveries[0].RecipientID
	}
	t.emit(e)
}

const newDeliveryColumns = `message_seq, recipient_id, conversation_id, kind, urgent, state, reason, notice, pane_seq, queued_at, read_at, steps,
	withheld, withheld_until, decision`

type newDeliveryRow struct {
	deliveryRow
	kind   string
	urgent bool
}

func (r *newDeliveryRow) values() []any {
	return []any{r.MessageSeq, r.RecipientID, r.ConversationID, r.kind, r.urgent, r.State, r.Reason, r.Notice, 0,
		r.QueuedAt, r.ReadAt, r.Steps, r.Withheld, r.WithheldUntil, r.Decision}
}

// newDeliveries makes the rows of the deliveries, and adds the deliveries to
// out. Those that need nothing further have an event of their own.
func (t *tx) newDeliveries(p *Post, m *parley.Message, seq int64, out *Appended) []newDeliveryRow {
	rows := make([]newDeliveryRow, len(p.Deliveries))
	out.Deliveries = make([]parley.Delivery, len(p.Deliveries))
	for i := range p.Deliveries {
		d := &p.Deliveries[i]
		step := parley.Step{State: d.State, At: t.now, Evidence: cmp.Or(d.Evidence, d.Reason)}
		row := newDeliveryRow{
			kind:   string(m.Kind),
			urgent: m.Priority == parley.PriorityUrgent,
			deliveryRow: deliveryRow{
				MessageID: m.ID, MessageSeq: seq, RecipientID: d.RecipientID, Recipient: d.Recipient,
				ConversationID: cmp.Or(m.ThreadID, parley.ConversationID(m.SenderID, d.RecipientID)),
				State:          string(d.State), Reason: d.Reason, Notice: d.Notice, QueuedAt: nanos(t.now),
				Steps: stepLine(
					step,
				), Withheld: d.Withheld, WithheldUntil: nanos(d.Until), Decision: decisionText(d.Decision),
			},
		}

		if d.State == parley.DeliveryRead {
			row.ReadAt = &row.QueuedAt
		}

		rows[i] = row
		out.Deliveries[i] = row.delivery()
		if d.State.Settled() {
			t.emit(eventRow{Type: parley.EventDelivery, MessageSeq: seq, RecipientID: d.RecipientID,
				State: string(d.State), Detail: cmp.Or(d.Reason, d.Evidence)})
		}
	}

	return rows
}

// logDeliveries adds a row of the agent log for each recipient.
func (t *tx) logDeliveries(p *Post, m *parley.Message) {
	summary := "Received " + string(m.Kind) + " message from agent " + parley.Short(m.SenderID)
	for i := range p.Deliveries {
		id := p.Deliveries[i].RecipientID
		details, err := json.Marshal(communication{SenderID: m.SenderID, RecipientID: id,
			Type: string(m.Type), Content: parley.Truncate(m.Text, logContent), Timestamp: m.Timestamp})
		if err != nil {
			details = []byte("{}")
		}
		t.note(logRow{AgentID: id, LogType: LogCommunication, Message: summary, Details: string(details)})
	}
}
