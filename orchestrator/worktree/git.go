// Package worktree runs git for the worktrees of agents. Its functions change a repository only
// as their names say.
//
// An agent can write to the repository and its configuration, and may be confined where parley
// is not. So git runs no program that only the repository names: no hook, no filter, no monitor,
// no merge driver, no external diff, and it fetches nothing and collects no garbage.
package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/errand"
	"parley/plain"
)

// gitTime bounds one command of git, which takes milliseconds in most repositories.
const gitTime = 30 * time.Second

// maxOutput bounds what is kept of a command's output.
const maxOutput = 4 << 20

// quiet are the settings that keep git from running what a repository names.
var quiet = []string{
	"-c", "core.hooksPath=/dev/null",
	"-c", "core.fsmonitor=false",
	"-c", "core.pager=cat",
	"-c", "commit.gpgSign=false",
	"-c", "submodule.recurse=false",
	"-c", neverFetch,
	"-c", "color.ui=false",
	"-c", "core.quotePath=false",
	"-c", "maintenance.auto=false", // it runs gc.recentObjectsHook
	"-c", "gc.auto=0",
}

const neverFetch = "protocol.allow=never"

// repo is a directory in which git runs.
type repo struct {
	dir    string
	guard  []string // settings that switch off the programs that the repository names itself
	index  string   // in place of its own; "" for that
	pushes bool     // it may reach others over the network
}

// gitError is a command of git that failed.
type gitError struct {
	command string
	text    string // what git said, in one line
	status  int
}

func (e *gitError) Error() string { return "git " + e.command + ": " + e.text }

// open returns the repository around a directory. The error is INVALID_ARGUMENT if there is none.
func open(ctx context.Context, dir string) (*repo, error) {
	r := &repo{dir: dir}
	if _, err := exec.LookPath("git"); err != nil {
		return nil, parley.Errorf(parley.InvalidArgument, "git was not found: %w", err).
			Suggest("Install git, or launch the agent without a worktree.")
	}

	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, parley.Errorf(parley.InvalidArgument, "there is no directory %s", dir).
			Suggest("If it was a worktree that was removed, the agent's next launch makes it again.")
	}
	if _, err := r.git(ctx, "rev-parse", "--git-dir"); err != nil {
		return nil, parley.Errorf(parley.InvalidArgument, "%s is not in a git repository", dir).
			With("git", err.Error()).
			Suggest("Choose a directory of a repository, or make one there: git init")
	}

	err := r.findPrograms(ctx)

	return r, err
}

// findPrograms finds the filters, merge drivers and hooks that the repository's own configuration
// names, as it counts in this directory, and a strategy for merges, such as ours. Those of the user's
// and the system's configuration count as always.
func (r *repo) findPrograms(ctx context.Context) error {
	const named = `^(filter\..*\.(clean|smudge|process|required)|merge\..*\.driver|hook\..*\.(command|event)|` +
		`pull\.twohead)$`
	out, err := r.git(ctx, "config", "--show-scope", "--name-only", "-z", "--get-regexp", named)
	if failed, ok := errors.AsType[*gitError](err); ok && failed.status == 1 {
		return nil // there are none
	}
	if err != nil {
		return err
	}

	words := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	for pair := range slices.Chunk(words, 2) {
		if len(pair) < 2 || pair[0] != "local" && pair[0] != "worktree" {
			continue
		}
		if strings.Contains(pair[1], "=") { // where git takes the name to end
			return parley.Errorf(parley.InvalidArgument, "the configuration of the repository in %s names %q, "+
				"which parley cannot switch off", r.dir, plain.CleanLine(pair[1])).
				Suggest("Rename it there without an equals sign, if you know what it is, or remove it.")
		}

		if off := offSwitch(pair[1]); !slices.Contains(r.guard, off) {
			r.guard = append(r.guard, "-c", off)
		}
	}

	return nil
}

