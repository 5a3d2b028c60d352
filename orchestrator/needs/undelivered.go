package needs

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"parley"
	"parley/orchestrator/admission"
	"parley/orchestrator/team"
	"parley/plain"
	"parley/store"
)

// A message can end without arriving long after it was accepted: it waited too long, or its recipient's host
// was removed. Its sender is told then. An agent gets one notice for all that ended since the last look; of
// what nobody else can be told, the operator is, until they dismiss it or try again.

// Undelivered are the messages that ended without arriving.
type Undelivered struct {
	Admission *admission.Admission
	Store     *store.Store
	Roster    *team.Roster
	Pause     *admission.Pause
	Log       *slog.Logger
}

// Tell tells agents which of their messages did not arrive, each once. It does nothing while
// communication is paused.
func (l *Undelivered) Tell(ctx context.Context) {
	if l.Pause.Is() != nil {
		return
	}
	dead, err := l.untold(ctx)
	for len(dead) > 0 && err == nil {
		sender := dead[0].Message.SenderID
		rest := slices.DeleteFunc(slices.Clone(dead),
			func(d store.Undelivered) bool { return d.Message.SenderID == sender })
		dead = slices.DeleteFunc(dead, func(d store.Undelivered) bool { return d.Message.SenderID != sender })
		err = l.tellSender(ctx, dead)
		dead = rest
	}
	if err != nil && ctx.Err() == nil && parley.ErrorCode(err) != parley.CommunicationDisabled {
		l.Log.Error("tell what did not arrive", "error", err)
	}
}

// untold returns what did not arrive and nobody has been told of.
func (l *Undelivered) untold(ctx context.Context) ([]store.Undelivered, error) {
	dead, err := l.Store.Needs.Undelivered(ctx)
	for i := range dead {
		dead[i].InboxItem = fillInItem(l.Roster, dead[i].InboxItem)
	}
	return dead, err
}

// tellSender tells one sender which of its messages did not arrive, unless that is for the operator. The
// notice is stored under an idempotency key before it is recorded, so a crash between the two repeats neither.
func (l *Undelivered) tellSender(ctx context.Context, dead []store.Undelivered) error {
	m := l.Roster.ByID(dead[0].Message.SenderID)
	if l.concernsOperator(m) {
		return nil
	}

	keys := make([]store.Key, len(dead))
	for i := range dead {
		keys[i] = dead[i].Key
	}
	if m.Kind != parley.KindSystem { // no notice about a notice
		last := dead[len(dead)-1]
		key := fmt.Sprintf("undelivered %d %s %d", len(dead), last.Message.ID,
			admission.LastStep(&last.Delivery).UnixNano())
		if err := l.Admission.Notify(ctx, []*team.Member{m}, undeliveredText(dead), nil, key); err != nil {
			return err
		}
	}
	return l.Store.Needs.NoteUndelivered(ctx, keys)
}

// concernsOperator reports whether the operator is told when a message of a sender does not arrive: it is
// theirs, or its sender is there no more.
func (l *Undelivered) concernsOperator(sender *team.Member) bool {
	return sender == nil || sender.Kind == parley.KindHuman || sender.Agent().State == parley.StateTerminated
}

const (
	// undeliveredNamed is how many messages, and how many recipients of one, a notice names.
	undeliveredNamed = 5
	// undeliveredQuote is how many characters of each it quotes, if there are several.
	undeliveredQuote = 40
)

// undeliveredText is the notice for the sender of messages that did not arrive.
func undeliveredText(dead []store.Undelivered) string {
	messages := byMessage(dead)
	if len(messages) == 1 {
		m := messages[0]
		return fmt.Sprintf("Your message %s did not arrive: %s. Send it again if it still matters.",
			parley.Short(m[0].Message.ID), undeliveredWords(m, quoteLength))
	}

	var named []string
	for _, m := range messages[:min(len(messages), undeliveredNamed)] {
		named = append(named, parley.Short(m[0].Message.ID)+", "+undeliveredWords(m, undeliveredQuote))
	}
	if more := len(messages) - len(named); more > 0 {
		named = append(named, fmt.Sprintf("and %d more", more))
	}
	return fmt.Sprintf("%d messages of yours did not arrive: %s. Send again what still matters.",
		len(messages), strings.Join(named, "; "))
}

// byMessage groups deliveries by their message.
func byMessage(dead []store.Undelivered) (messages [][]store.Undelivered) {
	for i := range dead {
		if last := len(messages) - 1; last >= 0 && messages[last][0].Key.MessageSeq == dead[i].Key.MessageSeq {
			messages[last] = append(messages[last], dead[i])
			continue
		}
		messages = append(messages, []store.Undelivered{dead[i]})
	}
	return messages
}

// undeliveredWords says to whom a message did not get, why, and how it begins.
func undeliveredWords(dead []store.Undelivered, quoted int) string {
	names := make([]string, 0, undeliveredNamed+1)
	for _, d := range dead[:min(len(dead), undeliveredNamed)] {
		names = append(names, d.Delivery.Recipient)
	}
	if more := len(dead) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("to %s: %s: “%s”", strings.Join(names, ", "), dead[0].Delivery.Reason,
		plain.Truncate(plain.CleanLine(dead[0].Message.Text), quoted))
}

// needs returns a need for each message that did not arrive and of which only the operator is told.
func (l *Undelivered) needs(ctx context.Context) (needs []parley.Need, err error) {
	dead, err := l.untold(ctx)
	for _, m := range byMessage(dead) {
		if !l.concernsOperator(l.Roster.ByID(m[0].Message.SenderID)) {
			continue
		}

		d, msg, short := &m[0].Delivery, &m[0].Message, parley.Short(m[0].Message.ID)
		needs = append(needs, parley.Need{
			Kind:      parley.NeedUndelivered,
			AgentID:   d.RecipientID,
			Agent:     d.Recipient,
			MessageID: msg.ID,
			Since:     admission.LastStep(d),
			Text: fmt.Sprintf("message %s from %s did not arrive, %s",
				short, msg.Sender, undeliveredWords(m, parley.PreviewLength)),
			Action: "Send it again if it still matters. parley needs --dismiss undelivered dismisses all of these.",
		})
	}

	return needs, err
}

// dismiss takes all that did not arrive off the operator's list.
func (l *Undelivered) dismiss(ctx context.Context) (int, error) {
	dead, err := l.untold(ctx)
	if err != nil {
		return 0, err
	}
	var keys []store.Key
	for i := range dead {
		if l.concernsOperator(l.Roster.ByID(dead[i].Message.SenderID)) {
			keys = append(keys, dead[i].Key)
		}
	}
	return len(keys), l.Store.Needs.NoteUndelivered(ctx, keys)
}
