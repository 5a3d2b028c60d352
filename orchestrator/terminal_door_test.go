package orchestrator

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"parley"
	"parley/internal/must"
	"parley/op"
	"parley/program/door"
	"parley/program/profile"
	"parley/tmux/tmuxtest"
)

// A launch opens the program's own entrance, for the user alone, and not where the user has one already.
func TestLaunchOpensTheEntranceOfItsProgram(t *testing.T) {
	t.Parallel()
	r := newRobo(t, tmuxtest.Agent{})
	profiles := must.Have(r.opts.Profiles.With("robo", []byte(
		"door: {kind: opencode, args: ['--port={{.Port}}'], env: {ROBO_SECRET: '{{.Secret}}'}, own: [--mine]}")))(t)
	r.reopen(func(o *Options) { o.Profiles = profiles })

	first := r.opened(nil)
	if second := r.opened(nil); second.Secret == first.Secret || len(first.Secret) < 20 {
		t.Errorf("the secrets are %q and %q, want one of each launch", first.Secret, second.Secret)
	}

	// An agent that launches another one has its own password in its environment.
	if l := r.opened(map[string]string{"OTHER_SECRET": profile.NewSecret()}); l.Port == 0 {
		t.Error("the password of another agent keeps it closed")
	}
	if l := r.opened(map[string]string{"--door": "never"}); l.Port != 0 {
		t.Errorf("it opened %+v although that is never used", l)
	}

	for _, own := range []map[string]string{{"ROBO_SECRET": "mine"}, {"ROBO_SECRET": ""}, {"--mine": "1"}} {
		if l := r.opened(own); l.Port != 0 {
			t.Errorf("with %v it opened %+v over the user's own", own, l)
		}
	}
}

// opened launches robo with more variables, or flags, and returns what its entrance was opened with.
func (r *robo) opened(own map[string]string) (l door.Launch) {
	r.t.Helper()
	req := parley.LaunchAgentRequest{
		Name: "ann", Profile: "robo", Command: r.hidden("true"), Env: map[string]string{},
	}
	for name, value := range own {
		if name == "--door" {
			req.Door = value
		} else if strings.HasPrefix(name, "-") {
			req.Command = append(req.Command, name+"="+value)
		} else {
			req.Env[name] = value
		}
	}
	res := must.Have(op.LaunchAgent.Call(r.operator(), r, req))(r.t)
	r.inState("ann", parley.StateIdle)
	defer func() { must.Have(op.StopAgent.Call(r.operator(), r, parley.StopAgentRequest{Agent: "ann"}))(r.t) }()

	words := string(must.Have(os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", res.PID)))(r.t))
	env := string(must.Have(os.ReadFile(fmt.Sprintf("/proc/%d/environ", res.PID)))(r.t))
	if strings.Contains(env, "\x00OTHER_SECRET=") {
		r.t.Error("it has inherited the password of another agent's entrance")
	}
	file := filepath.Join(r.opts.LaunchDir, "agents", res.AgentID, "door.json")
	text, err := os.ReadFile(file)
	if err != nil {
		if strings.Contains(words, "--port=") {
			r.t.Errorf("it was launched with %q, and nothing says so", words)
		}
		return l
	}

	must.Do(r.t, json.Unmarshal(text, &l))
	if mode := must.Have(os.Stat(file))(r.t).Mode().Perm(); mode != 0o600 {
		r.t.Errorf("%s has the mode %o", file, mode)
	}
	if !strings.Contains(words, "--port="+strconv.Itoa(l.Port)) || strings.Contains(words, l.Secret) {
		r.t.Errorf("the arguments are %q, want the port and not the secret of %+v", words, l)
	}
	if !strings.Contains(env, "\x00ROBO_SECRET="+l.Secret+"\x00") {
		r.t.Errorf("the secret is not in its environment")
	}

	return l
}
