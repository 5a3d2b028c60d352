package team

import (
	"testing"

	"parley/internal/must"
	"parley/program/profile"
)

// A line goes from the process that reports up to the agent's program.
func TestOnlyTheAgentsOwnProgramRunsOnce(t *testing.T) {
	set := must.Have(profile.Builtin())(t)
	gemini := must.Have(set.Find("gemini"))(t)
	hook, sh := []string{"parley", "hook", "AfterAgent"}, []string{"sh", "-c", "parley hook AfterAgent"}
	own, child := []string{"node", "/bin/gemini"}, []string{"node", "--max-old-space-size=9", "/bin/gemini"}
	for _, tt := range []struct {
		name string
		line [][]string
		want bool
	}{
		{"its hook", [][]string{hook, sh, own}, true},
		{"the hook of one that started itself again", [][]string{hook, sh, child, own}, true},
		{"the hook of one behind npx", [][]string{hook, sh, own, {"sh", "-c", "gemini"}, {"npm", "exec", "gemini"}},
			true},
		{"the hook of one that it runs as a tool", [][]string{hook, sh, own, {"bash", "-c", "gemini -p x"}, own},
			false},
		{"one that is hidden", [][]string{hook, sh, {"make", "agent"}}, true},
	} {
		if got := runsOnce(gemini, tt.line); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}
