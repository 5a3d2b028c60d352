package notify

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode/utf16"

	"parley"
	"parley/plain"
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

// ntfy publishes notices to a topic. Its title is a header, which must be ASCII: ntfy decodes RFC 2047.
type ntfy struct {
	opts   *Options
	client *http.Client
}

func (h ntfy) send(ctx context.Context, n parley.Notice) error {
	header := http.Header{
		"Content-Type": {"text/plain; charset=utf-8"},
		"Title":        {mime.BEncoding.Encode("utf-8", n.Title)},
		"Tags":         {"speech_balloon"},
	}
	if n.URL != "" {
		header.Set("Click", n.URL)
	}
	if a := h.actions(&n); len(a) > 0 {
		b, err := json.Marshal(a)
		if err != nil {
			return err
		}
		header.Set("Actions", asciiJSON(b))
	}
	return post(ctx, h.client, h.opts, h.opts.Settings.Ntfy, h.opts.Settings.NtfyTokenEnv, []byte(inBytes(n.Text,
		maxNtfyText)), header)
}

// maxNtfyText is how many bytes of a text ntfy shows. Of a longer one it makes a file.
const maxNtfyText = 4096

// inBytes shortens a text to at most n bytes, with an ellipsis if something was cut.
func inBytes(text string, n int) string {
	if len(text) <= n {
		return text
	}
	const end = "…"
	return strings.ToValidUTF8(text[:n-len(end)], "") + end
}

// action is a button of a notice, as ntfy takes it.
type action struct {
	Action  string            `json:"action"`
	Label   string            `json:"label"`
	URL     string            `json:"url"`
	Method  string            `json:"method"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
	Clear   bool              `json:"clear"`
}

// maxActions is how many buttons ntfy shows.
const maxActions = 3

// actions returns the buttons that answer the dialog of a notice about one need.
func (h ntfy) actions(n *parley.Notice) []action {
	if len(n.Needs) != 1 || h.opts.Page == "" {
		return nil
	}
	var all []action
	for _, a := range n.Needs[0].Answers[:min(len(n.Needs[0].Answers), maxActions)] {
		all = append(all, action{
			Action: "http", Label: plain.Truncate(a.Label, 40), URL: h.opts.Page + "/answer", Method: http.MethodPost,
			Headers: map[string]string{"Content-Type": "application/json"}, Body: `{"code":"` + a.Code + `"}`, Clear: true,
		})
	}
	return all
}

// asciiJSON writes JSON in ASCII alone: a header has nothing else.
func asciiJSON(b []byte) string {
	var out strings.Builder
	for _, r := range string(b) {
		if r < 0x80 {
			out.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&out, `\u%04x`, unit)
		}
	}
	return out.String()
}

// AnswerCodes are the one-time codes with which a notice answers a dialog: each is good for one option of one dialog,
// once, for a while. They are in memory only, so they end with the daemon. Safe for concurrent use.
type AnswerCodes struct {
	Now func() time.Time

	mu   sync.Mutex
	held map[string]codeAnswer
}

// codeAnswer is what one code does: it chooses an option of a dialog of an agent.
type codeAnswer struct {
	Agent, Dialog, Choice string

	ends time.Time
}

const (
	answerCodeLife = time.Hour // longer than a person lets a notice wait who answers from it
	maxAnswerCodes = 1000
)

// New returns a code for an option of the dialog of a need, "" for one that a choice alone does not answer.
func (c *AnswerCodes) New(need *parley.Need, choice string) string {
	d := need.Dialog
	if d == nil || d.Secret {
		return ""
	}
	if o, ok := d.Find(choice); !ok || o.TakesText {
		return ""
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.Now()
	for code, held := range c.held {
		if !now.Before(held.ends) {
			delete(c.held, code)
		}
	}
	if c.held == nil {
		c.held = map[string]codeAnswer{}
	}
	if len(c.held) >= maxAnswerCodes {
		return ""
	}

	code := "answer_" + rand.Text()
	c.held[code] = codeAnswer{need.AgentID, d.ID, choice, now.Add(answerCodeLife)}
	return code
}

// Take returns what a code does, and ends it with all codes of the same dialog.
func (c *AnswerCodes) Take(code string) (codeAnswer, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	taken, ok := c.held[code]
	if !ok || !c.Now().Before(taken.ends) {
		return codeAnswer{}, false
	}
	for other, held := range c.held {
		if held.Agent == taken.Agent && held.Dialog == taken.Dialog {
			delete(c.held, other)
		}
	}
	return taken, true
}
