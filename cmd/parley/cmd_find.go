package main

import (
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"parley"
)

type findCommand struct{}

func (findCommand) declare(c *cli) *cobra.Command {
	cmd := operation[parley.SearchMessagesResult]{
		op:    "find_messages",
		use:   "find [FILTER…]",
		short: "Find messages of the team by state, people, type and words",
		example: `  parley find is:held,failed
  parley find rebase agent:coder since:3d
  parley find --types request --has file`,
		args: cobra.ArbitraryArgs,
		flags: []string{
			"from", "to", "agents", "thread", "states", "types", "priorities", "has", "since", "until", "before",
			"limit",
		},
		fill: func(args []string, to url.Values) error {
			if len(args) > 0 {
				to.Set("query", strings.Join(args, " "))
			}
			return nil
		},
		complete: completeTerms,
		print:    func(o *output, res *parley.SearchMessagesResult) error { return messagePrinter{o}.found(res) },
	}.declare(c)

	termAliases(cmd)
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		text, err := takeTerms(cmd, args)
		if err != nil {
			return err
		}
		return run(cmd, text)
	}
	for _, flag := range []string{"from", "to", "agents"} {
		_ = cmd.RegisterFlagCompletionFunc(flag, completer{c}.completeAgents)
	}

	return cmd
}
