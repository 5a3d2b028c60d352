package team

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"parley"
	"parley/tui/kit"
)

// Roster is the agents of the workspace. The operator is not among them.
type Roster struct {
	List   []parley.AgentStatus // by name
	Unread int                  // messages that wait for the operator

	Installed []string // programs that an agent can run

	Asked map[string]*parley.Dialog // the questions that were open when they were read last, by agent
}

// Asking returns a question with its options.
func Asking(d *parley.Dialog) string {
	words := kit.SafeLine(d.Question)
	for _, o := range d.Options {
		if o.Label != o.Choice {
			words += "  " + kit.SafeLine(o.Choice) + " " + kit.SafeLine(o.Label)
		}
	}
	return words
}

// Asks reports whether a question with words is open in the terminal of an agent, as far as it was read.
func (t *Roster) Asks(s *parley.AgentStatus) bool {
	d := t.Asked[s.ID]
	return s.State == parley.StateWaiting && d != nil && d.Question != ""
}

// Set takes the agents as the service lists them.
func (t *Roster) Set(list []parley.AgentStatus) {
	t.List, t.Unread = nil, 0
	for _, s := range list {
		if s.Kind == parley.KindHuman {
			t.Unread += s.Unread
			continue
		}

		s.Name, s.HeldReason = kit.ShownName(s.Name, s.ID), kit.SafeLine(s.HeldReason)
		s.State = parley.AgentState(kit.SafeLine(string(s.State)))
		t.List = append(t.List, s)
	}

	slices.SortStableFunc(t.List, func(x, y parley.AgentStatus) int { return compareNames(x.Name, y.Name) })
}

// compareNames orders names as people do: coder-4 comes before coder-14, whatever the case of letters.
func compareNames(x, y string) int {
	x, y = strings.ToLower(x), strings.ToLower(y)
	for x != "" && y != "" {
		m, n := digits(x), digits(y)
		if m == 0 || n == 0 {
			if x[0] != y[0] {
				return cmp.Compare(x[0], y[0])
			}
			m, n = 1, 1
		} else if by := cmp.Or(cmp.Compare(number(x[:m]), number(y[:n])), cmp.Compare(m, n)); by != 0 {
			return by
		}
		x, y = x[m:], y[n:]
	}
	return cmp.Compare(len(x), len(y))
}

// digits returns how many a text begins with, and number what they are.
func digits(text string) int     { return len(text) - len(strings.TrimLeft(text, "0123456789")) }
func number(text string) float64 { n, _ := strconv.ParseFloat(text, 64); return n }

// Find returns an agent by its id, or nil.
func (t *Roster) Find(id string) *parley.AgentStatus {
	return t.first(func(s *parley.AgentStatus) bool { return s.ID == id })
}

// Named returns an agent by its name, or nil.
func (t *Roster) Named(name string) *parley.AgentStatus {
	return t.first(func(s *parley.AgentStatus) bool { return strings.EqualFold(s.Name, name) })
}

func (t *Roster) first(is func(*parley.AgentStatus) bool) *parley.AgentStatus {
	for i := range t.List {
		if is(&t.List[i]) {
			return &t.List[i]
		}
	}
	return nil
}

// AnyAsks reports whether a question is open in any terminal.
func (t *Roster) AnyAsks() bool {
	return t.first(func(s *parley.AgentStatus) bool { return s.State == parley.StateWaiting }) != nil
}

// Rests reports whether every program that runs is idle. What is told of another one changes without an event.
func (t *Roster) Rests() bool {
	return t.first(func(s *parley.AgentStatus) bool { return s.State.Live() && s.State != parley.StateIdle }) == nil
}

