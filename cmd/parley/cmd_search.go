package main

import (
	"net/url"
	"strings"
	"time"

	"parley"

	"github.com/spf13/cobra"
)

func searchCommand(c *cli) *cobra.Command {
	cmd := command(c, operation[parley.SearchMessagesResult]{
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
		print: printFound,
	})

	for _, flag := range []string{"from", "to"} {
		_ = cmd.RegisterFlagCompletionFunc(flag, completer{c}.completeAgents)
	}

	return cmd
}

func printFound(o *output, res *parley.SearchMessagesResult) error {
	for _, m := range res.Messages {
		printReceived(o, &m.ContractMessage, "2006-01-02 15:04:05", m.Snippet)
	}

	switch {
	case res.Truncated:
		o.printf("… the search stopped there; --until %s continues.\n", res.SearchedSince.Format(time.RFC3339Nano))
	case res.HasMore:
		o.printf("… and more; --limit shows up to 100, --until shows earlier ones.\n")
	case len(res.Messages) == 0:
		return o.printLine("No messages.")
	}

	return nil
}
