// Package meter knows what the agents' programs use: it reads their transcripts from time to time,
// sums up tokens and costs, and watches the budgets. Nothing waits for it.
package meter

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"maps"
	"sync"
	"time"

	"parley"
	"parley/internal/wait"
	"parley/orchestrator/team"
	"parley/program/transcript"
	"parley/store"
)

const (
	unknownForm = parley.UsageUnknownForm
	dayForm     = "2006-01-02"
)

const (
	// readEvery is the interval between two looks at all transcripts.
	readEvery = 5 * time.Second
	// sumEvery is the interval between two looks at what agents of other hosts have used.
	sumEvery = 30 * time.Second
	// breather is the pause between two parts of a long transcript.
	breather = 50 * time.Millisecond
	// keepSources is how long a transcript is watched after it was last named or had grown.
	keepSources = 48 * time.Hour
	// keepRecords is how long it is remembered which responses are counted. Nobody copies older ones.
	keepRecords = 90 * 24 * time.Hour
)

// Options are the parts of a Meter.
type Options struct {
	Store  *store.Store
	Roster *team.Roster
	Forms  func(name string) *transcript.Format // how transcripts of a name are read; nil: not known
	Prices Prices
	Team   Budget
	Agents map[string]Budget // by name in lower case

	// Pause pauses communication, and reports whether parley has paused it: not while a person has.
	Pause  func(ctx context.Context, reason string) (paused bool, err error)
	Edited func(agentID, path string, at time.Time) // takes the files that an agent has edited
	Now    func() time.Time
	Log    *slog.Logger
}

// source names a transcript of an agent.
type source struct{ agentID, path string }

// Meter reads transcripts. Its exported methods may be called concurrently.
type Meter struct {
	opts  Options
	began time.Time

	sources  map[source]*store.Transcript // of Run alone
	records  map[source]*record           // what was seen of databases; of Run alone
	summed   time.Time                    // when all was summed up last; of Run alone
	counted  map[string]bool              // the agents of which more was counted since; of Run alone
	recalled map[source]bool              // whose quota was looked for; of Run alone
	paused   map[string]string            // the day on which a budget paused communication, as stored; of Run alone

	mu       sync.Mutex
	day      string
	today    map[string]parley.Spending // by agent
	context  map[string]conversation    // by agent
	unknown  map[string]parley.UsageUnknown
	accounts map[string]account // by agent
	quotas   map[account]*parley.Quota
	over     map[string]overrun          // by agent, "" for the team
	budgets  map[string]parley.BudgetUse // likewise
}

// New returns a meter that reads nothing before Run.
func New(opts Options) *Meter {
	return &Meter{
		opts: opts, began: opts.Now(), sources: map[source]*store.Transcript{},
		records: map[source]*record{}, counted: map[string]bool{}, today: map[string]parley.Spending{},
		context: map[string]conversation{}, unknown: map[string]parley.UsageUnknown{},
		over:     map[string]overrun{},
		recalled: map[source]bool{}, accounts: map[string]account{}, quotas: map[account]*parley.Quota{},
	}
}

func dayOf(at time.Time) string { return at.Local().Format(dayForm) }

// Run reads what the programs write, until ctx ends.
func (m *Meter) Run(ctx context.Context) {
	if err := m.load(ctx); err != nil {
		m.opts.Log.Warn("load what agents have used", "error", err)
	}
	for {
		if err := m.look(ctx); err != nil && ctx.Err() == nil {
			m.opts.Log.Warn("look at what agents use", "error", err)
		}
		if wait.Pause(ctx, readEvery) != nil {
			return
		}
	}
}

// load reads which transcripts an earlier daemon watched.
func (m *Meter) load(ctx context.Context) error {
	now := m.opts.Now()
	if err := m.opts.Store.Tokens.ForgetTokenRecords(ctx, now.Add(-keepRecords)); err != nil {
		return err
	}
	known, err := m.opts.Store.Tokens.Transcripts(ctx, now.Add(-keepSources))
	for i := range known {
		if member := m.opts.Roster.ByID(known[i].AgentID); member != nil && m.opts.Roster.Hosts.Here(member) {
			m.sources[source{known[i].AgentID, known[i].Path}] = &known[i]
		}
	}
	return err
}

