package answer

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"parley"
	"parley/orchestrator/team"
	"parley/plain"
	"parley/store"
)

// NotAsked is the reason why a message has no answer if no call to a model is known.
const NotAsked = "its model was not asked, or the daemon ended meanwhile"

// question is one message that a responder has to answer.
type question struct {
	to     *team.Member
	config *parley.Responder // of to
	from   *team.Member
	msg    *parley.Message
}

func (q *question) inThread() bool { return q.msg.Kind == parley.KindThread }

// conversationOf names the conversation of a question. Its answers come one after another.
func (q *question) conversation() string {
	if q.inThread() {
		return q.msg.ThreadID + " " + q.to.ID
	}
	return parley.ConversationID(q.to.ID, q.msg.SenderID)
}

// Ask stores a message with send, which gets the message's id, and returns the answer of
// the responder. A message that was refused, was sent before, or went to a thread is not
// answered again. inCall says that the reply returns with the call.
func (rs *Responders) Ask(
	ctx context.Context, to *team.Member, inCall bool, send func(id string) (store.Appended, error),
) (store.Appended, *parley.Reply, error) {
	id := team.NewID()
	c, _, err := rs.inflight.begin(id)
	if err != nil {
		return store.Appended{}, nil, err
	}
	defer rs.inflight.end(id, c)

	stored, err := send(id)
	if err != nil || stored.Message.ThreadID != "" {
		return stored, nil, err
	}

	if stored.Repeated {
		reply, err := rs.earlierReply(ctx, stored.Message.ID, to)
		return stored, reply, err
	}

	if c.reply, c.err = rs.reply(ctx, to, &stored.Message, inCall); c.err == nil {
		if _, ds, err := rs.store.Messages.Message(ctx, stored.Message.ID); err == nil {
			stored.Deliveries = rs.roster.Names.FillInDeliveries(ds)
		}
	}

	return stored, c.reply, c.err
}

// earlierReply returns the reply to a message that was sent before with the same key,
// and waits for it if it is still being written.
func (rs *Responders) earlierReply(ctx context.Context, id string, to *team.Member) (*parley.Reply, error) {
	if c := rs.inflight.find(id); c != nil {
		return c.wait(ctx)
	}

	msg, deliveries, err := rs.store.Messages.Message(ctx, id)
	if err != nil {
		return nil, err
	}

	call, err := rs.store.Responders.LastCall(ctx, msg.ID)
	if err != nil {
		return nil, err
	}

	for _, d := range deliveries {
		if d.RecipientID == to.ID && d.AnsweredBy != "" {
			said, _, err := rs.store.Messages.Message(ctx, d.AnsweredBy)
			return replyOf(&said, call), err
		}
	}

	if call == nil {
		return nil, unanswered(&msg,
			parley.NoModelAnswer(parley.ModelNotAnswering, "the daemon ended before the model answered"))
	}

	return nil, unanswered(&msg,
		parley.NoModelAnswer(call.Reason, "the model gave no answer to this message (%s)", call.Reason))
}

func replyOf(msg *parley.Message, call *store.ModelCall) *parley.Reply {
	r := &parley.Reply{MessageID: msg.ID, Text: msg.Text, Timestamp: msg.Timestamp}
	if call != nil && call.ReplyID == msg.ID {
		r.Usage, r.CutOff = call.Usage, call.CutOff
	}
	return r
}

// unanswered adds to an error that the message is kept, and how to get an answer to it.
func unanswered(msg *parley.Message, err *parley.Error) error {
	short := parley.Short(msg.ID)
	action := strings.TrimSpace(err.Action + fmt.Sprintf(
		" Message %s is kept. The operator can ask the model again with parley retry %s.",
		short, short))
	return err.With("message_id", msg.ID).Suggest("%s", action)
}

// reply makes a responder answer a stored message. inCall says that the sender waits for the
// reply: then it returns with the call, and is not delivered.
func (rs *Responders) reply(
	ctx context.Context, to *team.Member, msg *parley.Message, inCall bool,
) (*parley.Reply, error) {
	q := question{to: to, config: to.Responder(), from: rs.roster.ByID(msg.SenderID), msg: msg}
	if q.from == nil || q.config == nil {
		return nil, parley.Errorf(parley.AgentUnavailable, "no model answers for %s any more", to.Name).
			Suggest("Ask the operator: send a message to %q.", parley.OperatorName)
	}

	asking, cancel := context.WithTimeout(ctx, rs.opts.Timeout)
	defer cancel()
	defer rs.inflight.cancelOnStop(cancel)()

	call := store.ModelCall{
		CallerID:  q.from.ID,
		ModelCall: parley.ModelCall{AgentID: to.ID, MessageID: msg.ID, Model: q.config.ModelID, At: rs.now()},
	}

	var reply Reply
	release, err := rs.inflight.acquire(asking, q.conversation(), to.ID, rs.opts.MaxCalls)
	if err == nil {
		defer release()

		if q.inThread() { // communication may have been paused since the post
			if err := rs.opts.Pause.RefusePaused(); err != nil {
				return nil, err
			}
		}

		reply, err = rs.compose(asking, &q, &call)
	} else {
		err = notReached(asking)
	}

	storing := context.WithoutCancel(ctx) // the model has been paid for
	if err != nil {
		return nil, rs.recordFailure(storing, msg, call, err)
	}

	reply.InCall = inCall && ctx.Err() == nil
	stored, err := rs.opts.Admission.AdmitReply(storing, reply)
	if parley.ErrorCode(err) == parley.NotAParticipant { // it left the thread meanwhile
		call.ReplyID = ""
		return nil, rs.recordFailure(storing, msg, call, parley.NoModelAnswer(parley.ModelCancelled, "%w", err))
	}

	if err != nil {
		return nil, err
	}

	to.NoteSeen(rs.now())

	return replyOf(&stored.Message, reply.Call), nil
}

