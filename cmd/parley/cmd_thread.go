package main

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"parley"
	"parley/client"
	"parley/op"
)

var threadCommand = family{
	use:   "thread",
	short: "Manage threads",
	long: `A thread is a conversation of several agents under a title. Its participants get every
post. Anyone may join, and can read earlier posts. You, the operator, can read and post in
every thread without joining.`,
	example: `  parley thread create "the parser" coder reviewer --message "who takes it?"
  parley thread post 1a2b3c4d "coder, please"
  parley thread show 1a2b3c4d`,
	members: commands{
		threadCreateCommand, threadListCommand, threadShowCommand{}, threadPostCommand{},
		threadJoinCommand, threadAddCommand, threadRemoveCommand,
	},
}

var threadCreateCommand = operation[parley.CreateThreadResult]{
	op:    "create_thread",
	use:   "create TITLE [NAME…]",
	short: "Create a thread",
	example: `  parley thread create "the parser"
  parley thread create "the parser" coder reviewer
  parley thread create "the parser" coder --message "who takes it?"`,
	complete: func(
		c completer, cmd *cobra.Command, args []string, begun string,
	) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return c.completeAgents(cmd, args, begun)
	},
	flags: []string{"initial_message=message", "idempotency_key=key"},
	fill: func(args []string, to url.Values) error {
		to.Set("title", args[0])
		to["participants"] = args[1:]
		return nil
	},
	print: func(o *output, res *parley.CreateThreadResult) error {
		threadPrinter{o}.head(res.Thread)
		return o.printLine("parley thread post " + parley.Short(res.Thread.ID) + " TEXT posts to it.")
	},
}

var threadListCommand = operation[parley.ListThreadsResult]{
	op:    "list_threads",
	use:   "list",
	short: "List threads, the last active first",
	example: `  parley thread list
  parley thread list --mine`,
	complete: func(completer, *cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveNoFileComp
	},
	flags: []string{"mine", "limit"},
	print: func(o *output, res *parley.ListThreadsResult) error {
		if len(res.Threads) == 0 {
			return o.printLine("No threads.")
		}

		for _, th := range res.Threads {
			threadPrinter{o}.head(th)
		}

		if more := res.TotalCount - len(res.Threads); more > 0 {
			o.printf("… and %d more; --limit shows up to 100.\n", more)
		}

		return nil
	},
}

// threadPrinter prints threads for a person.
type threadPrinter struct{ out *output }

// head shows a thread: a line with id and title, and its participants below.
func (p threadPrinter) head(th parley.Thread) {
	id, active, title := parley.Short(th.ID), p.lastActive(th), th.Title
	if width := columnsOf(p.out.out); width > 0 {
		title = cutMiddle(title, max(leastInner, width-len(id)-len(active)-4))
	}
	p.out.printf("%s  %s  %s\n", p.out.paint(faint, id), p.out.paint(bold, title), p.out.paint(faint, active))
	who := strings.Join(th.ParticipantNames, ", ")
	if th.Status == parley.ConversationArchived {
		who += "  (archived: all its participants have ended)"
	}
	p.out.printf("%s\n", p.out.folded("  "+who, 2))
}

func (p threadPrinter) lastActive(th parley.Thread) string {
	if ago := p.out.ago(th.LastMessageAt); ago != "" {
		return ago + " ago"
	}
	return "now"
}

// threadView is a thread with its posts, as `thread show --json` prints it.
type threadView struct {
	*parley.ThreadDetailsResult
	Messages   []parley.ContractMessage `json:"messages"`
	TotalCount int                      `json:"total_count"`
}

type threadShowCommand struct{}

func (s threadShowCommand) declare(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show a thread's participants and posts; none counts as read",
		Example: `  parley thread show 1a2b3c4d
  parley thread show 1a2b3c4d --limit 100`,
	}

	read := addFlags(cmd, "get_messages", []string{"limit", "since"})
	cmd.Flag("limit").Usage = "how many posts at most, the newest (default 50)"
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return s.run(cmd.Context(), c, args, read()) }
	cmd.ValidArgsFunction = aThread(1).by(completer{c})

	return cmd
}

