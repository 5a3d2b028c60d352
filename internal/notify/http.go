package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"

	"parley"
)

// webhook posts notices as JSON.
type webhook struct {
	opts   *Options
	client *http.Client
}

func (h webhook) send(ctx context.Context, n parley.Notice) error {
	body, err := json.Marshal(n)
	if err != nil {
		return err
	}
	return post(ctx, h.client, h.opts, h.opts.Settings.Webhook, h.opts.Settings.WebhookTokenEnv, body, http.Header{
		"Content-Type": {"application/json"},
	})
}

// post makes one request. It succeeds with a status of 2xx; redirects are not followed.
func post(
	ctx context.Context, client *http.Client, opts *Options, address, tokenEnv string, body []byte, header http.Header,
) error {
	address, err := resolve(address, opts.Getenv)
	if err != nil {
		return err
	}
	if tokenEnv != "" {
		token := strings.TrimSpace(opts.Getenv(tokenEnv))
		if token == "" {
			return fmt.Errorf("$%s is not set where the daemon runs", tokenEnv)
		}
		header.Set("Authorization", "Bearer "+token)
	}

	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return errors.New("its address cannot be used")
	}
	req.Header = header
	req.Header.Set("User-Agent", "parley")

	res, err := client.Do(req)
	if err != nil {
		return withoutAddress(ctx, err)
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 64<<10)) // the connection is used again

	if res.StatusCode/100 != 2 {
		return fmt.Errorf("it answered %d %s", res.StatusCode, http.StatusText(res.StatusCode))
	}

	return nil
}

// resolve returns an address, or the one in the variable that it names.
func resolve(address string, getenv func(string) string) (string, error) {
	name, isName := strings.CutPrefix(address, "$")
	if !isName {
		return address, nil
	}

	address = strings.TrimSpace(getenv(name))
	switch {
	case address == "":
		return "", fmt.Errorf("$%s is not set where the daemon runs", name)
	case !isAddress(address):
		return "", fmt.Errorf("$%s is not an address such as https://example.org/notices", name)
	}

	return address, nil
}

// withoutAddress explains an error of a request. The address may be a secret.
func withoutAddress(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("no answer within %s", sendTime)
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return errors.New("the name of its server cannot be found")
	}
	if e, ok := errors.AsType[*net.OpError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}

var errInward = errors.New("its address leads to this machine or network")

// within are the addresses that lead to this machine or network, or nowhere in public, besides those that netip knows.
var within = prefixes("0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15",
	"198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4", "::/96", "64:ff9b:1::/48", "100::/64", "2001::/23",
	"2001:db8::/32",
	"3fff::/20", "5f00::/16", "fec0::/10")

// carriers are the prefixes whose addresses have one of IPv4 in them, from a byte on.
var carriers = []struct {
	netip.Prefix
	at int
}{{netip.MustParsePrefix("64:ff9b::/96"), 12}, {netip.MustParsePrefix("2002::/16"), 2}}

func prefixes(texts ...string) (all []netip.Prefix) {
	for _, text := range texts {
		all = append(all, netip.MustParsePrefix(text))
	}
	return all
}

// inward reports whether an address does not lead to a public server.
func inward(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	if !ip.IsGlobalUnicast() || ip.IsPrivate() { // neither loopback nor link-local is one
		return true
	}
	for _, p := range within {
		if p.Contains(ip) {
			return true
		}
	}
	for _, c := range carriers {
		if c.Contains(ip) {
			b := ip.As16()
			return inward(netip.AddrFrom4([4]byte(b[c.at : c.at+4])))
		}
	}
	return false
}

// outward returns a client for addresses that others have chosen: it follows no redirect and takes no proxy, and
// whatever a name resolves to, it connects to public servers only.
func outward() *http.Client {
	dialer := &net.Dialer{Timeout: sendTime, Control: func(_, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil || inward(to.Addr()) {
			return errInward
		}
		return nil
	}}
	return &http.Client{
		Transport: &http.Transport{
			DialContext: dialer.DialContext, ForceAttemptHTTP2: true, TLSHandshakeTimeout: sendTime,
			MaxResponseHeaderBytes: 16 << 10, MaxIdleConns: maxDevices, IdleConnTimeout: time.Minute,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
