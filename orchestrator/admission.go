package orchestrator

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"parley"
	"parley/orchestrator/answer"
	"parley/orchestrator/talk"
	"parley/orchestrator/team"
	"parley/plain"
	"parley/store"
)

// admission is the one way into the service for every kind of message. It resolves recipients,
// cleans the text, asks the conversation protocol, applies the limits, stores the message, and
// wakes the couriers.
type admission struct {
	*addressees
	*access
	*copies
	*pause
	limits     *limits
	store      *store.Store
	roster     *team.Roster
	talk       *talk.Talk
	responders *answer.Responders
	settings   *Settings
	now        func() time.Time
}

// admit checks a draft, stores its message and deliveries in one transaction, and wakes the
// couriers. A repeated idempotency key returns what was stored the first time.
func (a *admission) admit(ctx context.Context, from *team.Member, d draft) (store.Appended, error) {
	paused := a.RefusePaused()
	if d.reply != nil {
		paused = nil // a reply has been paid for
	}
	if paused != nil && d.key == "" {
		return store.Appended{}, paused
	}

	post, err := a.prepare(ctx, from, d)
	if err != nil {
		return store.Appended{}, err
	}

	if err = cmp.Or(paused, a.limits.spent(from, &d)); err == nil && d.reply == nil {
		err = a.talk.Refuse(from, &post.Message, d.replied, d.recipients)
	}
	if err != nil {
		return a.sentBefore(ctx, from, &d, &post, err)
	}

	var refund func() // nil: it was not charged. What other hosts sent for this sender counts before.
	post.Admit = func() (err error) {
		if refund == nil {
			refund, err = a.limits.charge(from, &d)
		}
		return err
	}

	defer a.takeOffers(&post)()
	stored, err := a.store.Append(ctx, post)
	if refund != nil && (err != nil || stored.Repeated) {
		refund()
	}
	if err != nil {
		return stored, err
	}

	if stored.Repeated {
		err = d.checkSameCall(from, &post, &stored, a.settings.ResponseDeadline)
	} else {
		a.delegate(stored.Passed, post.Answers)
		a.talk.Settle(stored.Settled)
		a.talk.Remember(&stored, delegatesOf(post.Answers))
	}

	a.handOut(&stored)

	return stored, err
}

// takeOffers asks for the claim of what can be typed at once. The function that it returns ends the
// offers that were not used.
func (a *admission) takeOffers(post *store.Post) (end func()) {
	taken, now := map[*team.Offer]*team.Member{}, a.now()
	for i := range post.Deliveries {
		d := &post.Deliveries[i]
		if d.State != parley.DeliveryQueued {
			continue
		}
		m := a.roster.ByID(d.RecipientID)
		if offer := m.Offers.Take(&post.Message, now); offer != nil {
			taken[offer], d.PaneSeq = m, offer.PaneSeq
			m.Wake() // to look at its terminal meanwhile
		}
	}

	return func() {
		for offer, m := range taken {
			if m.Offers.Return(offer) {
				m.Wake()
			}
		}
	}
}

// prepare turns a draft into the post to store. It refuses an empty or too long text, an
// unknown reply-to and files that the sender may not read.
func (a *admission) prepare(ctx context.Context, from *team.Member, d draft) (store.Post, error) {
	msg := d.message
	var err error
	if d.reply == nil {
		if msg.Text, err = a.cleanText(msg.Text); err != nil {
			return store.Post{}, err
		}
	}

	answers := d.answers
	if msg.InReplyTo != "" && answers == nil && msg.Kind != parley.KindNotice {
		if msg.InReplyTo, answers, err = a.repliesTo(ctx, from, &d); err != nil {
			return store.Post{}, err
		}
	}

	msg.ID = cmp.Or(msg.ID, team.NewID())
	msg.SenderID, msg.Sender, msg.SenderRole = from.ID, from.Name, from.Agent().Role
	msg.Timestamp = a.now()

	link := d.replied.Link
	if !d.withinCalls(from) {
		link = a.talk.NextLink(msg.ID, from, link)
	}

	msg.ChainID, msg.Hop = link.Chain, link.Hop

	post := store.Post{
		Message:        msg,
		IdempotencyKey: d.key,
		Event:          messageEvent(msg.Kind),
		Program:        parley.CallerFrom(ctx).Program,
		NewFile:        d.file,
		Reach:          d.reach,
		Answers:        answers,
	}
	if d.reply != nil {
		post.Call, post.Forgets = d.reply.Call, d.reply.Forgets
	}
	if !d.inCall() { // a reply inside a call starts no turn
		post.Judge = a.talk.Judge(from, &msg, d.replied)
	}
	if d.native != "" {
		post.Judge = d.onlyCounted(post.Judge)
	}

	if d.file == nil && len(msg.Attachments) > 0 {
		checked, ids, err := a.checkAttachments(ctx, from, &d)
		if err != nil {
			return store.Post{}, err
		}
		post.Message.Attachments, post.FileIDs = checked, ids
	}

	for _, to := range d.recipients {
		post.Deliveries = append(post.Deliveries, d.firstRung(to))
	}

	return post, nil
}

