package orchestrator

import (
	"context"
	"log/slog"
	"time"

	"parley"
	"parley/orchestrator/answer"
	"parley/orchestrator/talk"
	"parley/orchestrator/team"
	"parley/store"
)

// conversationService does the operations on conversations over talk. It invites responders to
// the messages that a change releases.
type conversationService struct {
	talk       *talk.Talk
	responders *answer.Responders
	store      *store.Store
	roster     *team.Roster
	now        func() time.Time
	log        *slog.Logger
}

// GetConversationState does op.GetConversationState.
func (cs *conversationService) GetConversationState(
	ctx context.Context, req parley.ConversationStateRequest,
) (*parley.ConversationStateResult, error) {
	me, err := cs.roster.Caller(ctx)
	if err != nil {
		return nil, err
	}
	return cs.talk.State(ctx, me, &req)
}

// ControlConversation does op.ControlConversation.
func (cs *conversationService) ControlConversation(
	ctx context.Context, req parley.ControlConversationRequest,
) (*parley.ControlConversationResult, error) {
	me, err := cs.roster.Caller(ctx)
	if err != nil {
		return nil, err
	}

	res, invitations, err := cs.talk.Control(ctx, me, &req)
	cs.responders.Speak(invitations) // even after an error: these are no longer held

	return res, err
}

// recheckHolds judges the messages held by the conversation protocol again, and invites
// responders to those it releases.
func (cs *conversationService) recheckHolds(ctx context.Context) {
	invitations, err := cs.talk.Recheck(ctx)
	if err != nil && ctx.Err() == nil {
		cs.log.Error("judge again what is held", "error", err)
	}
	cs.responders.Speak(invitations)
}
