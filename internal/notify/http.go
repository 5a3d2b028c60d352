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
	"net/url"
	"strings"

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
