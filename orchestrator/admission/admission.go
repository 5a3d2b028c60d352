// Package admission is the one way into the service for every message: it finds the recipients, cleans the text,
// asks the conversation protocol, charges the limits, stores the message and wakes the couriers.
package admission

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
	"parley/orchestrator/settings"
	"parley/orchestrator/talk"
	"parley/orchestrator/team"
	"parley/plain"
	"parley/store"
	"parley/store/files"
)

// Admission is the one way into the service for every kind of message. It resolves recipients,
// cleans the text, asks the conversation protocol, applies the limits, stores the message, and
// wakes the couriers.
type Admission struct {
	Addressees *Addressees
	Access     *Access
	Copies     *Copies
	Pause      *Pause
	Limits     *Limits
	Store      *store.Store
	Roster     *team.Roster
	Talk       *talk.Talk
	Responders *answer.Responders
	Settings   *settings.Settings
	Now        func() time.Time
}

// New returns an admission of its parts, which have what is stored of files. The responders are set later: they admit
// their answers by it.
func New(a Admission, stored *files.Store) *Admission {
	a.Addressees = &Addressees{a.Roster}
	a.Access = &Access{a.Store, a.Roster}
	a.Copies = &Copies{a.Store, a.Roster, stored}
	a.Limits = &Limits{settings: a.Settings, now: a.Now}
	return &a
}

// Admit checks a draft, stores its message and deliveries in one transaction, and wakes the
// couriers. A repeated idempotency key returns what was stored the first time.
func (a *Admission) Admit(ctx context.Context, from *team.Member, d Draft) (store.Appended, error) {
	paused := a.Pause.RefusePaused()
	if d.reply != nil {
		paused = nil // a reply has been paid for
	}
	if paused != nil && d.Key == "" {
		return store.Appended{}, paused
	}

	post, err := a.Prepare(ctx, from, d)
	if err != nil {
		return store.Appended{}, err
	}

	if err = cmp.Or(paused, a.Limits.spent(from, &d)); err == nil && d.reply == nil {
		err = a.Talk.Memory.Refuse(from, &post.Message, d.Replied, d.Recipients)
	}
	if err != nil {
		return a.sentBefore(ctx, from, &d, &post, err)
	}

	var refund func() // nil: it was not charged. What other hosts sent for this sender counts before.
	post.Admit = func() (err error) {
		if refund == nil {
			refund, err = a.Limits.Charge(from, &d)
		}
		return err
	}

	defer a.takeOffers(&post)()
	stored, err := a.Store.Messages.Append(ctx, post)
	if refund != nil && (err != nil || stored.Repeated) {
		refund()
	}
	if err != nil {
		return stored, err
	}

	if stored.Repeated {
		err = d.checkSameCall(from, &post, &stored, a.Settings.ResponseDeadline)
	} else {
		a.delegate(stored.Passed, post.Answers)
		a.Talk.Memory.Settle(stored.Settled)
		a.Talk.Memory.Remember(&stored, delegatesOf(post.Answers))
	}

	a.HandOut(&stored)

	return stored, err
}

