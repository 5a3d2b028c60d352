package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"parley"
	"parley/client"
	"parley/op"
)

// sharesDatabase reports whether the workspace has its database on a server, where others may use it.
func (s *surroundings) sharesDatabase() bool {
	at, err := s.place()
	if err != nil || s.host != "" {
		return s.host != ""
	}
	_, err = os.Stat(at.DatabaseNote())
	return err == nil
}

// teamHosts are the machines that share the workspace's database.
type teamHosts struct{ *cli }

// list returns them; none if the database is a file.
func (c teamHosts) list(ctx context.Context) ([]parley.Host, error) {
	if !c.sharesDatabase() {
		return nil, nil
	}
	service, err := c.service(ctx)
	if err != nil {
		return nil, err
	}
	defer service.Close()

	res, err := op.ListHosts.Call(ctx, service, parley.ListHostsRequest{})
	if err != nil {
		return nil, err
	}
	return res.Hosts, nil
}

// print prints a line for each machine of the team.
func (c teamHosts) print(hosts []parley.Host) {
	var t table
	for _, h := range hosts {
		state := c.paint(green, "at work")
		switch {
		case h.Away && h.AwaySince != nil:
			state = c.paint(yellow, "away for "+c.ago(*h.AwaySince))
		case h.Away:
			state = c.paint(yellow, "away")
		case h.Here:
			state = c.paint(green, "here")
		}
		t.add(h.Name, state, strings.Join(h.Agents, ", "))
	}
	t.print(&c.output)
}

// remove takes a machine out of the team.
func (c teamHosts) remove(ctx context.Context, name string) error {
	service, err := c.service(ctx)
	if err != nil {
		return err
	}
	defer service.Close()

	res, err := op.RemoveHost.Call(ctx, service, parley.RemoveHostRequest{Name: name})
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

// hostsNow returns the names of the team's machines, as a running daemon knows them.
func (c completer) hostsNow(ctx context.Context) (names []string) {
	if !c.sharesDatabase() {
		return nil
	}
	c.ask(ctx, func(ctx context.Context, service *client.Client) {
		res, err := op.ListHosts.Call(ctx, service, parley.ListHostsRequest{})
		if err != nil {
			return
		}
		for _, h := range res.Hosts {
			names = append(names, h.Name)
		}
	})
	return names
}
