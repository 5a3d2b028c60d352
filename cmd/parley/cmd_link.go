package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley"
	"parley/internal/export"
	"parley/internal/remote"
	"parley/op"
	"parley/plain"
	"parley/tui"
)

// linkCommand is the other end of --host: it passes bytes between ssh and the daemon.
type linkCommand struct {
	passive bool // it starts no daemon
}

func (l *linkCommand) declare(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:    "link",
		Hidden: true,
	}

	cmd.Flags().BoolVar(&l.passive, "passive", false, "start no daemon")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c.out.json = true // so that the error reaches the other machine
		look := c.inUse
		if l.passive {
			look = c.at.daemonRuns
		}
		if err := look(cmd.Context()); err != nil {
			return err
		}
		return l.run(cmd.Context(), c)
	}

	return cmd
}

func (*linkCommand) run(ctx context.Context, c *cli) error {
	at, err := c.at.place()
	if err != nil {
		return err
	}
	info, err := c.program.ensureDaemon(ctx, at)
	if err != nil {
		return err
	}

	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: info.Socket, Net: "unix"})
	if err != nil {
		return fmt.Errorf("connect to the daemon: %w", err)
	}
	defer conn.Close()
	return remote.Serve(c.program.in, c.out.out, conn, buildVersion())
}

// screenLink tells what the screen shows first, as given on the command line.
type screenLink struct {
	screen, agent, message, thread string

	plain bool   // words alone
	tip   string // which key to press
}

func (l *screenLink) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&l.screen, "screen", "", "begin with this screen: "+strings.Join(tui.Screens, ", "))
	f.StringVar(&l.agent, "agent", "", "begin with this agent and its terminal")
	f.StringVar(&l.message, "message", "", "begin with this message")
	f.StringVar(&l.thread, "thread", "", "begin with this thread")
	f.BoolVar(&l.plain, "plain", false, "words alone, line by line, as for a screen reader")
	cmd.MarkFlagsMutuallyExclusive("screen", "agent", "message", "thread")
}

// check refuses an unknown screen.
func (l screenLink) check() error {
	if l.screen != "" && !slices.Contains(tui.Screens, l.screen) {
		return parley.Errorf(parley.InvalidArgument, "there is no screen %q", plain.CleanLine(l.screen)).
			Suggest("Give one of %s.", strings.Join(tui.Screens, ", "))
	}
	return nil
}

// target finds the agent, message or thread. A wrong name is refused in the shell,
// before the screen opens.
func (l screenLink) target(ctx context.Context, s parley.Service) (to tui.Target, err error) {
	to.Screen = l.screen
	switch cmp.Or(l.agent, l.message, l.thread) {
	case "":
	case l.agent:
		res, err := op.GetAgentStatus.Call(ctx, s, parley.AgentStatusRequest{Agent: l.agent})
		if err != nil {
			return to, err
		}
		if len(res.Agents) == 1 {
			to.Agent = res.Agents[0].ID
		}
	case l.message:
		res, err := op.GetMessageStatus.Call(ctx, s, parley.MessageStatusRequest{MessageID: l.message})
		if err != nil {
			return to, err
		}
		to.Message = res.Object.ID
	default:
		res, err := op.GetThreadDetails.Call(ctx, s, parley.ThreadDetailsRequest{ThreadID: l.thread})
		if err != nil {
			return to, err
		}
		to.Thread = &res.Object
	}

	return to, nil
}

// export writes messages to a new file, the oldest first.
func (c screens) export(ctx context.Context, s parley.Service, what tui.Exported, path string) (int, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(c.cli.at.dir, path)
	}
	if _, err := os.Lstat(path); err == nil { // the screen has no --force
		return 0, parley.Errorf(parley.InvalidArgument, "%s exists already", path).Suggest("Use another name.")
	}
	if what.Find == nil && what.IDs == nil {
		all := parley.ExportMessagesRequest{Limit: exportPage}
		return exporting(c).writeFile(ctx, all, formatOf(path, false), path, false)
	}

	ids, title := what.IDs, "Selected messages"
	if what.Find != nil {
		found, err := foundIDs(ctx, s, *what.Find)
		if err != nil {
			return 0, err
		}
		slices.Reverse(found)
		ids, title = found, "Messages that match a filter"
	}

	return writeNewFile(path, false, func(to io.Writer) (int, error) {
		head := export.Head{Title: title, Total: len(ids), At: c.cli.out.now(), Zone: time.Local}
		w, err := export.New(to, formatOf(path, false), head)
		if err != nil {
			return 0, err
		}
		for _, id := range ids {
			res, err := op.GetMessageStatus.Call(ctx, s, parley.MessageStatusRequest{MessageID: id})
			if err != nil {
				return 0, err
			}
			if err := w.Message(&parley.ExportedMessage{Message: *res.Object, Deliveries: res.Deliveries}); err != nil {
				return 0, err
			}
		}
		return len(ids), w.Close()
	})
}

// foundIDs returns the ids of all messages that find finds, the newest first.
func foundIDs(ctx context.Context, s parley.Service, find parley.FindMessagesRequest) ([]string, error) {
	var ids []string
	for find.Limit = 100; ; {
		res, err := op.FindMessages.Call(ctx, s, find)
		if err != nil {
			return nil, err
		}
		for _, m := range res.Messages {
			ids = append(ids, m.MessageID)
		}

		switch {
		case res.Truncated && res.SearchedSince != nil:
			find.Before, find.Until = "", res.SearchedSince
		case res.HasMore && len(res.Messages) > 0:
			find.Before = ids[len(ids)-1]
		default:
			return ids, nil
		}
	}
}
