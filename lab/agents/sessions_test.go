package agents

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/testhome"
)

// clears is what a person types for a new conversation, nests what makes a program run another one of its
// kind as a tool, and history where a program keeps its
// conversations, as a pattern below the home directory.
var (
	clears = map[string]string{
		"claude": "/clear", "codex": "/new", "copilot": "/clear", "gemini": "/clear", "opencode": "/new", "qwen": "/clear",
		"pi": "/new", "kilo": "/new", "grok": "/new", "omp": "/new", "kimi": "/new", "cline": "/clear",
	}
	nests = map[string]string{
		"claude": "claude -p nested-words", "codex": "codex exec --skip-git-repo-check nested-words",
		"qwen": "qwen -p nested-words",
	}
	history = map[string]string{
		"claude": ".claude/projects/*/*.jsonl", "codex": ".codex/sessions/*/*/*/*.jsonl", "copilot": ".copilot/session-s*",
		"gemini": ".gemini/tmp/*/chats/*", "opencode": ".local/share/opencode/opencode.db*", "qwen": ".qwen/projects/*/chats/*",
		"pi": ".pi/agent/sessions/*/*", "kilo": ".local/share/kilo/kilo.db*", "grok": ".grok/sessions/*/*",
		"omp": ".omp/agent/sessions/*/*", "kimi": ".kimi-code/sessions/*/*", "cline": ".cline/data/sessions/*",
	}
)

// A person begins a new conversation in the program. After the death of the machine it comes back with
// that one.
func TestNewConversationsAreFollowed(t *testing.T) {
	alone(t, theNewConversation, func(t *testing.T, program installed) {
		followsConversations(launchReal(t, program, aloneAt, "--prompt", "the first is HERON"))
	})
}

func followsConversations(s *onStage) {
	s.Helper()
	first := s.begins(s.first(), "")
	if command := nests[s.program.profile]; command != "" {
		s.nest(command, first)
	}
	s.types(clears[s.program.profile])
	second := s.begins(s.send("the second is OSPREY"), first)
	if strings.Contains(s.model.Turn(), "HERON") {
		s.Errorf("the new conversation still has the old turns:\n%s", s.model.Turn())
	}

	if s.program.profile == "claude" {
		s.types("/resume " + first)
		s.wait("the first one is taken up again", func() bool {
			session := s.look().Session
			return session.ID == first && session.Begun()
		})
		second = first
	}

	s.dies()
	s.returns(parley.ConversationResumed, "up")
	if got := s.look().Session.ID; got != second {
		s.Errorf("it came back with %s, want %s; the first was %s", got, second, first)
	}
	s.begun(s.send("what was it?"))
	has, lacks := "OSPREY", "HERON"
	if second == first {
		has, lacks = lacks, has
	}
	if turn := s.model.Turn(); !strings.Contains(turn, has) || strings.Contains(turn, lacks) {
		s.Errorf("its model should see %s, and not %s:\n%s", has, lacks, turn)
	}
}

// begins waits for the end of a turn, and returns the session that it was in: not the one before.
func (s *onStage) begins(m *letter, before string) string {
	s.Helper()
	s.wait("its prompt is proven", func() bool { return s.status(m).State.Delivered() }, m)
	s.begun(m)
	s.inState(parley.StateIdle)
	s.wait("its session is known", func() bool {
		session := s.look().Session
		return session.Begun() && session.ID != before
	}, m)
	return s.agent.Session.ID
}

// nest has the program run another one as a tool, whose session is not the agent's.
func (s *onStage) nest(command, session string) {
	s.Helper()
	command = "PATH=" + s.program.path + ":$PATH " + command
	s.send(strings.ReplaceAll(s.program.ask, "touch FILE", command))
	s.wait("the nested program is prompted", func() bool {
		if s.look().State == parley.StateWaiting {
			s.Home.Command("answer", "ann", "1", "--yes").Run() // it may have closed meanwhile
		}
		return slices.ContainsFunc(s.model.Prompts(), func(p string) bool { return strings.TrimSpace(p) == "nested-words" })
	})
	s.inState(parley.StateIdle)
	if got := s.look().Session; got.ID != session || !got.Begun() {
		s.Errorf("after a nested program its session is %+v, want %s", got, session)
	}
}

