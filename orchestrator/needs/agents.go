package needs

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"parley"
	"parley/internal/sh"
	"parley/orchestrator/admission"
	"parley/orchestrator/relay"
	"parley/orchestrator/settings"
	"parley/orchestrator/team"
	"parley/orchestrator/terminal"
	"parley/plain"
	"parley/program/profile"
	"parley/tmux"
)

// AgentNeeds tells what keeps agents from working.
type AgentNeeds struct {
	*relay.Elsewhere
	Roster   *team.Roster
	Settings *settings.Settings
	Now      func() time.Time
}

// of returns the need of an agent that is kept from working, if anything does. waiting
// is the number of messages that wait for its terminal.
func (an *AgentNeeds) of(m *team.Member, waiting int) (parley.Need, bool) {
	a := m.Agent()
	n := parley.Need{AgentID: a.ID, Agent: a.Name, Since: a.Since, Command: "parley attach " + a.Name}
	if a.Approval == parley.ApprovalNewcomer && a.State != parley.StateTerminated {
		return newcomerNeed(n, &a), true
	}
	if a.Approval == parley.ApprovalPending && a.State != parley.StateTerminated {
		return approvalNeed(n, a.Responder), true
	}

	if since, away := an.Roster.Hosts.Away(m); away && a.State != parley.StateTerminated {
		return awayNeed(n, a.Host, an.Destination(a.Host), since, waiting), true
	}

	switch a.State {
	case parley.StateWaiting:
		n.Kind, n.Text = parley.NeedDialog, "a dialog is open in its terminal"
		answerFromHere(&n)
		if t := m.Terminal(); t != nil && !t.Profile.HasMarkers() {
			n.Text = cmp.Or(a.Evidence, n.Text) // it is only a guess, and says what was seen
			answerThere(&n)
		} else if t != nil {
			if _, unknown := t.Shown.Lasts(profile.Unknown); unknown { // its own door says so
				n.Text = cmp.Or(a.Evidence, n.Text)
				keysFromHere(&n)
			}
		}
		if !an.Roster.Hosts.Here(m) { // it may ask of a directory, which is one of that host
			n.Text += ", on host " + a.Host
		}
	case parley.StateBlocked:
		n.Kind, n.Text = parley.NeedBlocked, cmp.Or(a.Evidence, "it cannot work now")
		n.Action = "See there what it waits for; its messages go when that has passed, or one at once with parley " +
			"retry."
		if a.ResumeAfterLimit && admission.LimitedUntil(m, &a) != nil {
			n.Action = "What waits is sent once the limit has ended (resume_after_limit), or one at once with " +
				"parley retry."
		}
	case parley.StateExited, parley.StateUnreachable:
		n = endedNeed(n, &a)
	default:
		var ok bool
		if n, ok = an.unknownNeed(n, m, waiting); ok {
			break
		}
		if n, ok = an.quietNeed(n, m, waiting); !ok {
			return profileNeed(n, a)
		}
	}

	switch {
	case waiting == 1:
		n.Text += "; a message waits for it"
	case waiting > 1:
		n.Text += fmt.Sprintf("; %d messages wait for it", waiting)
	}

	return n, true
}

// endedNeed returns the need of an agent whose program or terminal is gone.
func endedNeed(n parley.Need, a *parley.Agent) parley.Need {
	n.Kind, n.Text = parley.NeedExited, cmp.Or(a.Evidence, "its program ended")
	if a.State == parley.StateUnreachable {
		n.Kind, n.Text = parley.NeedLost, cmp.Or(a.Evidence, "its terminal is gone")
	}

	n.Command, n.Action = "", "Start it again, or let it go."
	if a.State == parley.StateExited && a.Session.State == parley.SessionRefused {
		n.Kind = parley.NeedRefused
		n.Action = "Starting afresh begins a new conversation; trying again keeps its own."
	}
	if a.Adopted() {
		n.Offline, n.Command = true, fmt.Sprintf("parley adopt %s --pane ID", a.Name)
		n.Action = fmt.Sprintf(
			"Start its program again in its pane, adopt it where it runs now, or let it go with parley "+
				"leave %s.", a.Name)
	}
	return n
}

// UnknownAfter is how long a screen of which nothing is known may last before it needs the operator, while
// no message waits for it. Most pass within seconds.
const UnknownAfter = 15 * time.Second

// unknownNeed returns the need of an agent whose screen shows nothing that is known: it may ask something.
func (an *AgentNeeds) unknownNeed(n parley.Need, m *team.Member, waiting int) (parley.Need, bool) {
	t, a := m.Terminal(), m.Agent()
	if t == nil || a.State != parley.StateUnknown {
		return n, false
	}
	since, lasts := t.Shown.Lasts(profile.Unknown)
	if lasted := an.Now().Sub(since); !lasts || lasted < UnknownAfter && (waiting == 0 || lasted < UnknownAfter/3) {
		return n, false
	}

	n.Kind, n.Since, n.Text = parley.NeedDialog, since, "its screen shows something that parley does not know"
	keysFromHere(&n)
	return n, true
}

