package orchestrator

import (
	"context"
	"testing"

	"parley"
	"parley/internal/must"
	"parley/internal/parleytest"
	"parley/op"
	"parley/store"
	"parley/store/storetest"
)

// direct adapts the orchestrator to parleytest.
type direct struct{ *testTeam }

func (d direct) Operator() (parley.Service, context.Context) { return d.Orchestrator, d.operator() }

func (d direct) As(t *testing.T, name string) (parley.Service, context.Context) {
	t.Helper()
	return d.Orchestrator, d.as(name)
}

func TestService(t *testing.T) {
	t.Parallel()
	parleytest.Suite(t, func(t *testing.T) parleytest.Team { return direct{newTeam(t)} })
}

func TestServiceOnPostgreSQL(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("its databases take as long as a fifth of this package; the store's own tests are on both")
	}
	parleytest.Suite(t, func(t *testing.T) parleytest.Team {
		url := storetest.URL(t) // it is given back after the team has ended
		return direct{newTeam(t, func(o *Options) { o.Store = opened(t, url) })}
	})
}

// What is in the table and has no function would fail only when somebody calls it.
func TestEveryOperationHasItsFunction(t *testing.T) {
	t.Parallel()
	o := newTeam(t).Orchestrator
	for _, operation := range op.All {
		if o.Handlers[operation.Name] == nil {
			t.Errorf("nothing answers %s", operation.Name)
		}
	}
	if len(o.Handlers) != len(op.All) {
		t.Errorf("%d functions for %d operations", len(o.Handlers), len(op.All))
	}
}

// opened opens the database of a URL.
func opened(t *testing.T, url string) *store.Store {
	t.Helper()
	return must.Have(store.Open(context.Background(), store.Options{URL: url}))(t)
}
