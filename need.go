package parley

import (
	"slices"
	"time"
)

// NeedKind says why something needs the operator.
type NeedKind string

// The kinds of need.
const (
	NeedStorage     NeedKind = "storage"     // the database cannot be trusted, or lacks something
	NeedDialog      NeedKind = "dialog"      // a question is open in a terminal
	NeedReturn      NeedKind = "return"      // several terminals went away, as after a reboot
	NeedLost        NeedKind = "lost"        // a terminal went away
	NeedRefused     NeedKind = "refused"     // a program did not continue its conversation
	NeedExited      NeedKind = "exited"      // a program ended by itself
	NeedBlocked     NeedKind = "blocked"     // by a usage limit or the like
	NeedStuck       NeedKind = "stuck"       // busy without any output for too long, or behind a shell or the like
	NeedDraft       NeedKind = "draft"       // messages wait behind a draft, or behind copy mode
	NeedUnconfirmed NeedKind = "unconfirmed" // typed, without proof that it arrived
	NeedUndelivered NeedKind = "undelivered" // a message did not arrive, and nobody else can be told
	NeedHeld        NeedKind = "held"        // the conversation protocol holds messages
	NeedOverdue     NeedKind = "overdue"     // a required response is late
	NeedOwesAnswer  NeedKind = "owes_answer" // an idle agent has not answered a request
	NeedUnanswered  NeedKind = "unanswered"  // a model gave no answer
	NeedProfile     NeedKind = "profile"     // a known program runs without parley's tools and briefing
	NeedUntried     NeedKind = "untried"     // a program is newer than the versions that parley was tried with
	NeedMisread     NeedKind = "misread"     // a check found that parley misreads a program's screen
	NeedNewcomer    NeedKind = "newcomer"    // an agent registered from elsewhere and waits to be let in
	NeedApproval    NeedKind = "approval"    // an agent asked to be special
	NeedBudget      NeedKind = "budget"      // a budget of tokens or money is used up, or nearly
	NeedOverlap     NeedKind = "overlap"     // two agents change one file
	NeedNotifier    NeedKind = "notifier"    // notices do not go
	NeedStart       NeedKind = "start"       // somebody else started the daemon, with settings of their own
	NeedSystem      NeedKind = "system"      // something that parley works with is out of order
)

// NeedRow is what the needs of a kind have in common.
type NeedRow struct {
	Kind   NeedKind
	Glyph  string // before it, on a screen
	Grave  bool   // an agent cannot work, or parley cannot
	Halts  bool   // its agent can answer nobody
	Screen bool   // its agent's screen explains it
	Local  bool   // only the host of its agent knows it

	acts func(*Need) []Act // what can be done about it; nil for nothing
}

// needRows are the kinds of needs, the most pressing first: what keeps agents from working, and then what is late.
var needRows = []NeedRow{
	{Kind: NeedStorage, Glyph: "⛁", Grave: true, Screen: true},
	{Kind: NeedDialog, Glyph: "◆", Grave: true, Halts: true, Screen: true},
	{Kind: NeedReturn, Glyph: "∅", Grave: true, Screen: true},
	{Kind: NeedLost, Glyph: "∅", Grave: true, Halts: true, Screen: true, acts: endedActs},
	{Kind: NeedRefused, Glyph: "✗", Grave: true, Halts: true, Screen: true, acts: refusedActs},
	{Kind: NeedExited, Glyph: "✗", Grave: true, Halts: true, Screen: true, acts: endedActs},
	{Kind: NeedBlocked, Glyph: "■", Grave: true, Halts: true, Screen: true},
	{Kind: NeedStuck, Glyph: "◔", Grave: true, Halts: true, Screen: true, Local: true},
	{Kind: NeedUnconfirmed, Glyph: "?", Grave: true, acts: unconfirmedActs},
	{Kind: NeedUndelivered, Glyph: "⊘", Grave: true, acts: undeliveredActs},
	{Kind: NeedUnanswered, Glyph: "↯", Grave: true, acts: unansweredActs},
	{Kind: NeedDraft, Glyph: "✎", Halts: true, Screen: true, Local: true, acts: draftActs},
	{Kind: NeedHeld, Glyph: "‖", acts: heldActs},
	{Kind: NeedOverdue, Glyph: "⊘", acts: debtActs},
	{Kind: NeedOwesAnswer, Glyph: "…", acts: debtActs},
	{Kind: NeedProfile, Glyph: "≠"},
	{Kind: NeedMisread, Glyph: "≠", Local: true, acts: checkActs},
	{Kind: NeedUntried, Glyph: "≠", Local: true, acts: checkActs},
	{Kind: NeedNewcomer, Glyph: "+", Screen: true, acts: newcomerActs},
	{Kind: NeedApproval, Glyph: "+", Screen: true, acts: approvalActs},
	{Kind: NeedBudget, Glyph: "◔"},
	{Kind: NeedOverlap, Glyph: "≈", Local: true},
	{Kind: NeedNotifier, Glyph: "✉", Grave: true},
	{Kind: NeedStart, Glyph: "!", Grave: true},
	{Kind: NeedSystem, Glyph: "!", Grave: true, Screen: true, Local: true},
}

