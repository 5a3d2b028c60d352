package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"parley"
	"parley/client"
)

// sharesDatabase reports whether the workspace has its database on a server, where others may use it.
func (c *cli) sharesDatabase() bool {
	at, err := c.place()
	if err != nil || c.host != "" {
		return c.host != ""
	}
	_, err = os.Stat(at.DatabaseNote())
	return err == nil
}

// teamHosts returns the machines that share the workspace's database; none if it is a file.
func teamHosts(ctx context.Context, c *cli) ([]parley.Host, error) {
	if !c.sharesDatabase() {
		return nil, nil
	}
	service, err := c.service(ctx)
	if err != nil {
		return nil, err
	}
	defer service.Close()

	res, err := service.ListHosts(ctx, parley.ListHostsRequest{})
	if err != nil {
		return nil, err
	}
	return res.Hosts, nil
}

// printTeamHosts prints a line for each machine of the team.
func printTeamHosts(o *output, hosts []parley.Host) {
	var t table
	for _, h := range hosts {
		state := o.paint(green, "at work")
		switch {
		case h.Away && h.AwaySince != nil:
			state = o.paint(yellow, "away for "+o.ago(*h.AwaySince))
		case h.Away:
			state = o.paint(yellow, "away")
		case h.Here:
			state = o.paint(green, "here")
		}
		t.add(h.Name, state, strings.Join(h.Agents, ", "))
	}
	t.print(o)
}

// removeTeamHost removes a machine from the team.
func removeTeamHost(ctx context.Context, c *cli, name string) error {
	service, err := c.service(ctx)
	if err != nil {
		return err
	}
	defer service.Close()

	res, err := service.RemoveHost(ctx, parley.RemoveHostRequest{Name: name})
	if err != nil {
		return err
	}
	if c.json {
		return c.printJSON(res)
	}

	words := res.Message
	if n := len(res.Terminated); n > 0 {
		words += fmt.Sprintf(" Stopped: %s.", strings.Join(res.Terminated, ", "))
	}
	if res.Failed > 0 {
		words += fmt.Sprintf(" Failed: %s.", count(res.Failed, "message"))
	}
	return c.printLine(words)
}

// completeHosts returns the names of the team's machines, as a running daemon knows them.
func completeHosts(ctx context.Context, c *cli) (names []string) {
	if !c.sharesDatabase() {
		return nil
	}
	completer{c}.ask(ctx, func(ctx context.Context, service *client.Client) {
		res, err := service.ListHosts(ctx, parley.ListHostsRequest{})
		if err != nil {
			return
		}
		for _, h := range res.Hosts {
			names = append(names, h.Name)
		}
	})
	return names
}
