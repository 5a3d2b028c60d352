package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"parley"
	"parley/internal/daemon"
	"parley/internal/remote"

	"github.com/spf13/cobra"
)

func hostCommand(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "host",
		Short: "Manage the team's machines, and keys of workspaces elsewhere",
		Long: `With --host, most commands and the screen work on the daemon of another machine, over your own ssh.
There you need a key, since parley cannot see your terminal: add makes one over there, and keeps it here.
Machines that share one workspace, whose database is on a server, are its hosts: list shows them too, and remove NAME
takes one out that is gone for good.`,
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
				const words = "host add needs a terminal: parley on %s knows you by yours"
				return parley.Errorf(parley.InvalidArgument, words, h.Address).
					Suggest("Run it in a terminal, or set PARLEY_KEY to what this prints there: parley key issue operator")
			}

			key, err := issueThere(cmd.Context(), c, h)
			if err != nil {
				return err
			}
			if err := remote.Keys(daemon.HostsFile(c.env)).Set(h.String(), key); err != nil {
				return err
			}
			if c.json {
				return c.printJSON(parley.OK)
			}

			return c.printLine("Added. Open its screen with: parley --host " + parley.ShellWord(h.String()))
		},
	}
}

// issueThere makes a key of the operator's on the other machine.
func issueThere(ctx context.Context, c *cli, h remote.Host) (string, error) {
	there := h.Command(ctx, true, "key", "issue", "operator", "--json")
	var out bytes.Buffer
	there.Stdin, there.Stdout, there.Stderr = c.in, &out, c.err
	failure := there.Run()

	// Its terminal may show more than the answer.
	for line := range strings.Lines(out.String()) {
		text := []byte(strings.TrimSpace(line))
		if made := new(parley.IssueKeyResult); json.Unmarshal(text, made) == nil && made.APIKey != "" {
			return made.APIKey, nil
		}
		if e := new(parley.Error); json.Unmarshal(text, e) == nil && e.Code != "" {
			return "", e
		}
	}

	_, _ = io.Copy(c.err, &out)
	if failure == nil {
		failure = errors.New("it printed no key")
	}
	return "", parley.Errorf(parley.DaemonUnavailable, "no key was made on %s: %w", h.Address, failure).
		Suggest("Look at what happens with: ssh -t %s", parley.ShellWord(h.Address))
}

func listHostsCommand(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the team's machines, and workspaces you have a key of",
		Example: `  parley host list`,
		Args:    usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			shared, err := teamHosts(cmd.Context(), c)
			if err != nil {
				return err
			}
			hosts, err := remote.Keys(daemon.HostsFile(c.env)).Hosts()
			if err != nil {
				return err
			}
			if c.json {
				return c.printJSON(struct {
					parley.Answer
					Hosts []string      `json:"hosts"`
					Team  []parley.Host `json:"team,omitempty"`
				}{parley.OK, append([]string{}, hosts...), shared})
			}

			printTeamHosts(&c.output, shared)
			if len(hosts) == 0 && len(shared) > 0 {
				return nil
			}
			if len(hosts) == 0 {
				return c.printLine("There are no other machines. Add one: parley host add BOX:DIR")
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
		Use:   "remove NAME|BOX:DIR",
		Short: "Remove a machine from the team, or forget a workspace's key",
		Example: `  parley host remove laptop
  parley host remove box:src/api`,
		Args: usage(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			keys := remote.Keys(daemon.HostsFile(c.env))
			key, err := keys.Of(args[0])
			if err != nil {
				return err
			}
			if key == "" && c.sharesDatabase() {
				return removeTeamHost(cmd.Context(), c, args[0])
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
			return c.printLine("Forgotten here. Over there it counts until you end it: " +
				"parley key list operator, parley key revoke --key ID")
		},
	}
}
