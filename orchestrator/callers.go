package orchestrator

import (
	"context"

	"parley"
	"parley/orchestrator/team"
	"parley/orchestrator/terminal"
	"parley/store"
)

// callers tells who is calling.
type callers struct {
	roster    *team.Roster
	terminals *terminal.Terminals
}

// Authenticate returns the agent that an API key belongs to. It refuses the keys of terminated
// agents.
func (c *callers) Authenticate(ctx context.Context, key string) (parley.Caller, bool) {
	return c.roster.Authenticate(ctx, key)
}

// Session returns the caller of a session of the page, by the public key that has signed its request.
func (c *callers) Session(publicKey string) (parley.Caller, bool) {
	return c.roster.Session(publicKey)
}

// CallerNamed returns the agent with a name or id.
func (c *callers) CallerNamed(ctx context.Context, ref string) (parley.Caller, bool) {
	return c.roster.CallerNamed(ctx, ref)
}

// CallerOfProcess returns the agent or the operator behind a process of this machine, or nobody.
func (c *callers) CallerOfProcess(pid int) parley.Caller {
	return c.roster.CallerOfProcess(pid, c.terminals.Server().PID())
}

// CallerByID returns the agent with an id, or nobody.
func (c *callers) CallerByID(id string) parley.Caller {
	m := c.roster.ByID(id)
	if m == nil {
		return parley.Caller{}
	}
	caller, _ := c.roster.CallerOf(m)
	return caller
}

// Placements returns a number that changes whenever processes may have come to belong to an agent, or no longer do.
func (c *callers) Placements() int64 { return c.terminals.Placements() }

// Launching reports whether a program may run already whose agent has no terminal yet.
func (c *callers) Launching() bool { return c.terminals.Launching() }

// Operator returns the person who runs the workspace.
func (c *callers) Operator() parley.Caller { return c.roster.Operator() }

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
