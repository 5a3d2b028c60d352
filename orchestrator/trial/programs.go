package trial

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"parley"
	"parley/internal/errand"
	"parley/orchestrator/team"
	"parley/program/profile"
)

// startingTime is how long a program may start before it is asked. One whose screen parley does not read starts
// for minutes.
const startingTime = 10 * time.Second

// Programs knows which versions of their programs the agents of this host run, what was found of these when they
// were checked, and which of them are newer than all versions that their profiles were tried with. It asks a
// program for its version once, and again after an update. Safe for concurrent use.
type Programs struct {
	Checks
	roster   *team.Roster
	profiles profile.Set
	dir      string   // of what is kept; "": no program is asked
	env      []string // of programs that an earlier daemon launched
	every    time.Duration
	now      func() time.Time
	log      *slog.Logger

	told map[program]answer // used by Run alone

	mu      sync.Mutex
	runs    map[string]running          // by the ids of agents
	newer   []newer                     // in the order of the roster, one for each program and version
	careful map[string]*profile.Profile // see Profile, by name
}

// program is a program's file as it is now.
type program struct {
	profile, path string // path is without links
	changed       time.Time
}

// answer is what a program told.
type answer struct {
	version string // "" if none
	at      time.Time
}

// running is the program of an agent.
type running struct {
	*profile.Profile
	answer
	file   team.ProgramFile
	dir    string // where it runs
	result Result // of its check
	known  bool   // it was checked
}

// newer is a program that is newer than what its profile was tried with, or that parley misreads, and the first
// agent that runs it.
type newer struct {
	agentID, agent string
	running
}

// NewPrograms returns what Run looks for in a roster every so often. Results of checks are kept in dir; if that is "",
// no program is asked. env is the environment of programs that an earlier daemon launched.
func NewPrograms(
	roster *team.Roster, profiles profile.Set, dir string, env []string, every time.Duration,
	now func() time.Time, log *slog.Logger,
) *Programs {
	return &Programs{
		roster: roster, profiles: profiles, dir: dir, env: env, every: every, now: now, log: log,
		Checks: Checks{
			asked: make(chan running, maxAsked), kept: make(chan struct{}, 2*maxAsked), under: map[version]bool{},
			ended: map[version]string{},
		},
		told: map[program]answer{}, careful: map[string]*profile.Profile{},
	}
}

// Run looks at the programs of agents, and checks those that are to be checked, until ctx ends.
func (ps *Programs) Run(ctx context.Context) {
	if ps.dir == "" {
		return
	}
	tick := time.NewTicker(ps.every)
	defer tick.Stop()
	var checks sync.WaitGroup
	defer checks.Wait()
	for {
		select {
		case <-ctx.Done():
			return
		case r := <-ps.asked:
			checks.Go(func() { ps.check(ctx, r) })
			continue
		case <-ps.kept:
		case <-tick.C:
		}
		ps.lookAround(ctx)
	}
}

func (ps *Programs) lookAround(ctx context.Context) {
	found, runs := []newer{}, map[string]running{}
	for _, m := range ps.roster.All() {
		r, ok := ps.look(ctx, m)
		if !ok {
			continue
		}
		runs[m.ID] = r

		same := func(x newer) bool { return x.Name == r.Name && x.version == r.version }
		tells := profile.IsNewer(r.version, r.Tested) || r.known && r.result.Misread()
		if tells && !slices.ContainsFunc(found, same) {
			found = append(found, newer{m.ID, m.Name, r})
		}
	}

	ps.mu.Lock()
	defer ps.mu.Unlock()
	ps.newer, ps.runs = found, runs
}

