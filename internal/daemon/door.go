package daemon

import (
	"net/netip"

	"parley"
	"parley/mcpserver"
)

const (
	Loopback = "127.0.0.1"
	most     = 1_000_000 // a minute: as good as no limit
)

// checkDoor refuses settings of who may call, and how often.
func (s Settings) checkDoor(refuse func(key string, value any, instead string) error) error {
	if _, err := netip.ParseAddr(s.HTTPAddress); err != nil {
		return refuse(
			"http_address",
			s.HTTPAddress,
			"an IP address of this machine, such as 127.0.0.1, or 0.0.0.0 for all of them",
		)
	}

	if _, err := mcpserver.ParseToolsets(s.MCPToolsets); err != nil {
		e := parley.AsError(err)
		return parley.Errorf(e.Code, "mcp_toolsets: %w", err).With("setting", "mcp_toolsets").Suggest("%s", e.Action)
	}

	for _, rate := range []struct {
		key   string
		value int
	}{{"messages_per_minute", s.MessagesPerMinute}, {"broadcasts_per_minute", s.BroadcastsPerMinute}, {"registrations_per_minute", s.RegistrationsPerMinute}} {
		if rate.value < 1 || rate.value > most {
			return refuse(rate.key, rate.value, "a number from 1 to 1000000, which is as good as no limit")
		}
	}

	return nil
}

// beyond reports whether other machines can reach the daemon.
func (s Settings) beyond() bool {
	ip, err := netip.ParseAddr(s.HTTPAddress)
	return err == nil && !ip.IsLoopback()
}
