package httpapi

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"parley"
	"parley/op"
	"parley/plain"
)

// callers tell who calls.
type callers struct{ *Options }

// identify returns the caller of a request: the owner of its API key or, without a key,
// the peer of the connection. keys are the keys found in the body. An empty key is a
// wrong key: an unset variable must not turn its user into somebody else.
func (c *callers) identify(r *http.Request, keys []string) (parley.Caller, error) {
	if c.Owner != nil {
		if caller, ok := c.Owner(r.Context()); ok {
			return c.ofOwner(r, caller)
		}
	}
	session := signedBy(r.Context())
	keys, err := credentials(r, keys)
	if err != nil {
		return parley.Caller{}, err
	}

	var caller parley.Caller
	switch {
	case len(keys) > 1 || len(keys) > 0 && session != "":
		return caller, parley.Errorf(parley.Unauthenticated, "the call carries different API keys").
			Suggest("Send one key, as `Authorization: Bearer KEY`.")
	case len(keys) == 1 || session != "":
		var ok bool
		if session != "" && c.Page != nil {
			caller, ok = c.Page.Session(r.Context(), session, deviceOf(r))
		} else if session == "" && c.Authenticate != nil && keys[0] != "" {
			caller, ok = c.Authenticate(r.Context(), keys[0])
		}
		if ok && caller.Unplaced {
			return parley.Caller{}, op.KeyNotHere()
		}
		if !ok || caller.Nobody() && !caller.Invited && caller.Watches == "" {
			return parley.Caller{}, wrongKey()
		}
		if err := prove(c.Connections, r, caller); err != nil {
			return parley.Caller{}, err
		}
	case c.Peer != nil:
		if peer, ok := c.Peer(r); ok {
			caller = peer
		}
	}

	caller.Network = !overUnix(r)
	caller, err = c.checkClaim(r, caller)
	if err == nil && caller.Nobody() {
		caller.Address = r.RemoteAddr
	}

	return caller, err
}

// ofOwner returns the caller of a request by an agent's own socket.
func (c *callers) ofOwner(r *http.Request, caller parley.Caller) (parley.Caller, error) {
	if caller.Nobody() {
		return caller, parley.Errorf(parley.Unauthenticated, "the agent of this socket is gone").
			Suggest("Launch it again.")
	}
	return c.checkClaim(r, caller)
}

// recheck identifies the caller of a request once more: its key may have been revoked
// while it waited. keys are those found in the body.
func (c *callers) recheck(r *http.Request, keys []string) error {
	caller, err := c.identify(r, keys)
	if err == nil && caller.ID != parley.CallerFrom(r.Context()).ID {
		err = wrongKey()
	}
	return err
}

// lastKey is for the header of a response, in the context of a request, that ends its connection unless a
// key is shown: connections of strangers take none that others need.
type lastKey struct{}

// begin begins a request on a connection that is counted. One too many is refused, but never the operator's.
func (c *callers) begin(w http.ResponseWriter, r *http.Request) (*http.Request, error) {
	if c.Connections == nil {
		return r, nil
	}

	refused := c.Connections.Begin(r)
	if refused != nil || !c.Connections.Keeps(r) {
		w.Header().Set("Connection", "close")
		r = r.WithContext(context.WithValue(r.Context(), lastKey{}, w.Header()))
	}
	if refused != nil {
		if caller, err := c.identify(r, nil); err != nil || !caller.Operator {
			return r, refused
		}
	}

	return r, nil
}

// prove counts the connection as that of the caller of a key, and lets it stay open.
func prove(open Connections, r *http.Request, caller parley.Caller) error {
	if open == nil || caller.Nobody() {
		return nil
	}
	if err := open.Prove(r, caller); err != nil {
		return err
	}
	if header, ok := r.Context().Value(lastKey{}).(http.Header); ok && r.ContentLength <= MaxBody {
		header.Del("Connection")
	}
	return nil
}

// credentials returns the distinct API keys of a request.
func credentials(r *http.Request, keys []string) ([]string, error) {
	for _, value := range r.Header.Values("Authorization") {
		scheme, key, _ := strings.Cut(value, " ")
		if scheme == "Parley" && signedBy(r.Context()) != "" {
			continue
		}
		if !strings.EqualFold(scheme, "Bearer") {
			return nil, parley.Errorf(parley.Unauthenticated, "this kind of Authorization is not supported").
				Suggest("Send your API key as `Authorization: Bearer KEY`.")
		}
		keys = append(keys, strings.TrimSpace(key))
	}
	keys = append(keys, r.Header.Values("X-Api-Key")...)
	keys = append(keys, r.URL.Query()["api_key"]...)
	slices.Sort(keys)
	return slices.Compact(keys), nil
}

