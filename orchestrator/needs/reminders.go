package needs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"parley"
	"parley/orchestrator/admission"
	"parley/orchestrator/settings"
	"parley/orchestrator/talk"
	"parley/orchestrator/team"
	"parley/plain"
	"parley/store"
)

// Reminders tell of responses that are due and do not come.
type Reminders struct {
	Admission *admission.Admission
	Store     *store.Store
	Roster    *team.Roster
	Talk      *talk.Talk
	Pause     *admission.Pause
	Settings  *settings.Settings
	Now       func() time.Time
	Log       *slog.Logger

	mu    sync.Mutex // held while it reminds
	dues  dueLook
	ended map[store.Key]time.Time // see isOver
}

// dueLook is what the last look for responses that are due has found. While nothing happens, nothing else can be
// due than what was open then.
type dueLook struct {
	none  bool      // nothing was due
	at    time.Time // when it was
	event int64     // the last event before it
	next  time.Time // when the next response is due, of those that were open; zero for none
}

// needless reports whether another look would find nothing that is due before a time.
func (l *dueLook) needless(event int64, now, before time.Time) bool {
	since := now.Sub(l.at)
	return l.none && l.event == event && since >= 0 && since < ChoreTime && (l.next.IsZero() || !l.next.Before(before))
}

// Remind tells the debtors of unanswered requests, then the senders, then the operator, each
// once. It does nothing while communication is paused. Calls take turns.
func (r *Reminders) Remind(ctx context.Context) {
	r.mu.Lock()
	defer r.mu.Unlock()

	now := r.Now() // before the look at the pause: what falls due during it is not told
	if r.Pause.Is() != nil {
		return
	}

	event, before := r.Store.Events.LastEvent(), now.Add(r.Settings.RemindBefore)
	if r.dues.needless(event, now, before) {
		return
	}
	owed, err := r.Store.Debts.Due(ctx, before)
	r.dues = dueLook{}
	if err == nil && len(owed) == 0 {
		r.dues.event, r.dues.at = event, now
		r.dues.next, err = r.Store.Debts.NextDue(ctx)
		r.dues.none = err == nil
	}
	if err != nil {
		if ctx.Err() == nil {
			r.Log.Error("look for responses that are due", "error", err)
		}
		return
	}

	if err := r.Tell(ctx, owed, now); err != nil && ctx.Err() == nil &&
		parley.ErrorCode(err) != parley.CommunicationDisabled {
		r.Log.Error("remind of responses", "error", err)
	}
}

// notice is what is due to be told of one request: to all who owe the response, or about all of them.
type notice struct {
	telling
	owed []store.Owing
}

// telling is one of those who are told of a response that does not come.
type telling struct {
	who  store.Told
	told *time.Time
	at   time.Time
	to   string // agent id; empty for the operator
}

// tellings returns who is told of a response, in their order.
func (r *Reminders) tellings(w *store.Owing) []telling {
	s, d := r.Settings, &w.Debt
	lead, overdue := min(s.RemindBefore, d.DueAt.Sub(w.Message.Timestamp)/2), s.OverdueAfter
	sender := w.Message.SenderID
	if from := r.Roster.ByID(sender); from != nil && from.Kind == parley.KindHuman {
		sender, overdue = "", min(s.TellSenderAfter, s.OverdueAfter) // get_needs tells a person, not a notice
	}
	return []telling{
		{store.ToldDebtor, d.RemindedAt, d.DueAt.Add(-lead), d.DebtorID},
		{store.ToldSender, d.SenderToldAt, d.DueAt.Add(s.TellSenderAfter), sender},
		{store.ToldOperator, d.OperatorToldAt, d.DueAt.Add(overdue), ""}, // shown by get_needs
	}
}

// Tell sends the notices that are due for unanswered requests: one for a request, whoever owes it. Each is stored
// under an idempotency key before it is recorded as sent. A crash between the two repeats neither, unless the first of
// those who owe it answers before the next start: then the others are told twice.
func (r *Reminders) Tell(ctx context.Context, owed []store.Owing, now time.Time) error {
	var due []notice
	for i := range owed {
		w := &owed[i]
		r.Roster.Names.FillIn(&w.Message)
		for _, s := range r.tellings(w) {
			if s.told != nil || now.Before(s.at) {
				continue
			}
			if r.Roster.ByID(s.to) != nil {
				if over, err := r.isOver(ctx, w, now); err != nil {
					return err
				} else if over {
					continue // it may go on until the operator is told
				}
			}
			if at := slices.IndexFunc(due, func(n notice) bool { return n.takes(s.who, w) }); at >= 0 {
				due[at].owed = append(due[at].owed, *w)
			} else {
				due = append(due, notice{s, []store.Owing{*w}})
			}
		}
	}

	var failed []error
	for i := range due {
		failed = append(failed, r.send(ctx, &due[i], now))
	}
	return errors.Join(failed...)
}

