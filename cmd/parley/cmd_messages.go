package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley"
	"parley/internal/sh"
)

// isFed reports whether a file or another program is the standard input.
func isFed(in *os.File) bool {
	info, err := in.Stat()
	return err == nil && (info.Mode().IsRegular() || info.Mode()&os.ModeNamedPipe != 0)
}

type sendCommand struct{}

func (sendCommand) declare(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "send TO TEXT…",
		Short: "Send a message to one or more agents",
		Example: `  parley send coder "please rebase"
  parley send coder,reviewer --urgent "stop, the build is red"
  git diff | parley send reviewer - --wait
  parley send coder "is it done?" --reply-by 30m
  parley send @backend "the schema changes at noon"
  parley send ALL "lunch"
  parley send coder "how far are you?" --at 18:00
  parley send coder "look at the new issues" --every "weekdays 9:00" --start`,
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		err := usage(cobra.MinimumNArgs(2))(cmd, args)
		if wrong, ok := errors.AsType[usageError](err); ok && len(args) == 1 && isFed(c.program.in) {
			wrong.next += fmt.Sprintf(" To send what standard input has, put a - for the text: parley send %s -",
				sh.Word(args[0]))
			return wrong
		}
		return err
	}

	sending{op: "send_message", to: "to", more: addReplyBy(cmd), flags: []string{"type", "priority", "urgent",
		"in_reply_to=reply-to", "context_reference=context", "data", "idempotency_key=key", "requires_response"},
	}.complete(cmd, c)
	cmd.ValidArgsFunction = completer{c}.completeRecipients

	return cmd
}

// addReplyBy adds --reply-by, and returns what adds the deadline if it is given.
func addReplyBy(cmd *cobra.Command) func(url.Values) {
	by := cmd.Flags().Duration("reply-by", 0, "require a response within this time, such as 30m")
	return func(values url.Values) {
		if cmd.Flag("reply-by").Changed {
			values.Set("response_deadline", time.Now().Add(*by).Format(time.RFC3339Nano))
		}
	}
}

// sending is what commands NAME TEXT… do that send the text.
type sending struct {
	op    string
	to    string // the parameter that takes NAME
	flags []string
	more  func(url.Values) // adds parameters; may be nil
}

// complete adds the flags to a command, and lets it send.
func (s sending) complete(cmd *cobra.Command, c *cli) {
	read := addFlags(cmd, s.op, s.flags)
	wait := addWait(cmd)
	planned := func(url.Values) bool { return false }
	if s.op == "send_message" {
		planned = addPlan(cmd, c)
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		values := read()
		text, err := c.program.readText(args[1:])
		if err != nil {
			return err
		}

		values.Set(s.to, args[0])
		values.Set("text", text)
		if s.more != nil {
			s.more(values)
		}
		if planned(values) {
			return printPlanned(cmd.Context(), c, values)
		}

		res, err := call[parley.SendMessageResult](cmd.Context(), c, s.op, values)
		if err != nil {
			return err
		}

		r := receipts{c}
		err = r.printSent(cmd.Context(), args[0], res, wait())
		if res.Success {
			r.printReply(res.Reply)
		}

		return err
	}
	cmd.ValidArgsFunction = firstAgents(1).by(completer{c})
}

type broadcastCommand struct{}

func (broadcastCommand) declare(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "broadcast TEXT…",
		Short: "Send a message to all agents, a list, or a group",
		Example: `  parley broadcast "build is red"
  parley broadcast --group backend "the schema changes at noon"
  parley broadcast "what are you at?" --reply-by 10m
  parley broadcast "half an hour to the release" --at 17:30`,
	}

	read := addFlags(
		cmd, "broadcast_message", []string{"recipients=to", "group", "urgent", "priority", "idempotency_key=key"},
	)

	deadline := addReplyBy(cmd)
	wait := addWait(cmd)
	planned := addPlan(cmd, c)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		values := read()
		text, err := c.program.readText(args)
		if err != nil {
			return err
		}

		values.Set("text", text)
		if planned(values) {
			broadcastCommand{}.address(values)
			return printPlanned(cmd.Context(), c, values)
		}
		if cmd.Flag("reply-by").Changed {
			deadline(values)
			return broadcastCommand{}.ask(cmd.Context(), receipts{c}, values, wait())
		}
		res, err := call[parley.BroadcastMessageResult](cmd.Context(), c, "broadcast_message", values)
		if err != nil {
			return err
		}

		return receipts{c}.print(
			cmd.Context(), res, "Message broadcast to "+count(len(res.Deliveries), "agent"),
			sent{res.MessageID, &res.Deliveries, &res.DeliveryStatus}, wait(),
		)
	}

	cmd.MarkFlagsMutuallyExclusive("to", "group")
	_ = cmd.RegisterFlagCompletionFunc("to", completer{c}.completeAgents)
	_ = cmd.RegisterFlagCompletionFunc("group", completer{c}.offerGroups())

	return cmd
}