// offSwitch returns the setting that switches off what a setting of the repository names.
func offSwitch(name string) string {
	word := name[strings.LastIndexByte(name, '.')+1:]
	switch {
	case strings.HasPrefix(name, "hook."): // since git 2.54, whatever core.hooksPath is
		return strings.TrimSuffix(name, word) + "enabled=false"
	case name == "pull.twohead":
		return name + "=recursive" // which each git has
	case word == "required":
		return name + "=false"
	case word == "driver":
		return name + "=false" // the program, which fails: a conflict
	}
	return name + "="
}

// in returns the repository as seen from another of its directories, where more of its configuration
// may count: what it includes can depend on the worktree and its branch.
func (r *repo) in(ctx context.Context, dir string) (*repo, error) {
	there := &repo{dir: dir, guard: slices.Clone(r.guard)}
	err := there.findPrograms(ctx)
	return there, err
}

// git runs git and returns what it printed.
func (r *repo) git(ctx context.Context, words ...string) (string, error) {
	limit := gitTime
	if r.pushes {
		limit = pushTime
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()

	cmd := exec.CommandContext(ctx, "git", slices.Concat([]string{"-C", r.dir}, quiet, r.guard, words)...)
	cmd.Env = environ()
	if r.pushes {
		cmd.Args[slices.Index(cmd.Args, neverFetch)] = "push.gpgSign=false"
		cmd.Env = append(cmd.Env, "GIT_ALLOW_PROTOCOL=https:http:ssh")
	}
	if r.index != "" {
		cmd.Env = append(cmd.Env, "GIT_INDEX_FILE="+r.index)
	}
	errand.Prepare(cmd)
	var out, complaint limited
	cmd.Stdout, cmd.Stderr = &out, &complaint

	err := cmd.Run()
	if ctx.Err() != nil {
		return "", fmt.Errorf("git %s in %s: %w", words[0], r.dir, context.Cause(ctx))
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		text := strings.TrimSpace(complaint.String() + " " + out.String())
		return out.String(), &gitError{words[0], plain.Truncate(plain.CleanLine(text), 300), exit.ExitCode()}
	}

	return out.String(), err
}

// line runs git and returns the one line that it printed.
func (r *repo) line(ctx context.Context, words ...string) (string, error) {
	out, err := r.git(ctx, words...)
	return strings.TrimSpace(out), err
}

// branches is where git keeps the branches.
const branches = "refs/heads/"

// noBranch is the branch of a checkout that is on none.
const noBranch = "HEAD"

// ref returns the full name of a branch. The short one may also be that of a tag, which git prefers.
func ref(branch string) string { return branches + branch }

// branch returns the branch that is checked out, noBranch if none is. It fails if the branch has no commit.
func (r *repo) branch(ctx context.Context) (string, error) {
	name, err := r.line(ctx, "rev-parse", "--symbolic-full-name", "HEAD")
	return strings.TrimPrefix(name, branches), err
}

// has reports whether git knows a commit by that name.
func (r *repo) has(ctx context.Context, name string) bool {
	_, err := r.git(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	return err == nil
}

// limited keeps the first maxOutput bytes that are written to it.
type limited struct{ bytes.Buffer }

// Write never fails.
func (l *limited) Write(p []byte) (int, error) {
	room := max(0, maxOutput-l.Len())
	l.Buffer.Write(p[:min(len(p), room)])
	return len(p), nil
}

// environ returns the environment of git: without what would lead it to another repository, and
// without questions.
func environ() []string {
	env := slices.DeleteFunc(os.Environ(), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		kept := name == "GIT_CONFIG_GLOBAL" || strings.HasPrefix(name, "GIT_AUTHOR_") ||
			strings.HasPrefix(name, "GIT_COMMITTER_")
		return strings.HasPrefix(name, "GIT_") && !kept
	})
	return append(env, "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_EDITOR=:", "LC_ALL=C",
		"GIT_NO_LAZY_FETCH=1", // git 2.45 and later
		"GIT_ALLOW_PROTOCOL=") // before protocol.ext.allow of the repository
}
