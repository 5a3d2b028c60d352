package main

import (
	"path/filepath"
	"testing"

	"parley/internal/daemon"
	"parley/internal/must"
)

// A key in the environment belongs to the workspace that the person began in, and goes nowhere else.
func TestGoingToAnotherWorkspace(t *testing.T) {
	here := must.Have(filepath.EvalSymlinks(t.TempDir()))(t)
	at := surroundings{workspace: here, env: daemon.Environ{"PARLEY_KEY=mine"}}
	c := screens{newCLI(program{out: output{at: at}})}
	for _, tt := range []struct{ to, workspace, host, key string }{
		{"/home/ann/api", "/home/ann/api", "", ""},
		{"box:src/api", "", "box:src/api", ""},
		{here, here, "", "mine"},
	} {
		got := c.elsewhere(tt.to)
		if got.cli.at.workspace != tt.workspace || got.cli.at.host != tt.host ||
			got.cli.at.env.Get("PARLEY_KEY") != tt.key {
			t.Errorf("to %s: workspace %q, host %q and key %q, want %q, %q, %q", tt.to,
				got.cli.at.workspace, got.cli.at.host, got.cli.at.env.Get("PARLEY_KEY"), tt.workspace, tt.host, tt.key)
		}
	}
}