// Groups returns the names of the team's groups.
func (t *Roster) Groups() []string {
	var names []string
	for _, s := range t.List {
		names = append(names, s.Groups...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Complete returns the rest of the last name in a list of names, if only one
// recipient begins like it.
func (t *Roster) Complete(text string) string {
	begun := strings.ToLower(text[strings.LastIndexAny(text, ", ")+1:])
	if begun == "" {
		return ""
	}

	names := []string{parley.Everyone}
	for _, s := range t.List {
		names = append(names, s.Name)
	}

	for _, g := range t.Groups() {
		names = append(names, "@"+kit.SafeLine(g))
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

// Recipients parses a list of names: everyone, one group, or agents and groups. The daemon knows who is in
// a group, and refuses one that it does not know.
func (t *Roster) Recipients(text string) (ids []string, group string, everyone bool) {
	words := SplitNames(text)
	for _, word := range words {
		if strings.EqualFold(word, parley.Everyone) {
			return nil, "", true
		}

		if g, ok := strings.CutPrefix(word, "@"); ok && len(words) == 1 {
			group = g
		}

		if a := t.Named(word); a != nil {
			word = a.ID
		}

		ids = append(ids, word)
	}

	return ids, group, false
}

// Participants parses a list of names; "all" is every agent that is not stopped.
func (t *Roster) Participants(text string) parley.Names {
	names := parley.Names(SplitNames(text))
	if len(names) != 1 || !strings.EqualFold(names[0], "all") {
		return names
	}

	names = nil
	for _, a := range t.List {
		if a.State != parley.StateTerminated {
			names = append(names, a.ID)
		}
	}

	return names
}

// SplitNames splits a list of names.
func SplitNames(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}

// Summary counts the agents by state, in words, the troubled first. Stopped
// agents are not counted.
func (t *Roster) Summary(th kit.Theme) []string {
	in := map[parley.AgentState]int{}
	for i := range t.List {
		in[t.List[i].State]++
	}

	states := append(slices.Clone(Urgency),
		parley.StateIdle, parley.StateBusy, parley.StateDrafting, parley.StateStarting)
	var words []string
	for _, s := range states {
		if in[s] > 0 {
			words = append(words, th.Agent(s).Render(fmt.Sprintf("%s %d %s", kit.AgentGlyph(s), in[s], s)))
		}
	}

	return words
}

// Sections of the list, when it is by trouble.
const (
	InTrouble = iota
	atWork
	atRest
	stopped
)

var SectionNames = []string{"In trouble", "At work", "At rest", "Stopped"}

// Section returns where an agent belongs. In trouble is an agent at whose terminal a person must act. What it owes,
// and what the conversation protocol or the whole team holds, is no trouble of the agent.
func Section(s *parley.AgentStatus) int {
	switch {
	case s.State == parley.StateTerminated:
		return stopped
	case UrgencyOf(s) < len(Urgency), s.HeldCode.NeedsPerson():
		return InTrouble
	case s.State == parley.StateIdle:
		return atRest
	}

	return atWork
}

// Urgency sorts the states of trouble, the worst first.
var Urgency = []parley.AgentState{
	parley.StateUnreachable,
	parley.StateExited,
	parley.StateWaiting,
	parley.StateBlocked,
	parley.StateUnknown,
}

// UrgencyOf returns how urgent the state of an agent is; the worst has 0.
func UrgencyOf(s *parley.AgentStatus) int {
	if i := slices.Index(Urgency, s.State); i >= 0 {
		return i
	}
	return len(Urgency)
}

// Readable reports whether an agent may have a screen. That of a program that
// ended is kept.
func Readable(s *parley.AgentStatus) bool {
	return s.Kind == parley.KindTerminal && (s.State.Live() || s.State == parley.StateExited)
}

// None says that there are no agents, and which key launches one.
func (t *Roster) None(key string) string {
	text := "No agents yet. " + key + " launches one"
	if len(t.Installed) > 0 {
		text += ": installed are " + strings.Join(t.Installed, ", ")
	}
	return text + "."
}

// WaitsWords says why messages to an agent wait: the root cause, as far as it is known.
func WaitsWords(s *parley.AgentStatus) string {
	switch {
	case s.WaitsFor != "" && s.State == parley.StateWaiting:
		return "waits: " + kit.SafeLine(s.WaitsFor) + " → 4"
	case s.WaitsFor != "":
		return "waits: " + kit.SafeLine(s.WaitsFor)
	case s.HeldReason != "":
		return "held: " + s.HeldReason
	}
	return ""
}

// WaitsForPerson reports whether an agent goes on only when a person has acted at its terminal.
func WaitsForPerson(s *parley.AgentStatus) bool { return s.WaitsFor != "" || s.HeldCode.NeedsPerson() }

// WordsOf returns a message with its sender.
func WordsOf(from, text string) string { return from + ": " + kit.SafeLine(text) }

// NeedWord returns the verb for so many things.
func NeedWord(n int) string {
	if n == 1 {
		return "needs you"
	}
	return "need you"
}

// Selection is the agents that the operator selected. Keys that can act on several
// agents act on these, while there are any.
type Selection struct{ ids map[string]bool }

// Has reports whether an agent is selected.
func (s *Selection) Has(id string) bool { return s.ids[id] }

// Count returns how many are selected.
func (s *Selection) Count() int { return len(s.ids) }

// Clear forgets the selection.
func (s *Selection) Clear() { s.ids = nil }

// Toggle selects an agent, or no longer.
func (s *Selection) Toggle(id string) {
	if s.ids[id] {
		delete(s.ids, id)
		return
	}
	if s.ids == nil {
		s.ids = map[string]bool{}
	}
	s.ids[id] = true
}

// Prune forgets agents that have left the team.
func (s *Selection) Prune(t *Roster) {
	for id := range s.ids {
		if t.Find(id) == nil {
			delete(s.ids, id)
		}
	}
}

// In returns the selected agents, by name.
func (s *Selection) In(t *Roster) []*parley.AgentStatus {
	var all []*parley.AgentStatus
	for i := range t.List {
		if a := &t.List[i]; s.ids[a.ID] {
			all = append(all, a)
		}
	}
	return all
}
