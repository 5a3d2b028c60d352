package attempt

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"parley"
	"parley/orchestrator/sight"
	"parley/orchestrator/team"
	"parley/plain"
	"parley/tmux"
)

// How an attempt ended, in the words and codes of a delivery.

// UnshownBy reports whether the text did not show for a reason.
func (a *Attempt) UnshownBy(code parley.ReasonCode, out tmux.Outcome) bool {
	return out.Phase == tmux.Pasted && out.Reason == tmux.NotShown && a.Refused.Code() == code
}

// Provable reports whether what is unread in the terminal is the text, and nothing else can read it there.
func (e *entered) Provable() bool {
	return !e.Stands && !e.undrawn && !e.elsewhere
}

// At returns when the text was entered, as far as can be told: a program can take a key late.
func (e *entered) At(out *tmux.Outcome) time.Time {
	return Later(out.EnteredAt, e.stood)
}

// Together is the evidence of what was submitted with a message, if anything.
func (x *Typed) Together() string {
	if x.Mixed == "" {
		return ""
	}
	return fmt.Sprintf(", together with what someone typed right after it: “%s”",
		plain.Truncate(x.Mixed, parley.PreviewLength))
}

// NotTaken says why an entered text is not proven to be taken.
func (a *Attempt) NotTaken(out tmux.Outcome, unread int) parley.ReasonCode {
	switch {
	case unread > 0 && !a.Entered.Stands && !a.Entered.elsewhere:
		return parley.EndedUnread
	case a.Followed.idle:
		return parley.EndedNoTurn
	case a.Text.unsaid:
		return parley.EndedUnreported
	case a.Text.Lingers:
		return parley.EndedLingered
	case a.Entered.Stands:
		return parley.EndedStanding
	case out.Reason == tmux.Blocked:
		return parley.EndedModeChanged
	}
	return parley.EndedUnseen
}

// Refusal says why nothing more was typed.
func (a *Attempt) Refusal(out tmux.Outcome, m *team.Member) sight.Hold {
	switch out.Reason {
	case tmux.InMode:
		return sight.Held(parley.HoldScrolling, "")
	case tmux.Touched:
		return sight.Held(parley.HoldPersonTyping, "")
	case tmux.Dead, tmux.Gone:
		agent := m.Agent()
		return sight.Held(parley.HoldExited, sight.Comeback(&agent))
	case tmux.InputOff:
		return sight.Held(parley.HoldInputOff, "")
	case tmux.Shared:
		return sight.Held(parley.HoldSynchronized, "")
	case tmux.Foreign:
		return sight.Held(parley.HoldWrongPane, "")
	case tmux.Blocked:
		return sight.Held(parley.HoldDialogOpened, "")
	case tmux.NotShown:
		return sight.Held(parley.HoldNotShown, "")
	case tmux.NotReady:
		return a.Refused
	}

	return sight.Held(parley.HoldRefused, strings.TrimSpace(cmp.Or(out.Detail, string(out.Reason))))
}
