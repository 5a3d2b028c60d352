package store

import (
	"context"
	"time"

	"parley"
)

// Post is a message to be stored, with everything that belongs to it. The message must
// have an ID; a missing time is the time of storing.
type Post struct {
	Message        parley.Message
	Deliveries     []NewDelivery
	IdempotencyKey string           // the sender's; may be empty
	Event          parley.EventType // the event that announces the message
	Answers        *Answering       // the message that it replies to; nil for none
	NewFile        *parley.File     // a file to be stored with the message, which carries it
	Call           *ModelCall       // the call to a model that brought the message; nil for none
	Forgets        bool             // its sender, a responder, forgets its talk with the recipients up to here
	FileIDs        []string         // stored files that it carries

	// Admit refuses a message that was not stored before. The writing goroutine calls it, perhaps more than once,
	// after everything that other hosts have written is taken. It must not wait. May be nil.
	Admit func() error

	Reach  Reach  // makes the deliveries of a thread's post; nil for other messages
	Judge  Judge  // withholds deliveries; nil withholds none
	Member Member // the participant that a notice in a thread is about
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
	Reason      string
	Evidence    string
	Code        parley.ReasonCode // of the reason or the evidence; not needed with Withheld
	Withheld    string            // why the conversation protocol holds it; State must be held then
	Until       time.Time         // when the protocol decides again; zero for no time
	Silent      bool              // the recipient never answers, so it owes no response
	PaneSeq     uint64            // claims it, as Claim does, unless others wait for the terminal; 0 for no claim

	Decision *parley.ConversationDecision // whether a responder answers a thread's post; nil elsewhere
}

// change returns the first rung of the delivery.
func (d *NewDelivery) change() Change {
	c := Change{State: d.State, Reason: d.Reason, Evidence: d.Evidence, Code: d.Code}
	if d.Withheld != "" {
		c.Code = parley.HoldConversation
	}
	return c
}

// Appended is a message that is stored.
type Appended struct {
	Message    parley.Message
	Deliveries []parley.Delivery
	Seq        int64 // the message's number, for the keys of its deliveries
	Repeated   bool  // the sender used the key before; this is what was stored then
	Updated    bool  // the state of the answered message has changed
	Passed     []Job // the answered message, for the terminals of its delegates

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

// Judge changes those of a message's new deliveries that the conversation protocol
// withholds. The writing goroutine calls it, perhaps more than once, so it must not
// wait, and must decide the same again.
type Judge func([]NewDelivery)

// Append stores a message, its deliveries, a row of the agent log for each, and its
// events, all or nothing; when it returns they are durable. With a key that the sender
// has used before, it stores nothing and returns what was stored then, or INVALID_ARGUMENT
// if that was a thread or a file. AGENT_NOT_FOUND when the sender or a recipient is not
// stored, FILE_NOT_FOUND when one of its files is not, or was removed.
func (s *Messages) Append(ctx context.Context, p Post) (Appended, error) {
	var out Appended
	err := s.write(ctx, "storing the message", func(t *tx) error {
		out = Appended{}
		if found, err := findSent(t, p.Message.SenderID, p.IdempotencyKey, &out); found || err != nil {
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
			if err := recordAnswer(t, &p, &out); err != nil {
				return err
			}
		}

		return appendPost(t, &p, &out)
	})

	return out, err
}

// appendPost adds a message and everything that belongs to it to the transaction.
func appendPost(t *tx, p *Post, out *Appended) error {
	if p.Reach != nil {
		if err := addressPost(t, p); err != nil {
			return err
		}
	}

	if err := refuseRemoved(t, p.FileIDs); err != nil {
		return err
	}

	if p.Judge != nil {
		p.Judge(p.Deliveries)
	}

	m := p.Message
	if m.Timestamp.IsZero() {
		m.Timestamp = t.Now
	}

	m.Recipients = make([]string, len(p.Deliveries))
	for i := range p.Deliveries {
		m.Recipients[i] = p.Deliveries[i].RecipientID
	}

	seq, err := t.NextNumber("messages")
	if err != nil {
		return err
	}

	messagesTable.Add(t, newMessageRow{Message: &m, seq: seq, key: p.IdempotencyKey})
	wordsTable.Add(t, wordsRow{
		seq:        seq,
		text:       m.Text,
		senderID:   m.SenderID,
		threadID:   m.ThreadID,
		recipients: m.Recipients,
	})
	out.Message, out.Seq = m, seq
	attachFiles(t, p, seq)
	announce(t, p, seq)
	if err := claimNew(t, p, out); err != nil {
		return err
	}
	deliveriesTable.Add(t, newDeliveries(t, p, &m, seq, out)...)
	if m.RequiresResponse {
		addDebts(t, &m, seq, p.Deliveries)
	}

	logDeliveries(t, p, &m)

	return recordReply(t, p, seq)
}

// announce emits the event of a new message.
func announce(t *tx, p *Post, seq int64) {
	e := eventRow{
		Type:           p.Event,
		MessageSeq:     seq,
		RecipientCount: len(p.Deliveries),
		AgentID:        p.Member.AgentID,
		State:          string(p.Member.Status),
	}
	if len(p.Deliveries) == 1 && p.Event == parley.EventDirectMessage {
		e.RecipientID = p.Deliveries[0].RecipientID
	}
	emit(t, e)
}
