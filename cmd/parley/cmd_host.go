package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"

	"parley"
	"parley/client"
	"parley/internal/daemon"
	"parley/internal/remote"
	"parley/tmux"

	"github.com/spf13/cobra"
)

// hostOf returns the machine of --host.
func hostOf(c *cli) (remote.Host, error) {
	h, err := remote.Parse(c.host)
	if err != nil {
		return h, err
	}
	if c.workspace != "" {
		h.Workspace = c.workspace
	}

	h.Env = c.env
	if dir := c.env.Get("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		h.Control = filepath.Join(dir, "parley-ssh-%C")
	}

	return h, nil
}

// notFromAfar refuses a command that works on this machine alone.
func notFromAfar(host string) error {
	h, err := remote.Parse(host)
	if err != nil {
		return err
	}
	return parley.Errorf(parley.InvalidArgument, "this command works only on the machine of the daemon").
		With("host", host).
		Suggest("Run it there: ssh -t %s, in the directory of the workspace", h.Address)
}

// serviceOf returns a client of the daemon on another machine. It connects at once: ssh may have to
// ask for a passphrase, and what is wrong is said before a screen opens.
func serviceOf(ctx context.Context, c *cli) (*client.Client, error) {
	h, err := hostOf(c)
	if err != nil {
		return nil, err
	}
	return connect(ctx, c, h)
}

func connect(ctx context.Context, c *cli, h remote.Host) (*client.Client, error) {
	kept, err := remote.Keys(daemon.HostsFile(c.env)).Of(h.String())
	if err != nil {
		return nil, err
	}
	key := cmp.Or(c.env.Get("PARLEY_KEY"), kept, c.env.Get(daemon.OperatorKey))

	first, err := h.Dial(ctx)
	if err != nil {
		return nil, err
	}
	if first.Version != buildVersion() {
		fmt.Fprintf(c.err, "%s parley on %s is version %s, here it is %s\n",
			c.paintFor(c.err, yellow, "parley:"), h.Address, parley.CleanLine(first.Version), buildVersion())
	}

	var made atomic.Pointer[remote.Link]
	made.Store(first)
	dial := func(ctx context.Context) (net.Conn, error) {
		if l := made.Swap(nil); l != nil {
			return l, nil
		}
		return h.Dial(ctx)
	}

	return client.New(client.Options{Dial: dial, Where: h.String(), Key: key, Retry: reconnect}), nil
}

// aboutHost says how the daemon of another machine comes to know the caller.
func aboutHost(c *cli, err error) error {
	if c.host == "" || parley.ErrorCode(err) != parley.Unauthenticated {
		return err
	}
	return parley.Errorf(parley.Unauthenticated, "%s does not know you: there is no key of it here, or it has ended", c.host).
		Suggest("Make one, in a terminal: parley host add %s", shellWord(c.host))
}

// thereOnTerminal returns a run of parley on the other machine that has this terminal.
func thereOnTerminal(c *cli, args ...string) (*exec.Cmd, error) {
	h, err := hostOf(c)
	if err != nil {
		return nil, err
	}
	cmd := h.Command(true, args...)
	return cmd, cmd.Err
}

func attachFromAfar(c *cli, name string) error {
	if !isTerminal(c.in) || !isTerminal(c.out) {
		return parley.Errorf(parley.InvalidArgument, "attach needs a terminal").
			Suggest("Print its screen with parley --host %s screen %s", shellWord(c.host), shellWord(name))
	}
	there, err := thereOnTerminal(c, "attach", name)
	if err != nil {
		return err
	}
	return syscall.Exec(there.Path, there.Args, there.Env)
}

// screenPlace returns the place that the screen shows; none if it is on another machine.
func screenPlace(c *cli) (daemon.Place, error) {
	if c.host != "" {
		return daemon.Place{}, nil
	}
	return c.place()
}

// screenTitle names the workspace at the top of the screen.
func screenTitle(c *cli, at daemon.Place) string {
	h, err := hostOf(c)
	if c.host == "" || err != nil {
		return at.Root
	}
	_, machine, _ := strings.Cut("@"+path.Base(h.Address), "@")
	return path.Base(h.Workspace) + " on " + machine
}

// screenReturnKey returns the key that leads back from an attached terminal.
func screenReturnKey(ctx context.Context, c *cli, at daemon.Place) string {
	if c.host != "" {
		return tmux.ReturnKey
	}
	return returnKey(ctx, c, at.TmuxSocket(c.env))
}

