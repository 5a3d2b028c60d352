package main

import (
	"context"
	"encoding/json"
	"net"
	"net/netip"
	"net/url"
	"os/exec"
	"strings"
	"time"

	"parley"
	"parley/internal/daemon"
	"parley/internal/place"
	"parley/internal/sh"
)

// reachable lets the user's other devices reach the page, by what this machine has: Tailscale serves the daemon's port
// in the user's own network, or else the daemon listens in the network that the machine is in, with a certificate of
// its own. The daemon begins again, since it answers to the names alone that it knows.
func (c *webPage) reachable(ctx context.Context, address string) error {
	u, err := url.Parse(address)
	if err != nil {
		return err
	}
	name, near := "", c.near
	if near == "" {
		name = tailnetName(ctx)
	}
	if name == "" && near == "" {
		near = nearAddress()
	}
	ip, _ := netip.ParseAddr(near)
	switch {
	case c.cli.at.host != "":
		return parley.Errorf(parley.InvalidArgument, "the way to a phone begins at the daemon's machine").
			Suggest("Run it there: ssh -t %s parley web --phone", sh.Word(c.cli.at.host))
	case name == "" && (!ip.IsValid() || ip.IsLoopback() || ip.IsUnspecified()):
		return parley.Errorf(parley.InvalidArgument, "there is no way from here to a phone").
			Suggest("Join the phone's network, or install Tailscale here and on the phone (tailscale up), and run " +
				"this again; --near takes an address of this machine. docs/web.md has other ways: a certificate, a " +
				"proxy, and ssh for a laptop.")
	}

	far := "https://" + net.JoinHostPort(name, u.Port())
	question := "Let Tailscale serve the page to your own devices, as "
	if name == "" {
		far = "https://" + net.JoinHostPort(ip.String(), u.Port())
		question = "Everybody in this network will reach the page, and needs a link to enter.\n" +
			"The browser warns of the certificate, which is parley's own.\nServe the page as "
	}
	if !c.yes && !(c.cli.program.canAsk() && c.cli.program.agreed(question+far+"? [y/N] ")) {
		return parley.Errorf(parley.InvalidArgument, "nothing was changed").Suggest("Say yes, or add --yes.")
	}

	at, err := c.cli.at.place()
	if err != nil {
		return err
	}
	if name == "" {
		if _, err := daemon.ServeOn(at.Home, ip, u.Port(), time.Now()); err != nil {
			return err
		}
		return c.beginAgain(ctx, at)
	}

	serve := exec.CommandContext(ctx, "tailscale", "serve", "--bg", "--https="+u.Port(), address)
	serve.Stdout, serve.Stderr = c.cli.out.err, c.cli.out.err // it says what the tailnet lacks, and waits for that
	if err := serve.Run(); err != nil {
		return parley.Errorf(parley.InvalidArgument, "Tailscale does not serve the page: %v", err).
			Suggest("Do what it says above. It takes you for its operator after: sudo tailscale set --operator=$USER")
	}

	if err := daemon.KeepServed(at, far); err != nil {
		return err
	}
	return c.beginAgain(ctx, at)
}

// beginAgain ends the daemon; the next call starts one that knows how the page is reached.
func (c *webPage) beginAgain(ctx context.Context, at place.Place) error {
	_, err := stopping{c.cli}.shutDown(ctx, at, url.Values{"keep_agents": {"true"}})
	return err
}

// stayLocal ends that other devices reach the page by what reachable has done.
func (c *webPage) stayLocal(ctx context.Context) error {
	at, err := c.cli.at.place()
	if err != nil {
		return err
	}
	changed, err := daemon.StayLocal(at.Home)
	if err == nil && changed {
		err = c.beginAgain(ctx, at)
	}
	if err == nil {
		c.cli.out.printf("The page is on this machine alone, unless parley.yaml says more or Tailscale serves it.\n")
	}
	return err
}

// nearAddress returns the address of this machine in the network that it is in, "" if that is not a private one.
// Nothing is sent to find it.
func nearAddress() string {
	conn, err := net.Dial("udp", "192.0.2.1:9") // an address that nobody has
	if err != nil {
		return ""
	}
	defer conn.Close()
	if at, err := netip.ParseAddrPort(conn.LocalAddr().String()); err == nil && at.Addr().IsPrivate() {
		return at.Addr().String()
	}
	return ""
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
