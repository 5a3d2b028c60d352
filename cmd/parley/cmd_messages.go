package main

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"parley"

	"github.com/spf13/cobra"
)

// isFed reports whether a file or another program is the standard input.
func isFed(in *os.File) bool {
	info, err := in.Stat()
	return err == nil && (info.Mode().IsRegular() || info.Mode()&os.ModeNamedPipe != 0)
}

func sendCommand(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "send TO TEXT…",
		Short: "Send a message to one or more agents",
		Example: `  parley send coder "please rebase"
  parley send coder,reviewer --urgent "stop, the build is red"
  git diff | parley send reviewer - --wait
  parley send coder "is it done?" --reply-by 30m
  parley send @backend "the schema changes at noon"
  parley send ALL "lunch"`,
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		err := usage(cobra.MinimumNArgs(2))(cmd, args)
		if wrong, ok := errors.AsType[usageError](err); ok && len(args) == 1 && isFed(c.in) {
			wrong.next += fmt.Sprintf(" To send what standard input has, put a - for the text: parley send %s -",
				parley.ShellWord(args[0]))
			return wrong
		}
		return err
	}

	by := cmd.Flags().Duration("reply-by", 0, "require a response within this time, such as 30m")
	deadline := func(values url.Values) {
		if cmd.Flag("reply-by").Changed {
			values.Set("response_deadline", time.Now().Add(*by).Format(time.RFC3339Nano))
		}
	}

	cmd = sendingCommand(c, cmd, "send_message", "to", []string{"type", "priority", "urgent", "in_reply_to=reply-to",
		"context_reference=context", "data", "idempotency_key=key", "requires_response"}, deadline)
	cmd.ValidArgsFunction = completer{c}.completeRecipients

	return cmd
}

// sendingCommand completes a command NAME TEXT… that sends the text. to names the
// parameter that takes NAME; more may add parameters.
func sendingCommand(
	c *cli, cmd *cobra.Command, op, to string, flags []string, more ...func(url.Values),
) *cobra.Command {
	read := addFlags(cmd, op, flags)
	wait := addWait(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		values := read()
		text, err := readText(c, args[1:])
		if err != nil {
			return err
		}

		values.Set(to, args[0])
		values.Set("text", text)
		for _, add := range more {
			add(values)
		}

		res, err := invoke[parley.SendMessageResult](cmd.Context(), c, op, values)
		if err != nil {
			return err
		}
		if !res.Success {
			return undeliverable(cmd.Context(), c, args[0], res)
		}

		err = receipt(
			cmd.Context(), c, res, res.Status, sent{res.MessageID, &res.Deliveries, &res.DeliveryStatus}, wait(),
		)

		printReply(&c.output, res.Reply)

		return err
	}

	return c.withAgents(cmd, 1)
}

func broadcastCommand(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "broadcast TEXT…",
		Short: "Send a message to all agents, a list, or a group",
		Example: `  parley broadcast "build is red"
  parley broadcast --group backend "the schema changes at noon"`,
		Args: usage(cobra.MinimumNArgs(1)),
	}

	read := addFlags(
		cmd, "broadcast_message", []string{"recipients=to", "group", "urgent", "priority", "idempotency_key=key"},
	)

	wait := addWait(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		values := read()
		text, err := readText(c, args)
		if err != nil {
			return err
		}

		values.Set("text", text)
		res, err := invoke[parley.BroadcastMessageResult](cmd.Context(), c, "broadcast_message", values)
		if err != nil {
			return err
		}

		return receipt(
			cmd.Context(), c, res, "Message broadcast to "+count(len(res.Deliveries), "agent"),
			sent{res.MessageID, &res.Deliveries, &res.DeliveryStatus}, wait(),
		)
	}

	_ = cmd.RegisterFlagCompletionFunc("to", completer{c}.completeAgents)
	_ = cmd.RegisterFlagCompletionFunc("group", completer{c}.offerGroups())

	return cmd
}

func messageCommand(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "message ID",
		Short: "Show a message's deliveries, with times and evidence",
		Example: `  parley message 5f0c21aa
  parley message 5f0c21aa --wait=60`,
		Args: usage(cobra.ExactArgs(1)),
	}

	wait := addWait(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		res, err := invoke[parley.MessageStatusResult](
			cmd.Context(), c, "get_message_status", url.Values{"message_id": args},
		)
		if err != nil {
			return err
		}

		s := sent{res.Object.ID, &res.Deliveries, &res.DeliveryStatus}
		waitErr := awaitProof(cmd.Context(), c, s, wait())
		if c.json {
			if err := c.printJSON(res); err != nil {
				return err
			}
			return silently(waitErr)
		}

		m := res.Object
		c.printf("%s  %s  %s\n%s\n", c.paint(bold, parley.Short(m.ID)),
			m.Timestamp.Local().Format("2006-01-02 15:04:05"), m.Sender, m.Text)

		printLadders(&c.output, res.Deliveries)
		printResponses(&c.output, res.Responses)

		return waitErr
	}

	return completer{c}.withMessages(cmd)
}

