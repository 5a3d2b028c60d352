package needs

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/tui/kit"
	"parley/tui/room"
	"parley/tui/team"
	"parley/tui/verb"
)

// The kinds that only the screen knows, in addition to the daemon's.
const (
	needMessage parley.NeedKind = "for you"  // a message to the operator
	needUnsent  parley.NeedKind = "unsent"   // a draft of the operator's
	needAnswer  parley.NeedKind = "asks you" // a message that requires an answer
)

// need is one thing that waits for a person.
type need struct {
	parley.Need
	draft  room.Draft // that is unsent
	lead   string     // what the row says before the text
	said   string     // the message that an answer is owed to, if the screen knows it
	about  string     // the message that this one only reminds of
	also   []need     // that are part of the same matter
	thread string     // that the message belongs to
	key    string     // is unique, and stays while the need lasts
	rank   int        // of its kind
}

func (n *need) settle() {
	n.key = string(n.Kind) + n.AgentID + n.MessageID
	if n.Kind == needUnsent {
		n.key += fmt.Sprint(n.draft.To)
	}
	if _, n.rank = lookOf(n.Kind); n.Between {
		n.rank += len(looks) // behind all that a person must see to
	}
}

// letter reports whether the need is a message to the operator.
func (n *need) letter() bool { return n.Kind == needMessage || n.Kind == needAnswer }

// restarts reports whether trying again restarts an agent.
func (n *need) restarts() bool {
	return n.Kind == parley.NeedLost || n.Kind == parley.NeedRefused || n.Kind == parley.NeedExited
}

// repeats reports whether trying again types a message.
func (n *need) repeats() bool { return n.MessageID != "" && n.AgentID != "" && !n.letter() }

// again reports whether the need can be tried again.
func (n *need) again() bool { return n.restarts() || n.repeats() }

// drops reports whether the need can be dismissed, in the way of its kind.
func (n *need) drops() bool {
	l, _ := lookOf(n.Kind)
	return slices.ContainsFunc(l.options, func(o option) bool { return o.verb == verb.Dismiss })
}

// ago returns how long the need has lasted.
func (n *need) ago(now time.Time) string {
	if n.Since.IsZero() {
		return ""
	}
	return kit.Since(n.Since, now)
}

// option is something that can be done about a need.
type option struct {
	verb verb.Verb
	does string
}

// look is how a kind of need is shown, and what can be done about it: the first option
// helps most.
type look struct {
	kind    parley.NeedKind
	glyph   string
	grave   bool
	options []option
}

// looks are the kinds, the most urgent first: needs that keep an agent from
// working, then agents that wait for this person, then what is only late.
var looks = []look{
	{parley.NeedStorage, "⛁", true, nil},
	{parley.NeedDialog, "◆", true, []option{{verb.Open, "attach"}, {verb.Steer, "steer"}}},
	{parley.NeedReturn, "∅", true, []option{{verb.Open, "bring them back"}}},
	{parley.NeedLost, "∅", true, []option{{verb.Open, "restart"}, {verb.Dismiss, "stop"}}},
	{parley.NeedRefused, "✗", true, []option{
		{verb.Open, "start afresh"}, {verb.Retry, "try again"}, {verb.Dismiss, "stop"},
	}},
	{parley.NeedExited, "✗", true, []option{{verb.Open, "restart"}, {verb.Dismiss, "stop"}}},
	{parley.NeedBlocked, "■", true, []option{{verb.Open, "attach"}, {verb.Steer, "steer"}}},
	{parley.NeedStuck, "◔", true, []option{{verb.Open, "attach"}, {verb.Steer, "steer"}}},
	{parley.NeedUnconfirmed, "?", true, []option{
		{verb.Open, "attach"}, {verb.Retry, "retype"}, {verb.Dismiss, "it arrived"},
	}},
	{parley.NeedUndelivered, "⊘", true, []option{{verb.Open, "send again"}, {verb.Dismiss, "dismiss"}}},
	{parley.NeedUnanswered, "↯", true, []option{{verb.Open, "ask again"}, {verb.Dismiss, "dismiss"}}},
	{needAnswer, "»", true, []option{{verb.Open, "reply"}, {verb.Dismiss, "mark read"}, {verb.Attach, "attach"}}},
	{parley.NeedDraft, "✎", false, []option{
		{verb.Open, "attach"}, {verb.Retry, "check again"}, {verb.Dismiss, "it is no draft"},
	}},
	{parley.NeedHeld, "‖", false, []option{
		{verb.Open, "release"}, {verb.Dismiss, "mute them"}, {verb.Attach, "attach"},
	}},
	{parley.NeedOverdue, "⊘", false, []option{
		{verb.Open, "remind"}, {verb.Attach, "attach"}, {verb.Dismiss, "dismiss"},
	}},
	{needMessage, "✉", false, []option{{verb.Open, "reply"}, {verb.Dismiss, "mark read"}, {verb.Attach, "attach"}}},
	{parley.NeedOwesAnswer, "…", false, []option{
		{verb.Open, "remind"}, {verb.Attach, "attach"}, {verb.Dismiss, "dismiss"},
	}},
	{parley.NeedProfile, "≠", false, []option{{verb.Open, "attach"}}},
	{parley.NeedMisread, "≠", false, []option{{verb.Open, "check it"}, {verb.Dismiss, "let it be"}}},
	{parley.NeedUntried, "≠", false, []option{{verb.Open, "check it"}, {verb.Dismiss, "let it be"}}},
	{parley.NeedNewcomer, "+", false, []option{{verb.Open, "let in"}, {verb.Dismiss, "turn away"}}},
	{parley.NeedApproval, "+", false, []option{{verb.Open, "approve"}, {verb.Dismiss, "decline"}}},
	{parley.NeedBudget, "◔", false, nil},
	{parley.NeedOverlap, "≈", false, []option{{verb.Review, "review"}, {verb.Open, "attach"}, {verb.Steer, "steer"}}},
	{parley.NeedNotifier, "✉", true, nil},
	{parley.NeedStart, "!", true, nil},
	{parley.NeedSystem, "!", true, nil},
	{needUnsent, "✎", false, []option{{verb.Open, "keep writing"}, {verb.Dismiss, "discard"}}},
}

