package main

import (
	"context"
	"encoding/json"
	"net"
	"net/url"
	"os/exec"
	"strings"
	"time"

	"parley"
	"parley/internal/daemon"
	"parley/internal/sh"
)

// reachable lets the user's other devices reach the page, by what this machine has: Tailscale serves the daemon's port
// in the user's own network. The daemon begins again, since it answers to the names alone that it knows.
func (c *webPage) reachable(ctx context.Context, address string) error {
	u, err := url.Parse(address)
	if err != nil {
		return err
	}
	name := tailnetName(ctx)
	switch {
	case c.cli.at.host != "":
		return parley.Errorf(parley.InvalidArgument, "the way to a phone begins at the daemon's machine").
			Suggest("Run it there: ssh -t %s parley web --phone", sh.Word(c.cli.at.host))
	case name == "":
		return parley.Errorf(parley.InvalidArgument, "there is no way from here to a phone").
			Suggest("Install Tailscale here and on the phone (tailscale up), and run this again. docs/web.md has " +
				"other ways: a certificate, a proxy, and ssh for a laptop.")
	}

	far := "https://" + net.JoinHostPort(name, u.Port())
	if !c.yes &&
		!(c.cli.program.canAsk() &&
			c.cli.program.agreed("Let Tailscale serve the page to your own devices, as "+far+"? [y/N] ")) {
		return parley.Errorf(parley.InvalidArgument, "nothing was changed").Suggest("Say yes, or add --yes.")
	}

	serve := exec.CommandContext(ctx, "tailscale", "serve", "--bg", "--https="+u.Port(), address)
	serve.Stdout, serve.Stderr = c.cli.out.err, c.cli.out.err // it says what the tailnet lacks, and waits for that
	if err := serve.Run(); err != nil {
		return parley.Errorf(parley.InvalidArgument, "Tailscale does not serve the page: %v", err).
			Suggest("Do what it says above. It takes you for its operator after: sudo tailscale set --operator=$USER")
	}

	at, err := c.cli.at.place()
	if err != nil {
		return err
	}
	if err := daemon.KeepServed(at, far); err != nil {
		return err
	}
	_, err = stopping{c.cli}.shutDown(ctx, at, url.Values{"keep_agents": {"true"}})

	return err
}

// tailnetName returns the name of this machine in the user's Tailscale network, "" if it has none now.
func tailnetName(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	var status struct {
		BackendState string
		Self         struct{ DNSName string }
	}
	out, err := exec.CommandContext(ctx, "tailscale", "status", "--json", "--peers=false").Output()
	if err != nil || json.Unmarshal(out, &status) != nil || status.BackendState != "Running" {
		return ""
	}
	return strings.TrimSuffix(status.Self.DNSName, ".")
}
