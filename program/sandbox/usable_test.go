package sandbox_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley"
	"parley/internal/must"
	"parley/program/sandbox"
)

// Where the system lets nobody make a sandbox, a launch in one is refused with what bubblewrap said and what helps.
func TestARefusalOfTheSystemSaysWhatHelps(t *testing.T) {
	const forbidden = "does not let bubblewrap make a sandbox: bwrap: "
	for name, c := range map[string]struct {
		bwrap          string // what it prints as it fails; "": there is none
		message, helps string
	}{
		"bubblewrap is missing": {"", "needs bubblewrap, which was not found", "apt install bubblewrap"},
		"AppArmor, the map of users": {
			"bwrap: setting up uid map: Permission denied", forbidden + "setting up uid map: Permission denied",
			"bwrap-userns-restrict",
		},
		"AppArmor, the loopback": {
			"bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted",
			forbidden + "loopback: Failed RTM_NEWADDR", "bwrap-userns-restrict",
		},
		"no namespaces of users": {
			"bwrap: No permissions to create new namespace, likely because the kernel does not allow non-privileged " +
				"user namespaces.",
			forbidden + "No permissions to create new namespace", "the container is the boundary",
		},
		"a container without its own /proc": {
			"bwrap: Can't mount proc on /newroot/proc: Operation not permitted", forbidden + "Can't mount proc",
			"the container is the boundary",
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if c.bwrap != "" {
				script := "#!/bin/sh\necho \"" + c.bwrap + "\" >&2\nexit 1\n"
				must.Do(t, os.WriteFile(filepath.Join(dir, "bwrap"), []byte(script), 0o700))
			}
			t.Setenv("PATH", dir)

			e := parley.AsError(sandbox.Usable(t.Context()))
			if e.Code != parley.InvalidArgument || !strings.Contains(e.Message, c.message) ||
				!strings.Contains(e.Action, c.helps) || !strings.Contains(e.Action, "without --sandbox") {
				t.Errorf("got %s: %q (%q)", e.Code, e.Message, e.Action)
			}
		})
	}
}
