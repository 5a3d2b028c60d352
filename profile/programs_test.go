package profile_test

import (
	"strings"
	"testing"

	"parley/profile"
)

func TestRunningProgramIsKnown(t *testing.T) {
	s := builtin(t)
	for name, text := range map[string]string{
		"robo": `{command: [robo], programs: [robo, "@acme/robo-cli/"]}`,
		"mine": `{extends: claude, inline_chars: 400}`,
	} {
		var err error
		if s, err = s.With(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}

	for line, want := range map[string]string{
		"claude":                      "claude", // not mine, which has the same command
		"/opt/claude/claude --resume": "claude",
		"node /usr/bin/robo":          "robo", "node /usr/bin/gemini": "gemini",
		"node --max-old-space-size=2048 /lib/node_modules/@acme/robo-cli/dist/index.js": "robo",
		"/lib/node_modules/@openai/codex-linux-x64/bin/codex":                           "codex",
		"node /opt/app/.bin/copilot":                                                    "copilot",
		"vim claude":                                                                    "",
		"node":                                                                          "",
		"python3 server.py":                                                             "",
		"bash":                                                                          "",
		"-zsh":                                                                          "",
		"parley send coder hello":                                                       "",
		"/usr/bin/parley demo-agent":                                                    "demo",
		"":                                                                              "",
	} {
		p, ok := s.Running(strings.Fields(line))
		got := ""
		if ok {
			got = p.Name
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	}

	for line, want := range map[string]string{
		"-zsh": "zsh", "node /a/b/tool.mjs x": "tool", "node --version": "node", "": "",
	} {
		if got := profile.ProgramOf(strings.Fields(line)); got != want {
			t.Errorf("ProgramOf(%q) = %q, want %q", line, got, want)
		}
	}
}
