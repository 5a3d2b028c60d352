package trial

import (
	"context"
	"sync"
	"time"

	"parley"
	"parley/orchestrator/team"
)

// maxAsked is how many checks may wait to be begun.
const maxAsked = 16

// The terminal and the patience of a check that the daemon runs.
const (
	checkWidth, checkHeight = 120, 40
	checkPatience           = time.Minute
)

// Checks are the checks that the daemon runs. Safe for concurrent use.
type Checks struct {
	asked chan running
	kept  chan struct{} // a check has ended: look again

	mu    sync.Mutex
	under map[version]bool   // that are being checked
	ended map[version]string // why they could not be checked
}

// version is a version of a profile's program.
type version struct{ profile, version string }

// progress returns whether a version is being checked, and why it could not be, in words.
func (c *Checks) progress(profile, v string) (running bool, failed string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := version{profile, v}
	return c.under[at], c.ended[at]
}

// begin reports whether a check of a version is to begin. It is not if one is under way.
func (c *Checks) begin(of version) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.under[of] {
		return false
	}
	c.under[of] = true
	delete(c.ended, of)
	return true
}

// end notes that a check has ended, and why it found nothing.
func (c *Checks) end(of version, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.under, of)
	if err != nil {
		c.ended[of] = parley.AsError(err).Message
	}
}

// Check has the program of a member checked, and does not wait for the end. It returns what is checked, and whether
// that begins only now.
func (ps *Programs) Check(m *team.Member) (profile, v string, begins bool, err error) {
	ps.mu.Lock()
	r, ok := ps.runs[m.ID]
	ps.mu.Unlock()
	if !ok {
		return "", "", false, parley.Errorf(parley.InvalidArgument,
			"%s runs no program whose version parley knows", m.Name).
			Suggest("Agents that were adopted, or launched through another command, are checked by hand: parley " +
				"profiles check NAME.")
	}

	of := version{r.Name, r.version}
	if !ps.begin(of) {
		return r.Name, r.version, false, nil
	}
	select {
	case ps.asked <- r:
		return r.Name, r.version, true, nil
	default:
		ps.end(of, nil)
		return "", "", false, parley.Errorf(parley.RateLimited, "too many programs are being checked").
			Suggest("Try again in a minute.")
	}
}

// check tries a program and keeps what it finds. It runs where its agent does: programs trust a directory.
func (ps *Programs) check(ctx context.Context, r running) {
	of := version{r.Name, r.version}
	res, err := Run(ctx, Options{
		Profile: r.Profile, Program: r.file.Path, Args: r.Command[1:], Version: r.version, Dir: r.dir, Env: r.file.Env,
		Width: checkWidth, Height: checkHeight, Patience: checkPatience, Now: ps.now,
	})
	if err == nil {
		err = Keep(ps.dir, res)
	}
	if err != nil && ctx.Err() == nil {
		ps.log.Warn("check a program", "profile", r.Name, "version", r.version, "error", err)
	}
	ps.end(of, err)
	ps.kept <- struct{}{}
}
