package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"parley"
	"parley/orchestrator/talk"
	"parley/orchestrator/team"
	"parley/store"
)

// Model is what answers for responders.
type Model interface {
	// Answer asks it. ctx's deadline is the answer's; an error is a MODEL_UNAVAILABLE
	// with its reason, and the answer then says what was spent.
	Answer(context.Context, parley.ModelQuestion) (parley.ModelAnswer, error)
	// Problem says what keeps a question from being asked, as far as that can be told.
	Problem(parley.ModelQuestion) error
}

// noAnswer begins what is said at a message that a model left unanswered.
const noAnswer = "no answer: "

// notAsked is said of a message of which no call to a model is known.
const notAsked = "its model was not asked, or the daemon ended meanwhile"

// asked returns the responder that a message to these names is to be answered by, nil
// for none: of several none is asked.
func (o *Orchestrator) asked(names parley.Names) *team.Member {
	if len(names) != 1 {
		return nil
	}
	m, err := o.roster.Find(names[0])
	if err != nil || m.Responder() == nil {
		return nil
	}
	return m
}

// answered stores a message and returns what a responder answers, if there is one to
// answer it: to is nil for none, and nothing is asked when the message was refused, was
// sent before, or went to a thread. inCall says that the reply comes back with the call.
func (o *Orchestrator) answered(
	ctx context.Context,
	to *team.Member,
	inCall bool,
	d draft,
	send func(draft) (store.Appended, error),
) (store.Appended, *parley.Reply, error) {
	if to == nil {
		stored, err := send(d)
		return stored, nil, err
	}

	d.message.ID, d.asks = team.NewID(), to
	e, _, err := o.exchanges.begin(d.message.ID)
	if err != nil {
		return store.Appended{}, nil, err
	}
	defer o.exchanges.end(d.message.ID, e)

	stored, err := send(d)
	if err != nil || stored.Message.ThreadID != "" {
		return stored, nil, err
	}

	if stored.Repeated {
		reply, err := o.answeredBefore(ctx, &stored, to)
		return stored, reply, err
	}

	if e.reply, e.err = o.reply(ctx, to, &stored.Message, inCall); e.err == nil {
		if _, ds, err := o.store.Message(ctx, stored.Message.ID); err == nil {
			stored.Deliveries = o.roster.FillInDeliveries(ds)
		}
	}

	return stored, e.reply, e.err
}

// answeredBefore is what the first of two calls with one key got, or is getting.
func (o *Orchestrator) answeredBefore(ctx context.Context, stored *store.Appended, to *team.Member) (*parley.Reply, error) {
	if e := o.exchanges.find(stored.Message.ID); e != nil {
		return e.wait(ctx)
	}

	msg, deliveries, err := o.store.Message(ctx, stored.Message.ID)
	if err != nil {
		return nil, err
	}

	call, err := o.store.LastCall(ctx, msg.ID)
	if err != nil {
		return nil, err
	}

	for _, d := range deliveries {
		if d.RecipientID == to.ID && d.AnsweredBy != "" {
			said, _, err := o.store.Message(ctx, d.AnsweredBy)
			return replyOf(&said, call), err
		}
	}

	if call == nil {
		return nil, unanswered(
			&msg,
			parley.NoModelAnswer(parley.ModelNotAnswering, "the daemon ended before the model answered"),
		)
	}

	return nil, unanswered(
		&msg,
		parley.NoModelAnswer(call.Reason, "the model gave no answer to this message (%s)", call.Reason),
	)
}

// replyOf is a stored reply as calls return it.
func replyOf(said *parley.Message, call *store.ModelCall) *parley.Reply {
	r := &parley.Reply{MessageID: said.ID, Text: said.Text, Timestamp: said.Timestamp}
	if call != nil && call.ReplyID == said.ID {
		r.Usage, r.CutOff = call.Usage, call.CutOff
	}
	return r
}

