package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
)

// needOf returns a need of a kind, with what can be done about it.
func needOf(kind parley.NeedKind) *parley.Need {
	n := &parley.Need{Kind: kind, AgentID: "a", Agent: "coder", MessageID: "5f0c21aa", Held: "5f0c21ab", Draft: "rm",
		Text: "it is so."}
	if kind == parley.NeedUntried || kind == parley.NeedMisread {
		n.Command = "parley profiles check codex"
	}
	n.Offer()
	return n
}

// The command of each act is one of parley's, with arguments and flags that it takes.
func TestCommandsOfActsAreCommands(t *testing.T) {
	tried := 0
	for _, kind := range parley.NeedKinds() {
		for _, a := range needOf(kind).Acts {
			tried++
			c := &cli{out: &output{}, at: &surroundings{}}
			words := strings.Fields(strings.ReplaceAll(a.Command, "'Please answer message 5f0c21aa.'", "please"))[1:]
			cmd, rest, err := newRoot(c).Find(words)
			if err == nil {
				err = cmd.ParseFlags(rest)
			}
			if err == nil {
				err = cmd.ValidateArgs(cmd.Flags().Args())
			}
			if err != nil || !cmd.Runnable() || !cmd.HasParent() {
				t.Errorf("%s offers %s by %s: %v", kind, a.Words, a.Command, err)
			}
		}
	}
	if tried < 30 {
		t.Errorf("%d commands were tried", tried)
	}
}

// What is said of a need in words offers all that can be done from afar, as the lines of parley needs do.
func TestNeedsAreSaidWithTheirActs(t *testing.T) {
	for kind, want := range map[parley.NeedKind]string{
		parley.NeedLost:    "To help, restart: parley restart coder; stop: parley stop coder",
		parley.NeedBlocked: "To help, attach: parley attach coder",
		parley.NeedUnconfirmed: "To help, attach: parley attach coder; retype: parley retry 5f0c21aa --to coder; " +
			"it arrived: parley needs --dismiss 5f0c21aa",
	} {
		if got := needSentence(needOf(kind)); got != "coder needs you: it is so. "+want {
			t.Errorf("%s: got %q", kind, got)
		}
	}
	for _, kind := range parley.NeedKinds() {
		n := needOf(kind)
		lines := needsCommand{}.lines(&output{now: time.Now}, *n)
		for _, a := range n.Acts {
			step := a.Words + ": " + a.Command
			in := func(line string) bool { return strings.HasSuffix(line, step) }
			if !slices.ContainsFunc(lines, in) || a.Operation != "" && !strings.Contains(needSentence(n), step) {
				t.Errorf("%s: %q is missing in %q, or in %q", kind, step, lines, needSentence(n))
			}
		}
	}
}