// look reads what is new in all transcripts, and judges the budgets by it.
func (m *Meter) look(ctx context.Context) error {
	now := m.opts.Now()
	for _, member := range m.opts.Roster.All() {
		m.find(member, now)
	}

	for key, t := range m.sources {
		if now.Sub(t.SeenAt) > keepSources {
			delete(m.sources, key)
			continue
		}
		if err := m.follow(ctx, key, t, now); err != nil {
			return err
		}
	}

	return m.sum(ctx, now)
}

// follow reads a transcript to its end, and counts what is new.
func (m *Meter) follow(ctx context.Context, key source, t *store.Transcript, now time.Time) error {
	for {
		next := *t
		p, err := m.readPart(ctx, &next)
		next.Unknown = unknownAfter(&next, err)

		moved := next.Position != t.Position || next.Skipping != t.Skipping
		if moved {
			next.SeenAt = now
		}
		if moved || next.Unknown != t.Unknown {
			if err := m.opts.Store.Tokens.CountTokens(ctx, next, p.records); err != nil {
				return err // it is read again
			}
			m.counted[t.AgentID] = true
			m.noteContext(t, p.records)
		}

		m.noteQuota(key, p.quota)
		for _, e := range p.edits {
			m.opts.Edited(t.AgentID, e.Path, e.At)
		}

		*t = next
		if !p.more {
			return nil
		}
		if err := wait.Pause(ctx, breather); err != nil {
			return err
		}
	}
}

// unknownAfter says why what a transcript tells is not known, after an attempt to read it. A program may
// name a file that it makes with the first prompt; one that was read and is gone has told all.
func unknownAfter(t *store.Transcript, err error) parley.UsageUnknown {
	switch {
	case errors.Is(err, fs.ErrNotExist) && t.Position == 0:
		return parley.UsageNoTranscript
	case errors.Is(err, fs.ErrNotExist):
		return t.Unknown
	case errors.Is(err, transcript.ErrUnknown):
		return unknownForm
	case err != nil:
		return parley.UsageUnreadable
	case t.Unknown == unknownForm:
		return unknownForm
	}
	return ""
}

// sum notes what was used today, and what is not known. It reads at once what was counted here, and from time to time
// what all hosts have counted: each reads the agents of each.
func (m *Meter) sum(ctx context.Context, now time.Time) error {
	day, today, unknown := dayOf(now), maps.Clone(m.today), m.whyUnknown()
	if since := now.Sub(m.summed); day != m.day || since < 0 || since >= sumEvery {
		var err error
		if today, err = m.used(ctx, "", day); err != nil {
			return err
		}
		m.summed = now
		clear(m.counted)
	}
	for agentID := range m.counted {
		one, err := m.used(ctx, agentID, day)
		if err != nil {
			return err
		}
		maps.Copy(today, one)
		delete(m.counted, agentID)
	}

	m.mu.Lock()
	m.day, m.today, m.unknown = day, today, unknown
	m.mu.Unlock()

	return m.judge(ctx, day, today, now)
}

func (m *Meter) used(ctx context.Context, agentID, day string) (map[string]parley.Spending, error) {
	days, err := m.opts.Store.Tokens.TokenDays(ctx, agentID, day)
	today := map[string]parley.Spending{}
	for _, d := range days {
		if d.Day == day {
			s := today[d.AgentID]
			m.opts.Prices.add(&s, d.Model, d.Responses, d.Tokens)
			today[d.AgentID] = s
		}
	}
	return today, err
}

// whyUnknown says of which agents it is not known what they used.
func (m *Meter) whyUnknown() map[string]parley.UsageUnknown {
	unknown, has := map[string]parley.UsageUnknown{}, map[string]bool{}
	for key, t := range m.sources {
		has[key.agentID] = true
		if t.Unknown != "" {
			unknown[key.agentID] = t.Unknown
		}
	}

	for _, member := range m.opts.Roster.All() {
		t := member.Terminal()
		switch {
		case t == nil:
		case t.Profile.Transcript.Name == "":
			unknown[member.ID] = parley.UsageNoReader
		case !has[member.ID]:
			unknown[member.ID] = parley.UsageNoTranscript
		}
	}

	return unknown
}
