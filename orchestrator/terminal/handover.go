package terminal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley/orchestrator/courier"
	"parley/orchestrator/team"
	"parley/program/door"
	"parley/program/profile"
)

// handOver returns the launch with the arguments and variables that tell the program about its team,
// as the profile says, and writes the files that belong to them. It leaves l as it was requested, so
// that a restart hands over again: without the first prompt.
func (la *launcher) handOver(
	ctx context.Context, m *team.Member, p *profile.Profile, l *launch, first Prompt,
) (*launch, error) {
	dir := PrivateDir(la.ts.opts.LaunchDir, m.ID)
	values := profile.Values{
		Name: m.Name, ID: m.ID, Parley: la.ts.opts.Executable, Dir: dir, Seal: m.Agent().Seal,
	}
	if first.Text != "" {
		values.Prompt, values.First = first.Text, first.Mark
	}
	h, err := p.Handover.Render(values)
	if err != nil {
		return nil, err
	}
	if err := door.Remove(dir); err != nil {
		return nil, fmt.Errorf("remove the last door of %s: %w", m.Name, err)
	}
	if err := writeFiles(dir, h.Files); err != nil {
		return nil, fmt.Errorf("write what %s is handed over: %w", m.Name, err)
	}

	var args []string
	if a := m.Agent(); a.Door != courier.DoorNever && !a.Sandboxed() {
		args, err = OpenDoor(p, l.Argv, l.Env, values, h.Env)
	}
	if err != nil {
		return nil, fmt.Errorf("open the door of %s: %w", m.Name, err)
	}
	if m.Agent().Door != courier.DoorNever {
		hooks, err := p.Door.Hooks.Render(values)
		if err != nil {
			return nil, err
		}
		args = append(args, hooks...)
	}

	env := slices.DeleteFunc(slices.Clone(l.Env), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		_, replaced := h.Env[name]
		return replaced || slices.Contains(h.Unset, name)
	})

	for _, name := range slices.Sorted(maps.Keys(h.Env)) {
		env = append(env, name+"="+h.Env[name])
	}

	argv := slices.Concat(l.Argv, l.begin.args, args, h.Args)
	full := &launch{Argv: argv, Dir: l.Dir, Env: env, Nice: m.Agent().Nice, path: l.path}
	return full, la.box(ctx, m, p, full)
}

// OpenDoor returns the arguments that open the door of a program that is launched with a command and an
// environment. It adds the door's variables to own, and writes what is needed to use it. It does nothing for a
// program that has none, or whose user settles that himself.
func OpenDoor(
	p *profile.Profile, command, env []string, values profile.Values, own map[string]string,
) ([]string, error) {
	if !p.Door.Opens(command, env) {
		return nil, nil
	}

	// The state outlasts a login; the path of a socket in it must be short.
	runtime := filepath.Dir(filepath.Dir(values.Dir))
	if len(runtime) > 65 {
		runtime = os.TempDir()
	}
	opened, err := door.NewLaunch(p.Door.Kind, profile.NewSecret(), runtime)
	if err != nil {
		return nil, err
	}

	values.Port, values.Secret = opened.Port, opened.Secret
	args, opens, err := p.Door.Render(values)
	if err != nil {
		return nil, err
	}
	maps.Copy(own, opens)

	return args, opened.Write(values.Dir)
}

// PrivateDir returns the directory of an agent's private files below that of launches. They exist from its launch
// until it is stopped.
func PrivateDir(launches, agentID string) string { return filepath.Join(launches, "agents", agentID) }

// writeFiles replaces dir by one that only the user can read and that holds exactly these files. With
// no files there is no dir.
func writeFiles(dir string, files map[string]string) error {
	if err := os.RemoveAll(dir); err != nil || len(files) == 0 {
		return err
	}

	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
	}

	return nil
}

// staleAfter is the age at which a launch file is left over: a younger one may be about to be read.
// It is far longer than startTime.
const staleAfter = 2 * time.Minute

// Sweep removes private files that a crash has left: launches that never started, which hold a key,
// and the files of agents that are terminated. It logs its errors.
func (ts *Terminals) Sweep() {
	files, err := filepath.Glob(filepath.Join(ts.opts.LaunchDir, "launch-*.json"))
	for _, file := range files {
		info, failed := os.Stat(file)
		if failed == nil && ts.now().Sub(info.ModTime()) > staleAfter {
			err = errors.Join(err, ignoreError(os.Remove(file), fs.ErrNotExist))
		}
	}

	dirs, failed := os.ReadDir(filepath.Join(ts.opts.LaunchDir, "agents"))
	err = errors.Join(err, ignoreError(failed, fs.ErrNotExist))
	for _, dir := range dirs {
		if m := ts.roster.ByID(dir.Name()); m == nil || m.IsGone() {
			path := PrivateDir(ts.opts.LaunchDir, dir.Name())
			err = errors.Join(err, door.Remove(path), os.RemoveAll(path))
		}
	}

	dirs, failed = os.ReadDir(HookDir(ts.opts.LaunchDir, ""))
	err = errors.Join(err, ignoreError(failed, fs.ErrNotExist))
	for _, dir := range dirs {
		if m := ts.roster.ByID(dir.Name()); m == nil || m.IsGone() {
			err = errors.Join(err, os.RemoveAll(HookDir(ts.opts.LaunchDir, dir.Name())))
		}
	}

	homes, failed := os.ReadDir(ts.launcher.homes()) // of sandboxes
	err = errors.Join(err, ignoreError(failed, fs.ErrNotExist))
	for _, dir := range homes {
		if ts.roster.ByID(dir.Name()) == nil {
			err = errors.Join(err, os.RemoveAll(filepath.Join(ts.launcher.homes(), dir.Name())))
		}
	}

	if err != nil {
		ts.log.Warn("remove left-over private files", "error", err)
	}
}
