// Package parleytest is the behaviour of parley.Service as one suite of tests,
// which every implementation passes. It knows only what a user knows: the
// requests, the answers, and the errors.
package parleytest

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"parley"
)

// Team is a workspace in which nothing has happened yet. The contexts carry
// the caller (parley.WithCaller), whatever else tells the service who calls.
type Team interface {
	// Operator returns the service as the person at the keyboard uses it.
	Operator() (parley.Service, context.Context)
	// As registers a mailbox agent and returns the service as it uses it.
	As(t *testing.T, name string) (parley.Service, context.Context)
}

// Suite runs every case against a team of its own.
func Suite(t *testing.T, newTeam func(t *testing.T) Team) {
	for _, part := range [][]testCase{registration, sending, broadcasting, answering, reading, history, threads, searching, keys, status, events, reporting, stopping, operating, exporting, conversing, rights, responding, transferring} {
		for _, c := range part {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel() // each has a team of its own, and they mostly wait
				c.run(newFixture(t, newTeam(t)))
			})
		}
	}
}

type testCase struct {
	name string
	run  func(*fixture)
}

// patience is how long a case waits for what must happen. It is no measure of
// speed: only a failing test takes it.
const patience = 20 * time.Second

// fixture is a team of three agents and their operator.
type fixture struct {
	*testing.T
	operator, planner, coder, reviewer member
}

func newFixture(t *testing.T, team Team) *fixture {
	t.Helper()
	join := func(name string) member {
		m := member{T: t, name: name}
		m.service, m.ctx = team.As(t, name)
		return m
	}

	f := &fixture{T: t, planner: join("planner"), coder: join("coder"), reviewer: join("reviewer")}
	f.operator = member{T: t, name: parley.OperatorName}
	f.operator.service, f.operator.ctx = team.Operator()
	for _, m := range []*member{&f.planner, &f.coder, &f.reviewer} {
		m.id = do[parley.AgentStatusResult](f.operator, "get_agent_status", parley.AgentStatusRequest{Agent: m.name}).Agents[0].ID
	}

	return f
}

// member is someone who calls.
type member struct {
	*testing.T
	name, id string
	service  parley.Service
	ctx      context.Context // who it is; for the length of a test
}

// invoke calls an operation as every face does: through the table.
func invoke(m member, op string, args any) (any, error) {
	m.Helper()
	b, err := json.Marshal(args)
	if err != nil {
		m.Fatalf("%s: %v", op, err)
	}
	inv, err := parley.FindOp(op).Decode(b)
	if err != nil {
		return nil, err
	}
	return inv.Call(m.ctx, m.service)
}

// do calls an operation that must go well.
func do[Res any](m member, op string, args any) *Res {
	m.Helper()
	result, err := invoke(m, op, args)
	if err != nil {
		m.Fatalf("%s by %s with %+v: %v", op, m.name, args, err)
	}
	res, ok := result.(*Res)
	if !ok || res == nil {
		m.Fatalf("%s gave a %T: %v", op, result, result)
	}
	conforms(m, op, res)
	return res
}

// refused calls an operation that must fail with one of the codes, and say
// what to do next.
func refused(m member, op string, args any, codes ...parley.Code) {
	m.Helper()
	res, err := invoke(m, op, args)
	if err == nil {
		m.Errorf("%s by %s with %+v went well (%+v), want %v", op, m.name, args, res, codes)
		return
	}

	got := parley.AsError(err)
	if !slices.Contains(codes, got.Code) {
		m.Errorf("%s by %s with %+v failed with %s (%v), want %v", op, m.name, args, got.Code, got, codes)
	}
	if got.Action == "" {
		m.Errorf("%s: %v says nothing of what to do next", op, got)
	}
}

// conforms holds a result against the schema that is published for it: no null
// where a list is promised, nothing missing.
func conforms(m member, op string, result any) {
	m.Helper()
	schema, err := parley.FindOp(op).Output.Resolve(nil)
	if err != nil {
		m.Fatalf("the output schema of %s: %v", op, err)
	}

	b, err := json.Marshal(result)
	if err != nil {
		m.Fatalf("%s: %v", op, err)
	}

	var value any
	if err := json.Unmarshal(b, &value); err != nil {
		m.Fatalf("%s: %v", op, err)
	}
	if err := schema.Validate(value); err != nil {
		m.Errorf("the result of %s is not what its schema promises: %v\n%s", op, err, b)
	}
}
