package store

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/plain"
)

// Append stores a message, its deliveries, a row of the agent log for each, and its
// events, all or nothing; when it returns they are durable. With a key that the sender
// has used before, it stores nothing and returns what was stored then, or INVALID_ARGUMENT
// if that was a thread or a file. AGENT_NOT_FOUND when the sender or a recipient is not
// stored, FILE_NOT_FOUND when one of its files is not, or was removed.
func (s *Messages) Append(ctx context.Context, p Post) (Appended, error) {
	var out Appended
	err := s.db.write(ctx, "storing the message", func(t *tx) error {
		out = Appended{}
		p := p // a change may be made again
		post := posting{t, &p, &out}
		if found, err := post.findSent(); found || err != nil {
			return err
		}

		if p.Admit != nil {
			if err := p.Admit(); err != nil {
				return err
			}
		}

		if p.Answers != nil {
			if p.Judge != nil && len(p.Answers.Delegates) > 0 {
				p.Judge(p.Answers.Delegates)
			}
			if err := post.answer(); err != nil {
				return err
			}
		}

		return post.append()
	})

	return out, err
}

// append adds a message and everything that belongs to it to the transaction.
func (p posting) append() error {
	if p.Reach != nil {
		if err := p.address(); err != nil {
			return err
		}
	}

	if p.Time != nil {
		if err := p.takeTime(); err != nil {
			return err
		}
	}

	if err := (filesIn{p.tx}).refuseRemoved(p.FileIDs); err != nil {
		return err
	}

	if p.Judge != nil {
		p.Judge(p.Deliveries)
	}

	m := p.Message
	if m.Timestamp.IsZero() {
		m.Timestamp = p.tx.Now
	}

	m.Recipients = make([]string, len(p.Deliveries))
	for i := range p.Deliveries {
		m.Recipients[i] = p.Deliveries[i].RecipientID
	}

	seq, err := p.tx.NextNumber("messages")
	if err != nil {
		return err
	}

	messagesTable.Add(p.tx, newMessageRow{Message: &m, seq: seq, key: p.IdempotencyKey})
	wordsTable.Add(p.tx, wordsRow{
		seq:        seq,
		text:       m.Text,
		senderID:   m.SenderID,
		threadID:   m.ThreadID,
		recipients: m.Recipients,
	})
	p.out.Message, p.out.Seq = m, seq
	p.attach(seq)
	p.announce(seq)
	if err := p.claim(); err != nil {
		return err
	}
	deliveriesTable.Add(p.tx, p.deliveries(&m, seq)...)
	if m.RequiresResponse {
		addDebts(p.tx, &m, seq, p.Deliveries)
	}

	p.log(&m)

	return p.recordReply(seq)
}

// announce emits the event of a new message.
func (p posting) announce(seq int64) {
	e := eventRow{
		Type:           p.Event,
		MessageSeq:     seq,
		RecipientCount: len(p.Deliveries),
		AgentID:        p.Member.AgentID,
		State:          string(p.Member.Status),
		Detail:         p.Program,
	}
	if len(p.Deliveries) == 1 && p.Event == parley.EventDirectMessage {
		e.RecipientID = p.Deliveries[0].RecipientID
	}
	emit(p.tx, e)
}

