package store

import (
	"context"
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
	Code        parley.ReasonCode // of the reason, or else of the evidence; not needed with Withheld
	Notice      bool              // the text is too long for a terminal and will be announced
	Withheld    string            // why the conversation protocol holds it; State is held then
	Until       time.Time         // when it is looked at again; zero for no time
	Silent      bool              // nobody answers there: no answer is owed

	Decision *parley.ConversationDecision // on whether a responder answers a thread's post; nil elsewhere
}

// change returns the first rung of the delivery.
func (d *NewDelivery) change() Change {
	c := Change{State: d.State, Reason: d.Reason, Evidence: d.Evidence, Code: d.Code}
	if d.Withheld != "" {
		c.Code = parley.HoldConversation
	}
	return c
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

// Judge withholds those of a message's deliveries that the conversation protocol does
// not let pass, by changing them. Like a Reach it is called by the goroutine that
// writes, perhaps more than once, and then has to say the same again.
type Judge func([]NewDelivery)

// Append stores a message, its deliveries, a row of the agent log for each, and
// its events, all or nothing; when it returns they are durable. A key that the
// sender has used before stores nothing and returns what it stored then.
// AGENT_NOT_FOUND when the sender or a recipient is not stored.
func (s *Messages) Append(ctx context.Context, p Post) (Appended, error) {
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
			if err := recordAnswer(t, &p, &out); err != nil {
				return err
			}
		}

		return appendPost(t, &p, &out)
	})

	return out, err
}

func appendPost(t *tx, p *Post, out *Appended) error {
	if p.Reach != nil {
		if err := addressPost(t, p); err != nil {
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
	attachFiles(t, p, seq)
	announce(t, p, seq)
	t.deliveries = append(t.deliveries, newDeliveries(t, p, &m, seq, out)...)
	if m.RequiresResponse {
		addDebts(t, &m, seq, p.Deliveries)
	}

	logDeliveries(t, p, &m)

	return recordReply(t, p, seq)
}

// flushWords makes the messages findable: see search_words.go.
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
	return insert(t, "message_words", wordsColumns, rows...)
}
