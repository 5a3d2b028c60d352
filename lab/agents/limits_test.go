package agents

import (
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
)

// limited is how a program meets the usage limit of its provider.
type limited struct {
	state parley.AgentState
	ends  bool // it says when the limit ends
	asks  bool // something else, which Escape answers
}

var limits = map[string]limited{
	"claude":   {parley.StateBlocked, true, false},
	"codex":    {parley.StateBlocked, true, true}, // whether to go on with a smaller model
	"copilot":  {parley.StateBlocked, false, false},
	"gemini":   {parley.StateWaiting, false, false}, // whether to keep trying
	"opencode": {parley.StateBusy, false, false},    // tries again by itself
	"qwen":     {parley.StateBusy, false, false},    // tries again by itself
	"pi":       {parley.StateBlocked, false, false},
	"kilo":     {parley.StateBusy, false, false}, // tries again by itself
	"grok":     {parley.StateBusy, false, false}, // tries again by itself
	"omp":      {parley.StateBlocked, true, false},
	"kimi":     {parley.StateBusy, false, false}, // tries again by itself
	"cline":    {parley.StateBusy, false, false}, // tries again by itself
}

// Beyond a usage limit, each program shows what parley reads: that nothing more goes on, and when it
// does again if the provider says so.
func TestUsageLimits(t *testing.T) {
	alone(t, theLimit, func(t *testing.T, program installed) {
		if program.profile == "claude" {
			program.env = subscribed(program.env)
		}
		s := launchReal(t, program, aloneAt)
		s.meetsItsLimit(limits[program.profile])
	})
}

// subscribed returns the environment of a Claude Code that belongs to a subscription: with an API key
// it knows no usage limit.
func subscribed(env []string) []string {
	env = slices.DeleteFunc(slices.Clone(env), func(entry string) bool {
		return strings.HasPrefix(entry, "ANTHROPIC_API_KEY=")
	})
	return append(env, "CLAUDE_CODE_OAUTH_TOKEN=scripted")
}

func (s *onStage) meetsItsLimit(want limited) {
	s.Helper()
	s.inState(parley.StateIdle)
	ends := time.Now().Add(3 * time.Hour)
	m := s.send("LIMIT 10800 this time")
	s.begun(m)
	if want.asks {
		s.inState(parley.StateWaiting)
		s.refuse()
	}
	s.inState(want.state)

	next := s.send("and then")
	s.wait("the next message waits", func() bool { return s.status(next).State == parley.DeliveryHeld })
	until := s.look().LimitedUntil
	if got := until != nil; got != want.ends {
		s.Fatalf("it ends at %v, want it known: %t; the screen is\n%s", until, want.ends, s.screen())
	}
	if want.ends && until.Sub(ends).Abs() > 10*time.Minute {
		s.Errorf("it ends at %v, want about %v", until, ends)
	}
}