// checkClaim checks that X-Agent-ID names the caller, and returns the caller.
func (c *callers) checkClaim(r *http.Request, caller parley.Caller) (parley.Caller, error) {
	for _, ref := range r.Header.Values("X-Agent-ID") {
		if caller.Nobody() && c.TrustLocalAgentID && c.Agent != nil && fromLoopback(r) {
			agent, ok := c.Agent(r.Context(), ref)
			if !ok || agent.Nobody() || agent.Operator {
				return parley.Caller{}, parley.Errorf(parley.Unauthenticated, "X-Agent-ID names no agent").
					Suggest("Send the id that register_agent returned.")
			}
			caller, caller.Network = agent, !overUnix(r)
		}

		switch {
		case caller.Nobody():
			return caller, parley.Errorf(parley.Unauthenticated, "X-Agent-ID alone does not prove who calls").
				Suggest("Send your API key as `Authorization: Bearer KEY`.")
		case !caller.Is(ref):
			return parley.Caller{}, parley.Errorf(parley.NotAuthorized,
				"the sender's id is given as %q, but the call comes from %s", plain.CleanLine(ref), caller.Name).
				Suggest("Leave the sender's id out: the API key says who calls.")
		}
	}

	return caller, nil
}

func wrongKey() error {
	return parley.Errorf(parley.Unauthenticated, "the API key is not known").
		Suggest("Use the key from register_agent or from PARLEY_KEY; a restart of an agent makes a new one.")
}

func noCredential(what string) error {
	return parley.Errorf(parley.Unauthenticated, "%s needs to know who calls", what).
		Suggest("Send your API key as `Authorization: Bearer KEY`; the operator can give you one.")
}

// withCredentials returns a context with the credentials of the connection, with which a
// key in the arguments of a call must agree. An invitation is none: it leads to a key.
func (c *callers) withCredentials(r *http.Request, caller parley.Caller) context.Context {
	shown, owned := parley.Credentials{Claims: r.Header.Values("X-Agent-ID")}, false
	if c.Owner != nil {
		_, owned = c.Owner(r.Context())
	}
	if keys, err := credentials(r, nil); err == nil && len(keys) == 1 && !caller.Invited && !owned {
		shown.Key = keys[0]
	}
	return parley.WithCredentials(r.Context(), shown)
}

// mayRegister reports whether a caller without a credential may register: where that is
// open, a process of the daemon's user, and whoever was invited.
func (c *callers) mayRegister(r *http.Request, caller parley.Caller) bool {
	own := overUnix(r) || fromLoopback(r) && c.SameUser != nil && c.SameUser(r)
	return c.Registration && (c.OpenRegistration || caller.Invited || own)
}

// notInvited refuses a registration.
func notInvited(r *http.Request, what string) error {
	if !fromLoopback(r) {
		return noCredential(what)
	}
	return parley.Errorf(parley.Unauthenticated,
		"%s needs to know who calls: this is not a process of the daemon's user", what).
		Suggest("Send the token that `parley invite` prints as `Authorization: Bearer TOKEN`.")
}

// guard refuses requests over TCP whose Host is not this machine, or whose Origin is not that Host, such as a web
// page in the user's browser could send.
func (a *api) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r, err := a.callers.begin(w, r)
		if err != nil {
			a.fail(w, r, err)
			return
		}

		if overUnix(r) || a.callers.ownHost(r.Host) && ownOrigin(r) {
			next.ServeHTTP(w, r)
			return
		}

		replyError(
			w,
			http.StatusForbidden,
			parley.Errorf(parley.NotAuthorized, "the request was not meant for this machine").
				Suggest("Call http://127.0.0.1:PORT or http://localhost:PORT, and not from a web page of another "+
					"host or port."),
		)
	})
}

func overUnix(r *http.Request) bool {
	addr, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	return ok && addr.Network() == "unix"
}

// ownOrigin reports whether a request comes from a page of the host and port that it goes to, or from no page. What
// else this machine serves, on other ports, is foreign.
func ownOrigin(r *http.Request) bool {
	for _, origin := range r.Header.Values("Origin") {
		u, err := url.Parse(origin)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || !strings.EqualFold(u.Host, r.Host) {
			return false
		}
	}
	return true
}

// ownHost reports whether a Host header names the daemon. The names of the settings count on loopback too: a proxy
// on this machine passes them on.
func (c *callers) ownHost(hostport string) bool {
	host := hostOf(hostport)
	_, err := netip.ParseAddr(host)
	return loopbackHost(hostport) || c.Beyond && err == nil ||
		slices.ContainsFunc(c.Hosts, func(own string) bool { return strings.EqualFold(own, host) })
}

// fromLoopback reports whether a request was made on this machine. A request that a proxy
// forwards was made elsewhere.
func fromLoopback(r *http.Request) bool {
	for _, name := range proxyHeaders {
		if _, forwarded := r.Header[name]; forwarded {
			return false
		}
	}
	return overUnix(r) || loopbackHost(r.RemoteAddr)
}

// proxyHeaders are what proxies add to the requests that they forward; most add only some of them.
var proxyHeaders = []string{
	"Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip",
}
