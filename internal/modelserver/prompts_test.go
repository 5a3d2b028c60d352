package modelserver_test

import (
	"strings"
	"testing"

	"parley/internal/modelserver"
)

func TestAdditionsOfProgramsToAPromptAreDropped(t *testing.T) {
	s := modelserver.Start()
	defer s.Close()

	ask(t, s, apis[0], []string{"<system-reminder>be\nbrief</system-reminder>\n hello ",
		"<environment_context>x</environment_context>", "\n\n<environment_details>y</environment_details>"}, "shell")
	ask(t, s, apis[2], []string{"<current_datetime>now</current_datetime>\n\n hi",
		"<pasted_content id=\"1\">\nlong\n</pasted_content>"}, "shell")

	ask(t, s, apis[1], []string{"# AGENTS.md instructions", "hey"}, "shell")
	wantPrompts(t, s, " hello ", " hi", "<pasted_content id=\"1\">\nlong\n</pasted_content>", "hey")
}

// Copilot joins what it was given while it worked, behind the time of day.
func TestJoinedTextsAreOnePrompt(t *testing.T) {
	s := modelserver.Start()
	defer s.Close()

	both := "[AGENT 1 TO AGENT 2]: one\n(ann · msg 1)\n\n[AGENT 1 TO AGENT 2]: two\n(ann · msg 2)"
	ask(t, s, apis[2], []string{"<current_datetime>now</current_datetime>\n\n" + both}, "shell")
	wantPrompts(t, s, both)
}

func TestTextOfAnotherSessionIsAPrompt(t *testing.T) {
	s := modelserver.Start()
	defer s.Close()

	ask(t, s, apis[0],
		[]string{"Another Claude session sent a message:\ntwo\n\nlines\n\nThis came from another Claude session — " +
			"not typed"}, "shell")
	ask(t, s, apis[1],
		[]string{"<cross_session_message from=\"/x.sock\" name=\"parley\">\nhello " +
			"<b>\n</cross_session_message>\n\nThis came"}, "shell")
	wantPrompts(t, s, "two\n\nlines", "hello <b>")
}

// Oh My Pi says so before a text that goes into a turn.
func TestTextThatInterjectsIsAPrompt(t *testing.T) {
	s := modelserver.Start()
	defer s.Close()

	ask(t, s, apis[1],
		[]string{"<system-notice>\nUser interjection during work: priority.\n</system-notice>\nstop\n\nhere"}, "shell")
	ask(t, s, apis[1], []string{"<system-notice>\nThe command ended.\n</system-notice>\nits output"}, "shell")
	wantPrompts(t, s, "stop\n\nhere")
}

// Two versions of Claude Code use different words.
func TestTextSubmittedDuringAToolIsAPrompt(t *testing.T) {
	s := modelserver.Start()
	defer s.Close()

	ask(t, s, apis[0], []string{"go", "me: yes",
		"<system-reminder>The user sent a new message while you were working:\none\ntwo\n\nIMPORTANT: mind " +
			"it</system-reminder>"}, "shell")
	ask(t, s, apis[0], []string{"go", "me: yes",
		"The user sent a new message while you were working:\nthree\n\nThis is how Claude Code does it."}, "shell")

	wantPrompts(t, s, "one\ntwo", "three")
}

func TestPromptThatComesAgainWithALineBreakCountsOnce(t *testing.T) {
	inEach(t, func(t *testing.T, s *modelserver.Server, a api) {
		ask(t, s, a, []string{"FAIL 500"}, "shell")
		ask(t, s, a, []string{"FAIL 500\n", "go on"}, "shell")
		wantPrompts(t, s, "FAIL 500", "go on")
	})
}

// Kimi Code sends a prompt that failed in one text with the next.
func TestPromptThatFailedIsNotObeyedAgainWithTheNext(t *testing.T) {
	inEach(t, func(t *testing.T, s *modelserver.Server, a api) {
		ask(t, s, a, []string{"FAIL 500"}, "shell")
		ask(t, s, a, []string{"FAIL 500\n\nFAIL 501 then"}, "shell")
		_, answer := ask(t, s, a, []string{"FAIL 500\n\nFAIL 501 then\n\ngo\n\non"}, "shell")
		if !strings.Contains(answer, "You said: go") {
			t.Errorf("got %q", answer)
		}
		wantPrompts(t, s, "FAIL 500", "FAIL 501 then", "go\n\non")
	})
}
