package main

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"parley"
)

type retryCommand struct{}

func (retryCommand) declare(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "retry ID",
		Short: "Retry a message that failed, expired or stayed unconfirmed",
		Long: `Types a message again for recipients where it failed, expired or stayed unconfirmed.
Nothing else types a message twice: check first whether it arrived (parley explain ID).
If a delivery waits, parley looks again at once. If it waits behind a draft that nobody has typed,
--over with the exact text has it typed there, as long as that is what stands there. A responder
that gave no answer is asked again; the reply goes to the message's sender.`,
		Example: `  parley retry 5f0c21aa
  parley retry 5f0c21aa --to coder --wait
  parley retry 5f0c21aa --to coder --over 'Try "fix the tests"'`,
	}

	read := addFlags(cmd, "retry_delivery", []string{"recipient=to", "draft=over"})
	wait := addWait(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		values := read()
		values.Set("message_id", args[0])
		res, err := call[parley.RetryDeliveryResult](cmd.Context(), c, "retry_delivery", values)
		if err != nil {
			return err
		}

		r := receipts{c}
		err = r.print(cmd.Context(), res, res.Message, sent{res.MessageID, &res.Deliveries, &res.DeliveryStatus},
			wait())
		r.printReply(res.Reply)

		return err
	}

	_ = cmd.RegisterFlagCompletionFunc("to", completer{c}.completeAgents)
	cmd.ValidArgsFunction = completer{c}.completeMessage

	return cmd
}

var explainCommand = operation[parley.ExplainMessageResult]{
	op:       "explain_message",
	use:      "explain ID",
	short:    "Explain a message's deliveries in plain words, and what to do",
	example:  "  parley explain 5f0c21aa",
	complete: completer.completeMessage,
	print: func(o *output, res *parley.ExplainMessageResult) error {
		for _, line := range res.Story {
			o.printf("%s\n", o.folded(line, 4))
		}
		return nil
	},
}

func pauseCommand() operation[parley.PauseCommunicationResult] {
	return pauseOrResume(operation[parley.PauseCommunicationResult]{
		use:   "pause [REASON…]",
		short: "Pause all messages; reading goes on",
		example: `  parley pause
  parley pause "the schema is changing"`,
	}, true)
}

func resumeCommand() operation[parley.PauseCommunicationResult] {
	return pauseOrResume(operation[parley.PauseCommunicationResult]{
		use:     "resume",
		short:   "Resume messages after parley pause",
		example: "  parley resume",
	}, false)
}

// pauseOrResume completes a command that pauses all messages, or resumes them.
func pauseOrResume(
	o operation[parley.PauseCommunicationResult], paused bool,
) operation[parley.PauseCommunicationResult] {
	o.op = "pause_communication"
	o.fill = func(args []string, to url.Values) error {
		to.Set("paused", strconv.FormatBool(paused))
		if len(args) > 0 {
			to.Set("reason", strings.Join(args, " "))
		}
		return nil
	}

	o.print = func(o *output, res *parley.PauseCommunicationResult) error {
		waiting := ""
		if res.Waiting > 0 {
			waiting = fmt.Sprintf(" Waiting: %d.", res.Waiting)
		}
		return o.printLine(res.Message + waiting)
	}

	return o
}
