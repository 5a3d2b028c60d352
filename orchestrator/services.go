package orchestrator

import (
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"parley/files"
	"parley/orchestrator/answer"
	"parley/orchestrator/meter"
	"parley/orchestrator/overlap"
	"parley/orchestrator/talk"
	"parley/orchestrator/team"
	"parley/orchestrator/terminal"
	"parley/store"

	"golang.org/x/sync/singleflight"
)

// One type per interface of parley.Service, each with only the parts that it uses.

// agentService implements parley.AgentService: it registers mailboxes and reports the state of
// agents.
type agentService struct {
	store  *store.Store
	roster *team.Roster
	meter  *meter.Meter
	opts   *Options
	now    func() time.Time

	registrations registrations
}

// terminalService implements parley.TerminalService over the terminals. A responder has no
// terminal; its screen shows what its model wrote. The first prompt of a launch is a message.
type terminalService struct {
	*elsewhere
	terminals
	roster     *team.Roster
	responders *answer.Responders
	messages   *messageService
	worktrees  *worktreeService
}

// messageService implements parley.MessageService: sending, answering, reading and searching
// messages. Every message it sends passes admission.
type messageService struct {
	admission  *admission
	store      *store.Store
	roster     *team.Roster
	responders *answer.Responders
	talk       *talk.Talk
	now        func() time.Time
	log        *slog.Logger
	closing    <-chan struct{} // closed when the daemon shuts down
}

// threadService implements parley.ThreadService: threads, their posts and their participants.
type threadService struct {
	admission *admission
	store     *store.Store
	roster    *team.Roster
	talk      *talk.Talk
	now       func() time.Time
	log       *slog.Logger
}

// fileService implements parley.FileService. It stores the content of a file before it
// announces the file, and removes content that was never announced.
type fileService struct {
	admission *admission
	store     *store.Store
	roster    *team.Roster
	files     *files.Store
	arriving  arriving
	opts      *Options
	now       func() time.Time
	log       *slog.Logger
}

// operatorService implements parley.OperatorService: needs, explanations, retries, guidance,
// the pause, and export. Its methods do not check the caller's rights: parley.Ops does.
type operatorService struct {
	*elsewhere
	admission  *admission
	store      *store.Store
	roster     *team.Roster
	talk       *talk.Talk
	responders *answer.Responders
	terminals  *terminal.Terminals
	meter      *meter.Meter
	overlaps   *overlap.Watcher
	pause      *pause
	reminding  sync.Mutex
	dues       dueLook                 // guarded by reminding
	ended      map[store.Key]time.Time // guarded by reminding: see isOver
	opts       *Options
	now        func() time.Time
	log        *slog.Logger
}

// keyService implements parley.RightsService: API keys and the approval of special agents.
type keyService struct {
	store      *store.Store
	roster     *team.Roster
	terminals  *terminalService
	responders *answer.Responders
	opts       *Options
	now        func() time.Time
	log        *slog.Logger
}

// conversationService implements parley.ConversationService over talk. It invites responders to
// the messages that a change releases.
type conversationService struct {
	talk       *talk.Talk
	responders *answer.Responders
	store      *store.Store
	roster     *team.Roster
	now        func() time.Time
	log        *slog.Logger
}

// responderService implements parley.ResponderService.
type responderService struct {
	responders *answer.Responders
	meter      *meter.Meter
	roster     *team.Roster
}

// eventService implements parley.EventService. A waiting reader returns early when the daemon
// ends.
type eventService struct {
	store   *store.Store
	roster  *team.Roster
	now     func() time.Time
	closing <-chan struct{} // closed when the daemon shuts down
	turns   turns           // of reading a page
	pages   singleflight.Group
}

// workspaceService implements parley.WorkspaceService: status, backup and shutdown. It also
// runs the periodic expiry.
type workspaceService struct {
	store     *store.Store
	roster    *team.Roster
	terminals *terminal.Terminals
	operator  *operatorService
	pause     *pause
	opts      *Options
	warnings  []string // from the start of the daemon
	now       func() time.Time
	clock     cautiousClock // of expire
	log       *slog.Logger

	returned atomic.Bool // others may hold what waits for this host
	away     *interval   // between two looks for what waits for hosts that are away
}
