package orchestrator

import (
	"log/slog"
	"time"

	"parley/files"
	"parley/orchestrator/answer"
	"parley/orchestrator/talk"
	"parley/orchestrator/team"
	"parley/orchestrator/terminal"
	"parley/store"
)

// One type for each interface of parley.Service, with what it needs and no more.

type agentService struct {
	store  *store.Store
	roster *team.Roster
	opts   *Options
	now    func() time.Time

	doors doors
}

type terminalService struct {
	terminals  *terminal.Terminals
	roster     *team.Roster
	responders *answer.Responders
}

type messageService struct {
	admission  *admission
	store      *store.Store
	roster     *team.Roster
	responders *answer.Responders
	talk       *talk.Talk
	now        func() time.Time
	log        *slog.Logger
	closing    <-chan struct{} // closed when the daemon ends
}

type threadService struct {
	admission *admission
	store     *store.Store
	roster    *team.Roster
	talk      *talk.Talk
	now       func() time.Time
	log       *slog.Logger
}

type fileService struct {
	admission *admission
	store     *store.Store
	roster    *team.Roster
	files     *files.Store
	opts      *Options
	now       func() time.Time
	log       *slog.Logger
}

type operatorService struct {
	admission  *admission
	store      *store.Store
	roster     *team.Roster
	talk       *talk.Talk
	responders *answer.Responders
	terminals  *terminal.Terminals
	pause      *pause
	opts       *Options
	now        func() time.Time
	log        *slog.Logger
}

type keyService struct {
	store      *store.Store
	roster     *team.Roster
	responders *answer.Responders
	now        func() time.Time
	log        *slog.Logger
}

type conversationService struct {
	talk       *talk.Talk
	responders *answer.Responders
	store      *store.Store
	roster     *team.Roster
	now        func() time.Time
	log        *slog.Logger
}

type responderService struct {
	responders *answer.Responders
}

type eventService struct {
	store   *store.Store
	closing <-chan struct{} // closed when the daemon ends
}

type workspaceService struct {
	store     *store.Store
	roster    *team.Roster
	terminals *terminal.Terminals
	operator  *operatorService
	pause     *pause
	opts      *Options
	warnings  []string // of the start
	now       func() time.Time
	log       *slog.Logger
}
