package profile_test

import (
	"strings"
	"testing"

	"parley/internal/must"
	"parley/program/profile"
)

func TestRunningProgramIsKnown(t *testing.T) {
	s := builtin(t)
	for name, text := range map[string]string{
		"robo": `{command: [robo], programs: [robo, "@acme/robo-cli/"]}`,
		"mine": `{extends: claude, inline_chars: 400}`,
	} {
		s = must.Have(s.With(name, []byte(text)))(t)
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

		"env A=b -u C claude":                              "claude",
		"env -i A=b nice -n 5 nohup /opt/claude":           "claude",
		"time -p claude":                                   "claude",
		"timeout -k 5 60 claude":                           "claude",
		"sudo -u bob claude":                               "claude",
		"npx -y @anthropic-ai/claude-code@latest --resume": "claude",
		"npm exec @anthropic-ai/claude-code":               "claude",
		"bunx @openai/codex":                               "codex",
		"pnpm dlx @google/gemini-cli@0.61.0":               "gemini",
		"npx opencode-ai":                                  "opencode",
		"python3 -m aider":                                 "aider",
		"node -r ./hook.js /x/claude.js":                   "claude",
		"bash -x ./claude.sh":                              "claude",
		"bash -lc claude":                                  "",
		"env -S claude":                                    "",
		"node -e claude":                                   "",
		"npx -c claude":                                    "",
		"npx @openai/codex-security":                       "",
		"npm run claude":                                   "",
		"make claude":                                      "",
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
		"sh -c tool": "sh", "npx @acme/tool@1.2": "tool", "env A=b": "env",
	} {
		if got := profile.ProgramOf(strings.Fields(line)); got != want {
			t.Errorf("ProgramOf(%q) = %q, want %q", line, got, want)
		}
	}
}

func TestLaunchedProgramMustGetItsArguments(t *testing.T) {
	s := builtin(t)
	for line, want := range map[string]bool{
		"claude --model opus":           true,
		"env A=b claude":                true,
		"npx @anthropic-ai/claude-code": true,
		"npm exec -- @openai/codex":     true,
		"bash ./claude.sh":              true,
		"npm exec @openai/codex":        false, // npm would take them
		"sudo -u bob claude":            false, // bob cannot read the files that they name
		"bash -c claude":                false,
		"cat":                           false,
	} {
		if _, ok := s.Launched(strings.Fields(line)); ok != want {
			t.Errorf("%q: got %v, want %v", line, ok, want)
		}
	}
}

// A wrapper's version is not that of the program behind it.
func TestAProgramIsAskedForItsVersionThroughItsWrapper(t *testing.T) {
	for line, want := range map[string]string{
		"claude --model opus":               "claude",
		"/usr/bin/env A=b claude --resume":  "/usr/bin/env A=b claude",
		"timeout --foreground 5m claude -c": "timeout --foreground 5m claude",
		"node --no-warnings ./robo.js --x":  "node --no-warnings ./robo.js",
		"python3 -m robo chat":              "python3 -m robo",
		"npm exec -- robo --x":              "npm exec -- robo",
		"python3":                           "python3",
		"bash -c claude":                    "",
		"sudo -u bob claude":                "",
		"npm exec robo":                     "",
	} {
		words, ok := profile.Starts(strings.Fields(line))
		if got := strings.Join(words, " "); ok != (want != "") || ok && got != want {
			t.Errorf("%q: got %q, %v, want %q", line, got, ok, want)
		}
	}
}

func TestSomeProgramsStartOthers(t *testing.T) {
	for line, want := range map[string]bool{
		"bash ./start.sh": true, "sh -c claude": true, "npm run claude": true, "sudo claude": true, "make agent": true,
		"bash": false, "-zsh": false, "node server.js": false, "python3 team.py": false, "vim x": false, "": false,
	} {
		if got := profile.MayStart(strings.Fields(line)); got != want {
			t.Errorf("%q: got %v, want %v", line, got, want)
		}
	}
}
