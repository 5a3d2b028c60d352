package client_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"parley"
	"parley/client"
	"parley/httpapi"
	"parley/parleytest"
)

// direct is a team that calls the service without anything between.
type direct struct{ *memory }

func (d direct) Operator() (parley.Service, context.Context) {
	return d.memory, parley.WithCaller(context.Background(), d.boss)
}

func (d direct) As(t *testing.T, name string) (parley.Service, context.Context) {
	res, err := d.RegisterAgent(t.Context(), parley.RegisterAgentRequest{Username: name})
	if err != nil {
		t.Fatal(err)
	}
	return d.memory, parley.WithCaller(t.Context(), parley.Caller{ID: res.AgentID, Name: name})
}

// remote is a team that calls it over HTTP.
type remote struct {
	*memory
	url string
}

// operatorKey is what the test's daemon takes for the operator.
const operatorKey = "the-operator"

// serve runs a daemon over a service.
func serve(t *testing.T, m *memory) *httptest.Server {
	t.Helper()
	return httptest.NewServer(handler(m, m))
}

// handler is a daemon's, over a service that may stand before the memory.
func handler(m *memory, s parley.Service) http.Handler {
	return httpapi.New(httpapi.Options{Service: s, Files: m, Registration: true,
		Authenticate: func(ctx context.Context, key string) (parley.Caller, bool) {
			if key == operatorKey {
				return m.boss, true
			}
			return m.authenticate(ctx, key)
		}})
}

func (r remote) Operator() (parley.Service, context.Context) {
	return client.New(client.Options{URL: r.url, Key: operatorKey}), parley.WithCaller(context.Background(), r.boss)
}

func (r remote) As(t *testing.T, name string) (parley.Service, context.Context) {
	res, err := client.New(client.Options{URL: r.url}).
		RegisterAgent(t.Context(), parley.RegisterAgentRequest{Username: name})
	if err != nil {
		t.Fatal(err)
	}
	c := client.New(client.Options{URL: r.url, Key: res.APIKey})
	t.Cleanup(c.Close)
	return c, parley.WithCaller(t.Context(), parley.Caller{ID: res.AgentID, Name: name})
}

func TestSuiteDirectly(t *testing.T) {
	parleytest.Suite(t, func(*testing.T) parleytest.Team { return direct{newMemory()} })
}

func TestSuiteOverHTTP(t *testing.T) {
	parleytest.Suite(t, func(t *testing.T) parleytest.Team {
		m := newMemory()
		srv := serve(t, m)
		t.Cleanup(srv.Close)
		return remote{m, srv.URL}
	})
}
