package admission

import (
	"context"
	"time"

	"parley"
	"parley/orchestrator/team"
)

// maxDeadline is how far ahead a deadline may lie. A later one is most likely a typing mistake.
const maxDeadline = 366 * 24 * time.Hour

// Due returns the deadline of a response, or nil if no response is required. Giving a deadline
// requires a response. A deadline in the past or beyond maxDeadline is INVALID_ARGUMENT.
func (a *Admission) Due(required bool, deadline *time.Time) (*time.Time, error) {
	now := a.Now()
	switch {
	case deadline == nil && !required:
		return nil, nil
	case deadline == nil:
		at := now.Add(a.Settings.ResponseDeadline).UTC()
		return &at, nil
	}

	at := deadline.UTC()
	wrong := func(what string) error {
		return parley.Errorf(parley.InvalidArgument, "the deadline %s %s", at.Format(time.RFC3339), what).
			With("parameter", "response_deadline").
			With("now", now.UTC().Format(time.RFC3339)).
			Suggest("Give a time to come, with its zone, such as %s.",
				now.UTC().Add(a.Settings.ResponseDeadline).Format(time.RFC3339))
	}

	switch {
	case !at.After(now):
		return nil, wrong("is in the past")
	case at.Sub(now) > maxDeadline:
		return nil, wrong("is more than a year away")
	}

	return &at, nil
}

// DueBefore returns the deadline of the message stored earlier with this idempotency key, and
// refusal if there is none. A call that is repeated after its deadline has passed is still the
// same call.
func (a *Admission) DueBefore(
	ctx context.Context, from *team.Member, key string, deadline *time.Time, refusal error,
) (*time.Time, error) {
	if key == "" || deadline == nil {
		return nil, refusal
	}
	stored, found, err := a.Store.Repeated(ctx, from.ID, key)
	if was := stored.Message.ResponseDeadline; err == nil && found && was != nil && was.Equal(*deadline) {
		return was, nil
	}
	return nil, refusal
}
