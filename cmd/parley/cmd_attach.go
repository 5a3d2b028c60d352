package main

import (
	"context"
	"fmt"
	"net/url"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"parley"
	"parley/client"
	"parley/internal/daemon"
	"parley/tmux"

	"github.com/spf13/cobra"
)

func attachCommand(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "attach NAME",
		Short:   "Attach to an agent's terminal; " + tmux.ReturnKey + " returns",
		Example: "  parley attach coder",
		Args:    usage(cobra.ExactArgs(1)),
	}

	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if c.host != "" && !c.json {
			return attachFromAfar(cmd.Context(), c, args[0])
		}
		res, err := invoke[parley.AttachInfoResult](cmd.Context(), c, "get_attach_info", url.Values{"agent": args})
		if err != nil {
			return err
		}
		if c.json {
			return c.printJSON(res)
		}

		if !isTerminal(c.in) || !isTerminal(c.out) {
			return parley.Errorf(parley.InvalidArgument, "attach needs a terminal").
				Suggest("Print its screen with parley screen %s, or run in a terminal: %s",
					res.Name, parley.ShellLine(res.Command))
		}

		attach, err := tmuxClient(&c.surroundings, attachArgs(&c.surroundings, res))
		if err != nil {
			return err
		}
		if !res.Adopted {
			key := tmux.ReturnKey
			if res.Host == "" {
				key = returnKey(cmd.Context(), &c.surroundings, res.Socket)
			}
			fmt.Fprintf(c.err, "%s brings you back.\n", key)
		}

		return syscall.Exec(attach.Path, attach.Args, attach.Env)
	}

	return c.withAgents(cmd, 1)
}

// attachArgs returns the command that shows an agent's terminal, by ssh if it is on another machine. Inside the tmux
// server of the agent, the client switches to it: a session cannot be shown inside itself.
func attachArgs(s *surroundings, res *parley.AttachInfoResult) []string {
	if res.Host != "" {
		return res.Command
	}
	if around := s.tmuxAround(); res.Adopted && around != "" && daemon.RealPath(around) == daemon.RealPath(res.Socket) {
		return []string{res.Command[0], "-S", res.Socket, "switch-client", "-t", res.Pane}
	}
	argv := withUTF8(s.env, res.Command)
	if res.Adopted {
		return argv
	}
	return withColours(s.env, argv)
}

// tmuxClient returns a tmux client for this terminal. With TMUX in its environment, tmux
// refuses sessions that would mirror themselves endlessly. For another server that cannot
// happen, but tmux may refuse even so: it mistakes this terminal for its own if a pane
// whose program has ended had the same number. So TMUX is removed then.
func tmuxClient(s *surroundings, argv []string) (*exec.Cmd, error) {
	path, err := exec.LookPath(argv[0])
	if err != nil {
		return nil, parley.Errorf(parley.TmuxUnavailable, "%s was not found: %w", argv[0], err).
			Suggest("Install it: agents run in tmux 3.3 or later, and other machines are reached by ssh.")
	}

	cmd := exec.Command(path, argv[1:]...)
	cmd.Env = s.env
	if i := slices.Index(argv, "-S"); i >= 0 && daemon.RealPath(argv[i+1]) != daemon.RealPath(s.tmuxAround()) {
		cmd.Env = slices.DeleteFunc(
			slices.Clone(s.env), func(entry string) bool { return strings.HasPrefix(entry, "TMUX=") },
		)
	}

	return cmd, nil
}

// attachInWindow shows a terminal in a new window of the user's own tmux: a client cannot
// move from one server to another, but it can run inside one. The window closes when the
// client leaves.
func attachInWindow(ctx context.Context, c *cli, service *client.Client, name string) (*exec.Cmd, error) {
	attach, err := attachClient(ctx, c, service, name)
	if err != nil || slices.Contains(attach.Args, "switch-client") {
		return attach, err
	}
	argv := append([]string{"new-window", "-n", name, "--", "env", "-u", "TMUX", attach.Path}, attach.Args[1:]...)
	cmd := exec.Command("tmux", argv...)
	cmd.Env = c.env
	return cmd, nil
}

// attachWithin is longer than the daemon waits for tmux, so that the daemon's error
// arrives.
const attachWithin = 15 * time.Second

func attachClient(ctx context.Context, c *cli, service *client.Client, name string) (*exec.Cmd, error) {
	if c.host != "" {
		return thereOnTerminal(ctx, c, "attach", name)
	}
	ctx, cancel := context.WithTimeout(ctx, attachWithin)
	defer cancel()
	res, err := service.GetAttachInfo(ctx, parley.AttachInfoRequest{Agent: name})
	if err != nil {
		return nil, err
	}
	return tmuxClient(&c.surroundings, attachArgs(&c.surroundings, res))
}
