package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley"
	"parley/internal/sh"
	"parley/internal/wait"
)

const (
	// waitLook is the pause between two looks of a command that waits for an agent.
	waitLook = 300 * time.Millisecond
	// restsFor is how long an agent must be idle to count as that: between a prompt and the work on it, a program is
	// idle for some hundred milliseconds.
	restsFor = time.Second
)

// watcher waits for an agent, and shows on standard error what it asks meanwhile.
type watcher struct {
	c     *cli
	asked bool // what it asks now was shown
}

type waitCommand struct{}

func (waitCommand) declare(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "wait NAME…",
		Short: "Wait until agents are idle, have answered, or have ended",
		Long: `Waits until each agent is idle and no message waits for it. With --answered it waits until the agent
owes no answer, with --exited until its program has ended. What an agent asks meanwhile is shown.
The exit status is 1 if the time is over before, or the program ends that was to be idle or to answer.`,
		Example: `  parley wait coder && make test
  parley wait coder reviewer --idle --timeout 10m
  parley wait coder --answered
  parley wait builder --exited --timeout 1h`,
	}

	f := cmd.Flags()
	f.Bool("idle", true, "until it is idle, as without a flag")
	answered := f.Bool("answered", false, "until it owes no answer")
	exited := f.Bool("exited", false, "until its program has ended")
	timeout := timeoutFlag(cmd)
	cmd.MarkFlagsMutuallyExclusive("idle", "answered", "exited")
	cmd.ValidArgsFunction = firstAgents(-1).by(completer{c})
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		ctx, stop := bounded(cmd.Context(), *timeout)
		defer stop()
		return c.out.forEach(names, func(name string) error {
			what, done := "idle", restsOf(c)
			switch {
			case *answered:
				what, done = "done with its answers", func(a *parley.AgentStatus) bool { return a.Owed == 0 }
			case *exited:
				what, done = "at its end", func(a *parley.AgentStatus) bool { return !a.State.Live() }
			}
			return (&watcher{c: c}).wait(ctx, name, what, done)
		})
	}

	return cmd
}

func timeoutFlag(cmd *cobra.Command) *time.Duration {
	return cmd.Flags().Duration("timeout", 0, "wait at most so long, such as 10m (default: as long as it takes)")
}

// bounded bounds a context; 0 is no bound.
func bounded(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if d <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, d)
}

// restsOf returns what reports whether one agent has been idle, without a message to come, since some looks.
func restsOf(c *cli) func(*parley.AgentStatus) bool {
	var since time.Time
	return func(a *parley.AgentStatus) bool {
		if a.State != parley.StateIdle || a.Queued > 0 {
			since = time.Time{}
			return false
		}
		if since.IsZero() {
			since = c.out.now()
		}
		return c.out.now().Sub(since) >= restsFor
	}
}

// wait waits until an agent is as it is to be, and prints how it is.
func (w *watcher) wait(ctx context.Context, name, what string, done func(*parley.AgentStatus) bool) error {
	var seen *parley.AgentStatusResult
	err := wait.Until(ctx, waitLook, func() (is bool, err error) {
		if seen, err = call[parley.AgentStatusResult](ctx, w.c, "get_agent_status",
			url.Values{"agent": {name}}); err != nil {
			return false, err
		}
		if is = done(&seen.Agents[0]); !is {
			err = w.goesOn(ctx, &seen.Agents[0])
		}
		return is, err
	})
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return parley.Errorf(parley.AgentUnavailable, "%s is not %s", name, what).
			Suggest("Wait longer with --timeout, or see what it does: parley screen %s", name)
	case err != nil:
		return err
	case w.c.out.json:
		return w.c.out.printJSON(seen)
	}
	a := &seen.Agents[0]
	return w.c.out.printLine(fmt.Sprintf("%s is %s.", w.c.out.paint(bold, a.Name), w.c.out.paint(agentStyle(a.State),
		string(a.State))))
}

// goesOn shows what an agent asks, once. It fails if the agent has ended.
func (w *watcher) goesOn(ctx context.Context, a *parley.AgentStatus) error {
	if !a.State.Live() && a.Kind == parley.KindTerminal {
		return parley.Errorf(parley.AgentUnavailable, "%s is %s", a.Name, a.State).
			Suggest("parley restart %s starts it again.", a.Name)
	}
	asks := a.State == parley.StateWaiting
	if asks && !w.asked && !w.c.out.json {
		if err := (launches{w.c.aside()}).printAsked(ctx, []string{a.ID}); err != nil {
			return err
		}
	}
	w.asked = asks
	return nil
}

type askCommand struct{}

