package client

import (
	"context"

	"parley"
)

// programs is parley.ProgramService.
type programs struct{ conn *conn }

// CheckProgram begins to try whether parley reads an agent's program.
func (p programs) CheckProgram(ctx context.Context, r parley.CheckProgramRequest) (*parley.CheckProgramResult, error) {
	return call[parley.CheckProgramResult](ctx, p.conn, "check_program", r)
}
