package courier

import (
	"cmp"
	"fmt"
	"parley"
	"parley/orchestrator/sight"
	"parley/orchestrator/team"
	"parley/plain"
	"parley/tmux"
	"strings"
	"time"
)

// How an attempt ended, in the words and codes of a delivery.

// unshownBy reports whether the text did not show for a reason.
func (a *attempt) unshownBy(code parley.ReasonCode, out tmux.Outcome) bool {
	return out.Phase == tmux.Pasted && out.Reason == tmux.NotShown && a.refused.Code() == code
}

// provable reports whether what is unread in the terminal is the text, and nothing else can read it there.
func (a *attempt) provable() bool {
	return !a.entered.stands && !a.entered.undrawn && !a.entered.elsewhere
}

// enteredAt returns when the text was entered, as far as can be told: a program can take a key late.
func (a *attempt) enteredAt(out *tmux.Outcome) time.Time {
	return later(out.EnteredAt, a.entered.stood)
}

// together is the evidence of what was submitted with a message, if anything.
func (x *typed) together() string {
	if x.mixed == "" {
		return ""
	}
	return fmt.Sprintf(", together with what someone typed right after it: “%s”",
		plain.Truncate(x.mixed, parley.PreviewLength))
}

// notTaken says why an entered text is not proven to be taken.
func (a *attempt) notTaken(out tmux.Outcome, unread int) parley.ReasonCode {
	switch {
	case unread > 0 && !a.entered.stands && !a.entered.elsewhere:
		return parley.EndedUnread
	case a.followed.idle:
		return parley.EndedNoTurn
	case a.text.unsaid:
		return parley.EndedUnreported
	case a.text.lingers:
		return parley.EndedLingered
	case a.entered.stands:
		return parley.EndedStanding
	case out.Reason == tmux.Blocked:
		return parley.EndedModeChanged
	}
	return parley.EndedUnseen
}

// refusal says why nothing more was typed.
func (a *attempt) refusal(out tmux.Outcome, m *team.Member) sight.Hold {
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
		return a.refused
	}

	return sight.Held(parley.HoldRefused, strings.TrimSpace(cmp.Or(out.Detail, string(out.Reason))))
}
