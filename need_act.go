package parley

import (
	"cmp"
	"fmt"
	"slices"

	"parley/plain"
)

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