// notReached returns the error of a call that ended before the model could be asked.
func notReached(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return parley.NoModelAnswer(parley.ModelSlow, "messages that came earlier took all the time").
			Suggest("Ask again when they are answered.")
	}
	return parley.NoModelAnswer(parley.ModelCancelled, "the call was broken off").
		Suggest("Ask again if the answer is still wanted.")
}

// recordFailure stores that a message got no answer, and returns the error that says so.
func (rs *Responders) recordFailure(ctx context.Context, msg *parley.Message, call store.ModelCall, err error) error {
	e := parley.AsError(err)
	if e.Code != parley.ModelUnavailable {
		e = parley.NoModelAnswer(parley.ModelServerError, "%w", err)
	}
	call.Reason = parley.ReasonOf(e)
	if err := rs.store.Responders.Unanswered(ctx, call, plain.CleanLine(e.Message)); err != nil {
		rs.log.Error("store that a model gave no answer", "message", msg.ID, "error", err)
	}
	return unanswered(msg, e)
}

// compose makes the reply: to a command without the model, else with it.
func (rs *Responders) compose(ctx context.Context, q *question, call *store.ModelCall) (Reply, error) {
	reply := Reply{From: q.to, To: q.from, Answers: q.msg, Message: parley.Message{
		ID:               team.NewID(),
		Kind:             parley.KindDirect,
		Type:             parley.TypeResponse,
		Priority:         parley.PriorityNormal,
		ContextReference: q.msg.ContextReference,
		InReplyTo:        q.msg.ID,
	}}

	if q.inThread() {
		reply.Message.Kind, reply.Message.ThreadID = parley.KindThread, q.msg.ThreadID
	} else if command, is := parley.IsCommand(q.msg.Text); is {
		text, err := rs.prompts.runCommand(ctx, command, q)
		reply.Message.Text, reply.Forgets = text, command == parley.CommandReset
		return reply, err
	}

	prompt, err := rs.prompts.prompt(ctx, q)
	if err != nil {
		return reply, err
	}

	text, err := rs.askModel(ctx, q, prompt, call)
	if err != nil {
		return reply, err
	}

	call.ReplyID = reply.Message.ID
	reply.Message.Text, reply.Call = text, call

	return reply, nil
}

// askModel asks the model. The responder's screen shows what it writes meanwhile.
func (rs *Responders) askModel(
	ctx context.Context, q *question, prompt parley.ModelQuestion, call *store.ModelCall,
) (string, error) {
	if rs.opts.Model == nil {
		return "", parley.NoModelAnswer(parley.ModelNoEndpoint, "this daemon asks no models").
			Suggest("Ask the operator.")
	}

	shown := rs.screens.find(q.to)
	entry := shown.begin(q.from.Name, q.msg)
	prompt.Partial = entry.write

	rs.setBusy(ctx, q.to, q.from)
	answer, err := rs.opts.Model.Answer(ctx, prompt)
	rs.setIdle(ctx, q.to)

	call.Usage, call.ToolCalls, call.CutOff = answer.Usage, answer.ToolCalls, answer.CutOff
	text := ""
	if err == nil {
		text = plain.Clean(strings.ToValidUTF8(postProcess(q.postSteps(), q.to.Name, answer.Text), ""))
		if !plain.Visible(text) {
			err = parley.NoModelAnswer(parley.ModelMalformed, "nothing is left of the model's answer").
				Suggest("Ask again, in other words.")
		}
	}

	shown.end(entry, text, err)

	return text, err
}

// setBusy and setIdle keep a responder busy while its model works on any message.
func (rs *Responders) setBusy(ctx context.Context, m, from *team.Member) {
	m.Changing.Lock()
	defer m.Changing.Unlock()
	if rs.screens.find(m).startAsking() && m.Agent().State == parley.StateIdle {
		rs.setState(ctx, m, parley.StateBusy, "it answers "+from.Name)
	}
}

func (rs *Responders) setIdle(ctx context.Context, m *team.Member) {
	m.Changing.Lock()
	defer m.Changing.Unlock()
	if rs.screens.find(m).stopAsking() && m.Agent().State == parley.StateBusy {
		rs.setState(ctx, m, parley.StateIdle, "its model is done")
	}
}

// setState sets the state that is shown of a responder. If that fails, the answer does not.
func (rs *Responders) setState(ctx context.Context, m *team.Member, state parley.AgentState, evidence string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if err := rs.roster.Records.SetState(ctx, m, state, evidence, nil); err != nil {
		rs.log.Warn("store the state of a responder", "agent", m.Name, "error", err)
	}
}
