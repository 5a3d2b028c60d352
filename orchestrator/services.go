package orchestrator

import (
	"context"
	"log/slog"
	"parley"
	"sync"
	"sync/atomic"
	"time"

	"parley/files"
	"parley/orchestrator/answer"
	"parley/orchestrator/courier"
	"parley/orchestrator/meter"
	"parley/orchestrator/overlap"
	"parley/orchestrator/talk"
	"parley/orchestrator/team"
	"parley/orchestrator/terminal"
	"parley/orchestrator/trial"
	"parley/store"

	"golang.org/x/sync/singleflight"
	ratelimit "golang.org/x/time/rate"
)

// One type per interface of parley.Service, each with only the parts that it uses.

// agentService implements parley.AgentService: it registers mailboxes and reports the state of
// agents. It holds what tries their programs.
type agentService struct {
	*programService
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
	programs   *trial.Programs
	pause      *pause
	reminding  sync.Mutex
	dues       dueLook                 // guarded by reminding
	ended      map[store.Key]time.Time // guarded by reminding: see isOver
	opts       *Options
	now        func() time.Time
	log        *slog.Logger
}

// programService implements parley.ProgramService: it tries the programs of agents.
type programService struct {
	*elsewhere
	roster   *team.Roster
	programs *trial.Programs
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
	store    *store.Store
	roster   *team.Roster
	overlaps *overlap.Watcher
	meter    *meter.Meter
	now      func() time.Time
	closing  <-chan struct{} // closed when the daemon shuts down
	turns    turns           // of reading a page
	pages    singleflight.Group
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

// registrations counts registrations by origin: an agent's id or a network address.
type registrations struct {
	mu   sync.Mutex
	from map[string]*ratelimit.Limiter
}

// bucket returns the bucket of an origin. At maxOrigins it drops the buckets that are full again;
// if none is, new origins share one bucket.
func (d *registrations) bucket(from string, n int, now time.Time) *ratelimit.Limiter {
	d.mu.Lock()
	defer d.mu.Unlock()

	if d.from == nil {
		d.from = map[string]*ratelimit.Limiter{}
	}

	if d.from[from] == nil && len(d.from) >= maxOrigins {
		for place, bucket := range d.from {
			if bucket.TokensAt(now) >= float64(n) {
				delete(d.from, place)
			}
		}

		if len(d.from) >= maxOrigins {
			from = ""
		}
	}

	if d.from[from] == nil {
		d.from[from] = perMinute(n)
	}

	return d.from[from]
}

// maxOrigins bounds the number of origins that registrations are counted for.
const maxOrigins = 1000

// dueLook is what the last look for responses that are due has found. While nothing happens, nothing else can be
// due than what was open then.
type dueLook struct {
	none  bool      // nothing was due
	at    time.Time // when it was
	event int64     // the last event before it
	next  time.Time // when the next response is due, of those that were open; zero for none
}

// needless reports whether another look would find nothing that is due before a time.
func (l *dueLook) needless(event int64, now, before time.Time) bool {
	since := now.Sub(l.at)
	return l.none && l.event == event && since >= 0 && since < choreTime && (l.next.IsZero() || !l.next.Before(before))
}

// quota is what one sender may still send.
type quota struct {
	messages, broadcasts *ratelimit.Limiter
}

// quotas holds a quota for each sender that has sent something, by id.
type quotas struct {
	mu sync.Mutex
	of map[string]*quota
}

// perMinute returns a token bucket that allows n a minute, in bursts of up to n.
func perMinute(n int) *ratelimit.Limiter {
	return ratelimit.NewLimiter(ratelimit.Limit(float64(n)/60), n)
}

// isAgent reports whether an id is that of a program, and not of a person or of parley.
func (op *operatorService) isAgent(id string) bool {
	m := op.roster.ByID(id)
	return m != nil && m.Kind != parley.KindHuman && m.Kind != parley.KindSystem
}

// worktreeService implements parley.WorktreeService: the git worktrees of agents.
type worktreeService struct {
	*elsewhere
	roster    *team.Roster
	terminals terminals
	messages  *messageService
	workspace string
}

// pause holds whether communication is paused. The database holds it too.
type pause struct {
	now atomic.Pointer[parley.Pause] // nil: not paused

	changing sync.Mutex

	mu   sync.Mutex
	over chan struct{} // closed when the pause ends; nil: nobody waits
}

// Orchestrator is the daemon's parley.Service. It composes one type per service interface with
// the packages that do the work, and owns all long-lived goroutines. Safe for concurrent use.
type Orchestrator struct {
	*agentService
	*terminalService
	*worktreeService
	*messageService
	*threadService
	*fileService
	*operatorService
	*keyService
	*conversationService
	*responderService
	*eventService
	*workspaceService

	opts  Options
	store *store.Store
	now   func() time.Time
	log   *slog.Logger
	rooms rooms
	clock cautiousClock // of prune

	cancel context.CancelFunc // stops the goroutines in group
	group  sync.WaitGroup
}

// rooms are the parts of the daemon that the services share.
type rooms struct {
	roster     *team.Roster
	couriers   *courier.Couriers
	entrances  *entrances
	terminals  *terminal.Terminals
	talk       *talk.Talk
	responders *answer.Responders
	files      *files.Store
	meter      *meter.Meter
	overlaps   *overlap.Watcher
	programs   *trial.Programs
	pause      *pause
	admission  *admission
	elsewhere  *elsewhere
}

// choreTime is the interval between looks for expired deliveries and unused files.
const choreTime = 30 * time.Second

// arriving knows the files that are being stored and are not in the database yet. The zero value is
// ready for use.
type arriving struct {
	mu     sync.Mutex
	coming map[string]int64 // bytes, by the sender's id
}

// terminals are the methods of terminal.Terminals that the service has too.
type terminals interface {
	parley.TerminalService

	// Placements returns a number that changes whenever processes may have come to belong to an agent,
	// or no longer do.
	Placements() int64
	// Launching reports whether a program may run already whose agent has no terminal yet.
	Launching() bool
}

// admission is the one way into the service for every kind of message. It resolves recipients,
// cleans the text, asks the conversation protocol, applies the limits, stores the message, and
// wakes the couriers.
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
