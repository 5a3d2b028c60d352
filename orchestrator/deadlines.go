package orchestrator

import (
	"context"
	"fmt"
	"maps"
	"time"

	"parley"
	"parley/orchestrator/team"
	"parley/store"
)

// maxDeadline is how far ahead a deadline may lie. A later one is most likely a typing mistake.
const maxDeadline = 366 * 24 * time.Hour

// due returns the deadline of a response, or nil if no response is required. Giving a deadline
// requires a response. A deadline in the past or beyond maxDeadline is INVALID_ARGUMENT.
func (a *admission) due(required bool, deadline *time.Time) (*time.Time, error) {
	now := a.now()
	switch {
	case deadline == nil && !required:
		return nil, nil
	case deadline == nil:
		at := now.Add(a.settings.ResponseDeadline).UTC()
		return &at, nil
	}

	at := deadline.UTC()
	wrong := func(what string) error {
		return parley.Errorf(parley.InvalidArgument, "the deadline %s %s", at.Format(time.RFC3339), what).
			With("parameter", "response_deadline").
			With("now", now.UTC().Format(time.RFC3339)).
			Suggest("Give a time to come, with its zone, such as %s.",
				now.UTC().Add(a.settings.ResponseDeadline).Format(time.RFC3339))
	}

	switch {
	case !at.After(now):
		return nil, wrong("is in the past")
	case at.Sub(now) > maxDeadline:
		return nil, wrong("is more than a year away")
	}

	return &at, nil
}

// dueBefore returns the deadline of the message stored earlier with this idempotency key, and
// refusal if there is none. A call that is repeated after its deadline has passed is still the
// same call.
func (a *admission) dueBefore(
	ctx context.Context, from *team.Member, key string, deadline *time.Time, refusal error,
) (*time.Time, error) {
	if key == "" || deadline == nil {
		return nil, refusal
	}
	stored, found, err := a.store.Repeated(ctx, from.ID, key)
	if was := stored.Message.ResponseDeadline; err == nil && found && was != nil && was.Equal(*deadline) {
		return was, nil
	}
	return nil, refusal
}

// remind tells the debtors of unanswered requests, then the senders, then the operator, each
// once. It does nothing while communication is paused. Calls take turns.
func (op *operatorService) remind(ctx context.Context) {
	op.reminding.Lock()
	defer op.reminding.Unlock()

	now := op.now() // before the look at the pause: what falls due during it is not told
	if op.pause.is() != nil {
		return
	}

	event, before := op.store.LastEvent(), now.Add(op.opts.Settings.RemindBefore)
	if op.dues.needless(event, now, before) {
		return
	}
	owed, err := op.store.Due(ctx, before)
	op.dues = dueLook{}
	if err == nil && len(owed) == 0 {
		op.dues.event, op.dues.at = event, now
		op.dues.next, err = op.store.NextDue(ctx)
		op.dues.none = err == nil
	}
	if err != nil {
		if ctx.Err() == nil {
			op.log.Error("look for responses that are due", "error", err)
		}
		return
	}

	for _, w := range owed {
		if err := op.remindOne(ctx, w, now); err != nil && ctx.Err() == nil &&
			parley.ErrorCode(err) != parley.CommunicationDisabled {
			op.log.Error("remind of a response", "message", w.Message.ID, "debtor", w.Debt.Debtor, "error", err)
		}
	}
}

// remindOne sends the notices that are due for one unanswered request. Each notice is stored
// under an idempotency key before it is recorded as sent, so a crash between the two repeats
// neither.
func (op *operatorService) remindOne(ctx context.Context, w store.Owing, now time.Time) error {
	s, d := &op.opts.Settings, &w.Debt
	op.roster.FillIn(&w.Message)
	lead := min(s.RemindBefore, d.DueAt.Sub(w.Message.Timestamp)/2)
	for _, step := range []struct {
		told *time.Time
		at   time.Time
		who  store.Told
		to   string // agent id; empty for the operator
		text func() string
	}{
		{d.RemindedAt, d.DueAt.Add(-lead), store.ToldDebtor, d.DebtorID, func() string { return reminderText(w, now) }},
		{
			d.SenderToldAt, d.DueAt.Add(s.TellSenderAfter), store.ToldSender, w.Message.SenderID,
			func() string { return op.missingText(w, now) },
		},
		{d.OperatorToldAt, d.DueAt.Add(s.OverdueAfter), store.ToldOperator, "", nil}, // shown by get_needs
	} {
		if step.told != nil || now.Before(step.at) {
			continue
		}

		m := op.roster.ByID(step.to)
		if m != nil {
			over, err := op.isOver(ctx, &w, now)
			if err != nil {
				return err
			}
			if over {
				continue // it may go on until the operator is told
			}

			key := fmt.Sprintf("%s %s %s %d", step.who, w.Message.ID, d.DebtorID, nanosOrZero(w.Answered))
			notice := parley.Message{Text: step.text()}
			if m.Kind == parley.KindHuman {
				notice.InReplyTo = w.Message.ID // the screen shows it with the debt
			}
			if err := op.admission.announce(ctx, []*team.Member{m}, notice, key); err != nil {
				return err
			}
		}

		if err := op.store.NoteTold(ctx, w.Key, step.who); err != nil {
			return err
		}
	}

	return nil
}

