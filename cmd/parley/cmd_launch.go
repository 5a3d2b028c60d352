package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"parley"
	"parley/internal/sh"
	"parley/op"
)

// launchCommand starts a program as an agent.
type launchCommand struct {
	request parley.LaunchAgentRequest
	size    string
	env     []string
}

func (l *launchCommand) declare(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "launch NAME | N PROFILE [flags] [-- COMMAND ARGUMENT…]",
		Short: "Start a program as an agent, in its own terminal",
		Long: `Starts a program as an agent, in its own terminal. parley knows the common agent
programs by their names, also behind npx, env, nice and the like, and tells them
about the team. --profile overrides that; parley profiles lists them. With a number and a profile
it starts so many, under the profile's name.`,
		Example: `  parley launch coder -- claude
  parley launch reviewer --profile demo --role reviewer
  parley launch 3 claude                      # claude-1, claude-2 and claude-3
  parley launch api --dir services/api --group backend -- claude
  parley launch coder --model opus --prompt "Fix the failing test" -- claude
  parley launch coder --env PORT=4000 --prompt @task.md -- codex
  parley launch coder --worktree -- claude    # on a git branch and in a directory of its own
  parley launch coder --session 3f0c21aa      # goes on with one of parley sessions
  parley launch coder --on bob -- claude      # on another machine of the team`,
	}

	l.declareFlags(cmd)
	l.completeFlags(cmd, completer{c})
	cmd.Args = namedAndCommand
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return l.run(cmd, launches{c}, args) }
	return cmd
}

// mostAtOnce is how many agents one launch starts.
const mostAtOnce = 20

// numberOf returns how many agents of a profile are to be launched, 0 for one with a name of its own.
func numberOf(cmd *cobra.Command, args []string) int {
	n, err := strconv.Atoi(args[0])
	if err != nil || nameCount(cmd, args) != 2 {
		return 0
	}
	return n
}

// namedAndCommand checks that there is a name, or a number and a profile, and that the command stands behind --.
func namedAndCommand(cmd *cobra.Command, args []string) error {
	names := nameCount(cmd, args)
	if names == 1 || names == 2 && numberOf(cmd, args) > 0 && numberOf(cmd, args) <= mostAtOnce {
		return nil
	}
	wrong := misused(cmd, fmt.Errorf(
		"parley launch takes one name, or a number up to %d and a profile, and the command after --", mostAtOnce))
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
	f.StringVar(&r.Session, "session", "",
		"take up the conversation with this id, of parley sessions, in its own directory and with its program")
	f.BoolVar(&r.NoResume, "no-resume", false, doc("no_resume"))
	f.StringVar(&r.Worktree, "worktree", "", "run in a git worktree of its own, on this branch (default: parley/NAME)")
	f.Lookup("worktree").NoOptDefVal = parley.WorktreeAuto
	f.StringVar(&r.Host, "on", "",
		"the machine of the team on which it runs, in the workspace there (default: this one)")
	f.StringVar(&l.size, "size", "", "columns and rows of its terminal, such as 200x50")
}

// completeFlags completes flags, and the profile of several agents.
func (*launchCommand) completeFlags(cmd *cobra.Command, c completer) {
	complete := func(flag string, words func(cmd *cobra.Command) []string) {
		_ = cmd.RegisterFlagCompletionFunc(flag, offer(words))
	}
	complete("profile", func(*cobra.Command) []string { return c.profiles() })
	cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 1 && strings.Trim(args[0], "0123456789") == "" {
			return c.profiles(), cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveDefault
	}
	complete("on", func(cmd *cobra.Command) []string { return c.hostsNow(cmd.Context()) })
	_ = cmd.RegisterFlagCompletionFunc("group", c.offerGroups())
}

func (l *launchCommand) run(cmd *cobra.Command, to launches, args []string) error {
	if to.cli.at.host != "" { // a launch takes the directory and the environment from here
		return notFromAfar(to.cli.at.host)
	}

	r := &l.request
	names := []string{args[0]}
	r.Command = args[nameCount(cmd, args):]
	var err error
	if n := numberOf(cmd, args); n > 0 {
		if r.Profile != "" || r.Worktree != "" && r.Worktree != parley.WorktreeAuto {
			return wrongUse("several agents have one profile, and a branch each",
				fmt.Sprintf("Write: parley launch %d %s, with --worktree alone for a branch each.", n,
					sh.Word(args[1])))
		}
		r.Profile = args[1]
		if names, err = to.freeNames(cmd.Context(), args[1], n); err != nil {
			return err
		}
	}
	if r.Session != "" && len(names) > 1 {
		return wrongUse("a conversation is taken up by one agent", "Give one name.")
	}
	if r.Env, err = parseEnv(l.env); err != nil {
		return misused(cmd, err)
	}
	if r.Prompt, err = promptText(r.Prompt, to.cli.at.dir); err != nil {
		return err
	}

	to.declareWorktree(r)
	var launched []*parley.LaunchAgentResult
	err = to.cli.out.forEach(names, func(name string) error {
		one := *r
		one.Name, one.Env = name, maps.Clone(r.Env)
		res, err := to.launch(cmd.Context(), one, to.cli.at.dir, l.size)
		if err == nil {
			launched = append(launched, res)
		}
		return err
	})
	if len(launched) == 0 {
		return err
	}

	first := launched[0]
	asked := wordless{to, first.Name, first.Warning}
	asks := first.Unknown && len(names) == 1 && to.cli.program.canAsk() && !to.cli.out.json
	if asks {
		first.Warning = ""
	}
	if err = cmp.Or(to.watch(cmd.Context(), launched, "launched"), err); err != nil || !asks {
		return err
	}
	return asked.ask(cmd.Context())
}

// freeNames returns names that no running agent has: PROFILE-1 and so on.
func (c launches) freeNames(ctx context.Context, profile string, n int) (names []string, err error) {
	set, err := c.cli.profileSet()
	if err != nil {
		return nil, err
	}
	if !slices.Contains(set.Names(), profile) {
		return nil, wrongUse(fmt.Sprintf("there is no profile %q", profile), fmt.Sprintf(
			"parley profiles lists them; for another program: parley launch %d generic -- %s", n, sh.Word(profile)))
	}
	service, err := c.cli.service(ctx)
	if err != nil {
		return nil, err
	}
	defer service.Close()
	there, err := op.GetAgentStatus.Call(parley.WithCaller(ctx, undecided), service, parley.AgentStatusRequest{})
	if err != nil {
		return nil, err
	}
	for i := 1; len(names) < n; i++ {
		name := fmt.Sprintf("%s-%d", profile, i)
		has := func(a parley.AgentStatus) bool {
			return strings.EqualFold(a.Name, name) &&
				a.State != parley.StateTerminated
		}
		if !slices.ContainsFunc(there.Agents, has) {
			names = append(names, name)
		}
	}
	return names, nil
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
		case **bool:
			f.BoolFunc(field.Flag, doc, func(text string) error {
				said, err := strconv.ParseBool(text)
				*v = &said
				return err
			})
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
