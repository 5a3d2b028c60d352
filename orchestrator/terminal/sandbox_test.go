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
		if kept := req.Sandbox != nil && !*req.Sandbox; err == nil && kept != (c.operator && c.said != nil) {
			t.Errorf("%s: that it is taken out is kept: %v", name, kept)
		}
	}
}

// A restart puts into a sandbox what was launched before the settings said so, and neither takes a conversation along
// nor loses one that nobody gave up.
func TestARestartGoesIntoASandboxThatTheSettingsAsk(t *testing.T) {
	yes, no := true, false
	began := parley.Session{ID: "conversation", State: parley.SessionBegun}
	for name, c := range map[string]struct {
		all, profile bool
		before       *bool // what its agent has of its launch
		session      parley.Session
		fresh        bool
		want         bool
		code         parley.Code
	}{
		"nothing asks for one":                  {session: began},
		"the settings":                          {all: true, want: true},
		"its profile":                           {profile: true, want: true},
		"with a conversation":                   {all: true, session: began, code: parley.InvalidArgument},
		"with a conversation that is given up":  {all: true, session: began, fresh: true, want: true},
		"the operator had taken it out":         {all: true, before: &no, session: began},
		"it is in one, with its conversation":   {all: true, before: &yes, session: began, want: true},
		"it is in one, and nothing asks for it": {before: &yes, session: began, want: true},
	} {
		p := must.Have(must.Have(profile.Builtin())(t).Find("claude"))(t)
		p.Sandbox.Always = c.profile
		a := parley.Agent{Name: "coder", AgentSpec: parley.AgentSpec{Sandbox: c.before}, Session: c.session}
		err := Boundary{Always: c.all}.encloseAgain(&a, choice{Profile: p}, &launch{Dir: t.TempDir()}, c.fresh)
		if parley.ErrorCode(err) != c.code || a.Sandboxed() != c.want {
			t.Errorf("%s: in a sandbox %v (%v), want %v (%s)", name, a.Sandboxed(), err, c.want, c.code)
		}
	}
}

// A conversation is in the home in which it began, which no other sandbox has, nor what runs in none.
func TestAConversationStaysInItsHome(t *testing.T) {
	profiles := must.Have(profile.Builtin())(t)
	p := choice{Profile: must.Have(profiles.Find("claude"))(t)}
	for _, was := range []bool{false, true} {
		for _, is := range []bool{false, true} {
			a := parley.Agent{Profile: "claude", AgentSpec: parley.AgentSpec{Sandbox: &was}}
			if got := p.continues(&a, is); got != (was == is) {
				t.Errorf("in a sandbox before %v, and now %v: it continues %v", was, is, got)
			}
			if a.Profile = "codex"; p.continues(&a, is) {
				t.Error("a program continues the conversation of another")
			}
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
