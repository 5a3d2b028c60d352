package main

import (
	"net/url"
	"strconv"
	"time"

	"parley"

	"github.com/spf13/cobra"
)

func keyCommand(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use: "key", Short: "Make, replace, end and list the API keys of agents",
		Example: "  parley key list coder\n  parley key issue ci",
		Args:    noSuchCommand, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}

	cmd.AddCommand(c.withAgents(command(c, operation[parley.IssueKeyResult]{
		op: "issue_key", use: "issue AGENT", short: "Make a further key for an agent and print it, once",
		example: "  parley key issue ci", args: cobra.ExactArgs(1), fill: positional("agent"), print: printNewKey,
	}), 1), c.withAgents(command(c, operation[parley.IssueKeyResult]{
		op: "rotate_key", use: "rotate AGENT", short: "Make a new key for an agent, print it, once, and end all its others",
		example: "  parley key rotate ci", args: cobra.ExactArgs(1), fill: positional("agent"), print: printNewKey,
	}), 1), c.withAgents(command(c, operation[parley.RevokeKeyResult]{
		op: "revoke_key", use: "revoke [AGENT]", short: "End one key, or all of an agent's",
		example: "  parley key revoke ci\n  parley key revoke --key parley_Zm9vYmFy", args: cobra.MaximumNArgs(1), fill: positional("agent"),
		flags: []string{"key_id=key"},
		print: func(c *cli, res *parley.RevokeKeyResult) error { return c.printLine(res.Message) },
	}), 1), c.withAgents(command(c, operation[parley.ListKeysResult]{
		op: "list_keys", use: "list [AGENT]", short: "List the keys that are good",
		example: "  parley key list\n  parley key list ci", args: cobra.MaximumNArgs(1), fill: positional("agent"), print: printKeys,
	}), 1))

	return cmd
}

// printNewKey prints the key last and alone, for scripts.
func printNewKey(c *cli, res *parley.IssueKeyResult) error {
	c.printf("%s\nThe key is shown this once:\n", res.Message)
	return c.printLine(res.APIKey)
}

func printKeys(c *cli, res *parley.ListKeysResult) error {
	if len(res.Keys) == 0 {
		return c.printLine("No key is good.")
	}

	var t table
	for _, k := range res.Keys {
		used := "never used"
		if k.LastUsed != nil {
			used = "used " + k.LastUsed.Local().Format(time.DateTime)
		}

		t.add(
			c.paint(bold, k.Agent),
			k.KeyID,
			string(k.Origin),
			"made "+k.CreatedAt.Local().Format(time.DateTime),
			used,
		)
	}

	t.print(c.out)

	return nil
}

func approveCommand(c *cli) *cobra.Command {
	decline := false
	cmd := command(c, operation[parley.ApproveAgentResult]{
		op: "approve_agent", use: "approve AGENT", short: "Let an agent that asked for it be a special agent, or decline",
		example: "  parley approve dm\n  parley approve dm --decline", args: cobra.ExactArgs(1),
		fill: func(args []string, to url.Values) error {
			to.Set("agent", args[0])
			to.Set("approve", strconv.FormatBool(!decline))
			return nil
		},
		print: func(c *cli, res *parley.ApproveAgentResult) error { return c.printLine(res.Message) },
	})

	cmd.Flags().BoolVar(&decline, "decline", false, "it is not special")

	return c.withAgents(cmd, 1)
}
