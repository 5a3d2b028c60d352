package tui

import (
	"fmt"
	"slices"
	"strings"

	"parley"
)

// team is the agents of the workspace. The operator is not among them.
type team struct {
	list   []parley.AgentStatus // by name
	unread int                  // messages that wait for the operator
}

func (t *team) set(list []parley.AgentStatus) {
	t.list, t.unread = nil, 0
	for _, s := range list {
		if s.Kind == parley.KindHuman {
			t.unread += s.Unread
			continue
		}

		s.Name, s.HeldReason = shownName(s.Name, s.ID), safeLine(s.HeldReason)
		s.State = parley.AgentState(safeLine(string(s.State)))
		t.list = append(t.list, s)
	}

	slices.SortStableFunc(t.list, func(x, y parley.AgentStatus) int {
		return strings.Compare(strings.ToLower(x.Name), strings.ToLower(y.Name))
	})
}

// find returns an agent by its id, or nil.
func (t *team) find(id string) *parley.AgentStatus {
	return t.first(func(s *parley.AgentStatus) bool { return s.ID == id })
}

// named returns an agent by its name, or nil.
func (t *team) named(name string) *parley.AgentStatus {
	return t.first(func(s *parley.AgentStatus) bool { return strings.EqualFold(s.Name, name) })
}

func (t *team) first(is func(*parley.AgentStatus) bool) *parley.AgentStatus {
	for i := range t.list {
		if is(&t.list[i]) {
			return &t.list[i]
		}
	}
	return nil
}

// groups returns the names of the team's groups.
func (t *team) groups() []string {
	var names []string
	for _, s := range t.list {
		names = append(names, s.Groups...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// complete returns the rest of the last name in a list of names, if only one
// recipient begins like it.
func (t *team) complete(text string) string {
	begun := strings.ToLower(text[strings.LastIndexAny(text, ", ")+1:])
	if begun == "" {
		return ""
	}

	names := []string{parley.Everyone}
	for _, s := range t.list {
		names = append(names, s.Name)
	}

	for _, g := range t.groups() {
		names = append(names, "@"+safeLine(g))
	}

	found := ""
	for _, name := range names {
		if strings.HasPrefix(strings.ToLower(name), begun) {
			if found != "" {
				return ""
			}
			found = name
		}
	}

	if found == "" {
		return ""
	}

	return found[len(begun):]
}

// recipients parses a list of names: everyone, one group, or agents and groups. The daemon knows who is in
// a group, and refuses one that it does not know.
func (t *team) recipients(text string) (ids []string, group string, everyone bool) {
	words := splitNames(text)
	for _, word := range words {
		if strings.EqualFold(word, parley.Everyone) {
			return nil, "", true
		}

		if g, ok := strings.CutPrefix(word, "@"); ok && len(words) == 1 {
			group = g
		}

		if a := t.named(word); a != nil {
			word = a.ID
		}

		ids = append(ids, word)
	}

	return ids, group, false
}

// participants parses a list of names; "all" is every agent that is not stopped.
func (t *team) participants(text string) parley.Names {
	names := parley.Names(splitNames(text))
	if len(names) != 1 || !strings.EqualFold(names[0], "all") {
		return names
	}

	names = nil
	for _, a := range t.list {
		if a.State != parley.StateTerminated {
			names = append(names, a.ID)
		}
	}

	return names
}

func splitNames(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}

// summary counts the agents by state, in words, the troubled first. Stopped
// agents are not counted.
func (t *team) summary(th theme) []string {
	in := map[parley.AgentState]int{}
	for i := range t.list {
		in[t.list[i].State]++
	}

	states := append(slices.Clone(urgency),
		parley.StateIdle, parley.StateBusy, parley.StateDrafting, parley.StateStarting)
	var words []string
	for _, s := range states {
		if in[s] > 0 {
			words = append(words, th.agent(s).Render(fmt.Sprintf("%s %d %s", agentGlyph(s), in[s], s)))
		}
	}

	return words
}

// Sections of the list, when it is by trouble.
const (
	inTrouble = iota
	atWork
	atRest
	stopped
)

var sectionNames = []string{"In trouble", "At work", "At rest", "Stopped"}

// section returns where an agent belongs. In trouble is an agent at whose terminal a person must act. What it owes,
// and what the conversation protocol or the whole team holds, is no trouble of the agent.
func section(s *parley.AgentStatus) int {
	switch {
	case s.State == parley.StateTerminated:
		return stopped
	case urgencyOf(s) < len(urgency), s.HeldCode.NeedsPerson():
		return inTrouble
	case s.State == parley.StateIdle:
		return atRest
	}

	return atWork
}

// urgency sorts the states of trouble, the worst first.
var urgency = []parley.AgentState{
	parley.StateUnreachable,
	parley.StateExited,
	parley.StateWaiting,
	parley.StateBlocked,
	parley.StateUnknown,
}

func urgencyOf(s *parley.AgentStatus) int {
	if i := slices.Index(urgency, s.State); i >= 0 {
		return i
	}
	return len(urgency)
}

// readable reports whether an agent may have a screen. That of a program that
// ended is kept.
func readable(s *parley.AgentStatus) bool {
	return s.Kind == parley.KindTerminal && (s.State.Live() || s.State == parley.StateExited)
}

const noAgents = "No agents yet. Start one:  parley launch coder --profile claude"

// waitsWords says why messages to an agent wait: the root cause, as far as it is known.
func waitsWords(s *parley.AgentStatus) string {
	switch {
	case s.WaitsFor != "" && s.State == parley.StateWaiting:
		return "waits: " + safeLine(s.WaitsFor) + " → 4"
	case s.WaitsFor != "":
		return "waits: " + safeLine(s.WaitsFor)
	case s.HeldReason != "":
		return "held: " + s.HeldReason
	}
	return ""
}

// waitsForPerson reports whether an agent goes on only when a person has acted at its terminal.
func waitsForPerson(s *parley.AgentStatus) bool { return s.WaitsFor != "" || s.HeldCode.NeedsPerson() }

// firstSentence returns the reason that such words begin with, without what could be done about it.
func firstSentence(words string) string {
	first, _, _ := strings.Cut(words, ". ")
	return first
}

func wordsOf(from, text string) string { return from + ": " + safeLine(text) }

func needWord(n int) string {
	if n == 1 {
		return "needs you"
	}
	return "need you"
}
