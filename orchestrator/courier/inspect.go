package courier

import (
	"parley/orchestrator/team"
	"time"
)

// inspect collects the facts of a member's terminal, which may be nil. What has the terminal may be
// told as it was at the time since.
func (c *courier) inspect(t *team.Terminal, since time.Time) facts {
	f := facts{pause: c.o.Paused(), agent: c.m.Agent()}
	if c.o.Spent != nil {
		f.spent = c.o.Spent(c.m.ID)
	}
	f.leaseOver = c.o.leaseOver()
	if t == nil {
		return f
	}

	f.launched, f.sameServer = true, t.Instance == c.o.host.Instance(t)
	f.adopted, f.runs = t.Adopted(), t.IsProgram
	f.ask = func() ([]string, error) { return c.o.host.Foreground(t, since) }
	if t.Known != nil {
		f.unmatched = func() bool { p, ok := c.o.host.Program(t); return ok && p != t.Profile }
	}
	f.unread = c.o.unread(t)

	// After what is unread: what a program had not read when it died is gone.
	f.stopping, f.alive = t.Stopping.Load(), c.o.host.Alive(t)
	return f
}

// Unread returns how many bytes wait in a terminal for its program, 0 if that is unknown.
func Unread(t *team.Terminal) int {
	n, err := machine{}.Unread(t)
	if err != nil {
		return 0
	}
	return n
}

// unread returns how many bytes wait in a terminal for its program, 0 if that is unknown.
func (o *Couriers) unread(t *team.Terminal) int {
	n, err := o.host.Unread(t)
	if err != nil {
		return 0
	}
	return n
}