// NeedKinds lists the kinds of needs, the most pressing first.
func NeedKinds() (kinds []NeedKind) {
	for i := range needRows {
		kinds = append(kinds, needRows[i].Kind)
	}
	return kinds
}

// NeedRowOf returns the row of a kind and its place in the order. One that is not known, of a newer daemon, counts as
// grave and comes last.
func NeedRowOf(k NeedKind) (row NeedRow, rank int) {
	if i := slices.IndexFunc(needRows, func(r NeedRow) bool { return r.Kind == k }); i >= 0 {
		return needRows[i], i
	}
	return NeedRow{Kind: k, Glyph: "!", Grave: true}, len(needRows)
}

// Need is one thing that needs the operator. The list is computed on each call; a need
// disappears with its cause.
type Need struct {
	Kind      NeedKind  `json:"kind"`
	AgentID   string    `json:"agent_id"`
	Agent     string    `json:"agent"`
	Since     time.Time `json:"since"`
	Text      string    `json:"text"`             // what is the matter, in one line
	Command   string    `json:"command"`          // the command to start with
	Action    string    `json:"suggested_action"` // what to do, in a sentence
	MessageID string    `json:"message_id,omitempty"`
	Draft     string    `json:"draft,omitempty"`           // the exact text in its composer that messages wait behind
	Screen    []string  `json:"screen,omitempty"`          // the last lines of the agent's screen, without empty lines
	Dialog    *Dialog   `json:"dialog,omitempty"`          // that is open there, if its options are known
	Held      string    `json:"held_message_id,omitempty"` // the first message that waits behind a draft
	Acts      []Act     `json:"acts,omitempty"`            // what can be done about it from afar, what helps most first

	// Between is set for what is between agents alone: an answer that one owes another, or a conversation that its
	// budget holds. It is a state to know of: it comes last, and does not count.
	Between bool `json:"between_agents,omitempty"`
}

// IsDebt reports whether the need is an answer that an agent owes.
func (n *Need) IsDebt() bool { return n.Kind == NeedOverdue || n.Kind == NeedOwesAnswer }

// Halts reports whether the agent cannot work until somebody helps: it cannot answer anybody either.
func (n *Need) Halts() bool {
	row, _ := NeedRowOf(n.Kind)
	return row.Halts && n.AgentID != ""
}

// Covers reports whether another need, which comes later in the list, is part of the same matter: a debt of an agent
// that cannot work, and the debts of all that were asked with one message.
func (n *Need) Covers(x *Need) bool {
	if !x.IsDebt() || n.Between != x.Between {
		return false
	}
	if n.AgentID == x.AgentID && n.Halts() {
		return true
	}
	same := n.MessageID != "" && n.MessageID == x.MessageID
	return same && (n.IsDebt() || n.AgentID == x.AgentID)
}

// Matters counts what a person must see to: needs that are parts of one matter count once, and what is between
// agents does not. It is the number that status, the screen and notices show.
func Matters(needs []Need) int { return len(Roots(needs)) }

// Roots returns the first need of each matter that a person must see to.
func Roots(needs []Need) (roots []*Need) {
	for _, i := range RootsAt(needs) {
		roots = append(roots, &needs[i])
	}
	return roots
}

// RootsAt returns the positions of the roots.
func RootsAt(needs []Need) []int {
	at := []int{}
	for i := range needs {
		x := &needs[i]
		covered := slices.ContainsFunc(at, func(r int) bool { return needs[r].Covers(x) })
		if !x.Between && !covered {
			at = append(at, i)
		}
	}
	return at
}

// GetNeedsRequest asks what needs the operator, and can dismiss something.
type GetNeedsRequest struct {
	Dismiss string `json:"dismiss,omitempty" doc:"The id of an unconfirmed, undelivered or unanswered message, or its first 8 characters: it is no longer listed. Or undelivered: all of them. Or storage: what the database lacks is known. Or untried, or misread: no program that is newer than those tried need be checked, or that parley misreads."`
}

// OnlyReads reports whether the request dismisses nothing.
func (r *GetNeedsRequest) OnlyReads() bool { return r.Dismiss == "" }

// GetNeedsResult lists the needs, the most pressing first.
type GetNeedsResult struct {
	Answer
	Needs     []Need `json:"needs"`
	Matters   []int  `json:"matters"`   // positions in needs: the first one of each matter that a person must see to
	Dismissed int    `json:"dismissed"` // deliveries that this call dismissed
}