// address addresses a message as a broadcast: to all, a list or a group.
func (broadcastCommand) address(values url.Values) {
	to := values["recipients"]
	if group := values.Get("group"); group != "" {
		to = append(to, "@"+group)
	}
	if to == nil {
		to = []string{parley.Everyone}
	}
	values["to"] = to
	values.Del("recipients")
	values.Del("group")
}

// ask sends a message that requires an answer.
func (b broadcastCommand) ask(ctx context.Context, r receipts, values url.Values, wait time.Duration) error {
	b.address(values)
	res, err := call[parley.SendMessageResult](ctx, r.cli, "send_message", values)
	if err != nil {
		return err
	}
	return r.printSent(ctx, strings.Join(values["to"], ","), res, wait)
}

type messageCommand struct{}

func (m messageCommand) declare(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "message ID",
		Short: "Show a message's deliveries, with times and evidence",
		Example: `  parley message 5f0c21aa
  parley message 5f0c21aa --wait=60`,
	}

	wait := addWait(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return m.run(cmd.Context(), receipts{c}, args, wait()) }
	cmd.ValidArgsFunction = completer{c}.completeMessage

	return cmd
}

func (messageCommand) run(ctx context.Context, r receipts, args []string, wait time.Duration) error {
	res, err := call[parley.MessageStatusResult](ctx, r.cli, "get_message_status", url.Values{"message_id": args})
	if err != nil {
		return err
	}

	waitErr := r.await(ctx, sent{res.Object.ID, &res.Deliveries, &res.DeliveryStatus}, wait)
	if r.cli.out.json {
		if err := r.cli.out.printJSON(res); err != nil {
			return err
		}
		return silently(waitErr)
	}

	m := res.Object
	r.cli.out.printf("%s  %s  %s\n%s\n", r.cli.out.paint(bold, parley.Short(m.ID)),
		m.Timestamp.Local().Format("2006-01-02 15:04:05"), m.Sender, m.Text)

	r.printLadders(res.Deliveries)
	r.printResponses(res.Responses)

	return waitErr
}

var whoisCommand = operation[parley.WhoisResult]{
	op:       "whois",
	use:      "whois ID",
	short:    "Show who sent a message",
	example:  `  parley whois 5f0c21aa`,
	complete: completer.completeMessage,
	print:    func(o *output, res *parley.WhoisResult) error { return o.printLine(res.Message) },
}

type inboxCommand struct{}

func (inboxCommand) declare(c *cli) *cobra.Command {
	return operation[parley.CheckInboxResult]{
		op:    "check_inbox",
		use:   "inbox",
		short: "List messages for you, without marking them read",
		example: `  parley inbox
  parley inbox --from coder --include-read
  parley inbox --wait-seconds 60`,
		flags: []string{"limit", "filter_by_sender=from", "include_read", "wait_seconds"},
		fill: func([]string, url.Values) error {
			c.out.goesOn = "What comes stays in your inbox: parley inbox."
			return nil
		},
		print: func(o *output, res *parley.CheckInboxResult) error {
			if len(res.Messages) == 0 {
				return o.printLine("No messages.")
			}

			messagePrinter{o}.inbox(res.Messages)
			if more := res.UnreadCount - len(res.Messages); more > 0 {
				o.printf("… and %d more unread; --limit shows up to 50.\n", more)
			}

			return nil
		},
	}.declare(c)
}

var readCommand = operation[parley.GetMessagesResult]{
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
			messagePrinter{o}.received(&m, "01-02 15:04:05", m.Content.Text)
		}

		return nil
	},
}

var historyCommand = operation[parley.HistoryResult]{
	op:       "get_conversation_history",
	use:      "history NAME",
	short:    "Show the messages between you and an agent",
	example:  "  parley history coder --limit 20",
	complete: firstAgents(1),
	flags:    []string{"limit", "before"},
	print: func(o *output, res *parley.HistoryResult) error {
		if len(res.Messages) == 0 {
			return o.printLine("No messages yet.")
		}

		if res.HasMore {
			o.printf("… %d in total; --before %s shows earlier ones.\n", res.TotalMessages,
				parley.Short(res.Messages[0].MessageID))
		}

		messagePrinter{o}.inbox(res.Messages)

		return nil
	},
}
