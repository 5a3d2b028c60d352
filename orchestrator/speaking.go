package orchestrator

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"parley"
	"parley/orchestrator/team"
	"parley/store"
)

// A responder in a thread speaks when the conversation protocol says so. Its model is
// asked behind the back of who posted, and what it says is a post of its own.

// letSpeak has the responders answer that a post calls upon.
func (o *Orchestrator) letSpeak(stored *store.Appended) {
	for _, d := range stored.Deliveries {
		if d.Decision != nil && d.State == parley.DeliverySubmitted {
			o.speakLater(o.roster.ByID(d.RecipientID), stored.Message)
		}
	}
}

// speakLater has a responder answer a post when it comes to it. What the daemon's end
// prevents stays unanswered, and the operator sees it.
func (o *Orchestrator) speakLater(to *team.Member, post parley.Message) {
	e, first, err := o.exchanges.begin(exchangeOf(&post, to))
	if err != nil || !first {
		return
	}

	go func() {
		defer o.exchanges.end(exchangeOf(&post, to), e)

		for again := true; again; again = parley.ErrorCode(e.err) == parley.CommunicationDisabled {
			if e.err = o.untilResumed(o.answers); e.err == nil {
				e.reply, e.err = o.reply(o.answers, to, &post, false)
			}
		}

		if e.err != nil && o.answers.Err() == nil {
			o.log.Warn("a responder did not answer in a thread", "agent", to.Name, "message", post.ID, "error", e.err)
		}
	}()
}

// withinCalls reports whether a message goes back and forth between an agent and a
// responder within the agent's own calls: however often it does, that is one step of the
// chain.
func (d *draft) withinCalls(from *team.Member) bool {
	return d.handed || d.asks != nil && d.replied.SenderID == d.asks.ID && from.Kind != parley.KindHuman
}

// place is where a reply to a message is said: answers there come one after another.
func place(msg *parley.Message, to *team.Member) string {
	if msg.Kind == parley.KindThread {
		return msg.ThreadID + " " + to.ID
	}
	return parley.ConversationID(to.ID, msg.SenderID)
}

// say stores a reply: in its thread, or for who asked.
func (o *Orchestrator) say(ctx context.Context, to *team.Member, d draft) (store.Appended, error) {
	if d.message.ThreadID == "" {
		return o.admit(ctx, to, d)
	}
	return o.postToThread(
		parley.WithCaller(ctx, parley.Caller{ID: to.ID, Name: to.Name, Kind: parley.KindResponder}),
		to,
		d,
	)
}

// postQuestion is what a model is asked about a thread's post: who is there, what was
// said before, and the post. Whatever others said since the model last spoke is one
// turn: there are servers that want the turns to alternate.
func (o *Orchestrator) postQuestion(
	ctx context.Context,
	to, from *team.Member,
	r *parley.Responder,
	msg *parley.Message,
) (q parley.ModelQuestion, err error) {
	q = questionTo(r)
	th, err := o.roster.Thread(ctx, msg.ThreadID)
	if err != nil {
		return q, err
	}
	if !slices.Contains(th.Participants, to.ID) {
		return q, noLongerThere(to, &th)
	}

	posts, err := o.store.RecallThread(ctx, to.ID, th.ID, msg.ID, r.Additional.History())
	if err != nil {
		return q, err
	}

	q.System = strings.TrimSpace(q.System + "\n\n" + o.threadBriefing(to, &th))
	for i := range posts {
		p := o.roster.FillIn(&posts[i])
		if p.SenderID == to.ID {
			q.Turns = append(q.Turns, parley.ModelTurn{Mine: true, Text: p.Text})
			continue
		}
		q.Turns = heard(q.Turns, p.Sender+": "+p.Text)
	}

	text := from.Name + ": " + msg.Text
	if form := r.Additional.PromptFormat; form != "" {
		text = formatted(form, from.Name, msg.Text)
	}

	q.Turns = heard(q.Turns, text)
	o.equip(&q, to, r)

	return q, nil
}

