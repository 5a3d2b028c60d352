package profile_test

import (
	"strings"
	"testing"

	"parley/program/profile"
)

// imitations are texts that match a program's markers.
var imitations = map[string][]string{
	"claude":  {"press esc to interrupt now", "look at this\n❯ 1. Yes"},
	"codex":   {"look at this\n› 1. Yes, proceed (y)"},
	"copilot": {"use enter to select · esc to cancel there", "look at this\n│ ❯ 1. Yes"},
	"gemini":  {"look at this\n│ ● 1. Allow once"},
	"qwen":    {"look at this\n... waiting (3s", "look at this\n› 1. Yes"},
}

func TestOwnMessageInTheComposerIsNoState(t *testing.T) {
	set := builtin(t)
	for name, texts := range imitations {
		_, lines := readGolden(t, "testdata/"+name+"/80x24-ours.txt")
		for _, text := range texts {
			screen := compose(t, lines, text)
			if got := find(t, set, name).Look(screen); got != profile.Idle {
				t.Errorf("%s looks %s when its composer holds %q\n%s", name, got, text, strings.Join(screen, "\n"))
			}
		}
	}
}

func TestEndOfOwnMessageInATallComposerIsNoState(t *testing.T) {
	golden, lines := readGolden(t, "testdata/claude/80x24-tall-ours.txt")
	p := find(t, builtin(t), "claude")
	for _, text := range imitations["claude"] {
		screen := strings.Split(
			strings.Replace(strings.Join(lines, "\n"), "  seven hundred characters in one line, end",
				"  "+strings.ReplaceAll(text, "\n", "\n  "), 1),
			"\n",
		)

		if got := p.Look(screen); got != profile.Idle {
			t.Errorf("it looks %s when its composer ends in %q\n%s", got, text, strings.Join(screen, "\n"))
		}
	}

	whole := "[AGENT 46c4a85d TO AGENT b5af28c2]: " +
		strings.Repeat("seven hundred characters in one line, ", 18) + "end\n(planner · msg 5f0c21aa)"
	if !profile.HoldsOnly(*golden.Composer, whole) || profile.HoldsOnly(*golden.Composer+"half", whole) {
		t.Error("what it shows of our text is not told from our text with something behind it")
	}
}

// Codex shows no footer below a tall text, also when a person types behind parley's message.
func TestADraftBehindATallMessageIsRead(t *testing.T) {
	p := find(t, builtin(t), "codex")
	whole := "[AGENT 46c4a85d TO AGENT b5af28c2]: one\n" + strings.Repeat("two words\n", 40) +
		"(planner · msg 5f0c21aa · low)"
	rows := strings.Split(strings.Repeat("  two words\n", 24)+"  (planner · msg 5f0c21aa · low)", "\n")
	for _, draft := range []string{"", "half a thought", "a thought that\n  goes on"} {
		screen := strings.Split("• You said: word\n\n\n› two words"+strings.Repeat(" ", 100)+"↑\n"+
			strings.Join(rows, "\n")+draft+"\n", "\n")
		if got := p.Look(screen); got != profile.Idle {
			t.Errorf("with %q behind it, it looks %s", draft, got)
		}
		text, ok := p.Composer(profile.Screen{Lines: screen, Width: 120, CursorX: 40, CursorY: len(screen) - 2})
		if !ok || !profile.Holds(text, "· low)"+draft) || profile.HoldsOnly(text, whole) != (draft == "") {
			t.Errorf("with %q behind it, its composer holds (%v) %q, our text alone: %v", draft, ok, text,
				profile.HoldsOnly(text, whole))
		}
	}
}

func TestDraftThatNamesAKeyIsNotWork(t *testing.T) {
	_, lines := readGolden(t, "testdata/claude/80x24-draft.txt")
	lines = strings.Split(
		strings.ReplaceAll(strings.Join(lines, "\n"), "a draft of mine", "does esc to interrupt work?"),
		"\n",
	)
	if got := find(t, builtin(t), "claude").Look(lines); got != profile.Idle {
		t.Errorf("it looks %s\n%s", got, strings.Join(lines, "\n"))
	}
}

func TestAnswerOfAnAgentIsNotItsState(t *testing.T) {
	_, lines := readGolden(t, "testdata/copilot/80x24-after.txt")
	for _, text := range []string{"Working on it now", "Press enter to select · esc to cancel"} {
		screen := strings.Split(strings.ReplaceAll(strings.Join(lines, "\n"), "● TOOL RESULT", "● "+text), "\n")
		if got := find(t, builtin(t), "copilot").Look(screen); got != profile.Idle {
			t.Errorf("it looks %s when it has answered %q\n%s", got, text, strings.Join(screen, "\n"))
		}
	}
}

// compose replaces the message in a screen's composer by another one.
func compose(t *testing.T, lines []string, text string) []string {
	t.Helper()
	var screen []string
	rows := strings.Split(text, "\n")
	state := 0
	for i := len(lines) - 1; i >= 0; i-- {
		line := lines[i]
		switch {
		case state == 0 && strings.Contains(line, "msg 5f0c21aa"):
			state = 1
			screen = append(screen, line)
		case state == 1 && strings.Contains(line, "[AGENT"):
			state = 2
			head, _, _ := strings.Cut(line, "]: ")
			indent := strings.Repeat(" ", len([]rune(head[:strings.Index(head, "[")])))
			for n := len(rows) - 1; n > 0; n-- {
				screen = append(screen, indent+rows[n])
			}
			screen = append(screen, head+"]: "+rows[0])
		case state == 1:
		default:
			screen = append(screen, line)
		}
	}

	if state != 2 {
		t.Fatal("no text of ours on the screen")
	}

	for i, j := 0, len(screen)-1; i < j; i, j = i+1, j-1 {
		screen[i], screen[j] = screen[j], screen[i]
	}

	return screen
}
