package orchestrator

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"parley"
	"parley/orchestrator/talk"
	"parley/orchestrator/team"
	"parley/orchestrator/terminal"
	"parley/store"
	"parley/tmux"
)

const (
	// needLines is the number of screen lines shown with a need. Every dialog that was measured fits.
	needLines = 12
	// screenTime bounds the reading of all screens. It takes milliseconds, unless the user's tmux hangs.
	screenTime = 2 * time.Second
	// owesWithin is the age at which unanswered requests are no longer listed. It bounds the query.
	owesWithin = 7 * 24 * time.Hour
)

// GetNeeds implements parley.OperatorService.
func (op *operatorService) GetNeeds(ctx context.Context, req parley.GetNeedsRequest) (*parley.GetNeedsResult, error) {
	res := &parley.GetNeedsResult{Answer: parley.OK}
	var err error
	if req.Dismiss != "" {
		if res.Dismissed, err = op.store.Dismiss(ctx, req.Dismiss); err != nil {
			return nil, err
		}
	}
	if res.Needs, err = op.needs(ctx); err != nil {
		return nil, err
	}
	op.addScreens(ctx, res.Needs)
	return res, nil
}

// needs returns everything that wants the operator, the most pressing first and the oldest
// first among equals. It is computed afresh on each call.
func (op *operatorService) needs(ctx context.Context) ([]parley.Need, error) {
	counts, err := op.store.Counts(ctx)
	if err != nil {
		return nil, err
	}

	needs := []parley.Need{}
	for _, m := range op.roster.All() {
		if n, ok := op.agentNeed(m, counts[m.ID].Queued); ok {
			needs = append(needs, n)
		}
	}

	unconfirmed, err := op.store.Unconfirmed(ctx)
	if err != nil {
		return nil, err
	}

	for _, item := range unconfirmed {
		needs = append(needs, unconfirmedNeed(op.fillInItem(item)))
	}

	held, err := op.store.Withheld(ctx, talk.MaxHolds)
	if err != nil {
		return nil, err
	}

	needs = append(needs, op.talk.Needs(held)...)
	overdue, err := op.store.Overdue(ctx)
	if err != nil {
		return nil, err
	}

	now := op.now()
	for _, w := range overdue {
		needs = append(needs, op.overdueNeed(w, now))
	}

	owed, err := op.store.Owed(ctx, now.Add(-owesWithin), now.Add(-op.opts.Settings.OwesAfter))
	if err != nil {
		return nil, err
	}

	for _, item := range owed {
		m := op.roster.ByID(item.Delivery.RecipientID)
		if m.Kind != parley.KindHuman && m.Responder() == nil && m.Agent().State == parley.StateIdle {
			needs = append(needs, owesNeed(op.fillInItem(item), now))
		}
	}

	left, err := op.responders.Needs(ctx)
	if err != nil {
		return nil, err
	}

	needs = append(needs, left...)
	slices.SortStableFunc(needs, func(a, b parley.Need) int {
		return cmp.Or(slices.Index(needOrder, a.Kind)-slices.Index(needOrder, b.Kind), a.Since.Compare(b.Since))
	})

	return needs, nil
}

// needOrder orders the kinds of needs, the most pressing first.
var needOrder = []parley.NeedKind{
	parley.NeedDialog,
	parley.NeedLost,
	parley.NeedExited,
	parley.NeedBlocked,
	parley.NeedStuck,
	parley.NeedDraft,
	parley.NeedUnconfirmed,
	parley.NeedHeld,
	parley.NeedOverdue,
	parley.NeedOwesAnswer,
	parley.NeedUnanswered,
	parley.NeedApproval,
}

// messageNeeds are the kinds of needs that a screen does not explain.
var messageNeeds = []parley.NeedKind{
	parley.NeedUnconfirmed,
	parley.NeedHeld,
	parley.NeedOverdue,
	parley.NeedOwesAnswer,
	parley.NeedUnanswered,
}

// fillInItem fills in the names of a message and its recipient.
func (op *operatorService) fillInItem(item store.InboxItem) store.InboxItem {
	op.roster.FillIn(&item.Message)
	item.Delivery.Recipient = op.roster.ByID(item.Delivery.RecipientID).Name
	return item
}

// agentNeed returns the need of an agent that is kept from working, if anything does. waiting
// is the number of messages that wait for its terminal.
func (op *operatorService) agentNeed(m *team.Member, waiting int) (parley.Need, bool) {
	a := m.Agent()
	n := parley.Need{AgentID: a.ID, Agent: a.Name, Since: a.Since, Command: "parley attach " + a.Name}
	if a.Approval == parley.ApprovalPending && a.State != parley.StateTerminated {
		return approvalNeed(n, a.Responder), true
	}

	switch a.State {
	case parley.StateWaiting:
		n.Kind, n.Text = parley.NeedDialog, "a dialog is open in its terminal"
		n.Action = "Answer it there; parley never answers one."
	case parley.StateBlocked:
		n.Kind, n.Text = parley.NeedBlocked, cmp.Or(a.Evidence, "it cannot work now")
		n.Action = "See there what it waits for; its messages go when that has passed, " +
			"or one at once with parley retry."
	case parley.StateExited, parley.StateUnreachable:
		n.Kind, n.Text = parley.NeedExited, cmp.Or(a.Evidence, "its program ended")
		if a.State == parley.StateUnreachable {
			n.Kind, n.Text = parley.NeedLost, cmp.Or(a.Evidence, "its terminal is gone")
		}

		n.Command = "parley restart " + a.Name
		n.Action = fmt.Sprintf("Start it again, or let it go with parley stop %s.", a.Name)
		if a.Adopted() {
			n.Command = fmt.Sprintf("parley adopt %s --pane ID", a.Name)
			n.Action = fmt.Sprintf(
				"Start its program again in its pane, adopt it where it runs now, or let it go with parley leave %s.",
				a.Name,
			)
		}
	default:
		if reason, since := m.Leftover(); reason != "" && waiting > 0 &&
			op.now().Sub(since) > op.opts.Settings.DraftAfter {
			n.Kind, n.Since, n.Text = parley.NeedDraft, since, reason
			n.Action = "Send or clear what stands there, or leave copy mode with q; parley touches neither."
			break
		}

		since, ok := op.stuckSince(m)
		if !ok {
			return n, false
		}

		n.Kind, n.Since = parley.NeedStuck, since
		silence := formatDuration(op.now().Sub(since))
		n.Text = fmt.Sprintf("%s (%s), without any output for %s", a.State, a.Evidence, silence)
		n.Action = fmt.Sprintf("See what it does. Guidance reaches it with parley steer %s \"…\".", a.Name)
	}

	switch {
	case waiting == 1:
		n.Text += "; a message waits for it"
	case waiting > 1:
		n.Text += fmt.Sprintf("; %d messages wait for it", waiting)
	}

	return n, true
}

