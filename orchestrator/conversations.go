package orchestrator

import (
	"context"

	"parley"
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

	res, invitations, err := o.talk.Control(ctx, me, &req)
	o.responders.Speak(invitations) // also when the receipt cannot be written: they are held no longer

	return res, err
}

// recheckHolds judges again what the conversation protocol holds.
func (o *Orchestrator) recheckHolds(ctx context.Context) {
	invitations, err := o.talk.Recheck(ctx)
	if err != nil && ctx.Err() == nil {
		o.log.Error("judge again what is held", "error", err)
	}
	o.responders.Speak(invitations)
}
