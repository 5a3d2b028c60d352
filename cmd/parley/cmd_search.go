package main

import (
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"parley"
)

type searchCommand struct{}

func (searchCommand) declare(c *cli) *cobra.Command {
	cmd := operation[parley.SearchMessagesResult]{
		op:    "search_messages",
		use:   "search WORDS…",
		short: "Find messages by their words, newest first",
		example: `  parley search rebase
  parley search '"the build is red"' --from coder --limit 5
  parley search schema --since 3d`,
		args:  cobra.MinimumNArgs(1),
		flags: []string{"from", "to", "since", "until", "limit"},
		fill: func(args []string, to url.Values) error {
			to.Set("query", strings.Join(args, " "))
			return nil
		},
		print: func(o *output, res *parley.SearchMessagesResult) error { return messagePrinter{o}.found(res) },
	}.declare(c)

	for _, flag := range []string{"from", "to"} {
		_ = cmd.RegisterFlagCompletionFunc(flag, completer{c}.completeAgents)
	}

	return cmd
}
