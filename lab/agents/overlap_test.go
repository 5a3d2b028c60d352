package agents

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley"
	"parley/internal/testhome"
)

// writes makes a program write FILE with a tool of its own.
var writes = map[string]string{
	"claude":   `CALL Write {"file_path":"FILE","content":"NAME\n"}`,
	"codex":    `CALL exec_command {"cmd":"apply_patch <<'EOP'\n*** Begin Patch\n*** Add File: FILE\n+NAME\n*** End Patch\nEOP\n"}`,
	"copilot":  `CALL create {"path":"FILE","file_text":"NAME\n"}`,
	"gemini":   `CALL write_file {"file_path":"FILE","content":"NAME\n"}`,
	"opencode": `CALL write {"filePath":"FILE","content":"NAME\n"}`,
	"qwen":     `CALL write_file {"file_path":"FILE","content":"NAME\n"}`,
	"kilo":     `CALL write {"filePath":"FILE","content":"NAME\n"}`,
}

// Two copies of a program write one file in one directory. Both are told, and the operator sees it.
func TestTwoProgramsThatWriteOneFileAreTold(t *testing.T) {
	alone(t, theEdits, func(t *testing.T, program installed) {
		s := launchReal(t, program, aloneAt)
		s.inState(parley.StateIdle)
		testhome.Run[parley.LaunchAgentResult](t, s.Home, append([]string{
			"launch", "bob", "--profile", program.profile, "--size", s.size, "--", program.profile}, program.args...)...)

		file := filepath.Join(s.Workspace, "shared.txt")
		for _, name := range []string{"ann", "bob"} {
			s.writesFile(name, file)
		}

		s.wait("the operator sees it", func() bool {
			needs := testhome.Run[parley.GetNeedsResult](t, s.Home, "needs").Needs
			return len(needs) == 1 && needs[0].Kind == parley.NeedOverlap && strings.Contains(needs[0].Text, "shared.txt")
		})
		s.wait("both are told", func() bool {
			told := strings.Join(s.model.Prompts(), "\n")
			return strings.Contains(told, "[PARLEY]: bob has edited") && strings.Contains(told, "[PARLEY]: ann has edited")
		})
	})
}

// writesFile has an agent write a file, and allows it.
func (s *onStage) writesFile(name, file string) {
	s.Helper()
	_ = os.Remove(file) // some tools only make files
	ask := strings.NewReplacer("FILE", file, "NAME", name).Replace(writes[s.program.profile])
	testhome.Run[parley.SendMessageResult](s.T, s.Home, "send", name, "--", ask)
	s.wait(name+" writes the file", func() bool {
		if testhome.Run[parley.AgentStatusResult](s.T, s.Home, "agents", name).Agents[0].State == parley.StateWaiting {
			s.Home.Command("answer", name, "1", "--yes").Run() // it may have closed meanwhile
		}
		text, _ := os.ReadFile(file)
		return strings.TrimSpace(string(text)) == name
	})
}
