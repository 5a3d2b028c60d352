package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"parley"
	"parley/internal/place"
	"parley/internal/remote"
	"parley/internal/sh"
	"parley/plain"
)

var hostCommand = family{
	use:   "host",
	short: "Manage the team's machines, and keys of workspaces elsewhere",
	long: `With --host, most commands and the screen work on the daemon of another machine, over your own ssh.
You are known there as the user that ssh makes you. Where that is not enough, add makes a key over there, and
keeps it here.
Machines that share one workspace, whose database is on a server, are its hosts: list shows them too, and remove NAME
takes one out that is gone for good.`,
	example: `  parley host add box:src/api
  parley --host box:src/api
  parley --host box:src/api send coder "please rebase"`,
	members: commands{addHostCommand{}, listHostsCommand{}, removeHostCommand{}},
}

type addHostCommand struct{}

func (a addHostCommand) declare(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:     "add BOX:DIR",
		Short:   "Make a key in a workspace of another machine, and keep it here",
		Example: `  parley host add box:src/api`,
		RunE:    func(cmd *cobra.Command, args []string) error { return a.run(cmd.Context(), &c.program, args[0]) },
	}
}

func (a addHostCommand) run(ctx context.Context, p *program, host string) error {
	p.out.at.host = host
	h, err := p.out.at.hostOf()
	if err != nil {
		return err
	}
	if !isTerminal(p.in) {
		const words = "host add needs a terminal: parley on %s gives a key only at one"
		return parley.Errorf(parley.InvalidArgument, words, h.Address).
			Suggest("Run it in a terminal, or set PARLEY_KEY to what this prints there: parley key issue operator")
	}

	key, err := a.issueThere(ctx, p, h)
	if err != nil {
		return err
	}
	if err := remote.Keys(place.HostsFile(p.out.at.env)).Set(h.String(), key); err != nil {
		return err
	}
	if p.out.json {
		return p.out.printJSON(parley.OK)
	}

	return p.out.printLine("Added. Open its screen with: parley --host " + sh.Word(h.String()))
}

// issueThere makes a key of the operator's on the other machine.
func (addHostCommand) issueThere(ctx context.Context, p *program, h remote.Host) (string, error) {
	there := h.Command(ctx, true, "key", "issue", "operator", "--json")
	var out bytes.Buffer
	there.Stdin, there.Stdout, there.Stderr = p.in, &out, p.out.err
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

	_, _ = io.Copy(p.out.err, &out)
	if failure == nil {
		failure = errors.New("it printed no key")
	}
	return "", parley.Errorf(parley.DaemonUnavailable, "no key was made on %s: %w", h.Address, failure).
		Suggest("Look at what happens with: ssh -t %s", sh.Word(h.Address))
}

type listHostsCommand struct{}

func (l listHostsCommand) declare(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the team's machines, and workspaces you have a key of",
		Example: `  parley host list`,
		RunE:    func(cmd *cobra.Command, _ []string) error { return l.run(cmd.Context(), teamHosts{c}) },
	}
}

func (listHostsCommand) run(ctx context.Context, team teamHosts) error {
	shared, err := team.list(ctx)
	if err != nil {
		return err
	}
	hosts, err := remote.Keys(place.HostsFile(team.cli.at.env)).Hosts()
	if err != nil {
		return err
	}
	if team.cli.out.json {
		return team.cli.out.printJSON(struct {
			parley.Answer
			Hosts []string      `json:"hosts"`
			Team  []parley.Host `json:"team,omitempty"`
		}{parley.OK, append([]string{}, hosts...), shared})
	}

	team.print(shared)
	if len(hosts) == 0 && len(shared) > 0 {
		return nil
	}
	if len(hosts) == 0 {
		return team.cli.out.printLine("There are no other machines. Add one: parley host add BOX:DIR")
	}

	for _, h := range hosts {
		team.cli.out.printf("%s\n", h)
	}
	return nil
}

type removeHostCommand struct{}

func (r removeHostCommand) declare(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "remove NAME|BOX:DIR",
		Short: "Remove a machine from the team, or forget a workspace's key",
		Example: `  parley host remove laptop
  parley host remove box:src/api`,
		RunE: func(cmd *cobra.Command, args []string) error { return r.run(cmd.Context(), teamHosts{c}, args[0]) },
	}
}

func (removeHostCommand) run(ctx context.Context, team teamHosts, name string) error {
	keys := remote.Keys(place.HostsFile(team.cli.at.env))
	key, err := keys.Of(name)
	if err != nil {
		return err
	}
	if key == "" && team.cli.at.sharesDatabase() {
		return team.remove(ctx, name)
	}
	if key == "" {
		return parley.Errorf(parley.InvalidArgument, "there is no key of %s", plain.CleanLine(name)).
			Suggest("parley host list shows the names.")
	}

	if err := keys.Set(name, ""); err != nil {
		return err
	}
	if team.cli.out.json {
		return team.cli.out.printJSON(parley.OK)
	}
	return team.cli.out.printLine("Forgotten here. Over there it counts until you end it: " +
		"parley key list operator, parley key revoke --key ID")
}
