package orchestrator

import (
	"context"

	"parley"
	"parley/orchestrator/talk"
)

// GetConversationState implements parley.ConversationService.
func (o *Orchestrator) GetConversationState(
	ctx context.Context,
	req parley.ConversationStateRequest,
) (*parley.ConversationStateResult, error) {
	me, err := o.roster.Caller(ctx)
	if err != nil {
		return nil, err
	}
	return o.talk.State(ctx, me, &req)
}

// ControlConversation implements parley.ConversationService.
func (o *Orchestrator) ControlConversation(
	ctx context.Context,
	req parley.ControlConversationRequest,
) (*parley.ControlConversationResult, error) {
	me, err := o.roster.Caller(ctx)
	if err != nil {
		return nil, err
	}

	res, calls, err := o.talk.Control(ctx, me, &req)
	o.answerPosts(calls) // also when the receipt cannot be written: they are held no longer

	return res, err
}

// recheckHolds judges again what the conversation protocol holds.
func (o *Orchestrator) recheckHolds(ctx context.Context) {
	calls, err := o.talk.Recheck(ctx)
	if err != nil && ctx.Err() == nil {
		o.log.Error("judge again what is held", "error", err)
	}
	o.answerPosts(calls)
}

// answerPosts has responders answer the posts that they are called upon to answer.
func (o *Orchestrator) answerPosts(calls []talk.Invitation) {
	for _, c := range calls {
		o.speakLater(c.To, c.Post)
	}
}
