package store

import (
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
