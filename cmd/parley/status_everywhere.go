package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"parley"
	"parley/client"
	"parley/internal/daemon"
	"parley/internal/place"
	"parley/internal/remote"
	"parley/internal/sh"
	"parley/op"
	"parley/tmux"
)

// everywhereWithin bounds the answer of one workspace, and afarWithin that of one on another machine: an
// ssh connection takes some ten round trips before parley starts there.
const (
	everywhereWithin = 3 * time.Second
	afarWithin       = 10 * time.Second
)

// workspaceLine is a workspace of the user, as it is now.
type workspaceLine struct{ parley.KnownWorkspace }

// lookHere begins to look at each workspace of the user on this machine, all at once.
func lookHere(ctx context.Context, env daemon.Environ, looking *sync.WaitGroup) []workspaceLine {
	places := place.Workspaces(env)
	lines := make([]workspaceLine, len(places))
	for i, at := range places {
		looking.Go(func() { lines[i] = lookAt(ctx, at, env) })
	}
	return lines
}

// knownHere returns the workspaces of the user on this machine, those that need the user most first.
func knownHere(ctx context.Context, env daemon.Environ) []parley.KnownWorkspace {
	var looking sync.WaitGroup
	lines := lookHere(ctx, env, &looking)
	looking.Wait()
	slices.SortFunc(lines, byUrgency)

	all := make([]parley.KnownWorkspace, len(lines))
	for i, l := range lines {
		all[i] = l.KnownWorkspace
	}

	return all
}

// survey looks at all workspaces of the user.
type survey struct{ out *output }

// everywhere looks at each workspace of the user, also at those on other machines whose keys are kept here,
// all at once. Those that need the user most come first. It starts no daemon.
func (s survey) everywhere(ctx context.Context) ([]workspaceLine, error) {
	var looking sync.WaitGroup
	lines := lookHere(ctx, s.out.at.env, &looking)
	hosts, err := remote.Keys(place.HostsFile(s.out.at.env)).Hosts()
	if err != nil {
		looking.Wait()
		return nil, err
	}
	afar := make([]workspaceLine, len(hosts))
	for i, host := range hosts {
		looking.Go(func() { afar[i] = s.lookFromAfar(ctx, host) })
	}
	looking.Wait()
	lines = append(lines, afar...)

	slices.SortFunc(lines, byUrgency)

	return lines, nil
}

// print prints a line for each workspace of the user.
func (s survey) print(ctx context.Context) error {
	stop := s.sayWaiting("asking your workspaces")
	lines, err := s.everywhere(ctx)
	stop()
	if err != nil {
		return err
	}
	if s.out.json {
		return s.out.printJSON(struct {
			parley.Answer
			Workspaces []workspaceLine `json:"workspaces"`
		}{parley.OK, lines})
	}
	if len(lines) == 0 {
		return s.out.printLine("parley has no workspace yet. Begin with parley launch NAME -- PROGRAM in a project's " +
			"directory.")
	}

	t := table{fits: []fit{inner, prose, whole, aside}}
	for _, l := range lines {
		t.add(s.out.paint(bold, home(s.out.at.env, l.Workspace)), l.agents(), s.out.paint(yellow, l.needs()),
			s.out.paint(faint, l.Command))
	}
	t.print(s.out)

	return nil
}

// sayWaiting shows on a terminal what a command does for long, until stop.
func (s survey) sayWaiting(doing string) (stop func()) {
	line := s.out.passing()
	end := every(progressAfter, func() { line.show("%s…", doing) })
	return func() { end(); line.clear() }
}

// byUrgency puts first what needs the operator most, and then what was used last.
func byUrgency(a, b workspaceLine) int {
	return cmp.Or(
		cmp.Compare(b.Needs, a.Needs), cmp.Compare(rank(b), rank(a)), b.used().Compare(a.used()),
		strings.Compare(a.Workspace, b.Workspace),
	)
}

func rank(l workspaceLine) int {
	switch {
	case l.Running:
		return 2
	case l.TmuxRuns:
		return 1
	}
	return 0
}

func (l workspaceLine) used() time.Time {
	if l.LastUsed == nil {
		return time.Time{}
	}
	return *l.LastUsed
}

