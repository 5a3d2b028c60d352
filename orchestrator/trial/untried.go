package trial

import (
	"context"
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
	"parley/internal/wait"
	"parley/orchestrator/team"
	"parley/profile"
)

// UntriedNeed is what the operator gives to dismiss the needs of untried programs.
const UntriedNeed = string(parley.NeedUntried)

// untriedEvery is the interval between two looks at the programs of agents.
const untriedEvery = 5 * time.Second

// startingTime is how long a program may start before it is asked. One whose screen parley does not read starts
// for minutes.
const startingTime = 10 * time.Second

// Untried knows the agents of this host whose program is newer than all versions that its profile was tried with.
// It asks a program for its version once, and again after an update. Safe for concurrent use.
type Untried struct {
	roster *team.Roster
	dir    string   // of what is kept; "": no program is asked
	env    []string // of programs that an earlier daemon launched
	now    func() time.Time
	log    *slog.Logger

	told map[program]answer // used by Run alone

	mu    sync.Mutex
	newer []newer // in the order of the roster, one for each program and version
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

// newer is a program that is newer than what its profile was tried with, and the first agent that runs it.
type newer struct {
	agentID, agent string
	profile        string
	answer
}

// NewUntried returns what Run looks for in a roster. Results of checks are kept in dir; if that is "", no program is
// asked. env is the environment of programs that an earlier daemon launched.
func NewUntried(roster *team.Roster, dir string, env []string, now func() time.Time, log *slog.Logger) *Untried {
	return &Untried{roster: roster, dir: dir, env: env, now: now, log: log, told: map[program]answer{}}
}

// Run looks at the programs of agents until ctx ends.
func (u *Untried) Run(ctx context.Context) {
	if u.dir == "" {
		return
	}
	for wait.Pause(ctx, untriedEvery) == nil {
		found := []newer{}
		for _, m := range u.roster.All() {
			n, ok := u.look(ctx, m)
			same := func(x newer) bool { return x.profile == n.profile && x.version == n.version }
			if ok && !slices.ContainsFunc(found, same) {
				found = append(found, n)
			}
		}

		u.mu.Lock()
		u.newer = found
		u.mu.Unlock()
	}
}

// look returns the program of an agent, if it is newer than what its profile was tried with. It asks
// a program that it does not know.
func (u *Untried) look(ctx context.Context, m *team.Member) (newer, bool) {
	t, a := m.Terminal(), m.Agent()
	if t == nil || !a.State.Live() || len(t.Profile.Tested) == 0 || !u.roster.Here(m) {
		return newer{}, false
	}
	if a.State == parley.StateStarting && u.now().Sub(a.Since) < startingTime {
		return newer{}, false // it has the processor for itself
	}
	file, ok := u.fileOfProgram(t, &a)
	if !ok {
		return newer{}, false
	}
	is, ok := programAt(t.Profile.Name, file.Path)
	if !ok {
		return newer{}, false
	}

	told, known := u.told[is]
	if !known {
		version, err := VersionOf(ctx, t.Profile, file.Path, file.Env)
		if err != nil && ctx.Err() == nil {
			u.log.Info("a program does not tell its version", "program", file.Path, "error", err)
		}
		told = answer{version, u.now()}
		u.told[is] = told
	}

	n := newer{agentID: a.ID, agent: a.Name, profile: t.Profile.Name, answer: told}
	return n, told.version != "" && profile.IsNewer(told.version, t.Profile.Tested)
}

// fileOfProgram returns the file of the program that an agent was launched with. It is not ok for a wrapper, of
// which nobody knows what it does when it is asked for a version.
func (u *Untried) fileOfProgram(t *team.Terminal, a *parley.Agent) (f team.ProgramFile, ok bool) {
	if len(a.Command) == 0 || profile.ProgramOf(a.Command[:1]) != profile.ProgramOf(t.Profile.Command) || a.Adopted() {
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
	return team.ProgramFile{Path: path, Env: u.env}, err == nil
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

// list returns the programs of which no result is kept, and that were not dismissed.
func (u *Untried) list() []newer {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(u.newer), func(n newer) bool {
		_, tried := Of(u.dir, n.profile, n.version)
		return tried || isDismissed(u.dir, n.profile, n.version)
	})
}

// Needs returns a need for each program and version that was not tried.
func (u *Untried) Needs() (needs []parley.Need) {
	for _, n := range u.list() {
		needs = append(needs, parley.Need{
			Kind: parley.NeedUntried, AgentID: n.agentID, Agent: n.agent, Since: n.at,
			Text:    fmt.Sprintf("runs %s %s, which is newer than the versions that parley was tried with", n.profile, n.version),
			Command: "parley profiles check " + parley.ShellWord(n.profile),
			Action: "That tries it, and costs no token: until then parley may misread its screen. " +
				"Or let it be: parley needs --dismiss " + UntriedNeed + ".",
		})
	}
	return needs
}

// Dismiss takes all untried programs off the list, for good. It returns how many there were.
func (u *Untried) Dismiss() (int, error) {
	list := u.list()
	for i, n := range list {
		if err := dismiss(u.dir, n.profile, n.version); err != nil {
			return i, err
		}
	}
	return len(list), nil
}