// look returns the program of an agent with its version. It asks a program that it does not know.
func (ps *Programs) look(ctx context.Context, m *team.Member) (r running, ok bool) {
	t, a := m.Terminal(), m.Agent()
	if t == nil || !a.State.Live() || !ps.roster.Hosts.Here(m) {
		return r, false
	}
	if a.State == parley.StateStarting && ps.now().Sub(a.Since) < startingTime {
		return r, false // it has the processor for itself
	}
	r.dir = a.Dir
	var err error
	if r.Profile, err = ps.profiles.Find(t.Profile.Name); err != nil || len(r.Tested) == 0 {
		return r, false
	}
	if r.file, ok = ps.fileOfProgram(t, r.Profile, &a); !ok {
		return r, false
	}
	is, ok := programAt(r.Name, r.file.Path)
	if !ok {
		return r, false
	}

	told, known := ps.told[is]
	if !known {
		version, err := VersionOf(ctx, r.Profile, []string{r.file.Path}, r.file.Env)
		if err != nil && ctx.Err() == nil {
			ps.log.Info("a program does not tell its version", "program", r.file.Path, "error", err)
		}
		told = answer{version, ps.now()}
		ps.told[is] = told
	}
	if r.answer = told; told.version == "" {
		return r, false
	}
	r.result, r.known = Of(ps.dir, r.Name, r.version)
	return r, true
}

// fileOfProgram returns the file of the program that an agent was launched with. It is not ok for a wrapper, of
// which nobody knows what it does when it is asked for a version.
func (ps *Programs) fileOfProgram(t *team.Terminal, p *profile.Profile, a *parley.Agent) (f team.ProgramFile, ok bool) {
	if len(a.Command) == 0 || profile.ProgramOf(a.Command[:1]) != profile.ProgramOf(p.Command) || a.Adopted() {
		return f, false
	}
	if t.File.Path != "" {
		return t.File, true
	}

	// An earlier daemon launched it.
	path := a.Command[0]
	if strings.Contains(path, "/") && !filepath.IsAbs(path) {
		path = filepath.Join(a.Dir, path)
	}
	path, err := exec.LookPath(path)
	return team.ProgramFile{Path: path, Env: ps.env}, err == nil
}

func programAt(name, path string) (p program, ok bool) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return p, false
	}
	info, err := os.Stat(path)
	if err != nil {
		return p, false
	}
	return program{name, path, info.ModTime()}, true
}

// Checked returns what was found of the version that a member's program has, nil if it was not checked.
func (ps *Programs) Checked(m *team.Member) *parley.ProgramCheck {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	r, ok := ps.runs[m.ID]
	if !ok || !r.known {
		return nil
	}
	return &parley.ProgramCheck{
		Version: r.version, At: r.result.At, Words: r.result.Words(), Fails: len(r.result.Failed()) > 0,
	}
}

// Profile returns how a member's program, which has the profile p, is to be typed to: as carefully as any program, if
// its check found that p misreads this version.
func (ps *Programs) Profile(m *team.Member, p *profile.Profile) *profile.Profile {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	r, ok := ps.runs[m.ID]
	if !ok || r.Name != p.Name {
		return p
	}
	if !r.known || !r.result.Misread() {
		return r.Profile
	}

	if ps.careful[r.Name] == nil {
		careful, err := ps.profiles.Careful(r.Name)
		if err != nil {
			return p
		}
		ps.careful[r.Name] = careful
	}
	return ps.careful[r.Name]
}

// versionWithin bounds how long a program may take to tell its version: one that does not know the question may wait
// for input.
const versionWithin = 10 * time.Second

// VersionOf asks a profile's program for its version, and once more if that takes too long: on a busy machine the first
// start of a large program does. What starts it may be several words, such as those of a script:
// see profile.Starts.
func VersionOf(ctx context.Context, p *profile.Profile, starts []string, env []string) (string, error) {
	version, err := askVersion(ctx, p, starts, env)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		version, err = askVersion(ctx, p, starts, env)
	}
	return version, err
}

func askVersion(ctx context.Context, p *profile.Profile, starts []string, env []string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, versionWithin)
	defer cancel()
	cmd := exec.CommandContext(ctx, starts[0], slices.Concat(starts[1:], p.Version)...)
	cmd.Env = env
	errand.Prepare(cmd)
	out, err := cmd.Output()
	if version := profile.VersionIn(string(out)); version != "" {
		return version, nil
	}
	switch {
	case ctx.Err() != nil:
		err = fmt.Errorf("it took too long: %w", ctx.Err())
	case err == nil:
		err = errors.New("its output has none")
	}
	return "", err
}