// keysFromHere says that parley can send keys to a screen that it does not know.
func keysFromHere(n *parley.Need) {
	n.Command = "parley answer " + n.Agent
	n.Action = fmt.Sprintf("See what it wants. Keys can be sent from here (parley answer %s --keys Down,Enter), "+
		"or there.", n.Agent)
}

// quietNeed returns the need of an agent that nothing on its screen keeps from working: a person has
// left something in its terminal, or it gives no sign of life.
func (an *AgentNeeds) quietNeed(n parley.Need, m *team.Member, waiting int) (parley.Need, bool) {
	lies, unsent, a := m.Leftover(), m.Unsent(), m.Agent()
	left := lies.Hold
	if unsent.Hold.Code() != "" && a.State != parley.StateBusy && an.Now().Sub(unsent.Since) > unsentFor {
		n.Kind, n.Since, n.Text = parley.NeedDraft, unsent.Since, unsent.Hold.Words()
		n.Action = unsent.Hold.Code().Release(a)
		if unsent.Hold.Code().InComposer() {
			n.Action = unsent.Hold.Code().WhatToDo()
		}
		return n, true
	}
	if left.Code() != "" && waiting > 0 && an.wantsOperator(left.Code(), lies.Since) {
		n.Kind, n.Since, n.Text, n.Draft = parley.NeedDraft, lies.Since, left.Words(), lies.Draft
		n.Action = left.Code().WhatToDo()
		if left.Code() == parley.HoldOtherProgram {
			n.Kind = parley.NeedDialog
			n.Command = sayingSo(a.Name)
			n.Action = "Say so, if it does: parley remembers it. Otherwise they go when its own program reads again."
		} else if left.Code().OnlyPerson() {
			n.Kind, n.Action = parley.NeedStuck, left.Code().Release(a)
		}
		return n, true
	}

	since, stuck := an.stuckSince(m)
	if !stuck {
		return n, false
	}
	n.Kind, n.Since = parley.NeedStuck, since
	silence := plain.FormatDuration(an.Now().Sub(since))
	n.Text = fmt.Sprintf("%s (%s), without any output for %s", a.State, a.Evidence, silence)
	n.Action = "See what it does, or steer it."
	return n, true
}

// unsentFor is how long a message may stand in a terminal, pasted or entered, before the operator is asked.
const unsentFor = 15 * time.Second

// readsFor is how long a program must read of which nobody has said that it takes messages, before the operator is
// asked: scripts start many that come and go.
const readsFor = 3 * time.Second

// wantsOperator reports whether what is left in a terminal since then needs the operator. A person
// may be about to come back to their own text, and to none of parley's.
func (an *AgentNeeds) wantsOperator(code parley.ReasonCode, since time.Time) bool {
	patience := an.Settings.DraftAfter
	if code.OtherReads() {
		patience = readsFor
	} else if code.OnlyPerson() {
		patience = an.Settings.StuckAfter
	}
	return code.OwnText() || an.Now().Sub(since) > patience
}

// profileNeed returns the need of an agent whose launch hid its program, so that the program got
// nothing of what its profile hands over. A program that a person started in a shell is that
// person's.
func profileNeed(n parley.Need, a parley.Agent) (parley.Need, bool) {
	if a.Runs == "" || sh.IsShell(a.Command) {
		return n, false
	}

	n.Kind, n.Text = parley.NeedProfile, fmt.Sprintf("it runs %s without parley's tools and briefing", a.Runs)
	n.Command = fmt.Sprintf("parley restart %s --profile %s", a.Name, a.Runs)
	n.Action = "Restart it so; its script must pass its arguments on."
	if !profile.Passes(a.Command) {
		n.Command = "parley stop " + a.Name
		n.Action = fmt.Sprintf("Stop it, and launch the program itself: parley launch %s -- %s.", a.Name, a.Runs)
	}

	return n, true
}

// stuckSince returns the time since which a busy agent has given no sign of life. It reports whether that is longer
// than the setting StuckAfter.
func (an *AgentNeeds) stuckSince(m *team.Member) (time.Time, bool) {
	a := m.Agent()
	if a.State != parley.StateBusy {
		return time.Time{}, false
	}

	t := m.Terminal()
	if t == nil {
		return time.Time{}, false
	}

	quiet := time.Unix(0, t.LastOutput.Load())
	said, _ := m.LastReport()
	// The state may be newer than the output that led to it.
	for _, sign := range []time.Time{a.Since, said.Heard} {
		if sign.After(quiet) {
			quiet = sign
		}
	}

	return quiet, an.Now().Sub(quiet) > an.Settings.StuckAfter
}

