package main

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"parley"
)

type replyCommand struct{}

func (r replyCommand) declare(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "reply ID TEXT…",
		Short: "Answer a message for you",
		Example: `  parley reply 5f0c21aa "it is done"
  parley reply 5f0c21aa "half of it" --status partial
  parley reply 5f0c21aa "reviewer knows" --status delegated --to reviewer`,
	}

	read := addFlags(
		cmd, "respond_to_message", []string{"status", "data", "additional_recipients=to", "idempotency_key=key"},
	)

	cmd.RunE = func(cmd *cobra.Command, args []string) error { return r.run(cmd.Context(), c, args, read()) }
	_ = cmd.RegisterFlagCompletionFunc("to", completer{c}.completeAgents)
	cmd.ValidArgsFunction = completer{c}.completeMessage

	return cmd
}

func (replyCommand) run(ctx context.Context, c *cli, args []string, values url.Values) error {
	text, err := c.program.readText(args[1:])
	if err != nil {
		return err
	}

	values.Set("message_id", args[0])
	values.Set("text", text)

	res, err := call[parley.RespondToMessageResult](ctx, c, "respond_to_message", values)
	if err != nil {
		return err
	}

	if c.out.json {
		if err := c.out.printJSON(res); err != nil || res.Success {
			return err
		}
		return exitCode(1)
	}

	if !res.Success {
		return parley.Errorf(res.ErrorCode, "%s", *res.Error).Suggest("%s", res.Action)
	}

	line := "Answered (msg " + parley.Short(res.MessageID) + ")"
	if reasons := pendingReasons(res.DeliveryStatus); len(reasons) > 0 {
		line += "; it waits: " + strings.Join(reasons, "; ")
	}

	err = c.out.printLine(line)
	receipts{c}.printReply(res.Reply)

	return err
}

// pendingReasons returns why deliveries wait, each reason once.
func pendingReasons(s parley.DeliveryStatus) []string {
	var reasons []string
	for id, reason := range s.PendingReasons {
		reasons = append(reasons, reasonText(s.PendingCodes[id], reason))
	}
	slices.Sort(reasons)
	return slices.Compact(reasons)
}

var ignoreCommand = operation[parley.IgnoreMessageResult]{
	op:       "ignore_message",
	use:      "ignore ID",
	short:    "Mark a message read without answering it",
	example:  `  parley ignore 5f0c21aa --reason "only thanks"`,
	complete: completer.completeMessage,
	flags:    []string{"reason"},
}

// printResponses shows which responses are due and which were given.
func (r receipts) printResponses(debts []parley.Debt) {
	for _, d := range debts {
		due := d.DueAt.Local().Format("2006-01-02 15:04")
		if d.AnsweredAt == nil {
			r.cli.out.printf("%s owes a response by %s\n", r.cli.out.paint(bold, d.Debtor), due)
			continue
		}

		late := ""
		if d.Late {
			late = ", late"
		}

		r.cli.out.printf("%s responded: %s%s (msg %s, due %s)\n", r.cli.out.paint(bold, d.Debtor), d.State, late,
			parley.Short(d.AnsweredBy), due)
	}
}

// printReply prints a responder's answer.
func (r receipts) printReply(reply *parley.Reply) {
	if reply == nil || r.cli.out.json {
		return
	}
	r.cli.out.printf("\n%s\n", reply.Text)
	if reply.CutOff {
		r.cli.out.printf("(cut off at max_tokens)\n")
	}
}
