package admission

import (
	"parley"
	"parley/orchestrator/team"
	"parley/store"
)

// Delegates returns the first deliveries to the agents that are to answer instead. There must
// be at least one. None may be terminated, and for none may a model answer: it is asked only about what is sent to
// its agent alone.
func Delegates(others []*team.Member, author *team.Member) ([]store.NewDelivery, error) {
	if len(others) == 0 {
		return nil, parley.
			Errorf(parley.InvalidArgument, "delegated to nobody: who asked is %s itself, and no other is named",
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
