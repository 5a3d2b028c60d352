package parley

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/internal/sh"
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
	NeedPlan        NeedKind = "plan"        // the times of a schedule come to nothing
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

	acts  func(*Need) []Act // calls that can be made about it; nil for none
	hands []ActKey          // what a person can do about it at a terminal
}

// watched is what an agent takes at work.
var watched = []ActKey{ActOpen, ActSteer}

// needRows are the kinds of needs, the most pressing first: what keeps agents from working, and then what is late.
var needRows = []NeedRow{
	{Kind: NeedStorage, Glyph: "⛁", Grave: true, Screen: true},
	{Kind: NeedDialog, Glyph: "◆", Grave: true, Halts: true, Screen: true, hands: watched},
	{Kind: NeedReturn, Glyph: "∅", Grave: true, Screen: true},
	{Kind: NeedLost, Glyph: "∅", Grave: true, Halts: true, Screen: true, acts: endedActs},
	{Kind: NeedRefused, Glyph: "✗", Grave: true, Halts: true, Screen: true, acts: refusedActs},
	{Kind: NeedExited, Glyph: "✗", Grave: true, Halts: true, Screen: true, acts: endedActs},
	{Kind: NeedBlocked, Glyph: "■", Grave: true, Halts: true, Screen: true, hands: watched},
	{Kind: NeedStuck, Glyph: "◔", Grave: true, Halts: true, Screen: true, Local: true, hands: watched},
	{Kind: NeedUnconfirmed, Glyph: "?", Grave: true, acts: unconfirmedActs, hands: []ActKey{ActOpen}},
	{Kind: NeedUndelivered, Glyph: "⊘", Grave: true, acts: undeliveredActs},
	{Kind: NeedUnanswered, Glyph: "↯", Grave: true, acts: unansweredActs},
	{Kind: NeedDraft, Glyph: "✎", Halts: true, Screen: true, Local: true, acts: draftActs, hands: []ActKey{ActOpen}},
	{Kind: NeedHeld, Glyph: "‖", acts: heldActs, hands: []ActKey{ActAttach}},
	{Kind: NeedOverdue, Glyph: "⊘", acts: debtActs, hands: []ActKey{ActAttach}},
	{Kind: NeedOwesAnswer, Glyph: "…", acts: debtActs, hands: []ActKey{ActAttach}},
	{Kind: NeedProfile, Glyph: "≠", hands: []ActKey{ActOpen}},
	{Kind: NeedMisread, Glyph: "≠", Local: true, acts: checkActs},
	{Kind: NeedUntried, Glyph: "≠", Local: true, acts: checkActs},
	{Kind: NeedNewcomer, Glyph: "+", Screen: true, acts: newcomerActs},
	{Kind: NeedApproval, Glyph: "+", Screen: true, acts: approvalActs},
	{Kind: NeedBudget, Glyph: "◔"},
	{Kind: NeedPlan, Glyph: "◷"},
	{Kind: NeedOverlap, Glyph: "≈", Local: true, hands: []ActKey{ActReview, ActOpen, ActSteer}},
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
	Acts      []Act     `json:"acts,omitempty"`            // what can be done about it, what helps most first
	Also      Names     `json:"also,omitempty"`            // the other agents of its matter, if it is the first one of that

	// Between is set for what is between agents alone: an answer that one owes another, or a conversation that its
	// budget holds. It is a state to know of: it comes last, and does not count.
	Between bool    `json:"between_agents,omitempty"`
	debtors []party // that owe the same answer besides its agent, and can be told so

	// Offline is set where parley can neither start its agent's program nor tell it anything.
	Offline bool `json:"-"`
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

// ActKey says which key of a screen does an act.
type ActKey string

// The keys of acts, in their order.
const (
	ActReview  ActKey = "review"  // reads what an agent has changed
	ActOpen    ActKey = "open"    // it helps
	ActRetry   ActKey = "retry"   // the same once more
	ActDismiss ActKey = "dismiss" // it lets the matter go
	ActSteer   ActKey = "steer"   // tells the agent something
	ActAttach  ActKey = "attach"  // to its terminal
)

// Act is something that can be done about a need. What a person does at a terminal has a command and no calls.
type Act struct {
	Key ActKey `json:"key"`
	ActCalls
	Command string    `json:"command"`        // that does it in a shell
	Ask     string    `json:"ask,omitempty"`  // a question to ask before: nothing takes it back
	Undo    *ActCalls `json:"undo,omitempty"` // what takes it back
}

// ActCalls are calls of an operation.
type ActCalls struct {
	Words     string           `json:"words"` // on a button: "restart"
	Operation string           `json:"operation,omitempty"`
	Arguments []map[string]any `json:"arguments,omitempty"` // of each call
	Done      string           `json:"done,omitempty"`      // what is said then, unless the answer of the call says it
}

// Offer adds what can be done about the need by its kind, and the command to start with unless there is another.
func (n *Need) Offer() {
	row, _ := NeedRowOf(n.Kind)
	if row.acts != nil {
		n.Acts = append(row.acts(n), n.Acts...)
	}
	hands := row.hands
	if n.Offline {
		hands = nil
	}
	for _, key := range hands {
		hand := byHand[key]
		hand.Command = fmt.Sprintf(hand.Command, n.party().name)
		n.Acts = append(n.Acts, hand)
	}
	order := []ActKey{ActReview, ActOpen, ActRetry, ActDismiss, ActSteer, ActAttach}
	slices.SortStableFunc(n.Acts, func(a, b Act) int {
		return cmp.Compare(slices.Index(order, a.Key), slices.Index(order, b.Key))
	})
	if n.Command == "" && len(n.Acts) > 0 {
		n.Command = n.Acts[0].Command
	}
}

// byHand are the acts that a person does at a terminal.
var byHand = map[ActKey]Act{
	ActReview: {Key: ActReview, ActCalls: ActCalls{Words: "review"}, Command: "parley diff %s"},
	ActOpen:   {Key: ActOpen, ActCalls: ActCalls{Words: "attach"}, Command: "parley attach %s"},
	ActSteer:  {Key: ActSteer, ActCalls: ActCalls{Words: "steer"}, Command: "parley steer %s TEXT"},
	ActAttach: {Key: ActAttach, ActCalls: ActCalls{Words: "attach"}, Command: "parley attach %s"},
}

// NeedStep is a command that helps, with what it does in words, "" for the command to start with alone.
type NeedStep struct{ Words, Command string }

func (s NeedStep) String() string { return strings.TrimPrefix(s.Words+": "+s.Command, ": ") }

// Steps returns the commands that help, the one to start with first. Afar are those that need no terminal of an agent.
func (n *Need) Steps(afar bool) []NeedStep {
	steps := []NeedStep{{Command: n.Command}}
	for _, a := range n.Acts {
		switch {
		case a.Command == n.Command:
			steps[0].Words = a.Words
		case !afar || a.Operation != "":
			steps = append(steps, NeedStep{a.Words, a.Command})
		}
	}
	return steps
}

// Calls returns one call of an operation.
func Calls(words, operation string, arguments map[string]any, done string) ActCalls {
	return ActCalls{Words: words, Operation: operation, Arguments: []map[string]any{arguments}, Done: done}
}

// party is the agent of a need, as acts name it.
type party struct{ id, name string }

func (n *Need) party() party { return party{n.AgentID, plain.CleanLine(n.Agent)} }

func (p party) restart(key ActKey, words string) Act {
	calls := Calls(words, "restart_agent", map[string]any{"agent": p.id}, p.name+" restarted.")
	return Act{Key: key, ActCalls: calls, Command: "parley restart " + p.name}
}

func (p party) stop() Act {
	calls := Calls("stop", "stop_agent", map[string]any{"agent": p.id}, p.name+" stopped.")
	return Act{Key: ActDismiss, ActCalls: calls, Command: "parley stop " + p.name,
		Ask: fmt.Sprintf("Let %s go? It leaves the team; messages are kept.", p.name)}
}

// approve lets the agent in, or turns it away.
func (p party) approve(yes, no string) (in, away Act) {
	call := func(words string, yes bool) ActCalls {
		return Calls(words, "approve_agent", map[string]any{"agent": p.id, "approve": yes}, "")
	}
	in = Act{Key: ActOpen, ActCalls: call(yes, true), Command: "parley approve " + p.name}
	away = Act{Key: ActDismiss, ActCalls: call(no, false), Command: in.Command + " --decline"}
	undo := call("declines it instead", false)
	in.Undo = &undo
	return in, away
}

// retry types a message again to one agent, or looks at once whether that can be; to all, if there is none.
func retry(key ActKey, words, messageID string, to party) Act {
	arguments, command := map[string]any{"message_id": messageID}, "parley retry "+Short(messageID)
	if to.id != "" {
		arguments["recipient"] = to.id
		command += " --to " + to.name
	}
	return Act{Key: key, ActCalls: Calls(words, "retry_delivery", arguments, ""), Command: command}
}

// dismiss takes a message off the list.
func dismiss(words, messageID string) Act {
	call := Calls(words, "get_needs", map[string]any{"dismiss": messageID}, "Dismissed; retrying brings it back.")
	return Act{Key: ActDismiss, ActCalls: call, Command: "parley needs --dismiss " + Short(messageID)}
}

// endedActs has the program started again where parley can.
func endedActs(n *Need) []Act {
	p := n.party()
	if n.Offline {
		return []Act{p.stop()}
	}
	return []Act{p.restart(ActOpen, "restart"), p.stop()}
}

func refusedActs(n *Need) []Act {
	p := n.party()
	if n.Offline {
		return endedActs(n)
	}
	fresh := p.restart(ActOpen, "start afresh")
	fresh.Arguments[0]["fresh"] = true
	fresh.Command += " --fresh"
	fresh.Done = p.name + " started afresh."
	fresh.Ask = fmt.Sprintf("Start %s with a new conversation? parley forgets its old one.", p.name)
	return []Act{fresh, p.restart(ActRetry, "try again"), p.stop()}
}

func unconfirmedActs(n *Need) []Act {
	return []Act{retry(ActRetry, "retype", n.MessageID, n.party()), dismiss("it arrived", n.MessageID)}
}

func undeliveredActs(n *Need) []Act {
	return []Act{retry(ActOpen, "send again", n.MessageID, party{}), dismiss("dismiss", n.MessageID)}
}

func unansweredActs(n *Need) []Act {
	return []Act{retry(ActOpen, "ask again", n.MessageID, n.party()), dismiss("dismiss", n.MessageID)}
}

// draftActs has the first message typed that waits behind a draft, if that is none: a program can show there what
// nobody has typed. It counts for exactly the text that was seen.
func draftActs(n *Need) []Act {
	p := n.party()
	if n.Held == "" {
		return nil
	}
	acts := []Act{retry(ActRetry, "check again", n.Held, p)}
	if n.Draft != "" {
		over := retry(ActDismiss, "it is no draft", n.Held, p)
		over.Arguments[0]["draft"] = n.Draft
		over.Command += " --over " + sh.Word(n.Draft)
		over.Ask = fmt.Sprintf("Nobody has typed “%s”? Then a message is typed there.", plain.CleanLine(n.Draft))
		acts = append(acts, over)
	}
	return acts
}

func heldActs(n *Need) []Act {
	arguments := map[string]any{"action": ActionRelease, "message_id": n.MessageID}
	release := Calls("release", "control_conversation", arguments, "")
	return []Act{{Key: ActOpen, ActCalls: release, Command: "parley conversation release " + Short(n.MessageID)}}
}

// debtActs has those who owe an answer reminded, with one message, if they can hear that.
func debtActs(n *Need) []Act {
	p := n.party()
	text := "Please answer message " + Short(n.MessageID) + "."
	if n.Offline {
		return []Act{dismiss("dismiss", n.MessageID)}
	}

	ids, names, done := Names{n.AgentID}, p.name, "Reminded "+p.name+"."
	for _, x := range n.debtors {
		ids, names = append(ids, x.id), names+","+x.name
		done = fmt.Sprintf("Reminded %d agents.", len(ids))
	}
	arguments := map[string]any{"agent": ids, "kind": "REMINDER", "text": text}
	remind := Act{Key: ActOpen, ActCalls: Calls("remind", "steer_agent", arguments, done)}
	remind.Command = fmt.Sprintf("parley steer %s --kind REMINDER %s", sh.Word(names), sh.Word(text))
	return []Act{remind, dismiss("dismiss", n.MessageID)}
}

// checkActs has a program checked by the command to start with, which names its profile.
func checkActs(n *Need) []Act {
	check := Calls("check it", "check_program", map[string]any{"agent": n.AgentID}, "")
	let := Calls("let it be", "get_needs", map[string]any{"dismiss": string(n.Kind)}, "Dismissed, for this version.")
	return []Act{{Key: ActOpen, ActCalls: check, Command: n.Command},
		{Key: ActDismiss, ActCalls: let, Command: "parley needs --dismiss " + string(n.Kind)}}
}

func newcomerActs(n *Need) []Act {
	p := n.party()
	in, away := p.approve("let in", "turn away")
	in.Ask = fmt.Sprintf("Let %s take part?", p.name)
	away.Ask = fmt.Sprintf("Turn %s away? Its key ends.", p.name)
	return []Act{in, away}
}

func approvalActs(n *Need) []Act {
	p := n.party()
	approve, decline := p.approve("approve", "decline")
	instead := approve.ActCalls
	instead.Words = "approves it instead"
	decline.Undo = &instead
	approve.Ask = fmt.Sprintf("Make %s a special agent? It then has the rights of one.", p.name)
	return []Act{approve, decline}
}
