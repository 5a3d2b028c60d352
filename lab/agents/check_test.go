package agents

import (
	"os"
	"testing"

	"parley/internal/modelserver"
	"parley/internal/testhome"
	checked "parley/orchestrator/trial"
)

// What profiles check finds of the real programs, with the scripted model: nothing that does not hold. The
// user's home directory has nothing of the program, and nothing comes there.
func TestProfilesHoldWithAModel(t *testing.T) {
	for _, program := range oneOfEach(installedPrograms(t)) {
		t.Run(program.String(), func(t *testing.T) {
			t.Parallel()
			h := testhome.New(t)
			h.Env = append(h.Env, "PATH="+program.path+":"+os.Getenv("PATH"))
			model := modelserver.Start()
			t.Cleanup(model.Close)
			res := testhome.Run[checked.Result](t, h, "profiles", "check", program.profile, "--model", model.URL, "--timeout", "5m")
			tried := map[checked.Guarantee]checked.Verdict{}
			for _, f := range res.Findings {
				tried[f.Guarantee] = f.Verdict
				if f.Verdict == checked.Fails {
					t.Errorf("%s fails: %s", f.Guarantee, f.Saw)
				}
			}
			keep(t, program, record{Size: res.Size, Guarantees: tried})
			if tried[checked.Rest] != checked.Holds || tried[checked.Turn] != checked.Holds ||
				res.Version != program.version && res.Version != "" { // a busy machine may have no time for that
				t.Errorf("%s: %s", res.Version, res.Words())
			}
			for name := range program.files {
				if _, err := os.Stat(h.Dir + "/h/" + name); err == nil {
					t.Errorf("the user's home directory got a %s", name)
				}
			}
		})
	}
}
