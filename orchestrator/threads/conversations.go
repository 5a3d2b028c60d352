package threads

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

// Conversations does the operations on conversations over talk. It invites responders to
// the messages that a change releases.
type Conversations struct {
	Talk       *talk.Talk
	Responders *answer.Responders
	Store      *store.Store
	Roster     *team.Roster
	Now        func() time.Time
	Log        *slog.Logger
}

func (cs *Conversations) GetConversationState(
	ctx context.Context, req parley.ConversationStateRequest,
) (*parley.ConversationStateResult, error) {
	me, err := cs.Roster.Caller(ctx)
	if err != nil {
		return nil, err
	}
	return cs.Talk.State(ctx, me, &req)
}

func (cs *Conversations) ControlConversation(
	ctx context.Context, req parley.ControlConversationRequest,
) (*parley.ControlConversationResult, error) {
	me, err := cs.Roster.Caller(ctx)
	if err != nil {
		return nil, err
	}

	res, invitations, err := cs.Talk.Control(ctx, me, &req)
	cs.Responders.Speak(invitations) // even after an error: these are no longer held

	return res, err
}

// RecheckHolds judges the messages held by the conversation protocol again, and invites
// responders to those it releases.
func (cs *Conversations) RecheckHolds(ctx context.Context) {
	invitations, err := cs.Talk.Recheck(ctx)
	if err != nil && ctx.Err() == nil {
		cs.Log.Error("judge again what is held", "error", err)
	}
	cs.Responders.Speak(invitations)
}