// lookAt asks a workspace's daemon, if it runs.
func lookAt(ctx context.Context, at place.Place, env daemon.Environ) workspaceLine {
	l := workspaceLine{parley.KnownWorkspace{
		Workspace: at.Root, TmuxRuns: tmux.Runs(at.TmuxSocket()),
		Command: "parley --workspace " + sh.Word(at.Root),
	}}
	if used := at.LastUsed(); !used.IsZero() {
		l.LastUsed = &used
	}

	ctx, cancel := context.WithTimeout(ctx, everywhereWithin)
	defer cancel()
	info := daemon.Running(ctx, at)
	if info == nil {
		return l
	}

	// Without a key: the one in the environment is of another workspace.
	l.Running = true
	l.fail(ctx, l.ask(ctx, client.New(client.Options{Socket: info.Socket, Check: info.Check})), everywhereWithin)

	return l
}

// lookFromAfar asks the daemon of a workspace on another machine, if it runs. ssh may ask nothing.
func (s survey) lookFromAfar(ctx context.Context, host string) workspaceLine {
	l := workspaceLine{parley.KnownWorkspace{Workspace: host, Command: "parley --host " + sh.Word(host)}}
	ctx, cancel := context.WithTimeout(ctx, afarWithin)
	defer cancel()

	at := s.out.at
	at.host, at.workspace = host, ""
	h, err := at.hostOf()
	if err == nil {
		h.Passive = true
		err = l.askOver(ctx, &at, h)
	}
	l.fail(ctx, err, afarWithin)

	return l
}

// fail notes why nothing more is known of a workspace, which had so much time to answer.
func (l *workspaceLine) fail(ctx context.Context, err error, within time.Duration) {
	switch {
	case err == nil:
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		l.Problem = fmt.Sprintf("no answer within %s", within)
	default:
		l.Problem = strings.TrimRight(parley.AsError(err).Message, "\n")
	}
}

// askOver asks with the kept key alone: one in the environment is of another workspace.
func (l *workspaceLine) askOver(ctx context.Context, s *surroundings, h remote.Host) error {
	key, err := remote.Keys(place.HostsFile(s.env)).Of(h.String())
	if err != nil {
		return err
	}
	first, err := h.Dial(ctx)
	if err != nil {
		return err
	}
	l.Running = true

	return l.ask(ctx, clientOver(h, first, key))
}

// ask asks a workspace's daemon how it is there.
func (l *workspaceLine) ask(ctx context.Context, service *client.Client) error {
	defer service.Close()
	status, err := op.GetWorkspaceStatus.Call(ctx, service, parley.WorkspaceStatusRequest{})
	if err != nil {
		return err
	}
	l.Agents, l.Needs, l.Paused, l.Deliveries = status.Agents, status.Needs, status.Paused, status.Deliveries

	return nil
}

func (l workspaceLine) agents() string {
	switch {
	case l.Problem != "":
		return l.Problem
	case l.Running:
		return counts(l.Agents, "no agents")
	case l.TmuxRuns:
		return "no daemon; its agents may still run"
	}
	return "not running"
}

func (l workspaceLine) needs() string {
	var words []string
	if l.Needs > 0 {
		words = append(words, fmt.Sprintf("%d %s", l.Needs, needWord(l.Needs)))
	}
	if l.Paused != nil {
		words = append(words, "paused")
	}
	return strings.Join(words, ", ")
}

// near shortens a path below the working directory.
func (s *surroundings) near(path string) string {
	if rest, ok := strings.CutPrefix(path, s.dir+string(os.PathSeparator)); ok && s.dir != "" && s.host == "" {
		return rest
	}
	return path
}

// home shortens a path below the user's home.
func home(env daemon.Environ, path string) string {
	dir := env.Get("HOME")
	if rest, ok := strings.CutPrefix(path, filepath.Clean(dir)+string(os.PathSeparator)); ok && dir != "" {
		return filepath.Join("~", rest)
	}
	return path
}

// counts lists the number in each state, by name; none if all are zero.
func counts(m map[string]int, none string) string {
	var parts []string
	for state, n := range m {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, state))
		}
	}

	slices.SortFunc(parts, func(a, b string) int {
		_, a, _ = strings.Cut(a, " ")
		_, b, _ = strings.Cut(b, " ")
		return strings.Compare(a, b)
	})

	if parts == nil {
		return none
	}

	return strings.Join(parts, ", ")
}
