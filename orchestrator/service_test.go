package orchestrator

import (
	"context"
	"testing"

	"parley"
	"parley/parleytest"
)

// direct adapts the orchestrator to parleytest.
type direct struct{ *testTeam }

func (d direct) Operator() (parley.Service, context.Context) { return d.Orchestrator, d.operator() }

func (d direct) As(t *testing.T, name string) (parley.Service, context.Context) {
	t.Helper()
	return d.Orchestrator, d.as(name)
}

func TestService(t *testing.T) {
	parleytest.Suite(t, func(t *testing.T) parleytest.Team { return direct{newTeam(t)} })
}