// messageEvent returns the event of a new message of a kind.
func messageEvent(kind parley.MessageKind) parley.EventType {
	switch kind {
	case parley.KindBroadcast:
		return parley.EventBroadcast
	case parley.KindThread:
		return parley.EventThreadMessage
	}
	return parley.EventDirectMessage
}

// handOut queues the stored deliveries with their couriers and wakes callers that wait for a
// message. A repeated message is not handed out twice.
func (a *admission) handOut(stored *store.Appended) {
	a.roster.FillInDeliveries(stored.Deliveries)
	if stored.Repeated {
		return
	}

	for _, job := range stored.Jobs() {
		a.roster.ByID(job.Key.RecipientID).Enqueue(job)
	}

	for _, d := range stored.Deliveries {
		a.roster.ByID(d.RecipientID).NotifyArrival()
	}

	if stored.Message.Kind == parley.KindThread {
		a.responders.Speak(a.talk.Invitations(stored))
	}
}

// cleanText removes control characters and invalid UTF-8. It fails with INVALID_ARGUMENT when
// nothing visible is left, and with MESSAGE_TOO_LONG above the limit.
func (a *admission) cleanText(text string) (string, error) {
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "")
	}

	text = plain.Clean(text)
	if !plain.Visible(text) {
		return "", parley.Errorf(parley.InvalidArgument, "the text is empty").
			Suggest("Say something: 1 to %d characters, at least one of them visible.", a.settings.MaxText)
	}

	if n := utf8.RuneCountInString(text); n > a.settings.MaxText {
		return "", parley.
			Errorf(parley.MessageTooLong, "the text has %d characters, %d are allowed", n, a.settings.MaxText).
			With("length", n).
			With("limit", a.settings.MaxText).
			Suggest("Write the long part to a file, send that with transfer_file, " +
				"and say in a short message what it is.")
	}

	return text, nil
}

func priority(p parley.Priority, urgent bool) parley.Priority {
	if urgent {
		return parley.PriorityUrgent
	}
	return cmp.Or(p, parley.PriorityNormal)
}

// Admit implements answer.Admission: it admits the reply of a responder.
func (a *admission) Admit(ctx context.Context, r answer.Reply) (store.Appended, error) {
	d := draft{
		message: r.Message,
		answers: &store.Answering{MessageID: r.Answers.ID},
		replied: talk.ParentOf(r.Answers),
		reply:   &r,
	}
	if r.Message.ThreadID != "" {
		caller := parley.Caller{ID: r.From.ID, Name: r.From.Name, Kind: parley.KindResponder}
		return a.postToThread(parley.WithCaller(ctx, caller), r.From, d)
	}
	d.recipients = []*team.Member{r.To}
	return a.admit(ctx, r.From, d)
}

// notify sends a notice from parley itself to those of the members that are not terminated, and
// does nothing if none is left. data is a JSON object or nil. A non-empty key makes the notice
// unique, across restarts of the daemon too. The error is COMMUNICATION_DISABLED while
// communication is paused.
func (a *admission) notify(
	ctx context.Context, to []*team.Member, text string, data json.RawMessage, key string,
) error {
	return a.announce(ctx, to, parley.Message{Text: text, Data: data}, key)
}

// announce stores a notice. It names the message that it is about, if any, as one that it replies to.
func (a *admission) announce(ctx context.Context, to []*team.Member, msg parley.Message, key string) error {
	isTerminated := func(m *team.Member) bool { return m.Agent().State == parley.StateTerminated }
	to = slices.DeleteFunc(slices.Clone(to), isTerminated)
	if len(to) == 0 {
		return nil
	}

	from, err := a.roster.System(ctx)
	if err != nil {
		return err
	}

	msg.Kind, msg.Type, msg.Priority = parley.KindNotice, parley.TypeInformation, parley.PriorityNormal
	_, err = a.admit(ctx, from, draft{recipients: to, key: key, message: msg})

	return err
}
