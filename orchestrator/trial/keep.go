package trial

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"parley"
	"parley/internal/disk"
	"parley/orchestrator/team"
)

// maxKept is how many versions of a program results are kept of.
const maxKept = 20

// Keep adds a result to those in dir. It replaces one of the same version, but for what that one found with a model.
func Keep(dir string, r Result) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("keep the result: %w", err)
	}

	if earlier, ok := Of(dir, r.Profile, r.Version); ok {
		r = r.with(earlier)
	}
	all := slices.DeleteFunc(known(dir, r.Profile), func(old Result) bool { return old.Version == r.Version })
	all = append(all, r)
	text, err := json.MarshalIndent(all[max(0, len(all)-maxKept):], "", "  ")
	if err != nil {
		return fmt.Errorf("keep the result: %w", err)
	}

	if err := disk.Replace(fileOf(dir, r.Profile), text); err != nil {
		return fmt.Errorf("keep the result: %w", err)
	}
	return nil
}

// Of returns the result of a version of a profile's program. It is not ok if none is kept.
func Of(dir, profile, version string) (Result, bool) {
	all := known(dir, profile)
	i := slices.IndexFunc(all, func(r Result) bool { return r.Version == version })
	if i < 0 {
		return Result{}, false
	}
	return all[i], true
}

// Entered lists the versions of a profile's program whose own door was tried and holds.
func Entered(dir, profile string) (versions []string) {
	for _, r := range known(dir, profile) {
		if r.Version != "" && slices.ContainsFunc(r.Findings, func(f Finding) bool {
			return f.Guarantee == Door && f.Verdict == Holds
		}) {
			versions = append(versions, r.Version)
		}
	}
	return versions
}

// known returns the results that are kept of a profile. A file that cannot be read holds none.
func known(dir, profile string) (all []Result) {
	text, err := os.ReadFile(fileOf(dir, profile))
	if err != nil || json.Unmarshal(text, &all) != nil {
		return nil
	}
	return all
}

// dismiss keeps that the operator does not want to be told of a version.
func dismiss(dir, profile, version string, kind parley.NeedKind) error {
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		err = os.WriteFile(dismissedFile(dir, profile, version, kind), nil, 0o600)
	}
	if err != nil {
		return fmt.Errorf("keep what is dismissed: %w", err)
	}
	return nil
}

func isDismissed(dir, profile, version string, kind parley.NeedKind) bool {
	_, err := os.Stat(dismissedFile(dir, profile, version, kind))
	return err == nil
}

// dismissedFile returns the file that keeps a dismissal. That of an untried version has no kind in its name.
func dismissedFile(dir, profile, version string, kind parley.NeedKind) string {
	name := profile + "@" + version
	if kind != parley.NeedUntried {
		name += "." + string(kind)
	}
	return filepath.Join(dir, name+".dismissed")
}

func fileOf(dir, profile string) string { return filepath.Join(dir, profile+".json") }

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
