package door

import (
	"os/exec"
	"slices"
	"testing"

	"parley/internal/must"
)

// What parley starts of an agent's program is that agent's, whatever it starts in turn. A program that names no agent
// gets no server.
func TestTheServerOfCodexIsItsAgents(t *testing.T) {
	pidWith := func(env ...string) int {
		cmd := exec.Command("sleep", "60")
		cmd.Env = append(env, "HOME=/home/ann", "SECRET=hush")
		must.Do(t, cmd.Start())
		t.Cleanup(func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		})
		return cmd.Process.Pid
	}

	cmd := must.Have(codexCommand(pidWith("PARLEY_AGENT_ID=4711")))(t)
	if want := []string{"PARLEY_AGENT_ID=4711", "HOME=/home/ann"}; !slices.Equal(cmd.Env, want) {
		t.Errorf("its environment is %q, want %q", cmd.Env, want)
	}
	if cmd, err := codexCommand(pidWith()); err == nil {
		t.Errorf("%q starts for a program that names no agent", cmd.Args)
	}
}
