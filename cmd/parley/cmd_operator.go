package main

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"parley"

	"github.com/spf13/cobra"
)

func (c *cli) retryCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "retry ID",
		Short: "Type a message again that failed, expired or stayed unconfirmed",
		Long: `Types a message again to those with whom it failed, expired or stayed unconfirmed.
Nothing else types a message twice: look first whether it arrived (parley explain ID).
Where it waits, parley looks again at once. A responder that gave no answer is asked
again; the reply goes to who sent the message.`,
		Example: "  parley retry 5f0c21aa\n  parley retry 5f0c21aa --to coder --wait",
		Args:    usage(cobra.ExactArgs(1)),
	}

	read := addFlags(cmd, "retry_delivery", []string{"recipient=to"})
	wait := addWait(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		values := read()
		values.Set("message_id", args[0])
		res, err := invoke[parley.RetryDeliveryResult](cmd.Context(), c, "retry_delivery", values)
		if err != nil {
			return err
		}

		err = c.receipt(
			cmd.Context(),
			res,
			res.Message,
			sent{res.MessageID, &res.Deliveries, &res.DeliveryStatus},
			wait(),
		)

		c.printReply(res.Reply)

		return err
	}

	_ = cmd.RegisterFlagCompletionFunc("to", c.completeAgents)

	return cmd
}

func (c *cli) explainCommand() *cobra.Command {
	return command(c, operation[parley.ExplainMessageResult]{
		op: "explain_message", use: "explain ID", short: "Tell a message's whole story in plain words, and what to do",
		example: "  parley explain 5f0c21aa", args: cobra.ExactArgs(1), fill: positional("message_id"),
		print: func(res *parley.ExplainMessageResult) error { return c.printLine(strings.Join(res.Story, "\n")) },
	})
}

func (c *cli) pauseCommand() *cobra.Command {
	return c.pausing(operation[parley.PauseCommunicationResult]{
		use: "pause [REASON…]", short: "Stop all messages: sends are refused, deliveries wait, reading works",
		example: "  parley pause\n  parley pause \"the schema is changing\"", args: cobra.ArbitraryArgs,
	}, true)
}

func (c *cli) resumeCommand() *cobra.Command {
	return c.pausing(operation[parley.PauseCommunicationResult]{
		use: "resume", short: "Let messages go on after parley pause", example: "  parley resume", args: cobra.NoArgs,
	}, false)
}

func (c *cli) pausing(o operation[parley.PauseCommunicationResult], paused bool) *cobra.Command {
	o.op = "pause_communication"
	o.fill = func(args []string, to url.Values) error {
		to.Set("paused", strconv.FormatBool(paused))
		if len(args) > 0 {
			to.Set("reason", strings.Join(args, " "))
		}
		return nil
	}

	o.print = func(res *parley.PauseCommunicationResult) error {
		waiting := ""
		if res.Waiting > 0 {
			waiting = fmt.Sprintf(" On their way: %d.", res.Waiting)
		}
		return c.printLine(res.Message + waiting)
	}

	return command(c, o)
}
