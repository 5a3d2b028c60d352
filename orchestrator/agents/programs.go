package agents

import (
	"context"
	"fmt"

	"parley"
	"parley/op"
	"parley/orchestrator/relay"
	"parley/orchestrator/team"
	"parley/orchestrator/trial"
)

// Programs tries the programs of agents.
type Programs struct {
	*relay.Elsewhere
	Roster   *team.Roster
	Programs *trial.Programs
}

// CheckProgram does op.CheckProgram.
func (ps *Programs) CheckProgram(
	ctx context.Context, req parley.CheckProgramRequest,
) (*parley.CheckProgramResult, error) {
	return relay.Across(ctx, ps.Elsewhere, ps.HostOf(req.Agent), op.CheckProgram, req, ps.checkHere)
}

// checkHere checks the program of an agent of this host.
func (ps *Programs) checkHere(
	_ context.Context, req parley.CheckProgramRequest,
) (*parley.CheckProgramResult, error) {
	m, err := ps.Roster.Find(req.Agent)
	if err != nil {
		return nil, err
	}
	profile, version, begins, err := ps.Programs.Check(m)
	if err != nil {
		return nil, err
	}

	does := "is being checked already"
	if begins {
		does = "is being checked, in a terminal that nobody else sees; parley agents shows what holds"
	}
	return &parley.CheckProgramResult{
		Answer: parley.OK, Profile: profile, Version: version, Message: fmt.Sprintf("%s %s %s.", profile, version,
			does),
	}, nil
}