// isOver reports whether the conversation of a required response has ended or is muted. What it finds to be so
// it does not look at again for choreTime: that would read the same messages at every tick.
func (op *operatorService) isOver(ctx context.Context, w *store.Owing, now time.Time) (bool, error) {
	maps.DeleteFunc(op.ended, func(_ store.Key, at time.Time) bool { return now.Sub(at).Abs() >= choreTime })
	if _, known := op.ended[w.Key]; known {
		return true, nil
	}

	over, err := op.talk.IsOver(ctx, w)
	if over {
		if op.ended == nil {
			op.ended = map[store.Key]time.Time{}
		}
		op.ended[w.Key] = now
	}

	return over, err
}

// nanosOrZero returns a time for use in a notice's key: in nanoseconds since 1970, 0 for the zero time.
func nanosOrZero(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

// quoteLength is how many characters of a message its reminders quote.
const quoteLength = 100

// reminderText is the text for the agent that owes the response.
func reminderText(w store.Owing, now time.Time) string {
	short, tense := parley.Short(w.Message.ID), "is"
	if now.After(w.Debt.DueAt) {
		tense = "was"
	}

	what := "Your response"
	if w.Debt.State == parley.ResponsePartial {
		what = "The rest of your response"
	}

	return fmt.Sprintf(
		"%s to message %s from %s %s due at %s: “%s” "+
			"Answer it with respond_to_message, or parley reply %s \"…\".",
		what, short, w.Message.Sender, tense, parley.LocalTime(w.Debt.DueAt, now), quote(w), short,
	)
}

// missingText is the text for the sender that waits for the response.
func (op *operatorService) missingText(w store.Owing, now time.Time) string {
	did := "has not answered"
	if w.Debt.State == parley.ResponsePartial {
		did = "has answered only in part"
	}
	return fmt.Sprintf("%s (%s) %s your message %s, which was due at %s: “%s”",
		w.Debt.Debtor, op.stateOf(w.Debt.DebtorID), did, parley.Short(w.Message.ID),
		parley.LocalTime(w.Debt.DueAt, now), quote(w))
}

// stateOf returns the state of an agent, who may no longer be a member.
func (op *operatorService) stateOf(id string) parley.AgentState {
	if m := op.roster.ByID(id); m != nil {
		return m.Agent().State
	}
	return parley.StateTerminated
}

func quote(w store.Owing) string {
	return parley.Truncate(parley.CleanLine(w.Message.Text), quoteLength)
}

// overdueNeed tells the operator of a response that did not come.
func (op *operatorService) overdueNeed(w store.Owing, now time.Time) parley.Need {
	msg, d := op.roster.FillIn(&w.Message), &w.Debt
	short, what := parley.Short(msg.ID), "a response"
	if d.State == parley.ResponsePartial {
		what = "the rest of its response"
	}

	need := parley.Need{
		Kind:      parley.NeedOverdue,
		AgentID:   d.DebtorID,
		Agent:     d.Debtor,
		MessageID: msg.ID,
		Since:     d.DueAt,
		Between:   op.isAgent(msg.SenderID) && op.isAgent(d.DebtorID),
		Text: fmt.Sprintf("owes %s %s to message %s, asked %s ago and due %s ago: “%s”",
			msg.Sender, what, short,
			parley.FormatDuration(now.Sub(msg.Timestamp)), parley.FormatDuration(now.Sub(d.DueAt)),
			parley.Truncate(parley.CleanLine(msg.Text), parley.PreviewLength)),
		Command: fmt.Sprintf(
			"parley steer %s --kind REMINDER \"please answer message %s from %s\"", d.Debtor, short, msg.Sender,
		),
		Action: fmt.Sprintf("Remind it, or let it be with parley needs --dismiss %s.", short),
	}
	if op.stateOf(d.DebtorID) == parley.StateTerminated {
		need.Command = "parley needs --dismiss " + short
		need.Action = "It is stopped, so nothing can remind it. That lets it be."
		if m := op.roster.ByID(d.DebtorID); m != nil && m.Agent().Kind == parley.KindTerminal {
			need.Action = fmt.Sprintf(
				"It is stopped, so nothing can remind it. That lets it be; parley restart %s starts it again.", d.Debtor)
		}
	}

	return need
}
