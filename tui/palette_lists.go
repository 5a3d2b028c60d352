package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/op"
	"parley/tui/kit"
	"parley/tui/needs"
	"parley/tui/room"
	"parley/tui/threads"
)

// listing is a kind of list that the palette shows: what there is to choose, and what is said of it.
type listing struct {
	prompt string // before the line that is written
	title  string
	keys   int                         // columns of what stands behind the names
	known  func() int                  // how much there is, with what does not match
	find   func(query string) []choice // the best match first
	count  func(found []choice) string // says how much is listed
	none   func(query string) string   // says why nothing is
}

// nothingMatches is said where nothing else is to be said of an empty list.
const nothingMatches = "Nothing matches. backspace, or esc."

// commands lists all that can be done, and the agents that a word matches.
func (p *palette) commands() listing {
	return listing{
		prompt: ":", title: "Run a command", keys: 6,
		known: func() int { return 0 },
		find:  p.commandsLike,
		count: func(found []choice) string {
			agents := 0
			for _, c := range found {
				if c.key == "agent" {
					agents++
				}
			}
			words := kit.Plural(len(found)-agents, "command")
			if agents > 0 {
				words += ", " + kit.Plural(agents, "agent")
			}
			return words
		},
		none: func(string) string { return nothingMatches },
	}
}

func (p *palette) commandsLike(query string) []choice {
	var found []choice
	scores := map[string]int{}
	for _, c := range p.choices() {
		if n := kit.Fuzzy(query, c.name); n > 0 {
			scores[c.name] = n
		} else if !strings.Contains(strings.ToLower(c.about), strings.ToLower(query)) {
			continue
		}
		found = append(found, c)
	}

	slices.SortStableFunc(found, func(a, b choice) int { return scores[b.name] - scores[a.name] })
	if strings.TrimSpace(query) != "" {
		found = append(found, p.of.agentsLike(query)...)
	}

	// What is named in full comes first.
	at := slices.IndexFunc(found, func(c choice) bool { return strings.EqualFold(c.name, strings.TrimSpace(query)) })
	if at > 0 {
		named := found[at]
		found = slices.Insert(slices.Delete(found, at, at+1), 0, named)
	}
	return found
}

// choices returns the actions of the shown screen and the shell, then the
// operations.
func (p *palette) choices() []choice {
	var all []choice
	for _, s := range []kit.Scope{room.ScreenScope(p.room.At), kit.InShell} {
		for _, b := range p.keymap.In(s) {
			if b.Name != "" {
				key, _, _ := strings.Cut(b.Show, " ")
				all = append(all, choice{name: b.Name, about: b.Does, key: key, run: b.Run})
			}
		}
	}

	for _, op := range op.All {
		if !op.Program {
			all = append(all, choice{name: op.Name, about: op.Summary, op: op})
		}
	}

	return all
}

// names lists all that one can go to by its name.
func (n finding) names() listing {
	return listing{
		prompt: "'", title: "Go to an agent, a thread, a need, a message", keys: len("message"),
		known: func() int { return len(n.room.Team.List) + needs.Count(n.needs) + threads.Count(n.threads) },
		find:  n.named,
		count: func(found []choice) string {
			words := kit.Plural(len(found), "name")
			if !n.allRead() {
				words += " so far, reading…"
			}
			return words
		},
		none: func(string) string {
			if !n.allRead() {
				return "Reading the names…"
			}
			return nothingMatches
		},
	}
}

// mostNames are listed at once: nobody reads on.
const mostNames = 200

// namedChoice is something to go to, and how well it matches.
type namedChoice struct {
	room.Named
	score int
}

// named returns what has the words of the line, the best match first. Names count for more than what is told of them. A
// message is named by how its id begins: 47 is rather the agent with that number than some letters of an id.
func (n finding) named(query string) []choice {
	query = strings.TrimSpace(query)
	var found []namedChoice
	for _, x := range n.everything() {
		score := kit.Fuzzy(query, x.Name)
		if x.Kind == "message" && !strings.HasPrefix(x.Name, strings.ToLower(query)) {
			score = 0
		}
		switch {
		case query == "" && x.Kind == "message":
			continue
		case score > 0:
			score += 1000
		case strings.Contains(strings.ToLower(x.About), strings.ToLower(query)):
			score = 1
		}
		if score > 0 {
			found = append(found, namedChoice{x, score})
		}
	}

	slices.SortStableFunc(found, func(a, b namedChoice) int { return cmp.Compare(b.score, a.score) })

	var all []choice
	for _, x := range found[:min(len(found), mostNames)] {
		all = append(all, choice{name: x.Name, about: x.About, key: x.Kind, run: x.Go})
	}

	return all
}

// agentsLike returns the agents whose names match, for the list of commands.
func (n finding) agentsLike(query string) (all []choice) {
	for _, x := range n.everything() {
		if x.Kind == "agent" && kit.Fuzzy(query, x.Name) > 0 {
			all = append(all, choice{name: x.Name, about: "agent: " + x.About, key: "agent", run: x.Go})
		}
	}
	return all
}

// successors lists the programs that may go on for an agent.
func (p *palette) successors(agent *parley.AgentStatus) listing {
	return listing{
		prompt: ":", title: "Which program goes on for " + agent.Name + "?", keys: 6,
		known: func() int { return len(p.room.Team.Installed) },
		find:  func(query string) []choice { return p.successorsLike(agent, query) },
		count: func(found []choice) string { return kit.Plural(len(found), "program") },
		none: func(query string) string {
			if query == "" {
				return "No other program that parley knows is installed here: " +
					"parley handoff takes a command behind --. esc."
			}
			return nothingMatches
		},
	}
}

func (p *palette) successorsLike(agent *parley.AgentStatus, query string) (found []choice) {
	for _, name := range p.room.Team.Installed {
		if name == agent.Profile || query != "" && kit.Fuzzy(query, name) == 0 {
			continue
		}
		hand := room.ActSaying(name+" goes on for "+agent.Name+".", op.HandoffAgent,
			parley.HandoffAgentRequest{Agent: agent.ID, To: name, Record: true})
		question := fmt.Sprintf("Hand %s over to %s? Its program ends; its messages, threads and directory are kept.",
			agent.Name, name)
		found = append(found, choice{name: name, about: "goes on with the work of " + agent.Name,
			run: func() tea.Cmd { return p.acts.AskTo(question, hand) }})
	}
	return found
}

// startHandoff lists the programs that may go on for the agent under the marker.
func (p *palette) startHandoff() tea.Cmd {
	agent := p.room.About().Agent
	if agent == nil || agent.Kind != parley.KindTerminal {
		p.room.Lacks("Choose an agent with a terminal first (2).")
		return nil
	}
	p.startWith(p.successors(agent))
	return p.room.Do.Programs
}