// forking is what a program shows after /fork: a question whose first answer forks the whole conversation,
// if it asks, and that it is forked, if it says so.
type forking struct{ asks, says string }

var forks = map[string]forking{"codex": {says: "Fork created"}, "opencode": {asks: "Full session"}}

// A person forks the conversation in the program. After the death of the machine it comes back with the
// fork, and not with what it was forked from.
func TestForksAreFollowed(t *testing.T) {
	alone(t, theFork, func(t *testing.T, program installed) {
		shows := forks[program.profile]
		s := launchReal(t, program, aloneAt, "--prompt", "the first is HERON")
		first := s.begins(s.first(), "")
		s.enters("/fork")
		if shows.asks != "" {
			s.wait("it asks how", func() bool { return strings.Contains(s.screen(), shows.asks) })
			s.press("Enter")
			s.wait("it is forked", func() bool { return !strings.Contains(s.screen(), shows.asks) })
		}
		s.wait("it says so", func() bool { return strings.Contains(s.screen(), shows.says) })
		s.inState(parley.StateIdle)

		fork := s.begins(s.send("the second is OSPREY"), first)
		s.dies()
		s.returns(parley.ConversationResumed, "up")
		if got := s.look().Session.ID; got != fork {
			t.Errorf("it came back with %s, want the fork %s; it is of %s", got, fork, first)
		}
		s.begun(s.send("what were they?"))
		if turn := s.model.Turn(); !strings.Contains(turn, "HERON") || !strings.Contains(turn, "OSPREY") {
			t.Errorf("its model should see both:\n%s", turn)
		}
	})
}

// types types a command as a person does.
func (s *onStage) types(command string) {
	s.Helper()
	s.enters(command)
	s.wait("the command is gone", func() bool { return s.composer() == "" && s.look().State == parley.StateIdle })
}

// enters writes a command into the composer and presses Enter. A terminal that was attached just now may
// lose keys.
func (s *onStage) enters(command string) {
	s.Helper()
	s.press("Right") // changes nothing
	s.wait("the command stands there", func() bool {
		if s.composer() == "" {
			s.press("-l", command)
		}
		return s.until(5*time.Second, func() bool { return strings.Contains(s.screen(), command) })
	})
	s.press("Enter")
}

// A program that no longer knows its conversation ends, and is started afresh only when told.
func TestAConversationThatIsGoneIsRefused(t *testing.T) {
	alone(t, theGoneConversation, func(t *testing.T, program installed) {
		s := launchReal(t, program, aloneAt, "--prompt", "the first is HERON")
		s.begins(s.first(), "")
		s.dies()
		s.forgetHistory()

		waits := s.send("sent while all was dead")
		_ = s.Home.Command("up").Run() // fails if it sees the program end, which a slow machine may do later
		s.wait("the operator is told", func() bool {
			needs := testhome.Run[parley.GetNeedsResult](s.T, s.Home, "needs").Needs
			return len(needs) == 1 && needs[0].Kind == parley.NeedRefused && strings.Contains(needs[0].Command, "--fresh")
		})
		if d := s.status(waits); d.State != parley.DeliveryHeld && d.State != parley.DeliveryQueued {
			t.Errorf("the message is %s (%s)", d.State, d.Reason)
		}

		s.returns(parley.ConversationNew, "restart", "ann", "--fresh")
		s.begun(waits)
	})
}

// forgetHistory deletes what a program has kept of its conversations.
func (s *onStage) forgetHistory() {
	s.Helper()
	files, err := filepath.Glob(filepath.Join(s.Dir, "h", history[s.program.profile]))
	if err != nil || len(files) == 0 {
		s.Fatalf("it has kept nothing as %s: %v", history[s.program.profile], err)
	}
	for _, file := range files {
		if err := os.RemoveAll(file); err != nil {
			s.Fatal(err)
		}
	}
}
