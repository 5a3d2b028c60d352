package responder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"parley"
	"parley/plain"
)

// HostedURL is the server of questions that name none, unless OPENAI_BASE_URL names one.
const HostedURL = "https://api.openai.com/v1"

// The variables that OpenAI's own programs obey too. They count only for questions that name no server,
// so that a file can neither choose where their values go nor send them to a server of its choice.
const (
	baseURLEnv = "OPENAI_BASE_URL"
	orgEnv     = "OPENAI_ORG_ID"
	projectEnv = "OPENAI_PROJECT_ID"
)

// endpoint is a server of chat completions.
type endpoint struct {
	service openai.ChatCompletionService
	base    string // the address, as it was given
	root    string // the address below which the API is
	key     string // "" for none
}

func (c *Client) server(q *parley.ModelQuestion) (endpoint, error) {
	e := endpoint{base: cmp.Or(q.BaseURL, c.opts.Getenv(baseURLEnv), HostedURL)}
	u, err := url.Parse(e.base)
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "http" && u.Scheme != "https" {
		name, shown := "base_url", ""
		if q.BaseURL == "" {
			name = baseURLEnv
		}
		if err == nil {
			shown = plain.CleanLine(u.Redacted())
		}
		return e, parley.NoModelAnswer(parley.ModelNoEndpoint, "%s is %q, which is no address of a server", name,
			shown).
			Suggest("Give one such as http://127.0.0.1:11434/v1, without a password in it.")
	}

	if q.KeyEnv != "" {
		if e.key = strings.TrimSpace(c.opts.Getenv(q.KeyEnv)); e.key == "" {
			return e, parley.NoModelAnswer(parley.ModelNoKey,
				"the daemon's environment has no %s, which should hold the key", q.KeyEnv).
				Suggest("Ask the operator to set %s and restart the daemon: parley down --keep-agents.", q.KeyEnv)
		}
	}

	e.root = apiRoot(u)
	e.service = openai.NewChatCompletionService(c.serviceOptions(u, e.key, q.BaseURL == "")...)

	return e, nil
}

// serviceOptions returns the options of every request to a server. standard says that no address was given
// for it.
func (c *Client) serviceOptions(u *url.URL, key string, standard bool) []option.RequestOption {
	opts := []option.RequestOption{
		option.WithBaseURL(apiRoot(u)),
		option.WithHTTPClient(c.opts.HTTP),
		option.WithMaxRetries(0), // Client.send knows what cannot have cost anything
		option.WithHeader("User-Agent", "parley"),
		option.WithHeader("Accept", "text/event-stream"),
		option.WithMiddleware(modest),
	}
	for name, values := range u.Query() {
		for _, value := range values {
			opts = append(opts, option.WithQueryAdd(name, value))
		}
	}

	switch {
	case key == "":
	case isAzure(u) && !isToken(key):
		opts = append(opts, option.WithHeader("Api-Key", key))
	default:
		opts = append(opts, option.WithAPIKey(key))
	}

	if org := c.opts.Getenv(orgEnv); standard && org != "" {
		opts = append(opts, option.WithOrganization(org))
	}
	if project := c.opts.Getenv(projectEnv); standard && project != "" {
		opts = append(opts, option.WithProject(project))
	}

	return opts
}

// apiRoot returns the address below which the API is, without a query. It also takes the address of the
// API's one call, which Azure shows.
func apiRoot(u *url.URL) string {
	root := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}
	return strings.TrimSuffix(strings.TrimSuffix(root.String(), "/"), "/chat/completions") + "/"
}

// isAzure reports whether a server wants its key as Azure does: it has a name of Azure, or a version of
// Azure's API in its address, as gateways in front of it do.
func isAzure(u *url.URL) bool {
	return u.Query().Has("api-version") || strings.HasSuffix(u.Hostname(), ".openai.azure.com") ||
		strings.HasSuffix(u.Hostname(), ".cognitiveservices.azure.com")
}

// isToken reports whether a key is a JSON web token, which Azure takes like every server.
func isToken(key string) bool {
	return strings.HasPrefix(key, "eyJ") && strings.Count(key, ".") == 2
}

// sameServer lets a client follow a redirect that only moves the request on its server, key and all.
func sameServer(req *http.Request, via []*http.Request) error {
	first := via[0]
	if len(via) < 10 && req.Method == first.Method && req.URL.Scheme == first.URL.Scheme &&
		req.URL.Host == first.URL.Host {
		return nil
	}
	return http.ErrUseLastResponse
}

// modest tells a server nothing of this machine, and reads no more of an error than is told of it.
func modest(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	for name := range req.Header {
		if strings.HasPrefix(name, "X-Stainless-") {
			delete(req.Header, name)
		}
	}

	res, err := next(req)
	if err == nil && res.StatusCode >= http.StatusBadRequest {
		res.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(res.Body, maxErrorBody), res.Body}
	}

	return res, err
}

// maxErrorBody is how much of an error's body is read, in bytes.
const maxErrorBody = 1 << 20

// post sends a request. With an error that the server gave, the response is returned too, closed. Else the
// caller closes its body.
func (e endpoint) post(ctx context.Context, body openai.ChatCompletionNewParams, m manner) (*http.Response, error) {
	var res *http.Response
	opts := []option.RequestOption{option.WithResponseBodyInto(&res)}
	if !m.whole {
		opts = append(opts, option.WithJSONSet("stream", true))
	}

	_, err := e.service.New(ctx, body, opts...)
	switch {
	case res == nil || res.StatusCode < http.StatusMultipleChoices:
		return res, err
	case res.StatusCode < http.StatusBadRequest:
		res.Body.Close()
		return res, errMoved
	}

	text, _ := io.ReadAll(res.Body) // it was read already
	failed := readError(text)
	failed.Message = e.withoutKey(failed.Message)

	return res, failed
}

// withoutKey returns the words of a server without the key, which some repeat. All who ask are told them.
func (e endpoint) withoutKey(text string) string {
	if e.key == "" {
		return text
	}
	return strings.ReplaceAll(text, e.key, "***")
}

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
