// Package trial tries a profile with the program that is installed: it starts the program in a terminal that
// nobody else uses, types drafts and pastes texts, and never presses Enter, so that no model is asked. Screens
// are read as the courier reads them.
package trial

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/orchestrator/team"
	"parley/profile"
	"parley/tmux"
)

// Guarantee is something that parley relies on when it types to a program.
type Guarantee string

// The guarantees, in the order in which they are tried.
const (
	Rest   Guarantee = "rest"       // the screen says that the program waits for a prompt
	Draft  Guarantee = "draft"      // a text that a person types is read as it stands there, and gone when deleted
	Escape Guarantee = "escape"     // Escape leaves that text
	Short  Guarantee = "paste"      // a message of one line is seen in the composer
	Lines  Guarantee = "lines"      // so is one of several lines,
	Signs  Guarantee = "characters" // one with emoji, accents and Chinese,
	Long   Guarantee = "long paste" // and a long one, or what the program shows in its place
)

// Guarantees lists them in that order.
func Guarantees() []Guarantee { return []Guarantee{Rest, Draft, Escape, Short, Lines, Signs, Long} }

// Verdict says how a guarantee came out.
type Verdict string

// The verdicts.
const (
	Holds    Verdict = "holds"
	Fails    Verdict = "fails"
	NotTried Verdict = "not tried"
)

// Finding is what came of one guarantee.
type Finding struct {
	Guarantee Guarantee `json:"guarantee"`
	Verdict   Verdict   `json:"verdict"`
	Saw       string    `json:"saw,omitempty"` // what was seen instead, or why it was not tried
}

// Result is what came of a trial.
type Result struct {
	Profile  string    `json:"profile"`
	Version  string    `json:"version"` // of the program; "" if it does not print one
	Program  string    `json:"program"` // its path
	At       time.Time `json:"at"`
	Size     string    `json:"size"` // of the terminal, as 120x40
	Findings []Finding `json:"findings"`
}

// Options describe a trial.
type Options struct {
	Profile *profile.Profile
	Program string   // the path of the program
	Args    []string // of the command, before what the profile adds
	Version string

	Dir      string   // where it runs; "": a directory that is removed again
	Env      []string // without what a program must not inherit
	Width    int
	Height   int
	Patience time.Duration // for its first rest
	Now      func() time.Time
	Tell     func(Finding) // each as it comes
}

// maxTempDir is the longest directory, in bytes, in which the path of tmux's socket is short enough.
const maxTempDir = 64

// Run tries a profile. It fails if the profile knows nothing of the program's screen, or if the program cannot be
// started or ends.
func Run(ctx context.Context, opts Options) (res Result, err error) {
	if !opts.Profile.HasMarkers() {
		return res, parley.Errorf(parley.InvalidArgument,
			"the profile %s knows nothing of its program's screen, so there is nothing to check", opts.Profile.Name).
			Suggest("Messages to it are typed as carefully as to any program that parley does not know.")
	}

	parent := ""
	if len(os.TempDir()) > maxTempDir {
		parent = "/tmp"
	}
	scratch, err := os.MkdirTemp(parent, "parley-check-")
	if err != nil {
		return res, fmt.Errorf("make a directory for the trial: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	if opts.Dir == "" {
		opts.Dir = filepath.Join(scratch, "work")
		if err := os.Mkdir(opts.Dir, 0o700); err != nil {
			return res, fmt.Errorf("make a directory for the trial: %w", err)
		}
	}

	argv, env, err := opts.command(filepath.Join(scratch, "agent"))
	if err != nil {
		return res, err
	}
	server, err := tmux.Open(ctx, tmux.Options{Path: filepath.Join(scratch, "tmux"), Dir: scratch, Env: env})
	if err != nil {
		return res, parley.Errorf(parley.TmuxUnavailable, "start a terminal for the trial: %w", err).
			Suggest("Run parley doctor.")
	}
	defer func() { err = errors.Join(err, server.Shutdown(context.WithoutCancel(ctx))) }()

	pane, err := server.NewSession(ctx, tmux.SessionOptions{
		Name: "check", Owner: "check", Dir: opts.Dir, Width: opts.Width, Height: opts.Height, Argv: argv,
	})
	if err != nil {
		return res, fmt.Errorf("start %s: %w", opts.Program, err)
	}

	w := &walk{opts: &opts, t: &team.Terminal{Server: server, Pane: server.Pane(pane.ID), Profile: opts.Profile}}
	w.findings, err = w.all(ctx)
	return Result{
		Profile: opts.Profile.Name, Version: opts.Version, Program: opts.Program, At: opts.Now().UTC(),
		Size: fmt.Sprintf("%dx%d", opts.Width, opts.Height), Findings: w.findings,
	}, err
}

// silent stands for parley in what is handed over: the program's MCP server and its reports end at once. parley itself
// would start a daemon for the directory of the trial.
const silent = "true"

// command returns the command line and the environment of the program, as a launch would make them, and writes
// the files of its handover into dir.
func (o *Options) command(dir string) (argv, env []string, err error) {
	h, err := o.Profile.Handover.Render(profile.Values{
		Name: "check", ID: "00000000-0000-4000-8000-000000000000", Parley: silent, Dir: dir, Seal: "check",
	})
	if err != nil {
		return nil, nil, err
	}
	for name, text := range h.Files {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			return nil, nil, fmt.Errorf("write what the program is handed over: %w", err)
		}
	}

	env = slices.DeleteFunc(slices.Clone(o.Env), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		_, replaced := h.Env[name]
		return replaced || slices.Contains(h.Unset, name)
	})
	for name, value := range h.Env {
		env = append(env, name+"="+value)
	}

	// tmux would give a single word to a shell.
	return slices.Concat([]string{"env", "--", o.Program}, o.Args, h.Args), env, nil
}

// Failed lists the guarantees that fail.
func (r *Result) Failed() (failed []Guarantee) {
	for _, f := range r.Findings {
		if f.Verdict == Fails {
			failed = append(failed, f.Guarantee)
		}
	}
	return failed
}

// Words says which guarantees hold, as "rest, draft hold; long paste fails; lines not tried".
func (r *Result) Words() string {
	var parts []string
	for _, verdict := range []Verdict{Holds, Fails, NotTried} {
		var names []string
		for _, f := range r.Findings {
			if f.Verdict == verdict {
				names = append(names, string(f.Guarantee))
			}
		}
		word := string(verdict)
		if len(names) > 1 {
			word = strings.TrimSuffix(word, "s")
		}
		if len(names) > 0 {
			parts = append(parts, strings.Join(names, ", ")+" "+word)
		}
	}
	return strings.Join(parts, "; ")
}