// deliveries returns the rows of a post's deliveries, and sets out.Deliveries. It emits
// an event for each delivery that is settled, claimed or held already.
func (p posting) deliveries(m *parley.Message, seq int64) []newDeliveryRow {
	rows := make([]newDeliveryRow, len(p.Deliveries))
	p.out.Deliveries = make([]parley.Delivery, len(p.Deliveries))
	var last []parley.Step // of the recipient before, and the same as the database stores it
	var lines string
	for i := range p.Deliveries {
		d := &p.Deliveries[i]
		change := d.change()
		steps := []parley.Step{change.step(p.tx.Now)}
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
				Reason:         change.Reason().Words(),
				ReasonCode:     string(change.Reason().Code()),
				QueuedAt:       nanos(p.tx.Now),
				Withheld:       d.Withheld,
				WithheldUntil:  nanos(d.Until),
				Decision:       formatDecision(d.Decision),
			},
		}

		if d.State == parley.DeliveryRead {
			row.ReadAt = &row.QueuedAt
		}
		if paneSeq, ok := p.out.claims[d.RecipientID]; ok {
			change = Change{State: parley.DeliveryTyping}
			row.State, row.PaneSeq = string(change.State), int64(paneSeq)
			steps = append(steps, change.step(p.tx.Now))
		}
		if !slices.Equal(steps, last) {
			last, lines = steps, linesOf(steps)
		}
		row.Steps = lines

		rows[i] = row
		p.out.Deliveries[i] = row.deliveryAfter(steps)
		if change.State != parley.DeliveryQueued { // the message's own event tells that
			deliveriesIn{p.tx}.emit(row.key(), change)
		}
	}

	return rows
}

// log adds a row to the log of each recipient.
func (p posting) log(m *parley.Message) {
	summary := "Received " + string(m.Kind) + " message from agent " + parley.Short(m.SenderID)
	content := plain.Truncate(m.Text, logContent)
	for i := range p.Deliveries {
		id := p.Deliveries[i].RecipientID
		agentsIn{p.tx}.log(id, typeCommunication, summary, communication{
			SenderID:    m.SenderID,
			RecipientID: id,
			Type:        string(m.Type),
			Content:     content,
			Timestamp:   m.Timestamp,
		})
	}
}

// takeTime takes the time of the message, and leaves out the recipients who have an earlier one before them.
func (p posting) takeTime() error {
	var sent int
	err := p.tx.Query(&sent, `SELECT count(*) FROM messages WHERE schedule_id = ? AND due_at = ? AND schedule_id <> ''`,
		p.Time.ScheduleID, nanos(p.Time.Due))
	if err != nil {
		return err
	}
	if sent > 0 {
		return ErrTimeSent
	}

	ids := make([]string, len(p.Deliveries))
	for i := range p.Deliveries {
		ids[i] = p.Deliveries[i].RecipientID
	}
	var waiting []struct{ ID, Name string }
	if len(ids) > 0 {
		err = p.tx.Query(&waiting, `SELECT DISTINCT a.id, a.name FROM deliveries d
			JOIN messages m ON m.seq = d.message_seq JOIN agents a ON a.id = d.recipient_id
			WHERE d.recipient_id IN ? AND d.read_at IS NULL AND d.state IN ('queued', 'held', 'typing', 'submitted')
				AND m.schedule_id = ? AND a.kind IN ('terminal', 'mailbox') ORDER BY a.name`, ids, p.Time.ScheduleID)
	}
	if err != nil {
		return err
	}
	if len(waiting) > 0 && len(waiting) == len(ids) {
		return ErrStillWaits
	}

	var names []string
	for _, w := range waiting {
		names = append(names, w.Name)
		p.Deliveries = slices.DeleteFunc(slices.Clone(p.Deliveries),
			func(d NewDelivery) bool { return d.RecipientID == w.ID })
	}
	reason := ""
	if len(names) > 0 {
		reason = "not to " + strings.Join(names, ", ") + ": an earlier one still waits there"
	}

	return takeTime(p.tx, *p.Time, parley.ScheduleSent, reason, p.Message.ID)
}

