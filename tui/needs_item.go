package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley"
)

// The kinds that only the screen knows of, beside the daemon's.
const (
	needMessage parley.NeedKind = "for you"  // somebody wrote to the operator
	needUnsent  parley.NeedKind = "unsent"   // the operator's own
	needAnswer  parley.NeedKind = "asks you" // a response is required of the operator
)

// need is one thing that waits for a person.
type need struct {
	parley.Need
	draft  draft  // of what is unsent
	thread string // in which it was said
	key    string // tells it from all others, and stays while it lasts
	rank   int    // of its kind
}

func (n *need) settle() {
	n.key = string(n.Kind) + n.AgentID + n.MessageID
	if n.Kind == needUnsent {
		n.key += fmt.Sprint(n.draft.to)
	}
	_, n.rank = lookOf(n.Kind)
}

// look is how a kind of need is shown, and what can be done about it: the key
// and its word, the first being what helps most.
type look struct {
	kind  parley.NeedKind
	glyph string
	grave bool
	acts  []string
}

// looks are the kinds, the most urgent first: what keeps an agent from working,
// then whoever waits for this person, then what is only late.
var looks = []look{
	{parley.NeedDialog, "◆", true, []string{"enter attach", "s steer"}},
	{parley.NeedLost, "∅", true, []string{"enter restart", "x let it go"}},
	{parley.NeedExited, "✗", true, []string{"enter restart", "x let it go"}},
	{parley.NeedBlocked, "■", true, []string{"enter attach", "s steer"}},
	{parley.NeedStuck, "◔", true, []string{"enter attach", "s steer"}},
	{parley.NeedUnconfirmed, "?", true, []string{"enter attach", "R type again", "x it arrived"}},
	{parley.NeedUnanswered, "↯", true, []string{"enter ask again", "x let it be"}},
	{needAnswer, "»", true, []string{"enter reply", "m mark read", "a attach"}},
	{parley.NeedDraft, "✎", false, []string{"enter attach", "R look again"}},
	{parley.NeedHeld, "‖", false, []string{"enter release", "x mute them", "a attach"}},
	{parley.NeedOverdue, "⊘", false, []string{"enter remind", "a attach", "x let it be"}},
	{needMessage, "✉", false, []string{"enter reply", "m mark read", "a attach"}},
	{parley.NeedOwesAnswer, "…", false, []string{"enter remind", "a attach", "x let it be"}},
	{parley.NeedApproval, "+", false, []string{"enter approve", "x decline"}},
	{needUnsent, "✎", false, []string{"enter go on writing", "x throw away"}},
}

// lookOf is how a kind is shown; one of a newer daemon comes before what is late.
func lookOf(k parley.NeedKind) (l look, rank int) {
	for i, l := range looks {
		if l.kind == k {
			return l, i
		}
	}
	return look{kind: k, glyph: "!", grave: true, acts: []string{"enter attach"}}, 7
}

// gather puts together what waits for a person, the most urgent first and the
// oldest first among equals.
func (n *needs) gather() {
	var all []need
	for _, x := range n.told {
		x.Agent = shownName(x.Agent, x.AgentID)
		if a := n.team.find(x.AgentID); x.Kind == parley.NeedDraft && a != nil {
			x.MessageID = a.HeldMessage // the first that waits behind it
		}
		all = append(all, need{Need: x})
	}

	for _, x := range n.inbox.list {
		all = append(all, n.letter(x))
	}

	for _, d := range n.drafts() {
		all = append(
			all,
			need{
				draft: d,
				Need: parley.Need{
					Kind:   needUnsent,
					Agent:  you,
					Text:   lowerFirst(d.label) + ": “" + safeLine(d.text) + "”",
					Action: "It is kept while this screen runs.",
				},
			},
		)
	}

	for i := range all {
		all[i].settle()
	}

	slices.SortStableFunc(all, func(a, b need) int { return cmp.Or(a.rank-b.rank, a.Since.Compare(b.Since)) })
	n.list = all
}

// letter is a message that came for the operator.
func (n *needs) letter(x parley.InboxMessage) need {
	l := need{
		Need: parley.Need{Kind: needMessage, Agent: shownName(x.Sender, ""), MessageID: x.MessageID, Since: x.Timestamp,
			Text: safeLine(x.Content)},
	}
	if l.thread = x.ThreadID; l.thread != "" {
		l.Text = "in a thread: " + l.Text
	}
	if a := n.team.named(x.Sender); a != nil {
		l.AgentID = a.ID
	}
	if x.ResponseDeadline != nil && x.ResponseStatus.Owed() {
		l.Kind, l.Text = needAnswer, "an answer "+whenDue(*x.ResponseDeadline, n.now)+": "+l.Text
	}

	return l
}

// whenDue says by when something is due, or since when it is late.
func whenDue(at, now time.Time) string {
	if now.After(at) {
		return "was due " + since(at, now) + " ago"
	}
	return "is due in " + strings.TrimSpace(since(now, at))
}

// named finds an agent by its name, nil if it is not there.
func (t *team) named(name string) *parley.AgentStatus {
	for i := range t.list {
		if strings.EqualFold(t.list[i].Name, name) {
			return &t.list[i]
		}
	}
	return nil
}

// waiting counts what gather would list, without asking for the list.
func (n *needs) waiting() (count int, grave bool) {
	if s := n.link.status; s != nil {
		count = s.Needs
	}
	grave = count > 0
	return count + n.team.unread + len(n.drafts()), grave
}
