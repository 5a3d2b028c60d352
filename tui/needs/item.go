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
	if _, n.rank = n.look(); n.Between {
		n.rank += 1000 // behind all that a person must see to
	}
}

// letter reports whether the need is a message to the operator.
func (n *need) letter() bool { return n.Kind == needMessage || n.Kind == needAnswer }

// act returns what the daemon offers for a key, nil for nothing.
func (n *need) act(key parley.ActKey) *parley.Act {
	if i := slices.IndexFunc(n.Acts, func(a parley.Act) bool { return a.Key == key }); i >= 0 {
		return &n.Acts[i]
	}
	return nil
}

// again returns the act that tries the same again, nil for none: what helps may be that.
func (n *need) again() *parley.Act {
	if a := n.act(parley.ActRetry); a != nil {
		return a
	}
	again := []string{"restart_agent", "retry_delivery", "control_conversation"}
	if a := n.act(parley.ActOpen); a != nil && slices.Contains(again, a.Operation) {
		return a
	}
	return nil
}

// drops reports whether the need can be dismissed, in the way of its kind.
func (n *need) drops() bool {
	return slices.ContainsFunc(n.options(), func(o option) bool { return o.verb == verb.Dismiss })
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

// verbs are the verbs of what the daemon offers.
var verbs = map[parley.ActKey]verb.Verb{
	parley.ActReview: verb.Review, parley.ActOpen: verb.Open, parley.ActRetry: verb.Retry,
	parley.ActDismiss: verb.Dismiss, parley.ActSteer: verb.Steer, parley.ActAttach: verb.Attach,
}

// here is what can be done about what only the screen knows.
var here = map[parley.NeedKind][]option{
	needAnswer:  toSender,
	needMessage: toSender,
	needUnsent:  {{verb.Open, "keep writing"}, {verb.Dismiss, "discard"}},
}

var toSender = []option{{verb.Open, "reply"}, {verb.Dismiss, "mark read"}, {verb.Attach, "attach"}}

// options returns what can be done about the need, what helps most first.
func (n *need) options() []option {
	all := slices.Clone(here[n.Kind])
	for _, a := range n.Acts {
		all = append(all, option{verbs[a.Key], a.Words})
	}
	return all
}

// known reports whether the kind of the need is one of this version.
func (n *need) known() bool {
	return slices.Contains([]parley.NeedKind{needMessage, needUnsent, needAnswer}, n.Kind) ||
		slices.Contains(parley.NeedKinds(), n.Kind)
}

// look returns how the need is shown, and its rank. A message that asks this person comes behind what keeps agents from
// working, and before what is only late; one that only tells comes behind late answers. A kind of a newer daemon comes
// before those that ask.
func (n *need) look() (row parley.NeedRow, rank int) {
	behind := func(k parley.NeedKind) int { _, rank := parley.NeedRowOf(k); return 2*rank + 1 }
	switch row, rank = parley.NeedRowOf(n.Kind); {
	case n.Kind == needAnswer:
		return parley.NeedRow{Glyph: "»", Grave: true}, behind(parley.NeedUnanswered)
	case n.Kind == needMessage:
		return parley.NeedRow{Glyph: "✉"}, behind(parley.NeedOverdue)
	case n.Kind == needUnsent:
		return parley.NeedRow{Glyph: "✎"}, behind(needUnsent)
	case !n.known():
		return row, behind(parley.NeedUnanswered)
	}
	return row, 2 * rank
}

// gather lists every matter that waits for a person, the most urgent first and the
// oldest first among equals.
func (n *Screen) gather() {
	var all []need
	for _, x := range n.report.needs {
		x.Agent = kit.ShownName(x.Agent, x.AgentID)
		if a := n.room.Team.Find(x.AgentID); x.Kind == parley.NeedDraft && a != nil {
			x.MessageID = a.HeldMessage // the first that waits behind the draft
		}
		all = append(all, newNeed(x, n.room.Recorded))
	}

	for _, x := range n.room.Inbox.List {
		all = append(all, newLetter(n.room, x))
	}

	for _, d := range n.room.Drafts.Unposted() {
		all = append(all, newUnsent(d))
	}

	for i := range all {
		all[i].settle()
	}

	slices.SortStableFunc(all, func(a, b need) int { return a.order(&b) })
	n.list.all = matters(all)
	n.list.sift(&n.Filter)
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

func newUnsent(d room.Draft) need {
	return need{draft: d, Need: parley.Need{
		Kind:   needUnsent,
		Agent:  kit.You,
		Text:   kit.LowerFirst(d.Label) + ": “" + kit.SafeLine(d.Text) + "”",
		Action: "Kept until this screen closes.",
	}}
}

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