// takeOffers asks for the claim of what can be typed at once. The function that it returns ends the
// offers that were not used.
func (a *Admission) takeOffers(post *store.Post) (end func()) {
	taken, now := map[*team.Offer]*team.Member{}, a.Now()
	for i := range post.Deliveries {
		d := &post.Deliveries[i]
		if d.State != parley.DeliveryQueued {
			continue
		}
		m := a.Roster.ByID(d.RecipientID)
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

// Prepare turns a draft into the post to store. It refuses an empty or too long text, an
// unknown reply-to and files that the sender may not read.
func (a *Admission) Prepare(ctx context.Context, from *team.Member, d Draft) (store.Post, error) {
	msg := d.Message
	var err error
	if d.reply == nil {
		if msg.Text, err = a.CleanText(msg.Text); err != nil {
			return store.Post{}, err
		}
	}

	answers := d.Answers
	if msg.InReplyTo != "" && answers == nil && msg.Kind != parley.KindNotice {
		if msg.InReplyTo, answers, err = a.repliesTo(ctx, from, &d); err != nil {
			return store.Post{}, err
		}
	}

	msg.ID = cmp.Or(msg.ID, team.NewID())
	msg.SenderID, msg.Sender, msg.SenderRole = from.ID, from.Name, from.Agent().Role
	msg.Timestamp = a.Now()

	link := d.Replied.Link
	if !d.withinCalls(from) && (d.Time == nil || link.Chain == "") { // a plan has the link of the turn that made it
		link = a.Talk.Memory.NextLink(msg.ID, from, link)
	}

	msg.ChainID, msg.Hop = link.Chain, link.Hop

	post := store.Post{
		Message:        msg,
		IdempotencyKey: d.Key,
		Event:          messageEvent(msg.Kind),
		Program:        parley.CallerFrom(ctx).Program,
		NewFile:        d.File,
		Reach:          d.Reach,
		Time:           d.Time,
		Answers:        answers,
	}
	if d.reply != nil {
		post.Call, post.Forgets = d.reply.Call, d.reply.Forgets
	}
	if !d.inCall() { // a reply inside a call starts no turn
		post.Judge = a.Talk.Memory.Judge(from, &msg, d.Replied)
	}
	if d.Native != "" {
		post.Judge = d.onlyCounted(post.Judge)
	}

	if d.File == nil && len(msg.Attachments) > 0 {
		checked, ids, err := a.checkAttachments(ctx, from, &d)
		if err != nil {
			return store.Post{}, err
		}
		post.Message.Attachments, post.FileIDs = checked, ids
	}

	for _, to := range d.Recipients {
		post.Deliveries = append(post.Deliveries, d.firstRung(to))
	}

	return post, nil
}

func messageEvent(kind parley.MessageKind) parley.EventType {
	switch kind {
	case parley.KindBroadcast:
		return parley.EventBroadcast
	case parley.KindThread:
		return parley.EventThreadMessage
	}
	return parley.EventDirectMessage
}

// HandOut queues the stored deliveries with their couriers and wakes callers that wait for a
// message. A repeated message is not handed out twice.
func (a *Admission) HandOut(stored *store.Appended) {
	a.Roster.Names.FillInDeliveries(stored.Deliveries)
	if stored.Repeated {
		return
	}

	for _, job := range stored.Jobs() {
		a.Roster.ByID(job.Key.RecipientID).Enqueue(job)
	}

	for _, d := range stored.Deliveries {
		a.Roster.ByID(d.RecipientID).NotifyArrival()
	}

	if stored.Message.Kind == parley.KindThread {
		a.Responders.Speak(a.Talk.Invitations(stored))
	}
}

// CleanText removes control characters and invalid UTF-8. It fails with INVALID_ARGUMENT when
// nothing visible is left, and with MESSAGE_TOO_LONG above the limit.
func (a *Admission) CleanText(text string) (string, error) {
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "")
	}

	text = plain.Clean(text)
	if !plain.Visible(text) {
		return "", parley.Errorf(parley.InvalidArgument, "the text is empty").
			Suggest("Say something: 1 to %d characters, at least one of them visible.", a.Settings.MaxText)
	}

	if n := utf8.RuneCountInString(text); n > a.Settings.MaxText {
		return "", parley.
			Errorf(parley.MessageTooLong, "the text has %d characters, %d are allowed", n, a.Settings.MaxText).
			With("length", n).
			With("limit", a.Settings.MaxText).
			Suggest("Write the long part to a file, send that with transfer_file, " +
				"and say in a short message what it is.")
	}

	return text, nil
}

// Priority returns the priority of a message that is urgent or has one of its own, normal if it has none.
func Priority(p parley.Priority, urgent bool) parley.Priority {
	if urgent {
		return parley.PriorityUrgent
	}
	return cmp.Or(p, parley.PriorityNormal)
}

// AdmitReply implements answer.Admission: it admits the reply of a responder.
func (a *Admission) AdmitReply(ctx context.Context, r answer.Reply) (store.Appended, error) {
	d := Draft{
		Message: r.Message,
		Answers: &store.Answering{MessageID: r.Answers.ID},
		Replied: talk.ParentOf(r.Answers),
		reply:   &r,
	}
	if r.Message.ThreadID != "" {
		caller := parley.Caller{ID: r.From.ID, Name: r.From.Name, Kind: parley.KindResponder}
		return a.PostToThread(parley.WithCaller(ctx, caller), r.From, d)
	}
	d.Recipients = []*team.Member{r.To}
	return a.Admit(ctx, r.From, d)
}

// Notify sends a notice from parley itself to those of the members that are not terminated, and
// does nothing if none is left. data is a JSON object or nil. A non-empty key makes the notice
// unique, across restarts of the daemon too. The error is COMMUNICATION_DISABLED while
// communication is paused.
func (a *Admission) Notify(
	ctx context.Context, to []*team.Member, text string, data json.RawMessage, key string,
) error {
	return a.Announce(ctx, to, parley.Message{Text: text, Data: data}, key)
}

// Announce stores a notice. It names the message that it is about, if any, as one that it replies to.
func (a *Admission) Announce(ctx context.Context, to []*team.Member, msg parley.Message, key string) error {
	isTerminated := func(m *team.Member) bool { return m.Agent().State == parley.StateTerminated }
	to = slices.DeleteFunc(slices.Clone(to), isTerminated)
	if len(to) == 0 {
		return nil
	}

	from, err := a.Roster.System(ctx)
	if err != nil {
		return err
	}

	msg.Kind, msg.Type, msg.Priority = parley.KindNotice, parley.TypeInformation, parley.PriorityNormal
	_, err = a.Admit(ctx, from, Draft{Recipients: to, Key: key, Message: msg})

	return err
}
