// Package parleytest is a suite of tests for parley.Service, which every implementation
// passes. It uses requests, answers and errors, and nothing that is internal.
//
// The cases call through op.All, as every face does, so that requests are validated
// before they reach the service.
package parleytest

import (
	"context"
	"testing"

	"parley"
)

// Team is a workspace in which nothing has happened yet. The contexts carry the caller
// (parley.WithCaller), also where the service identifies it by other means.
type Team interface {
	// Operator returns the service as the person at the keyboard uses it.
	Operator() (parley.Service, context.Context)
	// As registers a mailbox agent and returns the service as it uses it.
	As(t *testing.T, name string) (parley.Service, context.Context)
}

type testCase struct {
	name string
	run  func(*fixture)
}

// fixture is a team of three agents and their operator.
type fixture struct {
	*testing.T
	operator, planner, coder, reviewer member
}

func newFixture(t *testing.T, team Team) *fixture {
	t.Helper()
	join := func(name string) member {
		m := member{T: t, name: name}
		service, ctx := team.As(t, name)
		m.service, m.caller = service, parley.CallerFrom(ctx)
		return m
	}

	f := &fixture{T: t, planner: join("planner"), coder: join("coder"), reviewer: join("reviewer")}
	f.operator = member{T: t, name: parley.OperatorName}
	service, ctx := team.Operator()
	f.operator.service, f.operator.caller = service, parley.CallerFrom(ctx)
	for _, m := range []*member{&f.planner, &f.coder, &f.reviewer} {
		m.id = f.operator.agent(m.name).ID
	}

	return f
}
