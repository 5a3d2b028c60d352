package orchestrator

import (
	"context"
	"parley/orchestrator/team"
	"parley/store"

	"parley"
)

// Authenticate returns the agent that an API key belongs to. It refuses the keys of terminated
// agents.
func (o *Orchestrator) Authenticate(ctx context.Context, key string) (parley.Caller, bool) {
	return o.rooms.roster.Authenticate(ctx, key)
}

// Session returns the caller of a session of the page, by the public key that has signed its request.
func (o *Orchestrator) Session(publicKey string) (parley.Caller, bool) {
	return o.rooms.roster.Session(publicKey)
}

// CallerNamed returns the agent with a name or id.
func (o *Orchestrator) CallerNamed(ctx context.Context, ref string) (parley.Caller, bool) {
	return o.rooms.roster.CallerNamed(ctx, ref)
}

// CallerOfProcess returns the agent or the operator behind a process of this machine, or nobody.
func (o *Orchestrator) CallerOfProcess(pid int) parley.Caller {
	return o.rooms.roster.CallerOfProcess(pid, o.rooms.terminals.Server().PID())
}

// CallerByID returns the agent with an id, or nobody.
func (o *Orchestrator) CallerByID(id string) parley.Caller {
	m := o.rooms.roster.ByID(id)
	if m == nil {
		return parley.Caller{}
	}
	caller, _ := o.rooms.roster.CallerOf(m)
	return caller
}

// Operator returns the person who runs the workspace.
func (o *Orchestrator) Operator() parley.Caller { return o.rooms.roster.Operator() }

// fillInItem fills in the names of a message and its recipient.
func fillInItem(roster *team.Roster, item store.InboxItem) store.InboxItem {
	roster.FillIn(&item.Message)
	item.Delivery.Recipient = roster.ByID(item.Delivery.RecipientID).Name
	return item
}

// isAgent reports whether an id is that of a program, and not of a person or of parley.
func isAgent(roster *team.Roster, id string) bool {
	m := roster.ByID(id)
	return m != nil && m.Kind != parley.KindHuman && m.Kind != parley.KindSystem
}
