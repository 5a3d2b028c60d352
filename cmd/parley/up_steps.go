package main

import (
	"path/filepath"

	"parley"
	"parley/internal/daemon"
)

// upRun is one run of parley up.
type upRun struct {
	launches
	upOptions
	team     *daemon.Team
	base     string // what the file's paths are relative to
	here     string // the name of this machine, if the file places agents
	steps    []upStep
	launched []*parley.LaunchAgentResult
}

// upStep is what parley up does about one agent.
type upStep struct {
	name    string
	wanted  *daemon.Agent // as the file has it; nil if it does not
	running bool
	there   *parley.AgentStatus // nil if it was never launched

	finished bool // it was stopped, its worktree is gone, and this run does not name it
}

// dirOf returns a directory of the file as an absolute path.
func dirOf(dir, base string) string {
	if filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(base, dir)
}