// addScreens adds to each agent's need the end of its screen. A screen that cannot be read
// within screenTime is left out and does not delay the others.
func (an *AgentNeeds) addScreens(ctx context.Context, needs []parley.Need) {
	ctx, cancel := context.WithTimeout(ctx, screenTime)
	defer cancel()

	var looks errgroup.Group
	for i := range needs {
		n := &needs[i]
		m := an.Roster.ByID(n.AgentID)
		if m != nil && n.Kind == parley.NeedDialog && !an.Roster.Hosts.Here(m) {
			looks.Go(func() error {
				if there, err := an.DialogOf(ctx, m); err == nil && there != nil {
					n.Screen = parley.ScreenEnd(there.Screen, needLines)
					offerAnswer(n, there.Dialog)
				}
				return nil
			})
			continue
		}
		if row, _ := parley.NeedRowOf(n.Kind); m == nil || m.Terminal() == nil || !row.Screen {
			continue
		}
		t := m.Terminal()

		looks.Go(func() error {
			if screen, err := terminal.Screen(ctx, t, tmux.ScreenOptions{}); err == nil {
				n.Screen = parley.ScreenEnd(screen.Lines, needLines)
				if n.Kind == parley.NeedDialog {
					offerAnswer(n, terminal.DialogOn(t, screen))
				}
				if n.Kind == parley.NeedBlocked {
					n.Action = blockedAction(t.Profile, screen.Lines, n.Action)
				}
			}
			return nil
		})
	}

	_ = looks.Wait() // no goroutine returns an error
}

// offerAnswer adds to a need the dialog that the screen shows, and how to answer it.
func offerAnswer(n *parley.Need, d *parley.Dialog) {
	if d == nil {
		return
	}

	n.Dialog = d
	if n.Command == sayingSo(n.Agent) {
		return
	}
	answerThere(n)
	if !d.Secret && (len(d.Options) > 0 || d.TakesText) {
		answerFromHere(n)
	}
}

// sayingSo is how the operator says that the program which reads an agent's terminal takes messages.
func sayingSo(agent string) string { return "parley answer " + agent + " messages" }

// answerFromHere says that parley can take the answer to a dialog.
func answerFromHere(n *parley.Need) {
	n.Command = "parley answer " + n.Agent
	n.Action = "Answer it so, or there; parley never answers it for you."
}

// answerThere says that a dialog takes its answer in its terminal alone.
func answerThere(n *parley.Need) {
	n.Command = "parley attach " + n.Agent
	n.Action = "Answer it there; parley never answers it for you."
}

// blockedAction says what to do about an agent whose screen shows what blocks it, and otherwise what is said of all.
func blockedAction(p *profile.Profile, lines []string, otherwise string) string {
	switch p.Read(profile.Screen{Lines: lines}).Cause {
	case profile.SignIn:
		return "Sign in there: " + cmp.Or(p.SignIn, "as its screen says") +
			". What waits goes then; what it refused, with parley retry."
	case profile.ModelError:
		return "It does not try again. Let one of the messages that wait go first, with parley retry ID, " +
			"or ask it there: the rest goes once that has worked."
	}
	return otherwise
}

// newcomerNeed returns the need of an agent that registered from elsewhere and waits to be let in.
func newcomerNeed(n parley.Need, a *parley.Agent) parley.Need {
	n.Kind, n.Text = parley.NeedNewcomer, "registered from elsewhere and wants to take part"
	if a.Description != "" {
		n.Text += ": " + a.Description
	}
	n.Command, n.Action = "", "Let it in, or turn it away."
	return n
}

// approvalNeed returns the need of a mailbox that asks to be a special agent. Nothing else can
// keep a mailbox from working.
func approvalNeed(n parley.Need, r *parley.Responder) parley.Need {
	n.Kind, n.Text = parley.NeedApproval, "asks to be a special agent; it has its mailbox meanwhile"
	if r != nil {
		n.Text = "asks to be answered for by " + r.Words() + "; it has its mailbox meanwhile"
	}
	n.Command, n.Action = "", "Approve it, or decline."
	return n
}

const (
	// needLines is the number of screen lines shown with a need. Every dialog that was measured fits.
	needLines = 12
	// screenTime bounds the reading of all screens. It takes milliseconds, unless the user's tmux hangs.
	screenTime = 2 * time.Second
	// owesWithin is the age at which unanswered requests are no longer listed. It bounds the query.
	owesWithin = 7 * 24 * time.Hour
)

// awayNeed returns the need of an agent whose host is away. ssh reaches the host at destination.
func awayNeed(n parley.Need, host, destination string, since time.Time, waiting int) parley.Need {
	n.Kind, n.Since, n.Text, n.Command = parley.NeedLost, since, "its host "+host+" is away", "ssh "+destination
	n.Offline = true
	if waiting > 0 {
		n.Text += fmt.Sprintf("; messages that wait for it: %d", waiting)
	}
	n.Action = "Start parley there again: parley serve, in the workspace. If that machine is gone for good: " +
		"parley host remove " + host + "."
	return n
}
