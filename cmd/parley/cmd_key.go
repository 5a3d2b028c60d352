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
		Use:   "key",
		Short: "Manage the API keys of agents",
		Example: `  parley key list coder
  parley key issue ci`,
		Args: noSuchCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}

	cmd.AddCommand(issueKeyCommand(c), rotateKeyCommand(c), revokeKeyCommand(c), listKeysCommand(c))

	return cmd
}

func issueKeyCommand(c *cli) *cobra.Command {
	return c.withAgents(command(c, operation[parley.IssueKeyResult]{
		op:    "issue_key",
		use:   "issue AGENT",
		short: "Make another key for an agent and print it, once",
		example: `  parley key issue ci
  parley key issue ci --expires 30d`,
		args:  cobra.ExactArgs(1),
		flags: []string{"expires"},
		fill:  positional("agent"),
		print: printNewKey,
	}), 1)
}

func inviteCommand(c *cli) *cobra.Command {
	return command(c, operation[parley.InviteResult]{
		op:      "invite",
		use:     "invite",
		short:   "Print a token with which programs from elsewhere register",
		example: "  parley invite",
		args:    cobra.NoArgs,
		print: func(o *output, res *parley.InviteResult) error {
			o.printf("%s It is shown this once:\n", res.Message)
			return o.printLine(res.Token)
		},
	})
}

func rotateKeyCommand(c *cli) *cobra.Command {
	return c.withAgents(command(c, operation[parley.IssueKeyResult]{
		op:      "rotate_key",
		use:     "rotate AGENT",
		short:   "Replace all keys of an agent by a new one and print it, once",
		example: "  parley key rotate ci",
		args:    cobra.ExactArgs(1),
		flags:   []string{"expires"},
		fill:    positional("agent"),
		print:   printNewKey,
	}), 1)
}

func revokeKeyCommand(c *cli) *cobra.Command {
	return c.withAgents(command(c, operation[parley.RevokeKeyResult]{
		op:    "revoke_key",
		use:   "revoke [AGENT]",
		short: "Revoke one key, or all keys of an agent",
		example: `  parley key revoke ci
  parley key revoke --key parley_Zm9vYmFy`,
		args:  cobra.MaximumNArgs(1),
		flags: []string{"key_id=key"},
		fill: func(args []string, to url.Values) error {
			if len(args) == 0 && !to.Has("key_id") {
				return wrongUse("neither an agent nor a key was named",
					"Name an agent for all of its keys, or one key with --key; parley key list shows them.")
			}
			return positional("agent")(args, to)
		},
		print: func(o *output, res *parley.RevokeKeyResult) error { return o.printLine(res.Message) },
	}), 1)
}

func listKeysCommand(c *cli) *cobra.Command {
	return c.withAgents(command(c, operation[parley.ListKeysResult]{
		op:    "list_keys",
		use:   "list [AGENT]",
		short: "List valid keys",
		example: `  parley key list
  parley key list ci`,
		args:  cobra.MaximumNArgs(1),
		fill:  positional("agent"),
		print: printKeys,
	}), 1)
}

// printNewKey prints the key last and alone, for scripts.
func printNewKey(o *output, res *parley.IssueKeyResult) error {
	o.printf("%s\nThe key is shown this once:\n", res.Message)
	return o.printLine(res.APIKey)
}

func printKeys(o *output, res *parley.ListKeysResult) error {
	if len(res.Keys) == 0 {
		return o.printLine("There are no valid keys.")
	}

	t := table{fits: []fit{inner, whole, whole, prose, prose, prose}}
	for _, k := range res.Keys {
		used := "never used"
		if k.LastUsed != nil {
			used = "used " + k.LastUsed.Local().Format(time.DateTime)
		}

		t.add(o.paint(bold, k.Agent), k.KeyID, string(k.Origin), "made "+k.CreatedAt.Local().Format(time.DateTime),
			used, keyEnd(k, o.now()))
	}

	t.print(o)

	return nil
}

// keyEnd says when a key ends, or has ended, by itself.
func keyEnd(k parley.Key, now time.Time) string {
	switch {
	case k.ExpiresAt == nil:
		return ""
	case k.Expired(now):
		return "expired " + k.ExpiresAt.Local().Format(time.DateTime)
	}
	return "until " + k.ExpiresAt.Local().Format(time.DateTime)
}

func approveCommand(c *cli) *cobra.Command {
	decline := false
	cmd := command(c, operation[parley.ApproveAgentResult]{
		op:    "approve_agent",
		use:   "approve AGENT",
		short: "Approve or decline an agent that asks to take part",
		example: `  parley approve dm
  parley approve dm --decline`,
		args: cobra.ExactArgs(1),
		fill: func(args []string, to url.Values) error {
			to.Set("agent", args[0])
			to.Set("approve", strconv.FormatBool(!decline))
			return nil
		},
		print: func(o *output, res *parley.ApproveAgentResult) error { return o.printLine(res.Message) },
	})

	cmd.Flags().BoolVar(&decline, "decline", false, "decline instead")

	return c.withAgents(cmd, 1)
}
