package httpapi

import (
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"

	"parley"
)

// The names of browsers and systems, by what stands in a User-Agent; the first that does decides, since each names
// those that it is like.
var (
	browserNames = [][2]string{
		{"Edg", "Edge"}, {"OPR/", "Opera"}, {"SamsungBrowser", "Samsung Internet"}, {"Firefox", "Firefox"},
		{"FxiOS", "Firefox"}, {"CriOS", "Chrome"}, {"Chrome", "Chrome"}, {"Safari", "Safari"},
	}
	systemNames = [][2]string{
		{"iPhone", "an iPhone"}, {"iPad", "an iPad"}, {"Android", "Android"}, {"Windows", "Windows"},
		{"CrOS", "ChromeOS"}, {"Mac OS X", "a Mac"}, {"Linux", "Linux"},
	}
)

// deviceOf returns where a request of the page was made.
func deviceOf(r *http.Request) parley.Device {
	agent := r.UserAgent()
	named := func(names [][2]string) string {
		for _, n := range names {
			if strings.Contains(agent, n[0]) {
				return n[1]
			}
		}
		return ""
	}

	d := parley.Device{Browser: named(browserNames), Address: addressOf(r)}
	if system := named(systemNames); system != "" && d.Browser != "" {
		d.Browser += " on " + system
	}

	return d
}

// addressOf returns the address that a request came from. A proxy on this machine adds it at the end of its header.
func addressOf(r *http.Request) string {
	host := hostOf(r.RemoteAddr)
	if !loopbackHost(host) {
		return host
	}
	line := strings.Join(r.Header.Values("X-Forwarded-For"), ",")
	if ip, err := netip.ParseAddr(strings.TrimSpace(line[strings.LastIndex(line, ",")+1:])); err == nil {
		return ip.String()
	}
	return host
}

// hostOf returns a host without its port, if it has one; "" for a port that is none.
func hostOf(hostport string) string {
	host, port, err := net.SplitHostPort(hostport)
	if err != nil {
		return strings.TrimSuffix(strings.TrimPrefix(hostport, "["), "]")
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil && port != "" {
		return ""
	}
	return host
}

// loopbackHost reports whether a host, with or without a port, is a loopback address or
// localhost.
func loopbackHost(hostport string) bool {
	host := hostOf(hostport)
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}
