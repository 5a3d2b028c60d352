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

	"github.com/spf13/cobra"

	"parley"
	"parley/client"
	"parley/internal/daemon"
	"parley/plain"
)

// inboxWait is how many seconds one call waits for a message.
const inboxWait = 60

// joinCommand stays in the foreground, because that needs nothing from the terminal: what
// it prints stays on the screen, in a pipe it is a program's mailbox, and its end reliably
// tells that nobody reads any more messages. A line in tmux's status bar would be gone
// within a second.
type joinCommand struct{}

func (joinCommand) declare(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "join [NAME]",
		Short: "Join the team from this terminal, which prints your messages",
		Long: `Makes a mailbox agent that lives as long as this command: it prints each message for it
as it arrives and marks it read. Ctrl-C leaves the team. With --json each message is a
line for a program. For a terminal in which an agent runs, use parley adopt.`,
		Example: `  parley join sam
  parley join ci --json | ./on-message`,
		Args: usage(cobra.MaximumNArgs(1)),
	}

	flags := []string{"agent_description=description", "role", "capabilities=capability", "groups=group"}
	read := addFlags(cmd, "register_agent", flags)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		// A closed terminal leaves the team as Ctrl-C does.
		ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGHUP)
		defer stop()

		if _, err := c.place(); err != nil { // before it is an agent, which a failure would leave behind
			return err
		}

		g := &guest{cli: c}
		if err := g.register(ctx, args, read()); err != nil {
			return err
		}

		err := g.printMessages(ctx)
		if ctx.Err() != nil {
			return g.leave()
		}

		return errors.Join(err, g.leave())
	}

	cmd.ValidArgsFunction = cobra.NoFileCompletions

	return cmd
}

// guest is the mailbox agent of parley join.
type guest struct {
	*cli
	agent *parley.RegisterAgentResult
}

// register makes the agent under the name given, or else under the user's own, with a
// number if that is taken.
func (g *guest) register(ctx context.Context, args []string, values url.Values) error {
	name := "guest"
	if user := g.env.Get("USER"); parley.CheckName(user) == nil {
		name = user
	}
	if len(args) > 0 {
		name = args[0]
	}

	for base, n := name, 2; ; n++ {
		values.Set("username", name)
		agent, err := invoke[parley.RegisterAgentResult](ctx, g.cli, "register_agent", values)
		if err == nil {
			g.agent = agent
			return g.welcome()
		}
		if len(args) > 0 || n > 99 || parley.ErrorCode(err) != parley.AgentExists {
			return err
		}

		name = base + "-" + strconv.Itoa(n)
	}
}

func (g *guest) welcome() error {
	if g.json {
		return g.printJSON(g.agent)
	}

	name := g.agent.Username
	fmt.Fprintf(g.err, "You are %s (agent %s) until Ctrl-C; messages for you are printed here.\n",
		name, parley.Short(g.agent.AgentID))
	fmt.Fprintf(g.err, "To write as %s from elsewhere: PARLEY_KEY=%s parley send NAME TEXT\n", name, g.agent.APIKey)

	return nil
}

// printMessages prints messages until ctx ends. Each is marked read once it is printed,
// so a message that a crash interrupts is printed the next time.
func (g *guest) printMessages(ctx context.Context) error {
	at, err := g.place()
	if err != nil {
		return err
	}

	info, err := g.ensureDaemon(ctx, at)
	if err != nil {
		return err
	}

	service := client.New(client.Options{Socket: info.Socket, Check: info.Check, Key: g.agent.APIKey,
		Retry: bridgeReconnect})
	defer service.Close()

	for {
		page, err := service.CheckInbox(ctx, parley.CheckInboxRequest{Limit: 50, WaitSeconds: inboxWait})
		if err != nil {
			return err
		}

		for _, m := range page.Messages {
			if err := g.printMessage(ctx, service, m.MessageID); err != nil {
				return err
			}
		}
	}
}

// printMessage prints one message as a terminal agent would get it, and marks it read.
func (g *guest) printMessage(ctx context.Context, service *client.Client, id string) error {
	res, err := service.GetMessageStatus(ctx, parley.MessageStatusRequest{MessageID: id})
	if err != nil {
		return err
	}

	m := res.Object
	if g.json {
		err = g.printJSON(m)
	} else {
		header, footer := g.paint(bold, m.Header(g.agent.AgentID)), g.paint(faint, m.Footer(false, ""))
		err = g.printLine(header + " " + plain.QuoteForms(m.Text) + " " + footer)
	}
	if err != nil {
		return err
	}

	_, err = service.MarkMessageRead(ctx, parley.MarkMessageReadRequest{MessageIDs: []string{id}})

	return err
}

// leave ends the mailbox, so that nobody waits for an answer from it.
func (g *guest) leave() error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()

	at, err := g.place()
	if err != nil {
		return err
	}

	info := daemon.Running(ctx, at)
	if info == nil {
		return nil // the team has ended first
	}

	service := g.clientOf(info)
	defer service.Close()

	_, err = service.StopAgent(ctx, parley.StopAgentRequest{Agent: g.agent.AgentID, Reason: "parley join ended"})
	if parley.ErrorCode(err) == parley.NotAuthorized {
		return nil // an agent made it, and only the operator ends one
	}

	return err
}