// Post is a message to be stored, with everything that belongs to it. The message must
// have an ID; a missing time is the time of storing.
type Post struct {
	Message        parley.Message
	Deliveries     []NewDelivery
	IdempotencyKey string           // the sender's; may be empty
	Event          parley.EventType // the event that announces the message
	Program        string           // by which the operator sends it from no terminal; else ""
	Answers        *Answering       // the message that it replies to; nil for none
	NewFile        *parley.File     // a file to be stored with the message, which carries it
	Call           *ModelCall       // the call to a model that brought the message; nil for none
	Forgets        bool             // its sender, a responder, forgets its talk with the recipients up to here
	FileIDs        []string         // stored files that it carries
	Time           *ScheduleTime    // the time of a schedule that it is sent for; nil for none

	// Admit refuses a message that was not stored before. The writing goroutine calls it, perhaps more than once,
	// after everything that other hosts have written is taken. It must not wait. May be nil.
	Admit func() error

	Reach  Reach  // makes the deliveries of a thread's post; nil for other messages
	Judge  Judge  // withholds deliveries; nil withholds none
	Member Member // the participant that a notice in a thread is about
}

// ScheduleTime is a time of a schedule that has come.
type ScheduleTime struct {
	ScheduleID string
	Taken      time.Time // the stored next time
	Due        time.Time // the last time that has come since: that of the message
	Missed     int       // times between the two, without the latter
	Next       time.Time // zero when no time is left
	Now        time.Time
}

// Member is a participant of a thread whose membership has changed.
type Member struct {
	AgentID string
	Status  parley.MembershipStatus
}

// NewDelivery is a delivery on its first rung.
type NewDelivery struct {
	RecipientID string
	Recipient   string // the name, only for the result of the call; may be empty
	State       parley.DeliveryState
	parley.Cause
	Withheld string    // why the conversation protocol holds it; it is held then, with HoldConversation
	Until    time.Time // when the protocol decides again; zero for no time
	Silent   bool      // the recipient never answers, so it owes no response
	PaneSeq  uint64    // claims it, as Claim does, unless others wait for the terminal; 0 for no claim

	Decision *parley.ConversationDecision // whether a responder answers a thread's post; nil elsewhere
}

// change returns the first rung of the delivery.
func (d *NewDelivery) change() Change {
	return Change{State: d.State, Cause: d.Cause}
}

// Reach makes the deliveries of a thread's post from the IDs of the participants at the
// time of storing. An error refuses the post. The writing goroutine calls it, perhaps more
// than once, so it must not wait.
type Reach func(participants []string) ([]NewDelivery, error)

// Judge changes those of a message's new deliveries that the conversation protocol
// withholds. The writing goroutine calls it, perhaps more than once, so it must not
// wait, and must decide the same again.
type Judge func([]NewDelivery)

// Answering says which message a reply answers. The sender of the reply is a recipient
// of that message, and the sender of that message gets the reply.
type Answering struct {
	MessageID string                // the answered message
	Status    parley.ResponseStatus // of a formal response; "" for a plain reply
	Delegates []NewDelivery         // agents who must answer it instead
}

// Appended is a message that is stored.
type Appended struct {
	Message    parley.Message
	Deliveries []parley.Delivery
	Seq        int64 // the message's number, for the keys of its deliveries
	Repeated   bool  // the sender used the key before; this is what was stored then
	Updated    bool  // the state of the answered message has changed
	Passed     []Job // the answered message, for the terminals of its delegates
	Settled    *Act  // its request is settled; nil if it answers none, or not for good

	claims map[string]uint64 // by recipient: the numbers on their panes of what was claimed
}

// Jobs returns the new deliveries that wait for a terminal, as Pending does later, and those that
// were claimed for one, as Typing does.
func (a *Appended) Jobs() []Job {
	if a.Repeated {
		return nil
	}

	var jobs []Job
	for _, d := range a.Deliveries {
		if !d.State.Settled() && d.Hold == nil {
			jobs = append(jobs, Job{
				Key:      Key{a.Seq, d.RecipientID},
				Message:  a.Message,
				State:    d.State,
				PaneSeq:  a.claims[d.RecipientID],
				QueuedAt: d.Steps[0].At,
			})
		}
	}

	return jobs
}

// ModelCall is a stored call to a model.
type ModelCall struct {
	parley.ModelCall
	CallerID string
	CutOff   bool
}

// posting is a message that a transaction stores.
type posting struct {
	tx *tx
	*Post
	out *Appended
}
