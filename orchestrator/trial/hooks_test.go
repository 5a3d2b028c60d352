package trial

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/must"
	"parley/program/profile"
)

// A hook of a trial prints once what the trial has for it, and what the program then writes of its turn tells.
func TestATrialsHookGivesOnceAndIsProven(t *testing.T) {
	const text = "[AGENT 12345678 TO AGENT 87654321]: and this\n(ann · msg 5f0c21bc)"
	set := must.Have(profile.Builtin())(t)
	for _, test := range []struct{ program, event, others, wrote string }{
		{"claude", `{"hook_event_name":"Stop","transcript_path":"FILE"}`, `{"type":"user","text":"msg 5f0c21bc"}`,
			`{"type":"attachment","attachment":{"type":"hook_additional_context","content":["msg 5f0c21bc"]}}`},
		{"gemini", `{"prompt":"[AGENT 12345678 TO AGENT 87654321]: and this\n(ann · msg 5f0c21bc)"}`,
			`{"hook_event_name":"BeforeAgent","prompt":"msg 5f0c21bc"}`, ""},
	} {
		t.Run(test.program, func(t *testing.T) {
			p := must.Have(set.Find(test.program))(t)
			hooks, dir := &p.Door.Hooks, t.TempDir()
			o := Options{Profile: p, Model: "http://127.0.0.1:1"}
			base := must.Have(o.standInFor(dir))(t)
			prints := must.Have(hooks.End.Print(text))(t)
			must.Do(t, os.WriteFile(base+".give."+hooks.End.Event, []byte(prints), 0o600))

			file := filepath.Join(dir, "transcript.jsonl")
			call := func(event, said string) string {
				cmd := exec.Command(base, "hook", event, "--wait")
				cmd.Stdin = strings.NewReader(strings.ReplaceAll(said, "FILE", file))
				return string(must.Have(cmd.Output())(t))
			}
			if got := call("Other", "{}") + call(hooks.End.Event, "{}"); got != prints {
				t.Errorf("the hooks print %q, want %q", got, prints)
			}
			if got := call(hooks.End.Event, "{}"); got != "" {
				t.Errorf("the hook prints %q again", got)
			}

			for _, step := range []struct {
				event, wrote string
				has          bool
			}{{test.others, test.others, false}, {test.event, test.wrote, true}} {
				must.Do(t, os.WriteFile(file, []byte(step.wrote+"\n"), 0o600))
				call("Any", step.event)
				if has := hasGiven(hooks, base, "msg 5f0c21bc"); has != step.has {
					t.Errorf("after %s and %s, it has it: %v, want %v", step.event, step.wrote, has, step.has)
				}
			}
		})
	}
}
