package orchestrator

import (
	"context"
	"fmt"

	"parley"
	"parley/op"
	"parley/orchestrator/team"
	"parley/orchestrator/trial"
)

// programService tries the programs of agents.
type programService struct {
	*elsewhere
	roster   *team.Roster
	programs *trial.Programs
}

// CheckProgram does op.CheckProgram.
func (ps *programService) CheckProgram(
	ctx context.Context, req parley.CheckProgramRequest,
) (*parley.CheckProgramResult, error) {
	return across(ctx, ps.elsewhere, ps.hostOf(req.Agent), op.CheckProgram, req, ps.checkHere)
}

// checkHere checks the program of an agent of this host.
func (ps *programService) checkHere(
	_ context.Context, req parley.CheckProgramRequest,
) (*parley.CheckProgramResult, error) {
	m, err := ps.roster.Find(req.Agent)
	if err != nil {
		return nil, err
	}
	profile, version, begins, err := ps.programs.Check(m)
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
