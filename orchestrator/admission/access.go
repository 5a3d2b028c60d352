package admission

import (
	"context"
	"slices"
	"time"

	"parley"
	"parley/orchestrator/answer"
	"parley/orchestrator/talk"
	"parley/orchestrator/team"
	"parley/plain"
	"parley/store"
)

// Access tells which messages and files a caller may read.
type Access struct {
	store  *store.Store
	roster *team.Roster
}

// Visible returns a message and its deliveries if the caller is the operator, sent it, got it,
// or takes part in its thread. For other callers the message does not exist: the error is
// MESSAGE_NOT_FOUND, in the same words as if there were none.
func (a *Access) Visible(
	ctx context.Context, c parley.Caller, ref string,
) (parley.Message, []parley.Delivery, error) {
	msg, deliveries, err := a.store.Messages.Message(ctx, ref)
	if !c.Operator && parley.ErrorCode(err) == parley.MessageNotFound {
		err = notYours(ref)
	}
	if err != nil {
		return msg, nil, err
	}

	if c.Operator || msg.SenderID == c.ID ||
		slices.ContainsFunc(deliveries, func(d parley.Delivery) bool { return d.RecipientID == c.ID }) {
		return msg, deliveries, nil
	}

	if me := a.roster.ByID(c.ID); msg.ThreadID != "" && me != nil {
		if _, err := a.roster.Names.ReadableThread(ctx, me, msg.ThreadID); err == nil {
			return msg, deliveries, nil
		}
	}

	return parley.Message{}, nil, notYours(ref)
}

func notYours(ref string) error {
	return parley.Errorf(parley.MessageNotFound, "there is no message %q of yours", plain.CleanLine(ref)).
		Suggest("Use the message_id that send_message or check_inbox gave you.")
}

// FileFor returns a file if the caller may read it: the operator, its sender, a recipient of a
// message that attaches it, or a reader of a thread that such a message is in. For others the
// error is FILE_NOT_FOUND.
func (a *Access) FileFor(ctx context.Context, c parley.Caller, ref string) (parley.File, error) {
	if c.Operator {
		return a.store.Files.File(ctx, ref, "")
	}

	f, refused := a.store.Files.File(ctx, ref, c.ID)
	if parley.ErrorCode(refused) != parley.FileNotFound {
		return f, refused
	}

	f, err := a.store.Files.File(ctx, ref, "")
	if err != nil {
		return parley.File{}, err
	}

	posts, err := a.store.Files.PostsWithFile(ctx, f.ID)
	if err != nil {
		return parley.File{}, err
	}

	for _, id := range posts {
		if _, _, err := a.Visible(ctx, c, id); err == nil {
			return f, nil
		}
	}

	return parley.File{}, refused
}

// readersOf returns the readers of a draft: its recipients, or the participants of its thread.
func (a *Access) readersOf(ctx context.Context, d *Draft) ([]*team.Member, error) {
	if d.Message.ThreadID == "" {
		return d.Recipients, nil
	}
	th, err := a.store.Threads.Thread(ctx, d.Message.ThreadID)
	var readers []*team.Member
	for _, id := range th.Participants {
		if m := a.roster.ByID(id); m != nil {
			readers = append(readers, m)
		}
	}
	return readers, err
}

// Delegates returns the first deliveries to the agents that are to answer instead. There must
// be at least one. None may be terminated, and for none may a model answer: it is asked only about what is sent to
// its agent alone.
func Delegates(others []*team.Member, author *team.Member) ([]store.NewDelivery, error) {
	if len(others) == 0 {
		return nil, parley.
			Errorf(parley.InvalidArgument, "delegated to no other agent: %s itself has asked",
				author.Name).
			With("parameter", "additional_recipients").
			Suggest("Name the agents that answer instead in additional_recipients, or use status unable.")
	}

	var to []store.NewDelivery
	for _, m := range others {
		if m.Agent().State == parley.StateTerminated {
			return nil, parley.Errorf(parley.AgentUnavailable, "%s is terminated and cannot answer", m.Name).
				Suggest("Delegate to another agent; get_agent_status lists them.")
		}
		if m.Responder() != nil {
			return nil, parley.Errorf(parley.InvalidRecipient,
				"a model answers for %s, and only what is sent to %s alone", m.Name, m.Name).
				Suggest("Ask %s with send_message and answer with what it says, or delegate to another agent.", m.Name)
		}
		to = append(to, firstRung(m))
	}

	return to, nil
}

// delegate hands a delegated message to the agents that are to answer it.
func (a *Admission) delegate(jobs []store.Job, answers *store.Answering) {
	for _, job := range jobs {
		a.Roster.ByID(job.Key.RecipientID).Enqueue(job)
	}
	if answers == nil {
		return
	}
	for _, d := range answers.Delegates {
		a.Roster.ByID(d.RecipientID).NotifyArrival()
	}
}

func delegatesOf(a *store.Answering) []store.NewDelivery {
	if a == nil {
		return nil
	}
	return a.Delegates
}

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

	Time   *store.ScheduleTime // of the schedule that sends it; nil for a call
	Native string              // the tool of its sender's program that sends it; parley only records it

	Asks  *team.Member  // the responder that is asked to answer it
	reply *answer.Reply // set for a responder's reply, which no limit applies to
}

// firstRung returns the state in which a delivery begins. A mailbox has its message as soon as
// it is stored.
func firstRung(to *team.Member) store.NewDelivery {
	d := store.NewDelivery{RecipientID: to.ID, Silent: to.Responder() != nil}
	switch {
	case to.Agent().State == parley.StateTerminated:
		d.State, d.Cause = parley.DeliveryFailed, parley.EndedTerminated.With("")
	case to.Kind == parley.KindTerminal:
		d.State, d.Cause = parley.DeliveryQueued, parley.ProofStored.With("")
	default:
		d.State, d.Cause = parley.DeliverySubmitted, parley.ProofStored.In("stored in its inbox")
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