// stepsFor are what is done to an answer. In a thread, where every message that a model
// is shown begins with a name, its own is taken from it in any case.
func stepsFor(r *parley.Responder, msg *parley.Message) []string {
	steps := r.Additional.PostSteps()
	if msg.Kind == parley.KindThread && !slices.Contains(steps, parley.PostStripName) {
		steps = append(steps, parley.PostStripName)
	}
	return steps
}

func heard(turns []parley.ModelTurn, text string) []parley.ModelTurn {
	if n := len(turns); n > 0 && !turns[n-1].Mine {
		turns[n-1].Text += "\n\n" + text
		return turns
	}
	return append(turns, parley.ModelTurn{Text: text})
}

// noLongerThere is why a responder says nothing in a thread that it has left.
func noLongerThere(to *team.Member, th *parley.Thread) *parley.Error {
	return parley.NoModelAnswer(parley.ModelCancelled, "%s takes no part in thread %s any more", to.Name, parley.Short(th.ID)).
		Suggest("Add it again with add_participant_to_thread.")
}

// threadBriefing tells a model how to talk in a thread: the interaction rules that
// launched agents are told, in its words.
func (o *Orchestrator) threadBriefing(to *team.Member, th *parley.Thread) string {
	var others []string
	for _, id := range th.Participants {
		if m := o.roster.ByID(id); m != nil && m != to {
			who := m.Name
			if m.Kind == parley.KindHuman {
				who += " (a person)"
			} else if role := m.Agent().Role; role != "" {
				who += " (" + role + ")"
			}

			others = append(others, who)
		}
	}

	return fmt.Sprintf(
		`You are %s, in a thread called "%s" with %s. What others say begins with their name. Write only your own message, without your name before it.
- Be brief: one or two sentences to other agents. Say only what is new; do not repeat or merely agree.
- Name with @ whoever should go on. Leave to others what they know better.
- Say nothing further when somebody ends the conversation; thank nobody for thanks.`,
		to.Name,
		parley.ShownTitle(th.Title),
		team.ListNames(others),
	)
}

// leftOpen are the responders among the deliveries of a message whose models are to
// answer it and have not.
func (o *Orchestrator) leftOpen(msg *parley.Message, ds []parley.Delivery) []*team.Member {
	var left []*team.Member
	for _, d := range ds {
		asked := d.Decision != nil || msg.Kind == parley.KindDirect && len(ds) == 1
		if m := o.roster.ByID(d.RecipientID); asked && d.State == parley.DeliverySubmitted && d.AnsweredBy == "" &&
			m != nil &&
			m.Responder() != nil {
			left = append(left, m)
		}
	}
	return left
}

// askAllAgain is RetryDelivery for what responders left unanswered. Their replies go
// where they belong, unless it is the sender who calls.
func (o *Orchestrator) askAllAgain(
	ctx context.Context,
	msg *parley.Message,
	left []*team.Member,
) (*parley.RetryDeliveryResult, error) {
	if err := o.refusePaused(); err != nil {
		return nil, err
	}

	res := &parley.RetryDeliveryResult{Answer: parley.OK, MessageID: msg.ID}
	replies := make([]*parley.Reply, len(left))
	var asking errgroup.Group
	var names []string
	for i, m := range left {
		res.Retried, names = append(res.Retried, m.ID), append(names, m.Name)
		asking.Go(func() (err error) {
			replies[i], err = o.replyAgain(ctx, msg, m)
			return err
		})
	}

	if err := asking.Wait(); err != nil {
		return nil, err
	}
	if len(replies) == 1 {
		res.Reply = replies[0]
	}

	_, ds, err := o.store.Message(ctx, msg.ID)
	if err != nil {
		return nil, err
	}

	res.Message = strings.Join(names, ", ") + " answered."
	res.DeliveryStatus, res.Deliveries = parley.SumUp(ds), o.roster.FillInDeliveries(ds)

	return res, nil
}
