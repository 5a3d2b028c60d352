package op

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/plain"
)

// AgentColumn is a column of the lists of agents: of the screen, of the commands and of the page.
type AgentColumn struct {
	ID    string                           // settings and faces know it by that
	Head  string                           // what stands above it; "": its ID
	Words string                           // what stands behind its text in a sentence, if the text does not say it
	Text  func(*parley.AgentStatus) string // "" where there is nothing to say; nil: only the screen knows it

	// On the screen the lowest rank gets room first. The column is of use with Least characters, and never has more
	// than Most; 0: it is not there.
	Rank, Least, Most int

	Fact  int  // its place in a sentence about the agent, which the page has, too; 0: it is not there
	Table bool // the table of the commands has it
	Fit   Fit  // there
}

// Fit says what a column of a table does where the lines of a terminal have no room for it.
type Fit int

// What columns do.
const (
	Whole Fit = iota // stays as it is
	Inner            // a name, a branch or a path: loses its middle
	Brief            // loses its end
	Prose            // goes on in the next line, or stands below the row
	Aside            // a command to copy: stands below the row
	Spare            // is left out
)

// AgentColumns are in the order in which they are drawn. A column is not there where no agent has anything in it.
var AgentColumns = []AgentColumn{
	{ID: "for", Rank: 0, Least: 3, Most: 4},
	{ID: "branch", Rank: 2, Least: 16, Most: 26},
	{ID: "context", Words: "context", Text: contextOf, Rank: 3, Least: 7, Most: 7, Fact: 2, Table: true, Fit: Spare},
	{ID: "today", Words: "today", Text: spent, Rank: 7, Least: 14, Most: 14, Fact: 3, Table: true},
	{ID: "quota", Text: scarce, Rank: 3, Least: 9, Most: 30},
	{ID: "quotas", Text: quotas, Fact: 3},
	{ID: "messages", Text: Messages, Rank: 1, Least: 9, Most: 34},
	{ID: "talk", Rank: 5, Least: 9, Most: 9},
	{ID: "runs", Text: Runs, Rank: 6, Least: 12, Most: 20, Fact: 1},
	{ID: "role", Text: role, Rank: 9, Least: 10, Most: 18, Fact: 4, Table: true, Fit: Brief},
	{ID: "host", Rank: 4, Least: 8, Most: 14},
	{ID: "ports", Text: ports, Rank: 12, Least: 10, Most: 30, Fact: 5, Table: true, Fit: Spare},
	{
		ID: "pull-request", Head: "pull request", Text: pull, Rank: 2, Least: 8, Most: 24, Fact: 6,
		Table: true, Fit: Spare,
	},
	{ID: "directory", Rank: 11, Least: 10, Most: 20},
	{ID: "last-hour", Head: "last hour", Rank: 8, Least: 12, Most: 12},
	{ID: "work", Rank: 10, Least: 12, Most: 12},
	{ID: "planned", Words: "planned", Text: plannedAt, Fact: 6},
	{ID: "checked", Text: checked, Table: true, Fit: Prose},
}

// Heading returns what stands above the column.
func (c *AgentColumn) Heading() string { return cmp.Or(c.Head, c.ID) }

// AgentFacts returns what is said of an agent in a row, each with its words.
func AgentFacts(s *parley.AgentStatus) (facts []string) {
	columns := slices.DeleteFunc(slices.Clone(AgentColumns), func(c AgentColumn) bool { return c.Fact == 0 })
	slices.SortFunc(columns, func(a, b AgentColumn) int { return a.Fact - b.Fact })
	for _, c := range columns {
		if text := c.Text(s); text != "" {
			facts = append(facts, strings.TrimSpace(text+" "+c.Words))
		}
	}
	return facts
}

// role returns what an agent is for, unless its name says so.
func role(s *parley.AgentStatus) string {
	if strings.EqualFold(s.Role, s.Name) {
		return ""
	}
	return plain.CleanLine(s.Role)
}

// plannedAt says when the next planned message for an agent is due.
func plannedAt(s *parley.AgentStatus) string {
	if s.Planned == nil {
		return ""
	}
	return parley.LocalTime(*s.Planned, time.Now())
}

func ports(s *parley.AgentStatus) string { return s.Reserved.String() }

// pull returns the pull request of an agent's branch.
func pull(s *parley.AgentStatus) string {
	if s.Pull == nil {
		return ""
	}
	return s.Pull.Words()
}

// Runs returns what an agent runs: its profile, and its model if its command names one. What has no terminal is of a
// kind.
func Runs(s *parley.AgentStatus) string {
	if s.Kind != parley.KindTerminal {
		return plain.CleanLine(string(s.Kind))
	}

	name := cmp.Or(s.Runs, s.Profile)
	for i, arg := range s.Command {
		if value, ok := strings.CutPrefix(arg, "--model="); ok {
			name += "/" + value
		}
		if (arg == "--model" || arg == "-m") && i+1 < len(s.Command) {
			name += "/" + s.Command[i+1]
		}
	}
	if s.Sandboxed() {
		name += " sandboxed"
	}

	return plain.CleanLine(name)
}

// Messages says how many messages wait for an agent, and how many answers it owes. What waits for its terminal is
// unread too.
func Messages(s *parley.AgentStatus) string {
	var parts []string
	unread := s.Unread
	if unread == s.Queued {
		unread = 0
	}
	for _, c := range []struct {
		n    int
		word string
	}{{s.Overdue, "overdue"}, {s.Owed - s.Overdue, "owed"}, {s.Queued, "queued"}, {unread, "unread"}} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.word))
		}
	}
	return strings.Join(parts, " · ")
}

// contextOf returns how long the conversation of the agent's program is.
func contextOf(s *parley.AgentStatus) string {
	if s.Context == 0 {
		return ""
	}
	return plain.FormatCount(s.Context)
}

// spent returns what the agent's program has used today: tokens, and money where there are prices.
func spent(s *parley.AgentStatus) string {
	if s.Today == nil || s.Today.Total() == 0 {
		return ""
	}
	words := plain.FormatCount(s.Today.Total())
	if s.Today.Cost > 0 {
		words += " " + plain.FormatCost(s.Today.Cost)
	}
	return words
}

// scarce returns which quotas of the agent's account are nearly used.
func scarce(s *parley.AgentStatus) string {
	if s.Quota == nil {
		return ""
	}
	var words []string
	for _, w := range s.Quota.Windows {
		if w.Used >= parley.ScarceQuota {
			words = append(words, w.String())
		}
	}
	return strings.Join(words, " · ")
}

// quotas returns how much of the quotas of the agent's account is used.
func quotas(s *parley.AgentStatus) string {
	if s.Quota == nil {
		return ""
	}
	return "quota " + s.Quota.Words(0)
}

// checked says what was found of an agent's program: all of it where something fails.
func checked(s *parley.AgentStatus) string {
	switch c := s.Checked; {
	case c == nil:
		return ""
	case c.Fails:
		return c.Version + ": " + c.Words
	default:
		return c.Version + " holds"
	}
}