// stuckSince returns the time since which a busy agent, or one in an unknown state, has given
// no sign of life. It reports whether that is longer than the setting StuckAfter.
func (op *operatorService) stuckSince(m *team.Member) (time.Time, bool) {
	a := m.Agent()
	if a.State != parley.StateBusy && a.State != parley.StateUnknown {
		return time.Time{}, false
	}

	t := m.Terminal()
	if t == nil {
		return time.Time{}, false
	}

	quiet := time.Unix(0, t.Output.Load())
	said, _ := m.LastReport()
	// The state may be newer than the output that led to it.
	for _, sign := range []time.Time{a.Since, said.Heard} {
		if sign.After(quiet) {
			quiet = sign
		}
	}

	return quiet, op.now().Sub(quiet) > op.opts.Settings.StuckAfter
}

// addScreens adds to each agent's need the end of its screen. A screen that cannot be read
// within screenTime is left out and does not delay the others.
func (op *operatorService) addScreens(ctx context.Context, needs []parley.Need) {
	ctx, cancel := context.WithTimeout(ctx, screenTime)
	defer cancel()

	var looks errgroup.Group
	for i := range needs {
		n := &needs[i]
		t := op.roster.ByID(n.AgentID).Terminal()
		if t == nil || slices.Contains(messageNeeds, n.Kind) {
			continue
		}

		looks.Go(func() error {
			if screen, err := terminal.Screen(ctx, t, tmux.ScreenOptions{}); err == nil {
				n.Screen = lastLines(screen.Lines)
			}
			return nil
		})
	}

	_ = looks.Wait() // no goroutine returns an error
}

// ruleCharacters are the characters that lines are drawn with. A line of nothing else carries no text.
const ruleCharacters = " ─━═╌╍┄┅┈┉▀▄-=_"

// lastLines returns the last lines of a screen that carry text.
func lastLines(lines []string) []string {
	var last []string
	for _, line := range lines {
		if line = strings.ReplaceAll(parley.Clean(line), "\t", " "); strings.Trim(line, ruleCharacters) != "" {
			last = append(last, line)
		}
	}
	return last[max(0, len(last)-needLines):]
}

// approvalNeed returns the need of a mailbox that asks to be a special agent. Nothing else can
// keep a mailbox from working.
func approvalNeed(n parley.Need, r *parley.Responder) parley.Need {
	n.Kind, n.Text = parley.NeedApproval, "asks to be a special agent; it has its mailbox meanwhile"
	if r != nil {
		n.Text = "asks to be answered for by " + r.Words() + "; it has its mailbox meanwhile"
	}
	n.Command = "parley approve " + n.Agent
	n.Action = fmt.Sprintf("Approve it, or decline with parley approve %s --decline.", n.Agent)
	return n
}

func unconfirmedNeed(item store.InboxItem) parley.Need {
	d, short := item.Delivery, parley.Short(item.Message.ID)
	n := parley.Need{
		Kind:      parley.NeedUnconfirmed,
		AgentID:   d.RecipientID,
		Agent:     d.Recipient,
		MessageID: item.Message.ID,
		Since:     item.Message.Timestamp,
		Command:   "parley explain " + short,
		Text: fmt.Sprintf("whether message %s from %s arrived is not known: %s",
			short, item.Message.Sender, d.Reason),
		Action: fmt.Sprintf(
			"If it arrived: parley needs --dismiss %s. If not: parley retry %s --to %s.", short, short, d.Recipient,
		),
	}

	if len(d.Steps) > 0 {
		n.Since = d.Steps[len(d.Steps)-1].At
	}

	return n
}

func owesNeed(item store.InboxItem, now time.Time) parley.Need {
	d, msg, short := item.Delivery, item.Message, parley.Short(item.Message.ID)
	since := store.Arrived(d)
	quoted := parley.Truncate(parley.CleanLine(msg.Text), parley.PreviewLength)

	return parley.Need{
		Kind:      parley.NeedOwesAnswer,
		AgentID:   d.RecipientID,
		Agent:     d.Recipient,
		MessageID: msg.ID,
		Since:     since,
		Text: fmt.Sprintf("idle, and owes %s an answer to message %s, which it has had for %s: “%s”",
			msg.Sender, short, formatDuration(now.Sub(since)), quoted),
		Command: fmt.Sprintf(
			"parley steer %s --kind REMINDER \"please answer message %s from %s\"", d.Recipient, short, msg.Sender,
		),
		Action: fmt.Sprintf("Remind it, or let it be with parley needs --dismiss %s.", short),
	}
}
