package main

import (
	"context"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley"
)

var conversationCommand = family{
	use:   "conversation",
	short: "Inspect, hold and release conversations",
	long: `A conversation is a thread, named by its id, or the messages between two agents, named by
both. parley holds messages that would keep agents talking forever; see
docs/conversations.md.`,
	example: `  parley conversation show coder reviewer
  parley conversation release 1a2b3c4d
  parley conversation mute coder reviewer`,
	members: commands{
		conversationShowCommand,
		conversationControlCommand{
			parley.ActionRelease, "release THREAD|MESSAGE|NAME NAME", "Release held messages, with new budgets",
		},
		conversationControlCommand{
			parley.ActionCool, "cool THREAD|NAME NAME", "Hold messages for ten minutes, or until a person writes",
		},
		conversationControlCommand{
			parley.ActionMute, "mute THREAD|NAME NAME", "Hold messages of agents until unmute",
		},
		conversationControlCommand{parley.ActionUnmute, "unmute THREAD|NAME NAME", "End a mute"},
		conversationSetCommand,
	},
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

var conversationShowCommand = operation[parley.ConversationStateResult]{
	op:    "get_conversation_state",
	use:   "show THREAD|NAME [NAME]",
	short: "Show a conversation's state, temperature and held messages",
	example: `  parley conversation show coder reviewer
  parley conversation show 1a2b3c4d --json`,
	complete: completer.completeAgents,
	fill:     conversationOf,
	print:    printConversation,
}

type conversationControlCommand struct {
	action     parley.ConversationAction
	use, short string
}

func (a conversationControlCommand) declare(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   a.use,
		Short: a.short,
		Args:  usage(cobra.RangeArgs(1, 2)),
		Example: fmt.Sprintf(
			"  parley conversation %s coder reviewer\n  parley conversation %s 1a2b3c4d", a.action, a.action,
		),
		ValidArgsFunction: completer{c}.completeAgents,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.run(cmd.Context(), c, args) },
	}
}

func (a conversationControlCommand) run(ctx context.Context, c *cli, args []string) error {
	values := url.Values{"action": {string(a.action)}}
	if err := conversationOf(args, values); err != nil {
		return err
	}

	res, err := call[parley.ControlConversationResult](ctx, c, "control_conversation", values)
	if parley.ErrorCode(err) == parley.ThreadNotFound && a.action == parley.ActionRelease {
		values.Del("thread_id")
		values.Set("message_id", args[0])
		res, err = call[parley.ControlConversationResult](ctx, c, "control_conversation", values)
	}
	if err != nil {
		return err
	}
	if c.out.json {
		return c.out.printJSON(res)
	}

	return c.out.printLine(controlledWords(res))
}

var conversationSetCommand = operation[parley.ControlConversationResult]{
	op:    "control_conversation",
	use:   "set THREAD",
	short: "Set a thread's budgets, or switch the protocol off in it",
	example: `  parley conversation set 1a2b3c4d --chain-hops 60
  parley conversation set 1a2b3c4d --off
  parley conversation set 1a2b3c4d --off=false`,
	flags: []string{"off", "chain_hops", "pair_minute", "pair_ten_minutes", "cycle_rounds"},
	fill: func(args []string, to url.Values) error {
		to.Set("action", string(parley.ActionSet))
		to.Set("thread_id", args[0])
		return nil
	},
	print: func(o *output, res *parley.ControlConversationResult) error {
		return o.printLine(controlledWords(res))
	},
}

// controlledWords says what became of a conversation.
func controlledWords(res *parley.ControlConversationResult) string {
	line := res.Message
	if n := len(res.Released); n > 0 {
		line += " Released: " + count(n, "message") + "."
	}
	if res.Held > 0 {
		line += fmt.Sprintf(" Still held: %d.", res.Held)
	}
	return line
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
		o.printf("  %s\n", decisionWords(d))
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

// decisionWords says whether a participant should answer, and why.
func decisionWords(d parley.ConversationDecision) string {
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

	return line
}
