package agents

import (
	"slices"
	"strings"
	"time"

	"parley"
)

// garbling is a text whose width programs and tmux 3.3a count differently.
const garbling = byHand + " 1️⃣"

// byHand is the part of it that no program changes when it comes key by key. opencode puts the parts of a keycap in
// another order.
const byHand = "👍🏽 हिन्दी भाषा 👨\u200d💻 🏳️\u200d🌈"

// survivesGarbledRows has a person write what runs over the right edge, and leave. Messages
// arrive all the same, also those with such a text.
func (s *onStage) survivesGarbledRows() {
	s.Helper()
	for range 3 {
		s.writes("written by hand " + byHand)
	}

	s.leave()
	for range 3 {
		s.arrives(s.send("after all that"), s.send("and "+garbling+" too"))
	}

	s.arrives(s.send(strings.Repeat(garbling+" and ", 8) + "more"))
	s.inState(parley.StateIdle)
}

// writes has a person submit a prompt.
func (s *onStage) writes(text string) {
	s.Helper()
	had := func() int {
		return len(slices.DeleteFunc(s.model.Prompts(), func(p string) bool { return !strings.HasSuffix(p, text) }))
	}

	before := had()
	s.sent = append(s.sent, &letter{Message: &parley.Message{}, want: text})
	s.press("-l", text)
	s.until(5*time.Second, func() bool { return s.composer() != "" })
	s.wait("the person's prompt is answered", func() bool {
		time.Sleep(time.Second) // some take an Enter right after a text for a part of that
		s.press("Enter")
		return s.until(10*time.Second, func() bool { return had() > before })
	})
}