// linkCommand is the other end of --host: it passes bytes between ssh and the daemon.
func linkCommand(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:    "link",
		Hidden: true,
		Args:   usage(cobra.NoArgs),
	}

	passive := cmd.Flags().Bool("passive", false, "start no daemon")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c.json = true // so that the error reaches the other machine
		look := c.inUse
		if *passive {
			look = func(ctx context.Context) error { return daemonRuns(ctx, c) }
		}
		if err := look(cmd.Context()); err != nil {
			return err
		}
		return link(cmd.Context(), c)
	}

	return cmd
}

func link(ctx context.Context, c *cli) error {
	at, err := c.place()
	if err != nil {
		return err
	}
	info, err := c.ensureDaemon(ctx, at)
	if err != nil {
		return err
	}

	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: info.Socket, Net: "unix"})
	if err != nil {
		return fmt.Errorf("connect to the daemon: %w", err)
	}
	defer conn.Close()
	return remote.Serve(c.in, c.out, conn, buildVersion())
}

func hostCommand(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "host",
		Short: "Manage the keys of workspaces on other machines",
		Long: `With --host, most commands and the screen work on the daemon of another machine, over your own ssh.
There you need a key, since parley cannot see your terminal: add makes one over there, and keeps it here.`,
		Example: `  parley host add box:src/api
  parley --host box:src/api
  parley --host box:src/api send coder "please rebase"`,
		Args: noSuchCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(addHostCommand(c), listHostsCommand(c), removeHostCommand(c))
	return cmd
}

func addHostCommand(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:     "add BOX:DIR",
		Short:   "Make a key in a workspace of another machine, and keep it here",
		Example: `  parley host add box:src/api`,
		Args:    usage(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			c.host = args[0]
			h, err := hostOf(c)
			if err != nil {
				return err
			}
			if !isTerminal(c.in) {
				return parley.Errorf(parley.InvalidArgument, "host add needs a terminal: parley on %s knows you by yours", h.Address).
					Suggest("Run it in a terminal, or set PARLEY_KEY to what this prints there: parley key issue operator")
			}

			key, err := issueThere(c, h)
			if err != nil {
				return err
			}
			if err := remote.Keys(daemon.HostsFile(c.env)).Set(h.String(), key); err != nil {
				return err
			}
			if c.json {
				return c.printJSON(parley.OK)
			}

			return c.printLine("Added. Open its screen with: parley --host " + shellWord(h.String()))
		},
	}
}

// issueThere makes a key of the operator's on the other machine.
func issueThere(c *cli, h remote.Host) (string, error) {
	there := h.Command(true, "key", "issue", "operator", "--json")
	var out bytes.Buffer
	there.Stdin, there.Stdout, there.Stderr = c.in, &out, c.err
	failure := there.Run()

	// Its terminal may show more than the answer.
	for line := range strings.Lines(out.String()) {
		var made parley.IssueKeyResult
		if text := []byte(strings.TrimSpace(line)); json.Unmarshal(text, &made) == nil && made.APIKey != "" {
			return made.APIKey, nil
		} else if e := new(parley.Error); json.Unmarshal(text, e) == nil && e.Code != "" {
			return "", e
		}
	}

	_, _ = io.Copy(c.err, &out)
	if failure == nil {
		failure = fmt.Errorf("it printed no key")
	}
	return "", parley.Errorf(parley.DaemonUnavailable, "no key was made on %s: %w", h.Address, failure).
		Suggest("Look at what happens with: ssh -t %s", h.Address)
}

func listHostsCommand(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the workspaces on other machines that you have a key of",
		Example: `  parley host list`,
		Args:    usage(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			hosts, err := remote.Keys(daemon.HostsFile(c.env)).Hosts()
			if err != nil {
				return err
			}
			if c.json {
				return c.printJSON(struct {
					parley.Answer
					Hosts []string `json:"hosts"`
				}{parley.OK, append([]string{}, hosts...)})
			}
			if len(hosts) == 0 {
				return c.printLine("There is none. Add one with: parley host add BOX:DIR")
			}

			for _, h := range hosts {
				c.printf("%s\n", h)
			}
			return nil
		},
	}
}

func removeHostCommand(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:     "remove BOX:DIR",
		Short:   "Forget the key of a workspace on another machine",
		Example: `  parley host remove box:src/api`,
		Args:    usage(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			keys := remote.Keys(daemon.HostsFile(c.env))
			key, err := keys.Of(args[0])
			if err != nil {
				return err
			}
			if key == "" {
				return parley.Errorf(parley.InvalidArgument, "there is no key of %s", parley.CleanLine(args[0])).
					Suggest("parley host list shows the names.")
			}

			if err := keys.Set(args[0], ""); err != nil {
				return err
			}
			if c.json {
				return c.printJSON(parley.OK)
			}
			return c.printLine("Forgotten here. Over there it still counts: parley key list operator, parley key revoke --key ID")
		},
	}
}
