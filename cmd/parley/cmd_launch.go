package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"parley"
	"parley/internal/daemon"

	"github.com/spf13/cobra"
)

func launchCommand(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "launch NAME [flags] [-- COMMAND ARGUMENT…]",
		Short: "Start a program as an agent, in its own terminal",
		Long: `Starts a program as an agent, in its own terminal. parley knows the common agent
programs by their names, also behind npx, env, nice and the like, and tells them
about the team. --profile overrides that; parley profiles lists them.`,
		Example: `  parley launch coder -- claude
  parley launch reviewer --profile demo --role reviewer
  parley launch api --dir services/api --group backend -- claude
  parley launch coder --model opus --prompt "Fix the failing test" -- claude
  parley launch coder --env PORT=4000 --prompt @task.md -- codex
  parley launch coder --worktree -- claude    # on a git branch and in a directory of its own
  parley launch coder --on bob -- claude      # on another machine of the team`,
	}

	l := &launchRun{cli: c}
	l.declareFlags(cmd)
	cmd.Args, cmd.RunE = oneNameAndCommand, l.run
	return cmd
}

// oneNameAndCommand checks that an agent has one name, and its command stands behind --.
func oneNameAndCommand(cmd *cobra.Command, args []string) error {
	if nameCount(cmd, args) == 1 {
		return nil
	}
	wrong := misused(cmd, errors.New("parley launch takes one name, and the agent's command after --"))
	if len(args) > 1 && cmd.ArgsLenAtDash() < 0 {
		wrong.next = fmt.Sprintf("Write: parley launch %s -- %s", parley.ShellWord(args[0]), parley.ShellLine(args[1:]))
	}
	return wrong
}

// launchRun is one run of parley launch: what its flags say.
type launchRun struct {
	*cli
	request parley.LaunchAgentRequest
	size    string
	env     []string
}

func (l *launchRun) declareFlags(cmd *cobra.Command) {
	f, r := cmd.Flags(), &l.request
	doc := func(parameter string) string { return flagDoc(fieldOf("launch_agent", parameter)) }
	f.StringVar(&r.Profile, "profile", "", doc("profile"))
	f.StringVar(&r.Dir, "dir", "", "working directory (default: this one)")
	specFlags(cmd, &r.AgentSpec)
	f.StringVar(&r.Model, "model", "", doc("model"))
	f.StringVar(&r.Prompt, "prompt", "", "the first message to it, or @FILE; it is delivered once the program is ready")
	f.StringArrayVar(&l.env, "env", nil, "a variable of its environment, NAME=VALUE; the rest is this command's own")
	f.BoolVar(&r.NoResume, "no-resume", false, doc("no_resume"))
	f.StringVar(&r.Worktree, "worktree", "", "run in a git worktree of its own, on this branch (default: parley/NAME)")
	f.Lookup("worktree").NoOptDefVal = parley.WorktreeAuto
	f.StringVar(&r.Host, "on", "",
		"the machine of the team on which it runs, in the workspace there (default: this one)")
	f.StringVar(&l.size, "size", "", "columns and rows of its terminal, such as 200x50")

	complete := func(flag string, words func(cmd *cobra.Command) []string) {
		_ = cmd.RegisterFlagCompletionFunc(flag, offer(words))
	}
	complete("profile", func(*cobra.Command) []string { return completeProfiles(l.cli) })
	complete("on", func(cmd *cobra.Command) []string { return completeHosts(cmd.Context(), l.cli) })
	_ = cmd.RegisterFlagCompletionFunc("group", completer{l.cli}.offerGroups())
}

func (l *launchRun) run(cmd *cobra.Command, args []string) error {
	if l.host != "" { // a launch takes the directory and the environment from here
		return notFromAfar(l.host)
	}

	r := &l.request
	r.Name, r.Command = args[0], args[1:]
	var err error
	if r.Env, err = parseEnv(l.env); err != nil {
		return misused(cmd, err)
	}
	if r.Prompt, err = l.promptText(r.Prompt, l.dir); err != nil {
		return err
	}

	l.declareWorktree(r)
	res, err := launchAgent(cmd.Context(), l.cli, *r, l.dir, l.size)
	if err != nil {
		return err
	}
	return watchLaunched(cmd.Context(), l.cli, []*parley.LaunchAgentResult{res}, "launched")
}

// specFlags declares a flag for each field of a spec.
func specFlags(cmd *cobra.Command, s *parley.AgentSpec) {
	f := cmd.Flags()
	for _, field := range parley.SpecFields(s) {
		parameter := fieldOf("launch_agent", field.Name)
		doc := valuesDoc(parameter)
		switch v := field.Value.(type) {
		case *string:
			f.StringVar(v, field.Flag, "", doc)
		case *bool:
			f.BoolVar(v, field.Flag, false, doc)
		case *[]string:
			f.StringSliceVar(v, field.Flag, nil, doc)
		}
		completeValues(cmd, field.Flag, parameter)
	}
}

// parseEnv reads variables of the form NAME=VALUE.
func parseEnv(entries []string) (map[string]string, error) {
	env := map[string]string{}
	for _, entry := range entries {
		name, value, ok := strings.Cut(entry, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("--env is %q; give NAME=VALUE", entry)
		}
		env[name] = value
	}
	return env, nil
}

// declaredEnv returns the variables that the workspace's parley.yaml names for an agent, none if the
// user does not trust the file.
func declaredEnv(c *cli, name string) map[string]string {
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

// promptText returns a prompt, or for @FILE the content of a file relative to base.
func (s *surroundings) promptText(prompt, base string) (string, error) {
	name, isFile := strings.CutPrefix(prompt, "@")
	if !isFile {
		return prompt, nil
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(base, name)
	}

	f, err := openToSend(name)
	if err != nil {
		return "", err
	}
	defer f.Close()

	b, err := io.ReadAll(io.LimitReader(f, maxStdin))
	if err != nil {
		return "", fmt.Errorf("read the prompt from %s: %w", name, err)
	}

	return strings.TrimRight(string(b), "\n"), nil
}

// nameCount returns the number of arguments before the agent's command.
func nameCount(cmd *cobra.Command, args []string) int {
	if n := cmd.ArgsLenAtDash(); n >= 0 {
		return n
	}
	return len(args)
}

// launchAgent completes and sends a request.
func launchAgent(
	ctx context.Context, c *cli, r parley.LaunchAgentRequest, base, size string,
) (*parley.LaunchAgentResult, error) {
	r, err := completed(&c.surroundings, r, base, size)
	if err != nil {
		return nil, err
	}
	return call[parley.LaunchAgentResult](ctx, c, "launch_agent", r)
}

// completed makes the working directory of a request absolute, relative to base, and adds this
// process's environment below its own, and the size. What runs on another machine has the environment
// there.
func completed(s *surroundings, r parley.LaunchAgentRequest, base, size string) (parley.LaunchAgentRequest, error) {
	r.OwnEnv = slices.Sorted(maps.Keys(r.Env))
	if r.Host == "" {
		r.Dir = dirOf(r.Dir, base)
		env := s.env.Scrubbed().Map()
		maps.Copy(env, r.Env)
		r.Env = env
	}

	var err error
	r.Width, r.Height, err = daemon.ParseSize(size)

	return r, err
}