func (askCommand) declare(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "ask NAME TEXT…",
		Short: "Send a message, wait for its answer, and print that",
		Long: `Sends a message that requires an answer, waits for it, and prints it; nothing else goes to standard
output. The answer is then read in your inbox. What the agent asks meanwhile, and why it cannot take the
message, is shown. The exit status is 1 without a complete answer; a later one comes to your inbox.`,
		Example: `  parley ask coder "Which tests fail?"
  git diff | parley ask reviewer - --timeout 10m
  parley ask coder "Is it done? Answer yes or no." --json`,
	}

	read := addFlags(cmd, "send_message", []string{"urgent", "priority", "context_reference=context",
		"idempotency_key=key"})
	timeout := timeoutFlag(cmd)
	cmd.ValidArgsFunction = firstAgents(1).by(completer{c})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if strings.ContainsAny(args[0], ",@") || strings.EqualFold(args[0], parley.Everyone) {
			return wrongUse("parley ask asks one agent", fmt.Sprintf(
				"To ask several: parley send %s TEXT --reply-by 10m; the answers come to your inbox.",
				sh.Word(args[0])))
		}
		text, err := c.program.readText(args[1:])
		if err != nil {
			return err
		}
		values := read()
		values.Set("to", args[0])
		values.Set("text", text)
		values.Set("type", string(parley.TypeRequest))
		values.Set("requires_response", "true")
		if *timeout > 0 {
			values.Set("response_deadline", c.out.now().Add(*timeout).Format(time.RFC3339Nano))
		}
		res, err := call[parley.SendMessageResult](cmd.Context(), c, "send_message", values)
		if err != nil {
			return err
		}
		ctx, stop := bounded(cmd.Context(), *timeout)
		defer stop()
		return (&watcher{c: c}).ask(ctx, args[0], res)
	}

	return cmd
}

// ask waits for the answer to a message, and prints it.
func (w *watcher) ask(ctx context.Context, to string, res *parley.SendMessageResult) error {
	c := w.c
	switch {
	case !res.Success:
		return receipts{c}.undeliverable(ctx, to, res)
	case res.Reply != nil && c.out.json:
		return c.out.printJSON(res)
	case res.Reply != nil:
		return c.out.printLine(res.Reply.Text)
	}
	c.out.goesOn = "Its answer comes to your inbox: parley inbox."
	if !c.out.json {
		_ = receipts{c.aside()}.printHeld(ctx, sent{res.MessageID, &res.Deliveries, &res.DeliveryStatus})
	}
	debt, err := w.answer(ctx, res)
	if errors.Is(err, context.DeadlineExceeded) {
		return parley.Errorf(parley.AgentUnavailable, "%s has not answered", to).
			Suggest("%s To wait on: parley wait %s --answered", c.out.goesOn, to)
	}
	if err != nil {
		return err
	}
	return w.printAnswer(ctx, debt)
}

// answer waits until a message is answered.
func (w *watcher) answer(ctx context.Context, res *parley.SendMessageResult) (debt *parley.Debt, err error) {
	err = wait.Until(ctx, waitLook, func() (bool, error) {
		status, err := call[parley.MessageStatusResult](
			ctx, w.c, "get_message_status", url.Values{"message_id": {res.MessageID}})
		if err != nil {
			return false, err
		}
		if d := &status.Deliveries[0]; d.State.Settled() && !d.State.Delivered() {
			return false, receipts{w.c}.unproven(ctx, sent{res.MessageID, &status.Deliveries, &status.DeliveryStatus})
		}
		if len(status.Responses) == 0 {
			return false, parley.Errorf(parley.ResponseNotRequired, "the message requires no answer").
				Suggest("Ask again, without the key of another message.")
		}
		if debt = &status.Responses[0]; !debt.State.Owed() {
			return true, nil
		}
		agents, err := call[parley.AgentStatusResult](
			ctx, w.c, "get_agent_status", url.Values{"agent": {debt.DebtorID}})
		if err != nil {
			return false, err
		}
		return false, w.goesOn(ctx, &agents.Agents[0])
	})
	return debt, err
}

// printAnswer prints an answer, and then marks it read: what could not be printed stays unread.
func (w *watcher) printAnswer(ctx context.Context, debt *parley.Debt) error {
	id := url.Values{"message_id": {debt.AnsweredBy}}
	answer, err := call[parley.MessageStatusResult](ctx, w.c, "get_message_status", id)
	if err != nil {
		return err
	}
	if w.c.out.json {
		err = w.c.out.printJSON(answer)
	} else {
		err = w.c.out.printLine(answer.Object.Text)
	}
	if err != nil {
		return err
	}
	read := url.Values{"message_ids": {debt.AnsweredBy}}
	_, err = call[parley.MarkMessageReadResult](ctx, w.c, "mark_message_read", read)
	if err != nil || debt.State == parley.ResponseCompleted {
		return err
	}
	return parley.Errorf(parley.AgentUnavailable, "%s says that its answer is: %s", debt.Debtor, debt.State).
		Suggest("See the answer with: parley message %s", parley.Short(debt.AnsweredBy))
}
