package keys

import (
	"context"

	"parley"
	"parley/orchestrator/team"
	"parley/orchestrator/terminal"
)

// Callers tells who is calling.
type Callers struct {
	roster    *team.Roster
	terminals *terminal.Terminals
}

// NewCallers returns the callers of a team.
func NewCallers(r *team.Roster, t *terminal.Terminals) *Callers { return &Callers{r, t} }

// Authenticate returns the agent that an API key belongs to. It refuses the keys of terminated
// agents.
func (c *Callers) Authenticate(ctx context.Context, key string) (parley.Caller, bool) {
	return c.roster.Authenticate(ctx, key)
}

// Session returns the caller of a session of the page, by the public key that has signed its request.
func (c *Callers) Session(publicKey string, from parley.Device) (parley.Caller, bool) {
	return c.roster.Session(publicKey, from)
}

// CallerNamed returns the agent with a name or id.
func (c *Callers) CallerNamed(ctx context.Context, ref string) (parley.Caller, bool) {
	return c.roster.CallerNamed(ctx, ref)
}

// CallerOfProcess returns the agent or the operator behind a process of this machine, or nobody.
func (c *Callers) CallerOfProcess(pid int) parley.Caller {
	return c.roster.CallerOfProcess(pid, c.terminals.Server().PID())
}

// CallerByID returns the agent with an id, or nobody.
func (c *Callers) CallerByID(id string) parley.Caller {
	m := c.roster.ByID(id)
	if m == nil {
		return parley.Caller{}
	}
	caller, _ := c.roster.CallerOf(m)
	return caller
}

// Placements returns a number that changes whenever processes may have come to belong to an agent, or no longer do.
func (c *Callers) Placements() int64 { return c.terminals.Placements() }

// Launching reports whether a program may run already whose agent has no terminal yet.
func (c *Callers) Launching() bool { return c.terminals.Launching() }

// Operator returns the person who runs the workspace.
func (c *Callers) Operator() parley.Caller { return c.roster.Operator() }
