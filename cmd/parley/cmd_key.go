package main

import (
	"net/url"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"parley"
)

var keyCommand = family{
	use:   "key",
	short: "Manage the API keys of agents",
	example: `  parley key list coder
  parley key issue ci`,
	members: commands{
		newKeyCommand("issue_key", "issue AGENT", "Make another key for an agent and print it, once",
			"  parley key issue ci\n  parley key issue ci --expires 30d"),
		newKeyCommand("rotate_key", "rotate AGENT", "Replace all keys of an agent by a new one and print it, once",
			"  parley key rotate ci"),
		revokeKeyCommand,
		listKeysCommand,
	},
}

// newKeyCommand makes a key by an operation. It prints the key last and alone, for scripts.
func newKeyCommand(op, use, short, example string) operation[parley.IssueKeyResult] {
	return operation[parley.IssueKeyResult]{
		op:       op,
		use:      use,
		short:    short,
		example:  example,
		complete: firstAgents(1),
		flags:    []string{"expires"},
		print: func(o *output, res *parley.IssueKeyResult) error {
			o.printf("%s\nThe key is shown this once:\n", res.Message)
			return o.printLine(res.APIKey)
		},
	}
}

var inviteCommand = operation[parley.InviteResult]{
	op:      "invite",
	use:     "invite",
	short:   "Print a token with which programs from elsewhere register",
	example: "  parley invite",
	print: func(o *output, res *parley.InviteResult) error {
		o.printf("%s It is shown this once:\n", res.Message)
		return o.printLine(res.Token)
	},
}

var revokeKeyCommand = operation[parley.RevokeKeyResult]{
	op:    "revoke_key",
	use:   "revoke [AGENT]",
	short: "Revoke one key, or all keys of an agent",
	example: `  parley key revoke ci
  parley key revoke --key parley_Zm9vYmFy`,
	complete: firstAgents(1),
	flags:    []string{"key_id=key"},
	fill: func(args []string, to url.Values) error {
		switch {
		case len(args) > 0:
			to.Set("agent", args[0])
		case !to.Has("key_id"):
			return wrongUse("neither an agent nor a key was named",
				"Name an agent for all of its keys, or one key with --key; parley key list shows them.")
		}
		return nil
	},
}

var listKeysCommand = operation[parley.ListKeysResult]{
	op:    "list_keys",
	use:   "list [AGENT]",
	short: "List valid keys",
	example: `  parley key list
  parley key list ci`,
	complete: firstAgents(1),
	print: func(o *output, res *parley.ListKeysResult) error {
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
	},
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

// approveCommand approves an agent that asks to take part, or declines it.
type approveCommand struct{ decline bool }

func (a *approveCommand) declare(c *cli) *cobra.Command {
	cmd := operation[parley.ApproveAgentResult]{
		op:    "approve_agent",
		use:   "approve AGENT",
		short: "Approve or decline an agent that asks to take part",
		example: `  parley approve dm
  parley approve dm --decline`,
		complete: firstAgents(1),
		fill: func(args []string, to url.Values) error {
			to.Set("agent", args[0])
			to.Set("approve", strconv.FormatBool(!a.decline))
			return nil
		},
	}.declare(c)

	cmd.Flags().BoolVar(&a.decline, "decline", false, "decline instead")

	return cmd
}
