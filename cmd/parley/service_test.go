package main

import (
	"context"
	"path/filepath"
	"testing"

	"parley"
	"parley/client"
	"parley/internal/daemon"
	"parley/internal/must"
	"parley/internal/parleytest"
	"parley/internal/testhome"
	"parley/op"
)

// running is a running daemon as its clients see it. The contexts name the caller for the
// checks on this side; the daemon identifies it by the connection.
type running struct{ socket string }

func (r running) Operator() (parley.Service, context.Context) {
	c := client.New(client.Options{Socket: r.socket, Key: operatorKey})
	return c, parley.WithCaller(context.Background(),
		parley.Caller{ID: "the operator's", Name: parley.OperatorName, Operator: true})
}

func (r running) As(t *testing.T, name string) (parley.Service, context.Context) {
	t.Helper()
	operator, ctx := r.Operator()
	res := must.Have(op.RegisterAgent.Call(ctx, operator, parley.RegisterAgentRequest{Username: name}))(t)
	return client.New(client.Options{Socket: r.socket, Key: res.APIKey}),
		parley.WithCaller(context.Background(), parley.Caller{ID: res.AgentID, Name: name})
}

// The suite of the orchestrator, through the client, the socket and the daemon.
func TestServiceOverTheSocket(t *testing.T) {
	t.Parallel()
	parleytest.Suite(t, func(t *testing.T) parleytest.Team {
		h := testhome.New(t)
		prepareDatabase(t, h)
		info := testhome.Run[daemon.Info](t, h, "serve")
		if !filepath.IsAbs(info.Socket) {
			t.Fatalf("the daemon's socket is %q", info.Socket)
		}
		return running{info.Socket}
	})
}