// lookOf returns the look and rank of a kind. A kind of a newer daemon comes before
// agents that wait for this person.
func lookOf(k parley.NeedKind) (look, int) {
	rank := func(k parley.NeedKind) int { return slices.IndexFunc(looks, func(l look) bool { return l.kind == k }) }
	if i := rank(k); i >= 0 {
		return looks[i], i
	}
	return look{kind: k, glyph: "!", grave: true, options: []option{{verb.Open, "attach"}}}, rank(needAnswer)
}

// gather lists every matter that waits for a person, the most urgent first and the
// oldest first among equals.
func (n *Screen) gather() {
	var all []need
	for _, x := range n.report.needs {
		x.Agent = kit.ShownName(x.Agent, x.AgentID)
		if a := n.Team.Find(x.AgentID); x.Kind == parley.NeedDraft && a != nil {
			x.MessageID = a.HeldMessage // the first that waits behind the draft
		}
		all = append(all, newNeed(x, n.Recorded))
	}

	for _, x := range n.Inbox.List {
		all = append(all, newLetter(n.Shared, x))
	}

	for _, d := range n.Drafts.Unposted() {
		all = append(all, newUnsent(d))
	}

	for i := range all {
		all[i].settle()
	}

	slices.SortStableFunc(all, func(a, b need) int { return a.order(&b) })
	n.all = matters(all)
	n.sift(&n.Filter)
}

// order compares two needs: the more urgent comes first, then the older.
func (n *need) order(x *need) int { return cmp.Or(n.rank-x.rank, n.Since.Compare(x.Since)) }

// newNeed returns a need that the daemon reports. The row of a debt has the message itself, if it was seen.
func newNeed(x parley.Need, recorded func(id string) *team.Row) need {
	y := need{Need: x}
	if !y.IsDebt() {
		return y
	}
	if r := recorded(x.MessageID); r != nil {
		y.lead, y.said = "owes "+r.From+": ", r.Text
	}
	return y
}

// newUnsent returns the need of a draft.
func newUnsent(d room.Draft) need {
	return need{draft: d, Need: parley.Need{
		Kind:   needUnsent,
		Agent:  kit.You,
		Text:   kit.LowerFirst(d.Label) + ": “" + kit.SafeLine(d.Text) + "”",
		Action: "Kept until this screen closes.",
	}}
}

// newLetter returns the need of a message to the operator.
func newLetter(d *room.Shared, x parley.InboxMessage) need {
	l := need{thread: x.ThreadID, Need: parley.Need{
		Kind:      needMessage,
		Agent:     kit.ShownName(x.Sender, ""),
		MessageID: x.MessageID,
		Since:     x.Timestamp,
		Text:      kit.SafeLine(x.Content),
	}}

	if l.thread != "" {
		l.lead = "in a thread: "
	}
	if x.Sender == parley.SystemName {
		l.about = x.InReplyTo
	}
	if a := d.Team.Named(x.Sender); a != nil {
		l.AgentID = a.ID
	}
	if x.ResponseDeadline != nil && x.ResponseStatus.Owed() {
		l.Kind, l.lead = needAnswer, "an answer "+whenDue(*x.ResponseDeadline, d.Now)+": "
	}

	return l
}

// whenDue says when something is due, or how late it is.
func whenDue(at, now time.Time) string {
	if now.After(at) {
		return "was due " + kit.Since(at, now) + " ago"
	}
	return "is due in " + strings.TrimSpace(kit.Since(now, at))
}

// Waiting counts what needs the operator, as the bar does.
func (n *Screen) Waiting() (count int, grave bool) {
	count, _ = n.Tally()
	return count, count > 0
}

const nothingNeeded = "Nothing needs you."
