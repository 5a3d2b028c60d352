package pulls

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"

	"parley"
	"parley/internal/errand"
	"parley/plain"
)

// forge is a host of repositories, by the user's own program for it.
type forge interface {
	// open returns the open pull request of a branch, and opens one if there is none.
	open(ctx context.Context, d draft) (address string, opened bool, err error)
	// look returns what is to be known of a pull request.
	look(ctx context.Context, number int) (*seen, error)
}

// draft is a pull request to open.
type draft struct {
	branch, owner string // owner is that of the fork with the branch; "" for the repository itself
	base          string
	title, body   string
	draft         bool
}

// seen is what a forge says of a pull request.
type seen struct {
	state  parley.PullState
	by     string // who merged it
	checks string
	runs   bool // some checks do
	items  []item
}

// item is one thing to tell an agent. All its texts may come from anybody.
type item struct {
	id       string
	check    bool      // it fails; otherwise somebody has written
	who      string    // the check, or the writer's name
	file     string    // with the line, if that is known; "" for none
	link     string    //
	text     string    //
	at       time.Time // zero: tell it whenever it is seen
	stranger bool      // it is of somebody who has no part in the repository: the text is not passed on
}

// place is a repository on a forge.
type place struct{ host, owner, name string }

// placeOf reads the address of a repository, as git has it: https://HOST/OWNER/NAME.git, ssh://git@HOST/OWNER/NAME or
// git@HOST:OWNER/NAME. It is not ok for a path.
func placeOf(address string) (p place, ok bool) {
	if user, rest, found := strings.Cut(address, "@"); found && !strings.ContainsAny(user, "/:") {
		address = "ssh://" + strings.Replace(rest, ":", "/", 1)
	}
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return place{}, false
	}
	dir, name := path.Split(strings.TrimSuffix(strings.Trim(u.Path, "/"), ".git"))
	p = place{u.Hostname(), strings.Trim(dir, "/"), name}
	return p, p.owner != "" && p.name != "" && !strings.HasPrefix(p.host, "-")
}

// tool is the user's program for a forge, as it is signed in there.
type tool struct {
	program string
	dir     string // where it runs, which no agent can write
	place
}

// toolTime bounds one run.
const toolTime = 30 * time.Second

// maxSaid bounds what is read of a run, in bytes.
const maxSaid = 8 << 20

// run runs the program and returns what it printed.
func (t tool) run(ctx context.Context, words ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, toolTime)
	defer cancel()

	cmd := exec.CommandContext(ctx, t.program, words...)
	cmd.Dir = t.dir
	cmd.Env = append(os.Environ(), "GH_PROMPT_DISABLED=1", "GH_NO_UPDATE_NOTIFIER=1", "NO_PROMPT=1", "NO_COLOR=1",
		"GLAB_CHECK_UPDATE=false", "GIT_TERMINAL_PROMPT=0")
	errand.Prepare(cmd)
	var said, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &complaint

	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("%s did not end within %s", t.name(), toolTime)
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		text := cmp.Or(strings.TrimSpace(complaint.String()), strings.TrimSpace(said.String()), err.Error())
		return nil, fmt.Errorf("%s %s: %s", t.name(), words[0], plain.Truncate(plain.CleanLine(text), 300))
	case said.Len() > maxSaid:
		return nil, fmt.Errorf("%s said more than %d bytes", t.name(), maxSaid)
	}
	return said.Bytes(), nil
}

func (t tool) name() string { return filepath.Base(t.program) }

// forge returns the forge that the program speaks to.
func (t tool) forge() forge {
	if strings.HasPrefix(t.name(), "glab") {
		return gitlab{t}
	}
	return github{t}
}

// programs are the programs that are known, each with the word in the name of a host that tells of it.
var programs = []struct{ name, host string }{{"gh", "github"}, {"glab", "gitlab"}}

// toolFor returns the program for a repository, which must be signed in there.
func (o *Options) toolFor(ctx context.Context, at place) (tool, error) {
	var names []string
	for _, p := range programs {
		if strings.Contains(at.host, p.host) {
			names = []string{p.name}
			break
		}
		names = append(names, p.name)
	}
	if o.Settings.PullRequestCommand != "" {
		names = []string{o.Settings.PullRequestCommand}
	}

	var found string
	for _, name := range names {
		t := tool{program: name, dir: o.Dir, place: at}
		if _, err := exec.LookPath(name); err != nil {
			continue
		}
		found = name
		if _, err := t.run(ctx, "auth", "status", "--hostname", at.host); err == nil {
			return t, nil
		}
	}
	if found == "" {
		return tool{}, parley.Errorf(parley.InvalidArgument, "%s was not found", strings.Join(names, " or ")).
			With("host", at.host).
			Suggest("Install it, and sign in: %s auth login --hostname %s. Nothing was changed.", names[0], at.host)
	}
	return tool{}, parley.Errorf(parley.InvalidArgument, "%s is not signed in at %s", found, at.host).
		With("host", at.host).
		Suggest("Sign in: %s auth login --hostname %s. Nothing was changed.", found, at.host)
}
