package main

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"

	"parley"

	"github.com/spf13/cobra"
)

func conversationCommand(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "conversation",
		Short: "Inspect, hold and release conversations",
		Long: `A conversation is a thread, named by its id, or the messages between two agents, named by
both. parley holds messages that would keep agents talking forever; see
docs/conversations.md.`,
		Example: `  parley conversation show coder reviewer
  parley conversation release 1a2b3c4d
  parley conversation mute coder reviewer`,
		Args: noSuchCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}

	cmd.AddCommand(
		conversationShowCommand(c),
		conversationControlCommand(c,
			parley.ActionRelease,
			"release THREAD|MESSAGE|NAME NAME",
			"Release held messages, with new budgets",
		),
		conversationControlCommand(c,
			parley.ActionCool,
			"cool THREAD|NAME NAME",
			"Hold messages for ten minutes, or until a person writes",
		),
		conversationControlCommand(c,
			parley.ActionMute,
			"mute THREAD|NAME NAME",
			"Hold messages of agents until unmute",
		),
		conversationControlCommand(c, parley.ActionUnmute, "unmute THREAD|NAME NAME", "End a mute"),
		conversationSetCommand(c),
	)

	return cmd
}

// idForm matches the id of a thread or a message, as opposed to a name.
var idForm = regexp.MustCompile(`^[0-9a-fA-F]{8}[0-9a-fA-F-]*$`)

// conversationOf fills in the thread or the agents that the arguments name.
func conversationOf(args []string, to url.Values) error {
	if len(args) == 1 && idForm.MatchString(args[0]) {
		to.Set("thread_id", args[0])
		return nil
	}
	to.Set("with", strings.Join(args, ","))
	return nil
}

func conversationShowCommand(c *cli) *cobra.Command {
	cmd := command(c, operation[parley.ConversationStateResult]{
		op:    "get_conversation_state",
		use:   "show THREAD|NAME [NAME]",
		short: "Show a conversation's state, temperature and held messages",
		example: `  parley conversation show coder reviewer
  parley conversation show 1a2b3c4d --json`,
		args:  cobra.RangeArgs(1, 2),
		fill:  conversationOf,
		print: printConversation,
	})
	cmd.ValidArgsFunction = completer{c}.completeAgents
	return cmd
}

func conversationControlCommand(c *cli, action parley.ConversationAction, use, short string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   use,
		Short: short,
		Args:  usage(cobra.RangeArgs(1, 2)),
		Example: fmt.Sprintf(
			"  parley conversation %s coder reviewer\n  parley conversation %s 1a2b3c4d", action, action,
		),
		ValidArgsFunction: completer{c}.completeAgents,
	}

	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		values := url.Values{"action": {string(action)}}
		if err := conversationOf(args, values); err != nil {
			return err
		}

		res, err := invoke[parley.ControlConversationResult](cmd.Context(), c, "control_conversation", values)
		if parley.ErrorCode(err) == parley.ThreadNotFound && action == parley.ActionRelease {
			values.Del("thread_id")
			values.Set("message_id", args[0])
			res, err = invoke[parley.ControlConversationResult](cmd.Context(), c, "control_conversation", values)
		}

		if err != nil {
			return err
		}

		return printControlled(&c.output, res)
	}

	return cmd
}

func conversationSetCommand(c *cli) *cobra.Command {
	return command(c, operation[parley.ControlConversationResult]{
		op:    "control_conversation",
		use:   "set THREAD",
		short: "Set a thread's budgets, or switch the protocol off in it",
		example: `  parley conversation set 1a2b3c4d --chain-hops 60
  parley conversation set 1a2b3c4d --off
  parley conversation set 1a2b3c4d --off=false`,
		args:  cobra.ExactArgs(1),
		flags: []string{"off", "chain_hops", "pair_minute", "pair_ten_minutes", "cycle_rounds"},
		fill: func(args []string, to url.Values) error {
			to.Set("action", string(parley.ActionSet))
			to.Set("thread_id", args[0])
			return nil
		},
		print: printControlled,
	})
}

func printControlled(o *output, res *parley.ControlConversationResult) error {
	if o.json {
		return o.printJSON(res)
	}
	line := res.Message
	if n := len(res.Released); n > 0 {
		line += " Released: " + count(n, "message") + "."
	}
	if res.Held > 0 {
		line += fmt.Sprintf(" Still held: %d.", res.Held)
	}
	return o.printLine(line)
}

// gaugeWidth is the width of a temperature, in characters.
const gaugeWidth = 20

func gauge(temperature float64) string {
	n := int(temperature*gaugeWidth + 0.5)
	return strings.Repeat("█", n) + strings.Repeat("░", gaugeWidth-n)
}

func printConversation(o *output, res *parley.ConversationStateResult) error {
	title := strings.Join(res.Conversation.Participants, ", ")
	if res.Conversation.ThreadID != "" {
		title = fmt.Sprintf("%s %s (%s)", parley.Short(res.Conversation.ThreadID), res.Conversation.Title, title)
	}

	o.printf("%s\n", o.paint(bold, title))
	o.printf("%-10s %s %.2f\n", res.State, gauge(res.Temperature), res.Temperature)
	o.printf("messages   %d in the last minute, %d in the last five, %d of them questions\n", res.Counts.LastMinute,
		res.Counts.FiveMinutes, res.Counts.Questions)

	if res.LastMessageAt != nil {
		o.printf("last       %s, %s\n", res.LastSpeaker, res.LastMessageAt.Local().Format(time.TimeOnly))
	}

	switch {
	case res.Conversation.Settings.Off:
		o.printf("budgets    off\n")
	case res.Conversation.Muted:
		o.printf("muted      until parley conversation unmute\n")
	case res.Conversation.CooledUntil != nil:
		o.printf("cooled     until %s\n", res.Conversation.CooledUntil.Local().Format(time.TimeOnly))
	}

	for _, d := range res.Decisions {
		printDecision(o, d)
	}

	if len(res.Held) > 0 {
		act := parley.ActionRelease
		if res.Conversation.Muted {
			act = parley.ActionUnmute
		}
		o.printf("\nHeld: %d. parley conversation %s lets them go on.\n", len(res.Held), act)
	}

	for _, h := range res.Held {
		o.printf("  %s  %s → %s  “%s”\n", o.paint(faint, parley.Short(h.MessageID)), h.Sender, h.Recipient, h.Preview)
		o.printf("            %s\n", h.Text)
	}

	return nil
}

// printDecision shows whether a participant should answer, and why.
func printDecision(o *output, d parley.ConversationDecision) {
	does := "stays silent"
	if d.ShouldRespond {
		does = "may answer"
	}

	line := fmt.Sprintf("%s %s: %s (%.2f)", d.Agent, does, d.Reason, d.Confidence)
	if f := d.Factors; f != nil {
		line += fmt.Sprintf(
			", turn %.2f, relevance %.2f, share %.2f", f.MyTurnProbability, f.RelevanceScore, f.RecentParticipation,
		)
	}

	o.printf("  %s\n", line)
}
