package needs

import (
	"fmt"
	"slices"
	"strings"

	"parley"
	"parley/tui/kit"
	"parley/tui/team"
)

// matters returns one need for each matter: what keeps an agent from working covers the answers that it
// owes, and a message covers the debt and the reminders that are about it. The needs come the most urgent
// first, and so do those that stay.
func matters(all []need) []need {
	var roots, reminders []need
	for _, x := range all {
		switch i := slices.IndexFunc(roots, func(r need) bool { return r.covers(&x) }); {
		case x.about != "":
			reminders = append(reminders, x)
		case i >= 0:
			roots[i].also = append(roots[i].also, x)
		default:
			roots = append(roots, x)
		}
	}

	for _, x := range reminders {
		if i := slices.IndexFunc(roots, func(r need) bool { return r.mentions(x.about) }); i >= 0 {
			roots[i].also = append(roots[i].also, x)
			continue
		}
		at := slices.IndexFunc(roots, func(r need) bool { return r.order(&x) > 0 })
		if at < 0 {
			at = len(roots)
		}
		roots = slices.Insert(roots, at, x)
	}

	return roots
}

// covers reports whether another need, which is no more urgent, is part of the same matter. A message to the operator
// covers the debt that is about it, and one state between agents the others of its kind.
func (n *need) covers(x *need) bool {
	if n.Between && x.Between && n.Kind == x.Kind {
		return true
	}
	if n.letter() {
		return x.IsDebt() && !x.Between && n.MessageID == x.MessageID
	}
	return n.Covers(&x.Need)
}

// mentions reports whether the matter is about a message.
func (n *need) mentions(message string) bool {
	return n.MessageID == message || slices.ContainsFunc(n.also, func(x need) bool { return x.MessageID == message })
}

// reminders returns the messages that only remind of the matter.
func (n *need) reminders() (ids parley.Names) {
	for _, x := range n.also {
		if x.letter() {
			ids = append(ids, x.MessageID)
		}
	}
	return ids
}

// headline is what the row of a need says: the question of a dialog itself, not that there is one, and
// the request that is not answered.
func (n *need) headline() string {
	if n.said != "" {
		return n.said
	}

	d := n.Dialog
	if d == nil || d.Question == "" {
		return kit.SafeLine(n.Text)
	}
	return team.Asking(d)
}

// alsoWords says what else is part of the matter; "" for nothing.
func alsoWords(t *team.Roster, x *need) string {
	var words []string
	if a := t.Find(x.AgentID); a != nil && a.Queued > 0 && x.Dialog != nil {
		words = append(words, fmt.Sprintf("%d queued", a.Queued))
	}

	covered := 0
	for i := range x.also {
		if !x.also[i].letter() {
			covered++
		}
	}
	switch {
	case covered == 0 || x.letter():
	case x.IsDebt() || x.Between:
		words = append(words, fmt.Sprintf("%d more", covered))
	default:
		words = append(words, fmt.Sprintf("%d owed", covered))
	}

	if len(words) == 0 {
		return ""
	}

	return "+" + strings.Join(words, ", ")
}

// Tally counts the matters as the daemon does, and the messages to the operator apart. A message may cover a debt,
// which counts. Until the list is up to date, it returns the daemon's counts.
func (n *Screen) Tally() (needs, letters int) {
	s := n.room.Link.Status
	if s != nil {
		needs = s.Needs
	}
	if !n.Read || n.report.count != needs || !n.room.Inbox.Known || n.room.Inbox.Asked != n.room.Team.Unread {
		return needs, n.room.Team.Unread
	}

	needs, letters = 0, n.room.Inbox.Unseen
	for i := range n.list.all {
		switch x := &n.list.all[i]; {
		case x.letter():
			letters++
			if slices.ContainsFunc(x.also, func(y need) bool { return !y.letter() }) {
				needs++
			}
		case x.Kind != needUnsent && !x.Between:
			needs++
		}
	}

	return needs, letters
}
