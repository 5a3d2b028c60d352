package main

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/daemon"
	"parley/internal/wait"
)

// launches start agents, and report what became of them.
type launches struct{ *cli }

// launch completes and sends a request.
func (c launches) launch(
	ctx context.Context, r parley.LaunchAgentRequest, base, size string,
) (*parley.LaunchAgentResult, error) {
	r, err := c.completed(r, base, size)
	if err != nil {
		return nil, err
	}
	return call[parley.LaunchAgentResult](ctx, c.cli, "launch_agent", r)
}

// completed makes the working directory of a request absolute, relative to base, and adds this
// process's environment below its own, and the size. What runs on another machine has the environment
// there.
func (c launches) completed(
	r parley.LaunchAgentRequest, base, size string,
) (parley.LaunchAgentRequest, error) {
	r.OwnEnv = slices.Sorted(maps.Keys(r.Env))
	if r.Host == "" {
		r.Dir = dirOf(r.Dir, base)
		env := c.env.Scrubbed().Map()
		maps.Copy(env, r.Env)
		r.Env = env
	}

	var err error
	r.Width, r.Height, err = daemon.ParseSize(size)

	return r, err
}

// declaredEnv returns the variables that the workspace's parley.yaml names for an agent, none if the
// user does not trust the file.
func (c launches) declaredEnv(name string) map[string]string {
	at, err := c.place()
	if err != nil {
		return nil
	}
	t, err := daemon.LoadTeam(at.TeamFile(), false)
	if err != nil || !daemon.TrustOf(c.env).Has(t) {
		return nil
	}

	for _, a := range t.Agents {
		if strings.EqualFold(a.Name, name) {
			return a.Env
		}
	}

	return nil
}

// declareWorktree adds what the workspace's parley.yaml says of new worktrees, if the launch asks
// for one and the user trusts the file.
func (c launches) declareWorktree(r *parley.LaunchAgentRequest) {
	if r.Worktree == "" {
		return
	}
	at, err := c.place()
	if err != nil {
		return // the launch says what is wrong
	}
	t, err := daemon.Load(at, c.env)
	if err != nil {
		return
	}

	t.Prepare(r)
	if slices.ContainsFunc(t.Withheld, func(claim daemon.Claim) bool { return claim.Key == "worktrees" }) {
		fmt.Fprintln(c.err, "parley.yaml is not trusted, so its worktrees: part was left out; see parley trust.")
	}
}

// wordless is an agent that was launched with a program of which nobody has said that it takes messages.
type wordless struct {
	c       launches
	agent   string
	warning string
}

// wordPatience is how long the word is given again to a program whose screen changes under it.
const wordPatience = 10 * time.Second

// wordChoice is the option by which the operator says that what reads a terminal takes messages.
const wordChoice = "messages"

// ask asks at a terminal whether the program takes messages; Enter says no. A program that does not read its terminal
// soon, or whose word is not the caller's to give, leaves the warning.
func (w wordless) ask(ctx context.Context) error {
	a := &answering{c: w.c.cli, lines: bufio.NewReader(w.c.in)}
	seen := w.look(ctx, a)
	if seen == nil {
		return w.warn()
	}

	line, err := a.ask("%s parley would type them in there. [y/N] ", seen.Question)
	if err != nil {
		return err
	}
	if !strings.EqualFold(line, "y") && !strings.EqualFold(line, "yes") {
		return w.warn()
	}

	ctx, stop := context.WithTimeout(ctx, wordPatience)
	defer stop()
	// What the program draws meanwhile changes the screen, and not what was asked.
	for now := seen; now != nil && now.Question == seen.Question; now = w.look(ctx, a) {
		word := parley.AnswerDialogRequest{Agent: w.agent, Choice: wordChoice, Dialog: now.ID}
		res, err := call[parley.AnswerDialogResult](ctx, w.c.cli, "answer_dialog", word)
		if parley.ErrorCode(err) == parley.DialogChanged {
			continue
		}
		if err != nil {
			return err
		}
		return w.c.printLine(res.Message)
	}
	return w.warn()
}

// look waits for the question whether what reads the terminal takes messages; nil if it does not come.
func (w wordless) look(ctx context.Context, a *answering) (question *parley.Dialog) {
	ctx, stop := context.WithTimeout(ctx, startWatch)
	defer stop()
	_ = wait.Until(ctx, startLook, func() (bool, error) {
		seen, err := a.look(ctx, w.agent)
		if err != nil || seen.Dialog == nil {
			return false, err
		}
		isWord := func(o parley.DialogOption) bool { return o.Choice == wordChoice }
		if slices.ContainsFunc(seen.Dialog.Options, isWord) {
			question = seen.Dialog
		}
		return true, nil
	})
	return question
}

func (w wordless) warn() error {
	return w.c.printLine(w.c.paint(yellow, "warning") + ": " + w.warning)
}
