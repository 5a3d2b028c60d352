package orchestrator

import (
	"log/slog"
	"time"

	"parley/files"
	"parley/orchestrator/answer"
	"parley/orchestrator/talk"
	"parley/orchestrator/team"
	"parley/store"
)

// admission is the one door for messages: whatever is said, by whom and however, passes
// it. It resolves recipients, cleans the text, asks the conversation protocol, counts
// against limits, stores, and wakes the couriers.
type admission struct {
	store      *store.Store
	roster     *team.Roster
	talk       *talk.Talk
	responders *answer.Responders
	files      *files.Store
	pause      *pause
	settings   *Settings
	now        func() time.Time
	log        *slog.Logger

	quotas quotas
}
