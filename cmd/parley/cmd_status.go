package main

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"parley"
	"parley/internal/daemon"
	"parley/tmux"
)

// statusCommand shows how the daemon is.
type statusCommand struct {
	line       string // which line to print for the status bar of tmux
	everywhere bool
}

func (s *statusCommand) declare(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show the daemon's state and where its files are",
		Example: `  parley status
  parley status --tmux
  parley status --everywhere`,
		Args: usage(cobra.NoArgs),
	}

	cmd.Flags().StringVar(&s.line, "tmux", "", "print one line for the status bar of tmux: with words, or --tmux=short")
	cmd.Flag("tmux").NoOptDefVal = lineWords
	cmd.Flags().BoolVar(&s.everywhere, "everywhere", false, "a line for each of your workspaces")
	cmd.MarkFlagsMutuallyExclusive("tmux", "everywhere")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		switch {
		case s.everywhere:
			return survey{c.out}.print(cmd.Context())
		case cmd.Flag("tmux").Changed:
			return s.printLine(cmd.Context(), c)
		}
		return s.run(cmd.Context(), c)
	}

	return cmd
}

func (s *statusCommand) run(ctx context.Context, c *cli) error {
	if err := c.at.daemonRuns(ctx); err != nil {
		return err
	}
	res, err := invoke[parley.WorkspaceStatusResult](ctx, c, "get_workspace_status", nil)
	if err != nil {
		return err
	}
	if c.out.json {
		return c.out.printJSON(res)
	}

	if c.at.host == "" && res.TmuxSocket != "" && !tmux.HasSocket(res.TmuxSocket) {
		res.TmuxSocket += ", which is gone"
	}
	s.print(c.out, res, s.comesBack(c, res))

	return nil
}

// daemonRuns refuses to look where no daemon runs: to look would start one. Of another machine its own
// parley says so.
func (s *surroundings) daemonRuns(ctx context.Context) error {
	if s.host != "" {
		return nil
	}
	at, err := s.place()
	if err != nil || daemon.Running(ctx, at) != nil {
		return err
	}
	e := parley.Errorf(parley.DaemonUnavailable, "no daemon runs in %s", at.Root)
	if _, err := os.Stat(at.Log()); err != nil {
		return e.Suggest("parley launch, parley up or parley serve starts it.")
	}
	return e.With("log", at.Log()).
		Suggest("parley launch, parley up or parley serve starts it; the last one's log is %s.", at.Log())
}

// comesBack says how the agents come back after a reboot, "" where there are none, or a service brings them.
func (*statusCommand) comesBack(c *cli, res *parley.WorkspaceStatusResult) string {
	at, err := c.at.place()
	if err != nil || c.at.host != "" || len(res.Agents) == 0 {
		return ""
	}
	if _, is := serviceOf(at, c.at.env); is.Installed {
		return ""
	}
	return byHand
}

func (*statusCommand) print(o *output, s *parley.WorkspaceStatusResult, comesBack string) {
	var t table
	for _, row := range [][2]string{
		{"workspace", s.Workspace},
		{"daemon", fmt.Sprintf("%s, pid %d, up %s", s.Version, s.PID, o.ago(s.StartedAt))},
		{"agents", counts(s.Agents, "none")},
		{"needs you", needsYou(s.Needs)},
		{"messages", paused(s.Paused)},
		{"deliveries", counts(s.Deliveries, "nothing waits")},
		{"events", strconv.FormatInt(s.LastEvent, 10)},
		{"socket", s.Socket},
		{"http", s.HTTP},
		{"tmux", strings.TrimSpace(s.TmuxVersion + "  " + s.TmuxSocket)},
		{"database", s.Database},
		{"log", s.Log},
		{"reboot", comesBack},
	} {
		if row[1] != "" {
			t.add(o.paint(faint, row[0]), row[1])
		}
	}

	for _, w := range s.Notices {
		if !w.Works {
			t.add(o.paint(yellow, "notices"), fmt.Sprintf("none goes by the %s: %s", w.Way, w.Problem))
		}
	}
	for _, w := range s.Warnings {
		t.add(o.paint(yellow, "warning"), w)
	}

	t.print(o)
}

// needsYou counts what needs the operator and names the command, "" if nothing does.
func needsYou(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "1 thing; parley needs shows it"
	}
	return fmt.Sprintf("%d things; parley needs shows them", n)
}

// paused tells that messages are paused and how to resume them, "" if they are not.
func paused(p *parley.Pause) string {
	if p == nil {
		return ""
	}
	return p.Words() + "; parley resume ends that"
}

type backupCommand struct{}

func (b backupCommand) declare(c *cli) *cobra.Command {
	return operation[parley.BackupResult]{
		op:      "backup",
		use:     "backup FILE",
		short:   "Back up the database while everything runs",
		example: "  parley backup monday.db",
		args:    cobra.ExactArgs(1),
		fill: func(args []string, to url.Values) error {
			path := args[0]
			switch {
			case filepath.IsAbs(path):
			case c.at.host != "":
				return parley.Errorf(parley.InvalidArgument,
					"the daemon on %s writes the copy there, and %q is a path from here",
					c.at.host, path).Suggest("Give an absolute path on that machine.")
			default:
				path = filepath.Join(c.at.dir, path)
			}

			to.Set("path", path)
			return nil
		},
		print: func(o *output, res *parley.BackupResult) error {
			where := ""
			if o.at.host != "" {
				where = " on " + o.at.host
			}
			return o.printLine(fmt.Sprintf("Copied to %s%s (%d bytes).", res.Path, where, res.Size))
		},
	}.declare(c)
}
