package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"parley"
	"parley/internal/sh"
)

// launchCommand starts a program as an agent.
type launchCommand struct {
	request parley.LaunchAgentRequest
	size    string
	env     []string
}

func (l *launchCommand) declare(c *cli) *cobra.Command {
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

	l.declareFlags(cmd)
	l.completeFlags(cmd, completer{c})
	cmd.Args = oneNameAndCommand
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return l.run(cmd, launches{c}, args) }
	return cmd
}

// oneNameAndCommand checks that an agent has one name, and its command stands behind --.
func oneNameAndCommand(cmd *cobra.Command, args []string) error {
	if nameCount(cmd, args) == 1 {
		return nil
	}
	wrong := misused(cmd, errors.New("parley launch takes one name, and the agent's command after --"))
	if len(args) > 1 && cmd.ArgsLenAtDash() < 0 {
		wrong.next = fmt.Sprintf("Write: parley launch %s -- %s", sh.Word(args[0]), sh.Line(args[1:]))
	}
	return wrong
}

func (l *launchCommand) declareFlags(cmd *cobra.Command) {
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
}

func (*launchCommand) completeFlags(cmd *cobra.Command, c completer) {
	complete := func(flag string, words func(cmd *cobra.Command) []string) {
		_ = cmd.RegisterFlagCompletionFunc(flag, offer(words))
	}
	complete("profile", func(*cobra.Command) []string { return c.profiles() })
	complete("on", func(cmd *cobra.Command) []string { return c.hostsNow(cmd.Context()) })
	_ = cmd.RegisterFlagCompletionFunc("group", c.offerGroups())
}

func (l *launchCommand) run(cmd *cobra.Command, to launches, args []string) error {
	if to.host != "" { // a launch takes the directory and the environment from here
		return notFromAfar(to.host)
	}

	r := &l.request
	r.Name, r.Command = args[0], args[1:]
	var err error
	if r.Env, err = parseEnv(l.env); err != nil {
		return misused(cmd, err)
	}
	if r.Prompt, err = promptText(r.Prompt, to.dir); err != nil {
		return err
	}

	to.declareWorktree(r)
	res, err := to.launch(cmd.Context(), *r, to.dir, l.size)
	if err != nil {
		return err
	}

	asked := wordless{to, res.Name, res.Warning}
	asks := res.Unknown && to.canAsk() && !to.json
	if asks {
		res.Warning = ""
	}
	err = to.watch(cmd.Context(), []*parley.LaunchAgentResult{res}, "launched")
	if err != nil || !asks {
		return err
	}
	return asked.ask(cmd.Context())
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
		case *int:
			f.IntVar(v, field.Flag, 0, doc)
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

// promptText returns a prompt, or for @FILE the content of a file relative to base.
func promptText(prompt, base string) (string, error) {
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