func whoisCommand(c *cli) *cobra.Command {
	return completer{c}.withMessages(command(c, operation[parley.WhoisResult]{
		op:      "whois",
		use:     "whois ID",
		short:   "Show who sent a message",
		example: `  parley whois 5f0c21aa`,
		args:    cobra.ExactArgs(1),
		fill: func(args []string, to url.Values) error {
			to.Set("message_id", args[0])
			return nil
		},
		print: func(o *output, res *parley.WhoisResult) error {
			return o.printLine(res.Message)
		},
	}))
}

func inboxCommand(c *cli) *cobra.Command {
	return command(c, operation[parley.CheckInboxResult]{
		op:    "check_inbox",
		use:   "inbox",
		short: "List messages for you, without marking them read",
		example: `  parley inbox
  parley inbox --from coder --include-read
  parley inbox --wait-seconds 60`,
		args:  cobra.NoArgs,
		flags: []string{"limit", "filter_by_sender=from", "include_read", "wait_seconds"},
		fill: func([]string, url.Values) error {
			c.goesOn = "What comes stays in your inbox: parley inbox."
			return nil
		},
		print: func(o *output, res *parley.CheckInboxResult) error {
			if len(res.Messages) == 0 {
				return o.printLine("No messages.")
			}

			printInbox(o, res.Messages)
			if more := res.UnreadCount - len(res.Messages); more > 0 {
				o.printf("… and %d more unread; --limit shows up to 50.\n", more)
			}

			return nil
		},
	})
}

func printInbox(o *output, messages []parley.InboxMessage) {
	for _, m := range messages {
		mark := " "
		if !m.Read {
			mark = "●"
		}
		at := m.Timestamp.Local().Format("01-02 15:04:05")
		printMessage(o, mark, m.MessageID, at, m.Sender, m.Priority, m.Content)
	}
}

// printMessage shows a message: a line with time and sender, and the text below.
func printMessage(o *output, mark, id, when, sender string, p parley.Priority, text string) {
	priority := ""
	if p != "" && p != parley.PriorityNormal {
		priority = "  " + o.paint(yellow, string(p))
	}

	o.printf("%s %s  %s  %s%s\n", mark, o.paint(faint, when), o.paint(bold, sender), o.paint(faint, parley.Short(id)),
		priority)

	for line := range strings.SplitSeq(text, "\n") {
		o.printf("%s\n", folded(o, "  "+line, 2))
	}
}

// printReceived prints a message that may be unread.
func printReceived(o *output, m *parley.ContractMessage, form, text string) {
	mark := " "
	if !m.ReadStatus {
		mark = "●"
	}
	printMessage(o, mark, m.MessageID, m.Timestamp.Local().Format(form), m.SenderName, m.Priority, text)
}

func readCommand(c *cli) *cobra.Command {
	return command(c, operation[parley.GetMessagesResult]{
		op:    "get_messages",
		use:   "read",
		short: "Read messages for you and mark them read",
		example: `  parley read
  parley read --limit 50 --sort-order oldest_first
  parley read --filters '{"senders": ["coder"], "unread_only": true}'`,
		args:  cobra.ArbitraryArgs,
		flags: []string{"limit", "since", "sort_order", "mark_read", "filters"},
		fill: func(args []string, _ url.Values) error {
			if len(args) > 0 {
				return usageError{errors.New("parley read takes no arguments"), "parley message ID shows one message."}
			}
			return nil
		},
		print: func(o *output, res *parley.GetMessagesResult) error {
			if len(res.Messages) == 0 {
				return o.printLine("No messages.")
			}

			for _, m := range res.Messages {
				printReceived(o, &m, "01-02 15:04:05", m.Content.Text)
			}

			return nil
		},
	})
}

func historyCommand(c *cli) *cobra.Command {
	return c.withAgents(command(c, operation[parley.HistoryResult]{
		op:      "get_conversation_history",
		use:     "history NAME",
		short:   "Show the messages between you and an agent",
		example: "  parley history coder --limit 20",
		args:    cobra.ExactArgs(1),
		flags:   []string{"limit", "before"},
		fill:    positional("conversation_with"),
		print: func(o *output, res *parley.HistoryResult) error {
			if len(res.Messages) == 0 {
				return o.printLine("No messages yet.")
			}

			if res.HasMore {
				o.printf("… %d in total; --before %s shows earlier ones.\n", res.TotalMessages,
					parley.Short(res.Messages[0].MessageID))
			}

			printInbox(o, res.Messages)

			return nil
		},
	}), 1)
}
