package main

import (
	"net/url"
	"strings"

	"parley"

	"github.com/spf13/cobra"
)

func findCommand(c *cli) *cobra.Command {
	cmd := command(c, operation[parley.SearchMessagesResult]{
		op:    "find_messages",
		use:   "find [WORDS…]",
		short: "Find messages of the whole team by state, people, type, and words",
		example: `  parley find --states held,failed
  parley find rebase --agents coder --since 3d
  parley find --types request --has file`,
		args: cobra.ArbitraryArgs,
		flags: []string{
			"from", "to", "agents", "thread", "states", "types", "priorities", "has", "since", "until", "before", "limit",
		},
		fill: func(args []string, to url.Values) error {
			if len(args) > 0 {
				to.Set("query", strings.Join(args, " "))
			}
			return nil
		},
		print: printFound,
	})

	for _, flag := range []string{"from", "to", "agents"} {
		_ = cmd.RegisterFlagCompletionFunc(flag, completer{c}.completeAgents)
	}

	return cmd
}