// unanswered adds to an error that the message is kept, and how it is answered yet.
func unanswered(msg *parley.Message, err *parley.Error) error {
	short := parley.Short(msg.ID)
	action := strings.TrimSpace(
		err.Action + fmt.Sprintf(
			" Message %s is kept, and the model is not asked again by itself: the operator can do so with parley retry %s.",
			short,
			short,
		),
	)
	return err.With("message_id", msg.ID).Suggest("%s", action)
}

// reply has a responder answer a stored message. inCall says that the sender waits for
// it: then the reply comes back with the call, and is not delivered besides.
func (o *Orchestrator) reply(ctx context.Context, to *team.Member, msg *parley.Message, inCall bool) (*parley.Reply, error) {
	from, r := o.roster.ByID(msg.SenderID), to.Responder()
	if from == nil || r == nil {
		return nil, parley.Errorf(parley.AgentUnavailable, "no model answers for %s any more", to.Name).
			Suggest("Ask the operator: send a message to %q.", parley.OperatorName)
	}

	asking, cancel := context.WithTimeout(ctx, o.opts.Settings.ModelTimeout)
	defer cancel()
	defer context.AfterFunc(o.answers, cancel)()

	call := store.ModelCall{
		CallerID:  from.ID,
		ModelCall: parley.ModelCall{AgentID: to.ID, MessageID: msg.ID, Model: r.ModelID, At: o.now()},
	}

	var reply draft
	done, err := o.exchanges.turn(asking, place(msg, to), to.ID, o.opts.Settings.ModelCalls)
	if err == nil {
		defer done()

		if msg.Kind == parley.KindThread { // since it was posted
			if err := o.refusePaused(); err != nil {
				return nil, err
			}
		}

		reply, err = o.compose(asking, to, from, r, msg, &call)
	} else {
		err = waitedFor(asking)
	}

	storing := context.WithoutCancel(ctx) // what was spent is spent
	if err != nil {
		return nil, o.noReply(storing, msg, call, err)
	}

	reply.handed = inCall && ctx.Err() == nil
	stored, err := o.say(storing, to, reply)
	if parley.ErrorCode(err) == parley.NotAParticipant { // since it was asked
		call.ReplyID = ""
		return nil, o.noReply(storing, msg, call, parley.NoModelAnswer(parley.ModelCancelled, "%w", err))
	}

	if err != nil {
		return nil, err
	}

	o.heard(to)

	return replyOf(&stored.Message, reply.call), nil
}

// waitedFor is the error of who did not come to ask.
func waitedFor(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return parley.NoModelAnswer(parley.ModelSlow, "messages that came earlier took all the time").
			Suggest("Ask again when they are answered.")
	}
	return parley.NoModelAnswer(parley.ModelCancelled, "the call was broken off").
		Suggest("Ask again if the answer is still wanted.")
}

// noReply records that there is none, and says so.
func (o *Orchestrator) noReply(ctx context.Context, msg *parley.Message, call store.ModelCall, err error) error {
	e := parley.AsError(err)
	if e.Code != parley.ModelUnavailable {
		e = parley.NoModelAnswer(parley.ModelServerError, "%w", err)
	}
	call.Reason = parley.ReasonOf(e)
	if err := o.store.Unanswered(ctx, call, noAnswer+parley.CleanLine(e.Message)); err != nil {
		o.log.Error("store that a model gave no answer", "message", msg.ID, "error", err)
	}
	return unanswered(msg, e)
}

// heard notes that an agent has given a sign of life.
func (o *Orchestrator) heard(m *team.Member) {
	m.NoteSeen(o.now())
}

