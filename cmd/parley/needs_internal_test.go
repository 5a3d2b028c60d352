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

// A matter is announced once, whatever becomes of its age and its words, and once when it is no longer there.
func TestAMatterIsAnnouncedOnce(t *testing.T) {
	debt := func(kind parley.NeedKind, text string) parley.Need {
		n := *needOf(kind)
		n.Text = text
		return n
	}
	asks := func(id string) parley.Need {
		d := &parley.Dialog{ID: id, Question: id + "?"}
		return parley.Need{Kind: parley.NeedDialog, AgentID: "b", Agent: "ben", Dialog: d}
	}
	known := map[string]heard{}
	for i, step := range []struct {
		needs []parley.Need
		want  []string // how the lines begin
	}{
		{[]parley.Need{debt(parley.NeedOwesAnswer, "owes, for 1 m")}, []string{"coder needs you: owes, for 1 m."}},
		{[]parley.Need{debt(parley.NeedOwesAnswer, "owes, for 2 m")}, nil},
		{[]parley.Need{debt(parley.NeedOverdue, "is late, for 1 m")}, nil},
		{[]parley.Need{debt(parley.NeedOverdue, "is late, for 2 m"), asks("One")}, []string{"ben asks: One?"}},
		{[]parley.Need{debt(parley.NeedOverdue, "is late, for 3 m"), asks("Two")}, []string{"ben asks: Two?"}},
		{[]parley.Need{asks("Two")}, []string{"coder does not need you for that now"}},
		{nil, []string{"ben does not need you for that now: dialog."}},
	} {
		now := waits(step.needs, nil)
		got := differs(known, now)
		if !slices.EqualFunc(got, step.want, strings.HasPrefix) {
			t.Errorf("step %d: it says %q, want %q", i, got, step.want)
		}
		known = now
	}
}

func TestAMatterOfSeveralAgentsNamesThem(t *testing.T) {
	var needs []parley.Need
	for _, name := range []string{"ann", "ben", "cleo"} {
		n := *needOf(parley.NeedOverdue)
		n.Agent, n.AgentID, n.MessageID = name, name, "m"
		needs = append(needs, n)
	}
	parley.Gather(needs) // as the daemon does
	lines := differs(map[string]heard{}, waits(needs, nil))
	if len(lines) != 1 || !strings.HasPrefix(lines[0], "ann needs you") ||
		!strings.HasSuffix(lines[0], "The same of ben, cleo") {
		t.Errorf("it says %q", lines)
	}
}
