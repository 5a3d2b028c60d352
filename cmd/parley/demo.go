package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"parley"
	"parley/internal/daemon"

	"github.com/spf13/cobra"
)

// demoWithin bounds the demo's conversation. It takes some seconds; the rest is
// for a machine that is busy.
const demoWithin = 90 * time.Second

// demoTeam is who talks in the demo, in the order of launch: the planner begins
// as soon as the other two are there.
var demoTeam = []string{"reviewer", "coder", "planner"}

// demoDeliveries is the script of the scripted agents: how many messages each
// types into whose terminal.
var demoDeliveries = map[string]int{
	"planner → coder": 2, "planner → reviewer": 2, // the plan, and that it is done
	"coder → planner": 2, "coder → reviewer": 1, "reviewer → coder": 1,
}

func (c *cli) demoCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "Watch three scripted agents talk; nothing is left behind",
		Long: `Launches three scripted agents in a temporary workspace and lets them talk over MCP.
On a terminal the screen shows it; else the traffic is printed, and the exit status
is 0 only if every delivery was proven. It needs no key and no network.`,
		Example: "  parley demo\n  parley demo | cat",
		Args:    usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGHUP)
			defer stop()

			d, dir, err := c.demoWorkspace()
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, d.endDemo(context.WithoutCancel(ctx), dir)) }()

			if err := d.launchDemo(ctx); err != nil {
				return err
			}
			if isTerminal(c.in) && isTerminal(c.out) && !c.json {
				return d.openScreen(ctx, screenLink{})
			}

			return d.printDemo(ctx)
		},
	}
}

// demoWorkspace makes a workspace of the demo's own, and a cli that keeps
// everything in it. It is under /tmp, because the paths of sockets are short.
func (c *cli) demoWorkspace() (*cli, string, error) {
	dir, err := os.MkdirTemp("/tmp", "parley-demo-")
	if err != nil {
		return nil, "", fmt.Errorf("make the demo's workspace: %w", err)
	}

	dir = daemon.RealPath(dir)
	d := *c
	d.workspace = filepath.Join(dir, "demo")
	own := map[string]string{"XDG_RUNTIME_DIR": "run", "XDG_STATE_HOME": "state", "TMUX_TMPDIR": "tmux"}
	d.env = slices.DeleteFunc(c.env.Scrubbed(), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return own[name] != "" || strings.HasPrefix(name, "PARLEY_")
	})

	err = os.Mkdir(d.workspace, 0o700)
	for name, sub := range own {
		d.env = append(d.env, name+"="+filepath.Join(dir, sub))
		err = errors.Join(err, os.Mkdir(filepath.Join(dir, sub), 0o700))
	}

	if err != nil {
		return nil, "", errors.Join(fmt.Errorf("make the demo's workspace: %w", err), os.RemoveAll(dir))
	}

	return &d, dir, nil
}

func (c *cli) launchDemo(ctx context.Context) error {
	for _, name := range demoTeam {
		_, err := c.launch(ctx, parley.LaunchAgentRequest{Name: name, Profile: "demo", Role: name,
			Command: []string{c.executable, "demo-agent", "--role", name}}, c.workspace, "")
		if err != nil {
			return err
		}
	}
	return nil
}

// printDemo prints the traffic until every delivery of the script is proven.
func (c *cli) printDemo(ctx context.Context) error {
	service, err := c.service(ctx)
	if err != nil {
		return err
	}
	defer service.Close()

	limited, cancel := context.WithTimeout(ctx, demoWithin)
	defer cancel()

	proven := map[string]map[string]bool{} // from → to: the messages
	for e, err := range service.Events(limited, 0) {
		if err != nil {
			return err
		}
		if err := c.printEvent(e); err != nil {
			return err
		}

		if e.Type == parley.EventDelivery && parley.DeliveryState(e.State).Delivered() {
			pair := e.Sender + " → " + e.Recipient
			if proven[pair] == nil {
				proven[pair] = map[string]bool{}
			}
			proven[pair][e.MessageID] = true
		}

		if missing(proven) == "" {
			return c.demoDone()
		}
	}

	if ctx.Err() != nil {
		return context.Cause(ctx)
	}

	return parley.Errorf(parley.Internal, "not proven within %s: %s", demoWithin, missing(proven)).
		Suggest("Run it again with parley demo | cat, and see which agent stopped answering.")
}

func (c *cli) demoDone() error {
	total := 0
	for _, n := range demoDeliveries {
		total += n
	}
	if c.json {
		return nil
	}
	return c.printLine(c.paint(green, fmt.Sprintf("All %d deliveries were proven.", total)))
}

// missing names the deliveries of the script that are not proven yet.
func missing(proven map[string]map[string]bool) string {
	var list []string
	for pair, n := range demoDeliveries {
		if left := n - len(proven[pair]); left > 0 {
			list = append(list, fmt.Sprintf("%d %s", left, pair))
		}
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// endDemo stops the agents and the daemon, waits until they are gone, and
// removes the workspace.
func (c *cli) endDemo(ctx context.Context, dir string) error {
	ctx, cancel := context.WithTimeout(ctx, daemon.EndWithin+daemon.StartWithin)
	defer cancel()

	if isTerminal(c.err) {
		fmt.Fprintln(c.err, "Ending the demo…")
	}

	at, err := c.place()
	if err != nil {
		return err
	}

	if daemon.Running(ctx, at) != nil || c.tmuxRuns(ctx, at) {
		if _, err = invoke[parley.ShutDownResult](ctx, c, "shut_down", url.Values{}); err == nil {
			err = daemon.AwaitGone(ctx, at)
		}
	}

	if err != nil {
		return fmt.Errorf("end the demo, which is left in %s: %w", dir, err)
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("remove the demo's workspace: %w", err)
	}

	return nil
}