// compose makes the reply: of a command by itself, else by the model.
func (o *Orchestrator) compose(
	ctx context.Context,
	to, from *team.Member,
	r *parley.Responder,
	msg *parley.Message,
	call *store.ModelCall,
) (draft, error) {
	d := draft{recipients: []*team.Member{from}, reply: true, answers: &store.Answering{MessageID: msg.ID},
		replied: talk.ParentOf(msg), message: parley.Message{
			ID: team.NewID(), Kind: parley.KindDirect, Type: parley.TypeResponse, Priority: parley.PriorityNormal,
			ContextReference: msg.ContextReference, InReplyTo: msg.ID}}

	thread := msg.Kind == parley.KindThread
	if thread {
		d.recipients, d.message.Kind, d.message.ThreadID = nil, parley.KindThread, msg.ThreadID
	}

	if command, is := parley.IsCommand(msg.Text); is && !thread {
		text, err := o.obey(ctx, command, to, from, r, msg)
		d.message.Text, d.forgets = text, command == parley.CommandReset
		return d, err
	}

	ask := o.question
	if thread {
		ask = o.postQuestion
	}

	q, err := ask(ctx, to, from, r, msg)
	if err != nil {
		return d, err
	}

	text, err := o.ask(ctx, to, from, r, q, msg, call)
	if err != nil {
		return d, err
	}

	call.ReplyID = d.message.ID
	d.message.Text, d.call = text, call

	return d, nil
}

// ask asks the model, and shows meanwhile that it writes.
func (o *Orchestrator) ask(
	ctx context.Context,
	to, from *team.Member,
	r *parley.Responder,
	q parley.ModelQuestion,
	msg *parley.Message,
	call *store.ModelCall,
) (string, error) {
	if o.opts.Model == nil {
		return "", parley.NoModelAnswer(parley.ModelNoEndpoint, "this daemon asks no models").
			Suggest("Ask the operator.")
	}

	shown := o.pages.find(to)
	writing := shown.begin(from.Name, msg)
	q.Partial = writing.write
	o.writes(to, from)
	answer, err := o.opts.Model.Answer(ctx, q)
	o.wrote(to)
	call.Usage, call.ToolCalls, call.CutOff = answer.Usage, answer.ToolCalls, answer.CutOff
	text := ""
	if err == nil {
		if text = parley.Clean(strings.ToValidUTF8(process(stepsFor(r, msg), to.Name, answer.Text), "")); !parley.Visible(
			text,
		) {
			err = parley.NoModelAnswer(parley.ModelMalformed, "nothing is left of the model's answer").
				Suggest("Ask again, in other words.")
		}
	}

	shown.end(writing, text, err)

	return text, err
}

// writes and wrote keep a responder busy while its model works on any message.
func (o *Orchestrator) writes(m, from *team.Member) {
	m.Changing.Lock()
	defer m.Changing.Unlock()
	if p := o.pages.find(m); p.begins() && m.Agent().State == parley.StateIdle {
		o.mark(m, parley.StateBusy, "it answers "+from.Name)
	}
}

func (o *Orchestrator) wrote(m *team.Member) {
	m.Changing.Lock()
	defer m.Changing.Unlock()
	if p := o.pages.find(m); p.ends() && m.Agent().State == parley.StateBusy {
		o.mark(m, parley.StateIdle, "its model is done")
	}
}

// mark sets a responder's state, which is for the screen: an answer does not fail by it.
func (o *Orchestrator) mark(m *team.Member, state parley.AgentState, evidence string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(o.ctx), 10*time.Second)
	defer cancel()
	if err := o.roster.SetState(ctx, m, state, evidence, nil); err != nil {
		o.log.Warn("store the state of a responder", "agent", m.Name, "error", err)
	}
}

// firstRung is where the delivery of this message begins.
func (d *draft) firstRung(to *team.Member) store.NewDelivery {
	n := firstRung(to)
	n.Silent = n.Silent && d.asks != to
	if d.file != nil && n.Silent {
		n.State, n.Evidence = parley.DeliveryRead, "stored; a model is not told of files"
	}
	if d.handed && !n.State.Failed() {
		n.State, n.Evidence = parley.DeliveryRead, "it came back with its sender's call"
	}
	return n
}
