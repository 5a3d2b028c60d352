package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"parley"
	"parley/client"
	"parley/internal/daemon"

	"github.com/spf13/cobra"
)

// doorbellWait is how many seconds one call waits for a message.
const doorbellWait = 60

// joinCommand stays in the foreground, because that needs nothing of the terminal: what
// it prints stays on the screen, in a pipe it is a program's mailbox, and its end is a
// true sign that nobody reads any more. A line in tmux's status bar would be gone in a
// second, for whoever looked elsewhere.
func (c *cli) joinCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "join [NAME]",
		Short: "Join the team from this terminal: messages for you are printed here",
		Long: `Makes a mailbox agent that lives as long as this command: it prints each message for it
as it comes, and marks it read. Ctrl-C leaves the team. With --json each message is a line
for a program. For a terminal in which an agent runs, there is parley adopt.`,
		Example: `  parley join sam
  parley join ci --json | ./on-message`,
		Args: usage(cobra.MaximumNArgs(1)),
	}

	read := addFlags(
		cmd,
		"register_agent",
		[]string{"agent_description=description", "role", "capabilities=capability", "groups=group"},
	)

	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		// A terminal that is closed leaves as Ctrl-C does.
		ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGHUP)
		defer stop()

		me, err := c.enter(ctx, args, read())
		if err != nil {
			return err
		}

		err = c.doorbell(ctx, me)
		if ctx.Err() != nil {
			return c.goOut(me)
		}

		return errors.Join(err, c.goOut(me))
	}

	cmd.ValidArgsFunction = cobra.NoFileCompletions

	return cmd
}

// enter registers the mailbox under the name given or else under the user's own, with
// a number if that is taken.
func (c *cli) enter(ctx context.Context, args []string, values url.Values) (*parley.RegisterAgentResult, error) {
	name := "guest"
	if user := c.env.Get("USER"); parley.CheckName(user) == nil {
		name = user
	}
	if len(args) > 0 {
		name = args[0]
	}

	for base, n := name, 2; ; n++ {
		values.Set("username", name)
		me, err := invoke[parley.RegisterAgentResult](ctx, c, "register_agent", values)
		if err == nil {
			return me, c.welcome(me)
		}
		if len(args) > 0 || n > 99 || parley.ErrorCode(err) != parley.AgentExists {
			return nil, err
		}

		name = base + "-" + strconv.Itoa(n)
	}
}

func (c *cli) welcome(me *parley.RegisterAgentResult) error {
	if c.json {
		return c.printJSON(me)
	}
	fmt.Fprintf(
		c.err,
		"You are %s (agent %s) until Ctrl-C; messages for you come here.\nTo write as %s, elsewhere: PARLEY_KEY=%s parley send NAME TEXT\n",
		me.Username,
		parley.Short(me.AgentID),
		me.Username,
		me.APIKey,
	)
	return nil
}

// doorbell prints what comes until ctx ends. A message is marked read when it has been
// printed, so one that a crash interrupts is there the next time.
func (c *cli) doorbell(ctx context.Context, me *parley.RegisterAgentResult) error {
	at, err := c.place()
	if err != nil {
		return err
	}

	info, err := c.ensureDaemon(ctx, at)
	if err != nil {
		return err
	}

	service := client.New(client.Options{Socket: info.Socket, Key: me.APIKey, Retry: bridgeReconnect})
	defer service.Close()

	for {
		page, err := service.CheckInbox(ctx, parley.CheckInboxRequest{Limit: 50, WaitSeconds: doorbellWait})
		if err != nil {
			return err
		}

		for _, m := range page.Messages {
			if err := c.ring(ctx, service, me, m.MessageID); err != nil {
				return err
			}
		}
	}
}

// ring prints one message as a terminal agent would get it, and marks it read.
func (c *cli) ring(ctx context.Context, service *client.Client, me *parley.RegisterAgentResult, id string) error {
	res, err := service.GetMessageStatus(ctx, parley.MessageStatusRequest{MessageID: id})
	if err != nil {
		return err
	}

	m := res.Object
	if c.json {
		err = c.printJSON(m)
	} else {
		head := fmt.Sprintf("[AGENT %s TO AGENT %s]:", parley.Short(m.SenderID), parley.Short(me.AgentID))
		switch m.Kind {
		case parley.KindBroadcast:
			head = fmt.Sprintf("[AGENT %s BROADCAST]:", parley.Short(m.SenderID))
		case parley.KindThread:
			head = fmt.Sprintf(`[AGENT %s IN THREAD %s "%s"]:`, parley.Short(m.SenderID), parley.Short(m.ThreadID), parley.ShownTitle(m.ThreadTitle))
		case parley.KindNotice:
			head = "[PARLEY]:"
		}

		foot := m.Sender + " · msg " + parley.Short(m.ID)
		if m.Priority != parley.PriorityNormal {
			foot += " · " + string(m.Priority)
		}

		err = c.printLine(c.paint(bold, head) + " " + m.Text + " " + c.paint(faint, "("+foot+")"))
	}

	if err != nil {
		return err
	}

	_, err = service.MarkMessageRead(ctx, parley.MarkMessageReadRequest{MessageIDs: []string{id}})

	return err
}

// goOut ends the mailbox, so that nobody waits for an answer from it.
func (c *cli) goOut(me *parley.RegisterAgentResult) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()

	at, err := c.place()
	if err != nil {
		return err
	}

	info := daemon.Running(ctx, at)
	if info == nil {
		return nil // the team has ended first
	}

	service := c.clientOf(info)
	defer service.Close()

	_, err = service.StopAgent(ctx, parley.StopAgentRequest{Agent: me.AgentID, Reason: "parley join ended"})
	if parley.ErrorCode(err) == parley.NotAuthorized {
		return nil // an agent made it, and only the operator ends one
	}

	return err
}
