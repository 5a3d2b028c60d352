package parley

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/plain"
)

// NeedKind says why something needs the operator.
type NeedKind string

// Words returns the kind in words.
func (k NeedKind) Words() string { return strings.ReplaceAll(string(k), "_", " ") }

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

// ActKey says which key of a screen does an act.
type ActKey string

// The keys of acts, in their order.
const (
	ActOpen    ActKey = "open"    // it helps
	ActRetry   ActKey = "retry"   // the same once more
	ActDismiss ActKey = "dismiss" // it lets the matter go
)

// Act is something that can be done about a need.
type Act struct {
	Key ActKey `json:"key"`
	ActCalls
	Ask  string    `json:"ask,omitempty"`  // a question to ask before: nothing takes it back
	Undo *ActCalls `json:"undo,omitempty"` // what takes it back
}

// ActCalls are calls of an operation.
type ActCalls struct {
	Words     string           `json:"words"` // on a button: "restart"
	Operation string           `json:"operation"`
	Arguments []map[string]any `json:"arguments"`      // of each call
	Done      string           `json:"done,omitempty"` // what is said then, unless the answer of the call says it
}

// Offer adds what can be done about the need by its kind.
func (n *Need) Offer() {
	row, _ := NeedRowOf(n.Kind)
	if row.acts != nil {
		n.Acts = append(row.acts(n), n.Acts...)
	}
	order := []ActKey{ActOpen, ActRetry, ActDismiss}
	slices.SortStableFunc(n.Acts, func(a, b Act) int {
		return cmp.Compare(slices.Index(order, a.Key), slices.Index(order, b.Key))
	})
}

// Calls returns one call of an operation.
func Calls(words, operation string, arguments map[string]any, done string) ActCalls {
	return ActCalls{Words: words, Operation: operation, Arguments: []map[string]any{arguments}, Done: done}
}

func (n *Need) restart(key ActKey, words string) Act {
	return Act{Key: key, ActCalls: Calls(words, "restart_agent", map[string]any{"agent": n.AgentID},
		n.name()+" restarted.")}
}

func (n *Need) stop() Act {
	return Act{Key: ActDismiss, ActCalls: Calls("stop", "stop_agent", map[string]any{"agent": n.AgentID},
		n.name()+" stopped."),
		Ask: fmt.Sprintf("Let %s go? It leaves the team; messages are kept.", n.name())}
}

// retry types the message again to one agent, or looks at once whether that can be; to all, if recipient is "".
func (n *Need) retry(key ActKey, words, recipient string) Act {
	arguments := map[string]any{"message_id": n.MessageID}
	if recipient != "" {
		arguments["recipient"] = recipient
	}
	return Act{Key: key, ActCalls: Calls(words, "retry_delivery", arguments, "")}
}

// dismiss takes what the words name off the list.
func (n *Need) dismiss(words, what, done string) Act {
	return Act{Key: ActDismiss, ActCalls: Calls(words, "get_needs", map[string]any{"dismiss": what}, done)}
}

func (n *Need) name() string { return plain.CleanLine(n.Agent) }

const (
	dismissedMessage = "Dismissed; retrying brings it back."
	dismissedVersion = "Dismissed, for this version."
)

func endedActs(n *Need) []Act { return []Act{n.restart(ActOpen, "restart"), n.stop()} }

func refusedActs(n *Need) []Act {
	fresh := n.restart(ActOpen, "start afresh")
	fresh.Arguments[0]["fresh"] = true
	fresh.Done = n.name() + " started afresh."
	fresh.Ask = fmt.Sprintf("Start %s with a new conversation? parley forgets its old one.", n.name())
	return []Act{fresh, n.restart(ActRetry, "try again"), n.stop()}
}

func unconfirmedActs(n *Need) []Act {
	return []Act{n.retry(ActRetry, "retype", n.AgentID), n.dismiss("it arrived", n.MessageID, dismissedMessage)}
}

func undeliveredActs(n *Need) []Act {
	return []Act{n.retry(ActOpen, "send again", ""), n.dismiss("dismiss", n.MessageID, dismissedMessage)}
}

func unansweredActs(n *Need) []Act {
	return []Act{n.retry(ActOpen, "ask again", n.AgentID), n.dismiss("dismiss", n.MessageID, dismissedMessage)}
}

// draftActs has the first message typed that waits behind a draft, if that is none: a program can show there what
// nobody has typed. It counts for exactly the text that was seen.
func draftActs(n *Need) []Act {
	if n.Held == "" {
		return nil
	}
	behind := *n
	behind.MessageID = n.Held
	acts := []Act{behind.retry(ActRetry, "check again", n.AgentID)}
	if n.Draft != "" {
		over := behind.retry(ActDismiss, "it is no draft", n.AgentID)
		over.Arguments[0]["draft"] = n.Draft
		over.Ask = fmt.Sprintf("Nobody has typed “%s”? Then a message is typed there.", plain.CleanLine(n.Draft))
		acts = append(acts, over)
	}
	return acts
}

func heldActs(n *Need) []Act {
	arguments := map[string]any{"action": ActionRelease, "message_id": n.MessageID}
	return []Act{{Key: ActOpen, ActCalls: Calls("release", "control_conversation", arguments, "")}}
}

// debtActs has the debtor reminded.
func debtActs(n *Need) []Act {
	arguments := map[string]any{
		"agent": n.AgentID, "kind": "REMINDER", "text": "Please answer message " + Short(n.MessageID) + ".",
	}
	return []Act{
		{Key: ActOpen, ActCalls: Calls("remind", "steer_agent", arguments, "Reminded "+n.name()+".")},
		n.dismiss("dismiss", n.MessageID, dismissedMessage),
	}
}

func checkActs(n *Need) []Act {
	check := Calls("check it", "check_program", map[string]any{"agent": n.AgentID}, "")
	return []Act{{Key: ActOpen, ActCalls: check}, n.dismiss("let it be", string(n.Kind), dismissedVersion)}
}

func (n *Need) approve(words string, yes bool) ActCalls {
	return Calls(words, "approve_agent", map[string]any{"agent": n.AgentID, "approve": yes}, "")
}

func newcomerActs(n *Need) []Act {
	return []Act{
		{Key: ActOpen, ActCalls: n.approve("let in", true), Ask: fmt.Sprintf("Let %s take part?", n.name())},
		{Key: ActDismiss, ActCalls: n.approve("turn away", false),
			Ask: fmt.Sprintf("Turn %s away? Its key ends.", n.name())},
	}
}

func approvalActs(n *Need) []Act {
	approves, declines := n.approve("approves it instead", true), n.approve("declines it instead", false)
	return []Act{
		{Key: ActOpen, ActCalls: n.approve("approve", true), Undo: &declines,
			Ask: fmt.Sprintf("Make %s a special agent? It then has the rights of one.", n.name())},
		{Key: ActDismiss, ActCalls: n.approve("decline", false), Undo: &approves},
	}
}