// takes reports whether a notice says of another debt what it says already.
func (n *notice) takes(who store.Told, w *store.Owing) bool {
	first := &n.owed[0]
	return n.who == who && first.Key.MessageSeq == w.Key.MessageSeq && first.Debt.State == w.Debt.State &&
		first.Debt.DueAt.Equal(w.Debt.DueAt) && first.Answered.Equal(w.Answered)
}

func (r *Reminders) send(ctx context.Context, n *notice, now time.Time) error {
	var to []*team.Member
	var keys []store.Key
	first, text := &n.owed[0], r.missingText(n.owed, now)
	if n.who == store.ToldDebtor {
		text = reminderText(first, now)
	}
	for i := range n.owed {
		keys = append(keys, n.owed[i].Key)
		if n.who == store.ToldDebtor {
			n.to = n.owed[i].Debt.DebtorID
		}
		if m := r.Roster.ByID(n.to); m != nil && !slices.Contains(to, m) {
			to = append(to, m)
		}
	}

	if len(to) > 0 {
		key := fmt.Sprintf("%s %s %s %d", n.who, first.Message.ID, first.Debt.DebtorID, nanosOrZero(first.Answered))
		msg := parley.Message{Text: text}
		if slices.ContainsFunc(to, func(m *team.Member) bool { return m.Kind == parley.KindHuman }) {
			msg.InReplyTo = first.Message.ID // the screen shows it with what is to be answered
		}
		if err := r.Admission.Announce(ctx, to, msg, key); err != nil {
			return fmt.Errorf("of message %s: %w", parley.Short(first.Message.ID), err)
		}
	}

	return r.Store.Debts.NoteTold(ctx, n.who, keys)
}

// isOver reports whether the conversation of a required response has ended or is muted. What it finds to be so
// it does not look at again for choreTime: that would read the same messages at every tick.
func (r *Reminders) isOver(ctx context.Context, w *store.Owing, now time.Time) (bool, error) {
	maps.DeleteFunc(r.ended, func(_ store.Key, at time.Time) bool { return now.Sub(at).Abs() >= ChoreTime })
	if _, known := r.ended[w.Key]; known {
		return true, nil
	}

	over, err := r.Talk.IsOver(ctx, w)
	if over {
		if r.ended == nil {
			r.ended = map[store.Key]time.Time{}
		}
		r.ended[w.Key] = now
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
func reminderText(w *store.Owing, now time.Time) string {
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

// mostNamed is how many debtors a notice names.
const mostNamed = 12

// missingText is the text for the sender that waits for the responses.
func (r *Reminders) missingText(owed []store.Owing, now time.Time) string {
	w, did := &owed[0], "not answered"
	if w.Debt.State == parley.ResponsePartial {
		did = "answered only in part"
	}
	have := "have"
	if len(owed) == 1 {
		have = "has"
	}
	var names []string
	for _, x := range owed[:min(len(owed), mostNamed)] {
		names = append(names, fmt.Sprintf("%s (%s)", x.Debt.Debtor, r.stateOf(x.Debt.DebtorID)))
	}
	who := strings.Join(names, ", ")
	if more := len(owed) - len(names); more > 0 {
		who += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("%s %s %s your message %s, which was due at %s: “%s”", who, have, did,
		parley.Short(w.Message.ID), parley.LocalTime(w.Debt.DueAt, now), quote(w))
}

// stateOf returns the state of an agent, who may no longer be a member.
func (r *Reminders) stateOf(id string) parley.AgentState {
	if m := r.Roster.ByID(id); m != nil {
		return m.Agent().State
	}
	return parley.StateTerminated
}

func quote(w *store.Owing) string {
	return plain.Truncate(plain.CleanLine(w.Message.Text), quoteLength)
}

// overdueNeed tells the operator of a response that did not come.
func (r *Reminders) overdueNeed(w store.Owing, now time.Time) parley.Need {
	msg, d := r.Roster.Names.FillIn(&w.Message), &w.Debt
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
		Between:   isAgent(r.Roster, msg.SenderID) && isAgent(r.Roster, d.DebtorID),
		Text: fmt.Sprintf("owes %s %s to message %s, asked %s ago and due %s ago: “%s”",
			msg.Sender, what, short,
			plain.FormatDuration(now.Sub(msg.Timestamp)), plain.FormatDuration(now.Sub(d.DueAt)),
			plain.Truncate(plain.CleanLine(msg.Text), parley.PreviewLength)),
		Action: "Remind it, or let it be.",
	}
	if r.stateOf(d.DebtorID) == parley.StateTerminated {
		need.Offline = true
		need.Action = "It is stopped, so nothing can remind it. That lets it be."
		if m := r.Roster.ByID(d.DebtorID); m != nil && m.Agent().Kind == parley.KindTerminal {
			need.Action = fmt.Sprintf(
				"It is stopped, so nothing can remind it. That lets it be; parley restart %s starts it "+
					"again.", d.Debtor)
		}
	}

	return need
}

// ChoreTime is the interval between looks for expired deliveries and unused files.
const ChoreTime = 30 * time.Second
