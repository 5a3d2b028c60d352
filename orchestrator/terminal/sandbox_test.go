package terminal

import (
	"testing"

	"parley"
	"parley/internal/must"
	"parley/program/profile"
)

// Whatever says so of all puts a launch into a sandbox, and only the operator takes one out.
func TestOnlyTheOperatorTakesALaunchOutOfASandbox(t *testing.T) {
	yes, no := true, false
	for name, c := range map[string]struct {
		all, profile bool
		said         *bool
		operator     bool
		want         bool
		code         parley.Code
	}{
		"nothing is said":                 {},
		"it says so":                      {said: &yes, want: true},
		"it says not, and nothing does":   {said: &no},
		"the settings":                    {all: true, want: true},
		"its profile":                     {profile: true, want: true},
		"the operator, over settings":     {all: true, said: &no, operator: true},
		"the operator, over a profile":    {profile: true, said: &no, operator: true},
		"an agent, over settings":         {all: true, said: &no, code: parley.NotAuthorized},
		"an agent, over a profile":        {profile: true, said: &no, code: parley.NotAuthorized},
		"an agent, as the settings say":   {all: true, said: &yes, want: true},
		"the operator says nothing of it": {all: true, operator: true, want: true},
	} {
		profiles := must.Have(profile.Builtin())(t)
		must.Have(profiles.Find("claude"))(t).Sandbox.Always = c.profile
		ts := &Terminals{opts: Options{Profiles: profiles, Boundary: Boundary{Always: c.all}}}
		req := parley.LaunchAgentRequest{Name: "coder", Profile: "claude", AgentSpec: parley.AgentSpec{Sandbox: c.said}}
		err := ts.Enclose(parley.WithCaller(t.Context(), parley.Caller{Operator: c.operator, Orchestrate: true}), &req)
		if parley.ErrorCode(err) != c.code || err == nil && req.Sandboxed() != c.want {
			t.Errorf("%s: in a sandbox %v (%v), want %v (%s)", name, req.Sandboxed(), err, c.want, c.code)
		}
	}
}

// What an agent may write of the branches is its own, now and later.
func TestTheFolderOfASandbox(t *testing.T) {
	for name, c := range map[string]struct {
		branch          string
		others, folders []string
		want            string
	}{
		"its own name":             {"parley/coder/work", []string{"parley/tester/work"}, nil, "parley/coder"},
		"one that was named":       {"agents/coder/work", []string{"agents/tester/work"}, nil, "agents/coder"},
		"no folder":                {"feature", []string{"main"}, nil, ""},
		"that of all, from before": {"parley/coder", []string{"main"}, nil, ""},
		"another's branch in it":   {"agents/coder", []string{"agents/tester"}, nil, ""},
		"a deeper one":             {"agents/coder", []string{"agents/tester/work"}, nil, ""},
		"the checkout's branch":    {"work/coder", []string{"work/main"}, nil, ""},
		"in another sandbox's":     {"agents/coder/work", []string{"agents/old"}, []string{"agents"}, ""},
		"beside a branch":          {"agents/coder/work", []string{"agents/old"}, nil, "agents/coder"},
		"alike":                    {"agents/co/x", []string{"agents/coder/x"}, []string{"agents/coder"}, "agents/co"},
	} {
		if got := ownFolder(c.branch, c.others, c.folders); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}
