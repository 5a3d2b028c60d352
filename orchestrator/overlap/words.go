package overlap

import (
	"fmt"
	"strings"

	"parley"
	"parley/plain"
	"parley/store"
)

// maxNamed is how many files are named; the others are counted.
const maxNamed = 4

// notice tells an agent, which is one side of the overlaps, what another one changes, too.
func notice(other string, side int, list []store.Overlap) string {
	var here, apart []string
	for _, o := range list {
		if o.Paths[0] == o.Paths[1] {
			here = append(here, clean(o.Name))
		} else {
			apart = append(apart, fmt.Sprintf("%s (its copy: %s)", clean(o.Name), clean(o.Paths[1-side])))
		}
	}

	var parts []string
	if len(here) > 0 {
		parts = append(parts, fmt.Sprintf("%s has edited %s, too, in this directory: read %s again before you write.",
			other, names(here), it(len(here))))
	}
	if len(apart) > 0 {
		parts = append(parts, fmt.Sprintf("%s has changed %s, too, in another worktree: merging may conflict.",
			other, names(apart)))
	}

	return strings.Join(parts, " ") + fmt.Sprintf(" Agree who goes on there: send_message to %s.", other)
}

func it(n int) string {
	if n == 1 {
		return "it"
	}
	return "them"
}

// names lists the first files and counts the others.
func names(all []string) string {
	text := ""
	for i, name := range all[:min(len(all), maxNamed)] {
		if i > 0 {
			text += ", "
		}
		text += name
	}
	if more := len(all) - maxNamed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// clean makes a path safe to show: agents choose the names of files.
func clean(path string) string { return plain.Truncate(plain.CleanLine(path), 160) }

// Needs tells the operator, for each agent once, which other ones change the same files.
func (w *Watcher) Needs() (needs []parley.Need) {
	byFirst := map[string][]store.Overlap{}
	var order []string
	for _, o := range w.current() {
		if !o.Gone.IsZero() {
			continue
		}
		if byFirst[o.Agents[0]] == nil {
			order = append(order, o.Agents[0])
		}
		byFirst[o.Agents[0]] = append(byFirst[o.Agents[0]], o)
	}

	for _, id := range order {
		if n, ok := w.need(id, byFirst[id]); ok {
			needs = append(needs, n)
		}
	}

	return needs
}

// need returns the need of an agent that changes files which others change.
func (w *Watcher) need(id string, list []store.Overlap) (n parley.Need, ok bool) {
	first := w.opts.Roster.ByID(id)
	if first == nil {
		return n, false
	}

	n = parley.Need{
		Kind: parley.NeedOverlap, AgentID: first.ID, Agent: first.Name, Since: list[0].Since,
	}
	files := map[string][]string{}
	var others []string
	for _, o := range list {
		other := w.opts.Roster.ByID(o.Agents[1])
		if other == nil {
			continue
		}
		if files[other.Name] == nil {
			others = append(others, other.Name)
		}
		files[other.Name] = append(files[other.Name], clean(o.Name))
		if o.Since.Before(n.Since) {
			n.Since = o.Since
		}
	}
	if len(others) == 0 {
		return n, false
	}

	var parts []string
	for _, name := range others {
		parts = append(parts, names(files[name])+", as "+name+" does")
	}
	n.Text = "changes " + strings.Join(parts, "; and ")
	n.Action = w.action(first.Name, others[0])

	return n, true
}

// action says what the operator can do.
func (w *Watcher) action(first, other string) string {
	action := fmt.Sprintf("Compare with parley diff %s, and let one of them go on: parley steer %s \"leave it to %s\".",
		other, first, other)
	if w.opts.Mode == Tell {
		action = "Both are told. " + action
	}
	return action
}
