package parley

import (
	"fmt"
	"strings"
	"time"
)

// Waiting is what keeps a message to an agent's terminal: the root cause, which may be that of another
// message which goes first.
type Waiting struct {
	Agent  string     // its name; "" where it is clear which one is meant
	Ahead  int        // messages that go to the agent first
	Code   ReasonCode // why the first of all waits; "" while it is in hand
	Reason string     // the same in words
	Since  time.Time  // since when that lasts
}

// Sentence says it for people, such as "queued behind 4: coder has had a question open for 20 min".
func (w Waiting) Sentence(now time.Time) string {
	cause := w.cause(now)
	if w.Ahead == 0 {
		return cause
	}
	return fmt.Sprintf("queued behind %d: %s", w.Ahead, cause)
}

func (w Waiting) cause(now time.Time) string {
	who, whose := w.Agent, w.Agent+"'s"
	if who == "" {
		who, whose = "it", "its"
	}

	words := lasting[w.Code]
	switch {
	case w.Code == "":
		return who + " is getting one now"
	case words != "":
		return strings.NewReplacer("%s's", whose, "%s", who).Replace(words) + " for " + FormatDuration(now.Sub(w.Since))
	case w.Agent == "":
		return w.Reason
	}

	return w.Agent + ": " + w.Reason
}

// LastsWith reports whether a cause lasts as long as an agent is in a state.
func (c ReasonCode) LastsWith(state AgentState) bool {
	switch c {
	case HoldDialog, HoldDialogOpened:
		return state == StateWaiting
	case HoldBusy, HoldNotBegun:
		return state == StateBusy
	case HoldBlocked, HoldLimit:
		return state == StateBlocked
	case HoldDraft:
		return state == StateDrafting
	case HoldExited:
		return state == StateExited
	case HoldUnreachable:
		return state == StateUnreachable
	case HoldStopped:
		return state == StateTerminated
	case HoldUnknownScreen:
		return state == StateUnknown
	}

	return false
}

// FormatCount formats a large number for people.
func FormatCount(n int64) string {
	switch {
	case n < 10_000:
		return fmt.Sprint(n)
	case n < 10_000_000:
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprintf("%dM", n/1_000_000)
}

// FormatCost formats an amount of money for people, without its currency.
func FormatCost(amount float64) string {
	if amount < 0.1 {
		return fmt.Sprintf("%.4f", amount)
	}
	return fmt.Sprintf("%.2f", amount)
}

// FormatDuration formats a duration for people.
func FormatDuration(d time.Duration) string {
	switch d = max(0, d); {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}