func (threadShowCommand) run(ctx context.Context, c *cli, args []string, values url.Values) error {
	details, err := call[parley.ThreadDetailsResult](ctx, c, "get_thread_details", url.Values{"thread_id": args})
	if err != nil {
		return err
	}

	values.Set("thread_id", details.Object.ID)
	values.Set("mark_read", "false")
	values.Set("sort_order", "newest_first")

	page, err := call[parley.GetMessagesResult](ctx, c, "get_messages", values)
	if parley.ErrorCode(err) == parley.NotAParticipant { // the caller may see the participants, but not the posts
		page, err = &parley.GetMessagesResult{Messages: []parley.ContractMessage{}}, nil
	}
	if err != nil {
		return err
	}
	if c.out.json {
		return c.out.printJSON(threadView{details, page.Messages, page.TotalCount})
	}

	return threadPrinter{c.out}.view(threadView{details, page.Messages, page.TotalCount})
}

func (p threadPrinter) view(v threadView) error {
	p.head(v.Object)
	p.out.printf("  %s\n", p.out.paint(faint,
		fmt.Sprintf("opened by %s at %s", v.Creator, v.Object.CreatedAt.Local().Format("2006-01-02 15:04"))))

	if more := v.TotalCount - len(v.Messages); more > 0 {
		p.out.printf("… and %d earlier; --limit shows up to 100.\n", more)
	}

	for i := len(v.Messages) - 1; i >= 0; i-- {
		m := v.Messages[i]
		messagePrinter(p).received(&m, "01-02 15:04:05", m.Content.Text)
	}

	return nil
}

type threadPostCommand struct{}

func (threadPostCommand) declare(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "post ID TEXT…",
		Short: "Post to a thread",
		Example: `  parley thread post 1a2b3c4d "coder, please"
  git diff | parley thread post 1a2b3c4d - --urgent --wait`,
	}
	sending{op: "send_message", to: "thread_id",
		flags: []string{"type", "priority", "urgent", "in_reply_to=reply-to", "idempotency_key=key"},
	}.complete(cmd, c)
	cmd.ValidArgsFunction = aThread(1).by(completer{c})
	return cmd
}

var threadJoinCommand = operation[parley.MembershipResult]{
	op:       "join_thread",
	use:      "join ID",
	short:    "Join a thread",
	example:  "  parley thread join 1a2b3c4d",
	complete: aThread(1),
}

var threadAddCommand = operation[parley.MembershipResult]{
	op:       "add_participant_to_thread",
	use:      "add ID NAME",
	short:    "Add an agent to a thread",
	example:  "  parley thread add 1a2b3c4d tester",
	complete: aThread(2),
}

var threadRemoveCommand = operation[parley.MembershipResult]{
	op:    "remove_participant_from_thread",
	use:   "remove ID NAME",
	short: "Remove an agent from a thread, or leave it yourself",
	example: `  parley thread remove 1a2b3c4d tester
  parley thread remove 1a2b3c4d operator`,
	complete: aThread(2),
}

// aThread completes a thread's id and then, up to n arguments, names of agents.
func aThread(n int) completion {
	return func(c completer, cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		switch {
		case len(args) == 0:
			return c.threadsNow(cmd.Context()), cobra.ShellCompDirectiveNoFileComp
		case len(args) < n:
			return c.completeAgents(cmd, args, begun)
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}

// threadsNow returns the threads that a running daemon knows.
func (c completer) threadsNow(ctx context.Context) (ids []string) {
	c.ask(ctx, func(ctx context.Context, service *client.Client) {
		res, err := op.ListThreads.Call(ctx, service, parley.ListThreadsRequest{Limit: 50})
		if err != nil {
			return
		}
		for _, th := range res.Threads {
			ids = append(ids, parley.Short(th.ID)+"\t"+th.Title)
		}
	})
	return ids
}
