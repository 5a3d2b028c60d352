package responder

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"

	"parley"
)

// Reach connects to the server of a question on the way that the question would take, through a proxy if the
// environment names one. It asks for nothing but headers and sends no key, so any answer will do. It returns
// the server's address.
func (c *Client) Reach(ctx context.Context, q parley.ModelQuestion) (base string, err error) {
	server, err := c.server(&q)
	if err != nil {
		return server.base, err
	}

	var connected atomic.Bool
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }}
	req, err := http.NewRequestWithContext(httptrace.WithClientTrace(ctx, trace), http.MethodHead, server.root, nil)
	if err != nil {
		return server.base, err
	}

	proxy, _ := http.ProxyFromEnvironment(req) // the request itself tells what is wrong with it
	res, err := c.opts.HTTP.Do(req)
	switch {
	case err == nil:
		res.Body.Close()
		if proxy != nil && ofProxy(res.StatusCode) {
			err = fmt.Errorf("it says %s", res.Status)
		}
	case ctx.Err() != nil && connected.Load() && (proxy == nil || req.URL.Scheme == "https"):
		return server.base, nil // it is there, and busy
	}

	if inner, ok := errors.AsType[*url.Error](err); ok { // its words repeat the address
		err = inner.Err
	}
	if err != nil && proxy != nil {
		err = fmt.Errorf("through the proxy %s: %w", proxy.Redacted(), err)
	}

	return server.base, err
}

// ofProxy reports whether a proxy answers with a status if it cannot reach the server.
func ofProxy(status int) bool {
	switch status {
	case http.StatusProxyAuthRequired, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}
