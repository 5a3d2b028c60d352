package parley

import (
	"slices"
	"time"
)

// NeedKind says why something needs the operator.
type NeedKind string

// The kinds of need, the most pressing first.
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

// NeedKinds lists the kinds of needs, the most pressing first.
func NeedKinds() []NeedKind {
	return []NeedKind{
		NeedStorage, NeedDialog, NeedReturn, NeedLost, NeedRefused, NeedExited, NeedBlocked, NeedStuck, NeedDraft,
		NeedUnconfirmed, NeedUndelivered, NeedHeld, NeedOverdue, NeedOwesAnswer, NeedUnanswered, NeedProfile,
		NeedMisread, NeedUntried, NeedNewcomer, NeedApproval, NeedBudget, NeedOverlap, NeedNotifier, NeedStart,
		NeedSystem,
	}
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
	Draft     string    `json:"draft,omitempty"`  // the exact text in its composer that messages wait behind
	Screen    []string  `json:"screen,omitempty"` // the last lines of the agent's screen, without empty lines
	Dialog    *Dialog   `json:"dialog,omitempty"` // that is open there, if its options are known

	// Between is set for what is between agents alone: an answer that one owes another, or a conversation that its
	// budget holds. It is a state to know of: it comes last, and does not count.
	Between bool `json:"between_agents,omitempty"`
}

// IsDebt reports whether the need is an answer that an agent owes.
func (n *Need) IsDebt() bool { return n.Kind == NeedOverdue || n.Kind == NeedOwesAnswer }

// Halts reports whether the agent cannot work until somebody helps: it cannot answer anybody either.
func (n *Need) Halts() bool {
	switch n.Kind {
	case NeedDialog, NeedLost, NeedRefused, NeedExited, NeedBlocked, NeedStuck, NeedDraft:
		return n.AgentID != ""
	}
	return false
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
