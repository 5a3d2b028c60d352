package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"parley"
)

// run executes one command line and returns the exit status: 0, 1 for a failure, 2 for
// an invalid command line.
func (p program) run(ctx context.Context, args []string) int {
	c := newCLI(p)
	root := newRoot(c)
	root.SetArgs(args)
	root.SetIn(p.in)
	root.SetOut(p.out.out)
	root.SetErr(p.out.err)

	err := detachedWait(root, args)
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	if err == nil {
		return 0
	}
	if ctx.Err() != nil {
		c.out.sayGoesOn()
		return 130 // what a shell reports for an interrupted command
	}
	if code, ok := errors.AsType[exitCode](err); ok {
		return int(code)
	}

	if usage, ok := errors.AsType[usageError](err); ok {
		c.out.json = c.out.json || asksForJSON(args) // flags behind the mistake were not parsed
		c.out.fail(parley.Errorf(parley.InvalidArgument, "%w", usage.error).Suggest("%s", usage.next))
		return 2
	}

	c.out.fail(err)

	return 1
}

// sayGoesOn tells a person who has interrupted the command what goes on without it.
func (o *output) sayGoesOn() {
	if o.goesOn == "" || o.json {
		return
	}
	if redraws(o.at.env, o.err) {
		fmt.Fprint(o.err, "\r\x1b[K") // with the ^C that the terminal may have shown there
	}
	fmt.Fprintln(o.err, o.goesOn)
}

// newRoot builds the tree of commands.
func newRoot(c *cli) *cobra.Command {
	root := &cobra.Command{
		Use:   "parley",
		Short: "Run a team of AI coding agents in tmux and let them talk",
		Long: `parley runs AI coding agents in tmux terminals and types messages into them.
It proves and shows what became of each message. Without a command, parley opens the screen.`,
		Example: `  parley launch coder -- claude
  parley send coder "please rebase"
  parley log -f`,
		Args:              noSuchCommand,
		RunE:              func(cmd *cobra.Command, _ []string) error { return screens{c}.orHelp(cmd) },
		Version:           buildVersion(),
		PersistentPreRunE: checkFlagsTogether,
		SilenceErrors:     true,
		SilenceUsage:      true,
	}

	root.SetFlagErrorFunc(misusedFlag)
	root.SetVersionTemplate("parley {{.Version}}\n")
	flags := root.PersistentFlags()
	flags.StringVar(&c.at.workspace, "workspace", "", "directory of the workspace (default: found from here)")
	flags.StringVar(&c.at.host, "host", "", "machine of the daemon, over ssh: BOX or BOX:DIR")
	flags.BoolVar(&c.out.json, "json", false, "print the result as JSON")

	root.CompletionOptions.DisableDefaultCmd = true
	root.SetHelpCommand((&helpCommand{}).declare(c))
	root.SetHelpFunc(helpFunc(c.out))
	for _, group := range commandGroups() {
		root.AddCommand(group.commands.declare(c)...)
	}
	hidden := commands{execCommand{}, keepCommand{}, &linkCommand{}, demoAgentCommand{}, &hookCommand{}}
	root.AddCommand(hidden.declare(c)...)
	checkArguments(root)

	return root
}
