package admission

import (
	"slices"
	"time"

	"parley"
	"parley/orchestrator/answer"
	"parley/orchestrator/talk"
	"parley/orchestrator/team"
	"parley/store"
)

// Draft is a message before it is admitted.
type Draft struct {
	Message    parley.Message // id, sender, time and the cleaned text are filled in by prepare
	Recipients []*team.Member
	Implicit   bool             // no recipients were named: they follow from who is there
	Reach      store.Reach      // replaces recipients for a thread
	Key        string           // idempotency key
	Answers    *store.Answering // the message it answers; nil: prepare finds it by InReplyTo
	Deadline   *time.Time       // as given by the sender; nil: the default
	File       *parley.File     // the new file that it announces

	Description string      // of file
	Replied     talk.Parent // the message it replies to

	Native string // the tool of its sender's program that sends it; parley only records it

	Asks  *team.Member  // the responder that is asked to answer it
	reply *answer.Reply // set for a responder's reply, which no limit applies to
}

// firstRung returns the state in which a delivery begins. A mailbox has its message as soon as
// it is stored.
func firstRung(to *team.Member) store.NewDelivery {
	d := store.NewDelivery{RecipientID: to.ID, Silent: to.Responder() != nil}
	switch {
	case to.Agent().State == parley.StateTerminated:
		d.State, d.Code = parley.DeliveryFailed, parley.EndedTerminated
		d.Reason = d.Code.Words("")
	case to.Kind == parley.KindTerminal:
		d.State, d.Evidence, d.Code = parley.DeliveryQueued, "stored", parley.ProofStored
	default:
		d.State, d.Evidence, d.Code = parley.DeliverySubmitted, "stored in its inbox", parley.ProofStored
	}
	return d
}

// onlyCounted returns a judge that counts the turns of a message and holds none of it: its sender's program
// sends it in any case.
func (d *Draft) onlyCounted(judge store.Judge) store.Judge {
	return func(ds []store.NewDelivery) {
		first := slices.Clone(ds)
		judge(ds)
		copy(ds, first)
	}
}
