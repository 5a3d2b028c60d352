package overlap

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"parley"
	"parley/internal/wait"
	"parley/orchestrator/team"
	"parley/store"
)

const (
	// lookEvery is the interval between two looks. A worktree whose agent was silent is not looked at.
	lookEvery = 15 * time.Second
	// fresh is how long an edit counts that a program has reported.
	fresh = 30 * time.Minute
	// maxEdits bounds the edits that are kept of an agent.
	maxEdits = 1000
)

// The values of the setting.
const (
	Tell = "tell" // the agents, and the operator sees it
	Show = "show" // only the operator sees it
	Off  = "off"
)

// Options are the parts of a Watcher.
type Options struct {
	Store  *store.Store
	Roster *team.Roster
	Mode   string // Tell, Show or Off
	// Notify sends a notice to an agent, once for each key.
	Notify func(ctx context.Context, to *team.Member, text, key string) error
	Now    func() time.Time
	Log    *slog.Logger
}

// Watcher looks for files that two agents change. Its exported methods may be called concurrently.
type Watcher struct {
	opts  Options
	looks map[string]look // at agents' own worktrees, by agent; of Run alone

	mu    sync.Mutex
	edits map[string]map[string]time.Time // when a path was last edited, by agent and path
	list  []store.Overlap
}

// New returns a watcher that looks at nothing before Run.
func New(opts Options) *Watcher {
	return &Watcher{opts: opts, looks: map[string]look{}, edits: map[string]map[string]time.Time{}}
}

// Note notes that an agent has edited a file, by its program's own transcript.
func (w *Watcher) Note(agentID, path string, at time.Time) {
	now := w.opts.Now()
	if w.opts.Mode == Off || now.Sub(at) >= fresh {
		return
	}

	w.mu.Lock()
	defer w.mu.Unlock()

	of := w.edits[agentID]
	if of == nil {
		of = map[string]time.Time{}
		w.edits[agentID] = of
	}
	if len(of) < maxEdits && at.After(of[path]) {
		of[path] = at
	}
}

// Run looks again and again until ctx ends.
func (w *Watcher) Run(ctx context.Context) {
	if w.opts.Mode == Off {
		return
	}

	list, err := w.opts.Store.Workspace.Overlaps(ctx, false)
	if err != nil {
		w.opts.Log.Warn("load which files two agents change", "error", err)
	}
	w.set(list)

	for wait.Pause(ctx, lookEvery) == nil {
		if err := w.look(ctx); err != nil && ctx.Err() == nil {
			w.opts.Log.Warn("look for files that two agents change", "error", err)
		}
	}
}

func (w *Watcher) set(list []store.Overlap) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.list = list
}

// look finds the overlaps of now, stores what is new, and tells of it.
func (w *Watcher) look(ctx context.Context) error {
	now := w.opts.Now()
	before := w.current()
	after := follow(before, w.find(ctx, w.recent(now)), now)
	if len(before) == 0 && len(after) == 0 {
		return nil
	}

	w.set(after)
	if !slices.Equal(before, after) {
		if err := w.opts.Store.Workspace.SetOverlaps(ctx, after); err != nil {
			return err
		}
	}

	return w.tell(ctx, after, now)
}

// current returns the overlaps of the last look.
func (w *Watcher) current() []store.Overlap {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.list)
}

// recent forgets the edits that no longer count, and returns the others.
func (w *Watcher) recent(now time.Time) map[string]map[string]time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()

	left := map[string]map[string]time.Time{}
	for id, of := range w.edits {
		maps.DeleteFunc(of, func(_ string, at time.Time) bool { return now.Sub(at) >= fresh })
		if len(of) == 0 {
			delete(w.edits, id)
			continue
		}
		left[id] = maps.Clone(of)
	}

	return left
}

// tell tells each pair of agents what is new between them. What cannot be told now is told later.
func (w *Watcher) tell(ctx context.Context, list []store.Overlap, now time.Time) error {
	if w.opts.Mode != Tell {
		return nil
	}

	told, list := false, slices.Clone(list)
	for pair, which := range due(list, now) {
		var news []store.Overlap
		for _, i := range which {
			news = append(news, list[i])
		}

		err := w.tellPair(ctx, pair, news)
		if parley.ErrorCode(err) == parley.CommunicationDisabled {
			continue
		}
		if err != nil {
			return err
		}

		told = true
		for _, i := range which {
			list[i].Told = now
		}
	}

	if !told {
		return nil
	}
	w.set(list)

	return w.opts.Store.Workspace.SetOverlaps(ctx, list)
}

// tellPair sends each of two agents a notice. The keys keep one that was stored before a crash from
// being repeated.
func (w *Watcher) tellPair(ctx context.Context, pair [2]string, news []store.Overlap) (err error) {
	last := slices.MaxFunc(news, func(x, y store.Overlap) int { return x.Since.Compare(y.Since) })
	for side, id := range pair {
		to, other := w.opts.Roster.ByID(id), w.opts.Roster.ByID(pair[1-side])
		if to == nil || other == nil {
			continue
		}
		key := "overlap " + id + " " + pair[1-side] + " " + last.Since.UTC().Format(time.RFC3339Nano)
		err = errors.Join(err, w.opts.Notify(ctx, to, notice(other.Name, side, news), key))
	}
	return err
}
