package courier

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/store"
	"parley/tmux"
)

// world is everything that a courier can reach, on a clock that runs only while everything
// waits. One goroutine runs it all, so that a story is told the same way each time.
type world struct {
	*common
	timeline
	simServer
	claims

	story    *story
	hooked   map[string]*hookedIn // letters that hooks took, by their ids
	beckons  bool                 // hooks in the turn are to ask
	store    memoryStore
	messages []*message
	launches int

	daemon *daemon
	hosts  hosting
	agent  parley.Agent
	spool  []said
	paused *parley.Pause

	answering bool // an operator's key goes to a screen that they saw
	faults    faults
	freed     time.Time // when what was in the way of a key had ended last
	watch     watch
	word      word
	trusts    bool     // the operator has had a key pressed in a program that shows nothing
	log       []string // what happened, if it is kept
	keepLog   bool

	broken *violation // the first
}

// claims is what was asked of the daemon, and what any daemon has taken on.
type claims struct {
	forced    map[string]bool // by the operator, in an earlier life of the daemon too
	current   *message        // pasted last
	claimedOn *simPane        // the last claim
	claiming  store.Key       // claimed last
}

// timeline is what has happened, and what is to come.
type timeline struct {
	began    time.Time
	events   []happening // to come, the next one last
	number   int
	happened int       // how much has
	inside   bool      // of sync
	watches  time.Time // the watcher of terminals looks again

	quiet      time.Duration // how many times as long as usual the last pause was
	quietSince int           // as much had happened then
}

// simServer is the tmux server.
type simServer struct {
	instance string // "": none runs
	servers  int
	panes    int // that it has had
	pane     *simPane
	stuck    time.Time // it runs no command until then
	buffers  map[string]string
	buffer   int

	environment map[string]string // hidden and global
}

// happening is something that will happen at a time.
type happening struct {
	at     time.Time
	number int
	do     func()
}

// message is one that was accepted.
type message struct {
	parley.Message
	key     store.Key
	retries int
	pastes  int
	got     []time.Time // when the program took it
	queued  time.Time   // for the last attempt
	named   time.Time   // a report that names it came first then
	fetched bool        // read in another way
	unseen  bool        // a person cleared it away where nobody could see that
	trusted bool        // it was pasted where the operator has had a key pressed before, and nothing is shown
	blurred bool        // so while the daemon slept, or in the second in which the screen had been drawn
	refused bool        // its program took it and refused it
	untold  bool        // it came while the daemon slept, which has not read it since

	swallows  int  // pastes that a dialog threw away
	swallowed bool // so the last one

	shutOut  bool // its program's door was closed in the last attempt
	given    bool // to its program's door, in the last attempt, and not lost there
	pasted   bool // in the last attempt
	pastedAt time.Time
	turn     int     // of the program, at that time
	along    string  // a person's words that went with it
	by       *daemon // who claimed it last
	on       *simPane
	keys     int

	keyAt    time.Time // its key was pressed
	sawBusy  bool      // the last look before that showed work
	undone   time.Time // it was taken out of the conversation last
	toldAt   time.Time // it counted as submitted last
	emptied  bool      // since its composer was empty
	toldBack bool      // and stood there for so long that the courier knows
}

func (m *message) short() string { return parley.Short(m.ID) }

// violation is a broken promise.
type violation struct {
	invariant string
	detail    string
	at        time.Duration
}

// violate ends the story.
func (w *world) violate(invariant, form string, args ...any) {
	if w.broken == nil {
		w.broken = &violation{invariant, fmt.Sprintf(form, args...), time.Since(w.began)}
		w.note("VIOLATION: %s: %s", invariant, w.broken.detail)
	}
	panic(storyEnds{})
}

// storyEnds unwinds a story that is over; daemonDies a daemon.
type (
	storyEnds  struct{}
	daemonDies struct{}
)

func (w *world) note(form string, args ...any) {
	if w.keepLog {
		w.log = append(w.log, fmt.Sprintf("%9.3fs  ", time.Since(w.began).Seconds())+fmt.Sprintf(form, args...))
	}
}

// on makes something happen at a time, and after makes it happen later.
func (w *world) on(at time.Time, do func()) {
	w.number++
	h := happening{at, w.number, do}
	i, _ := slices.BinarySearchFunc(w.events, h, func(a, b happening) int {
		if c := b.at.Compare(a.at); c != 0 {
			return c
		}
		return b.number - a.number
	})
	w.events = slices.Insert(w.events, i, h)
}

func (w *world) after(d time.Duration, do func()) { w.on(time.Now().Add(d), do) }

// sync makes everything happen whose time has come.
func (w *world) sync() {
	if w.inside {
		return
	}
	w.inside = true
	defer func() { w.inside = false }()
	now := time.Now()
	if w.daemon != nil && !w.watches.After(now) {
		w.daemon.observe()
		w.daemon.watch()
	}
	for n := len(w.events); n > 0 && !w.events[n-1].at.After(now); n = len(w.events) {
		h := w.events[n-1]
		w.events = w.events[:n-1]
		w.happened++
		h.do()
	}
}

// next returns the time of the next happening.
func (w *world) next() (time.Time, bool) {
	if n := len(w.events); n > 0 {
		return w.events[n-1].at, true
	}
	return time.Time{}, false
}

// wakes returns the earlier of a time and that of the next happening, or of the watcher's next look.
func (w *world) wakes(at time.Time) time.Time {
	if next, ok := w.next(); ok && next.Before(at) {
		at = next
	}
	if w.daemon != nil && w.watches.Before(at) {
		at = w.watches
	}
	return at
}

// pause returns how long a pause between two looks takes. Looks before anything happens would find
// the same world. So the longer nothing happens, the more of them are left out, as by a daemon that
// has much to do.
func (w *world) pause(d time.Duration) time.Duration {
	if w.quiet *= 2; w.quietSince != w.happened {
		w.quiet, w.quietSince = 2, w.happened
	}
	times := max(1, min(w.quiet, 16, time.Second/d))
	if next, ok := w.next(); ok {
		times = min(times, max(1, (time.Until(next)+d-1)/d))
	}
	return times * d
}

// chance returns a number from 0 to 1 that depends only on the story's seed, a label and a
// number, so that a shorter story has the same chances.
func (w *world) chance(label string, n int) float64 {
	h := fnv.New64a()
	fmt.Fprint(h, w.story.Seed, label, n)
	return float64(h.Sum64()>>11) / (1 << 53)
}

// faults are the faults of the machine.
type faults struct {
	hostFaults
	dieIn     int // steps until the daemon dies; 0: never
	dieLate   bool
	dieAfter  string // the kind of a command after which it dies; "": none
	resume    event  // what happens as the next daemon resumes what that one left
	thenIn    int    // steps until something happens; 0: nothing does
	then      func()
	commands  []commandFault
	databases []databaseFault
}

// commandFault is one for the next command of a kind.
type commandFault struct {
	Kind   string        // "": any
	Lost   bool          // it is not run
	Broken bool          // the connection breaks
	Before time.Duration // how much later it is run
	After  time.Duration // how much later it is answered
}

// databaseFault is one for the next call of a kind.
type databaseFault struct {
	Kind  string
	Lost  bool // it did nothing
	Error bool
	Slow  time.Duration

	Then func() // meanwhile
}

// step is a moment between two steps of the daemon, at which it can die.
func (w *world) step() {
	w.sync()
	if w.faults.thenIn > 0 {
		if w.faults.thenIn--; w.faults.thenIn == 0 {
			w.faults.then()
		}
	}
	if w.faults.dieIn > 0 {
		if w.faults.dieIn--; w.faults.dieIn == 0 {
			w.note("the daemon dies")
			panic(daemonDies{})
		}
	}
	w.stepHost()
	if w.daemon != nil {
		w.daemon.recordLate()
	}
}

// command runs a command of tmux.
func (w *world) command(ctx context.Context, kind string, run func() error) error {
	if err := over(ctx); err != nil {
		return err
	}
	w.step()
	if w.instance != "" && w.faults.dieIn == 0 && len(w.faults.commands) == 0 && !w.stuck.After(time.Now()) {
		instance, err := w.instance, run()
		w.dieAfter(kind)
		if w.step(); w.instance != instance {
			err = fmt.Errorf("%w: the client ended", tmux.ErrDisconnected)
		}
		return err
	}
	return w.faultyCommand(ctx, kind, run)
}

// dieAfter ends the daemon after a command of the kind that it must not survive.
func (w *world) dieAfter(kind string) {
	if w.faults.dieAfter == kind && w.daemon != nil {
		w.faults.dieAfter = ""
		w.note("the daemon dies after %s", kind)
		panic(daemonDies{})
	}
}

// faultyCommand runs a command while something is wrong.
func (w *world) faultyCommand(ctx context.Context, kind string, run func() error) error {
	var f commandFault
	meant := func(f commandFault) bool { return f.Kind == "" || f.Kind == kind }
	if i := slices.IndexFunc(w.faults.commands, meant); i >= 0 {
		f = w.faults.commands[i]
		w.faults.commands = slices.Delete(w.faults.commands, i, i+1)
		w.note("tmux: %s %+v", kind, f)
	}
	if w.instance == "" {
		return fmt.Errorf("%w: no server", tmux.ErrDisconnected)
	}

	instance := w.instance
	dying := w.faults.dieIn == 1 // the command is on its way when the daemon dies
	if dying {
		w.faults.dieIn = 0
		delay := time.Duration(0)
		if w.faults.dieLate {
			delay = 20 * time.Millisecond
		}
		w.note("the daemon dies during %s", kind)
		w.after(delay, func() {
			if w.instance == instance && !f.Lost {
				_ = run()
			}
		})
		panic(daemonDies{})
	}

	done, err := false, error(nil)
	execute := func() {
		if done = true; !f.Lost && w.instance == instance {
			err = run()
		}
	}
	wait := max(f.Before, time.Until(w.stuck)) // commands are run in their order
	if wait > 0 {
		w.stuck = time.Now().Add(wait)
		w.after(wait, execute)
		if e := w.sleep(ctx, wait); e != nil {
			return e
		}
	}
	if !done {
		execute()
	}
	if f.After > 0 {
		w.freed = time.Now().Add(f.After) // the daemon waits for its answer
		if e := w.sleep(ctx, f.After); e != nil {
			return e
		}
		w.freed = time.Now()
	}
	w.step()
	if f.Broken || f.Lost || w.instance != instance {
		return fmt.Errorf("%w: the client ended", tmux.ErrDisconnected)
	}
	return err
}

// over returns the cause of a context that has ended, also one that ends at this moment.
func over(ctx context.Context) error {
	if at, ok := ctx.Deadline(); ok && !time.Now().Before(at) {
		<-ctx.Done()
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// sleep makes the daemon wait while the world goes on.
func (w *world) sleep(ctx context.Context, d time.Duration) error {
	end := time.Now().Add(d)
	for time.Now().Before(end) {
		until := w.wakes(end)
		if at, ok := ctx.Deadline(); ok && at.Before(until) {
			until = at
		}
		time.Sleep(time.Until(until))
		w.sync()
		if err := over(ctx); err != nil {
			return err
		}
	}
	return over(ctx)
}

var errDatabase = errors.New("the database is locked")

// call makes a call of the database.
func (w *world) call(ctx context.Context, kind string, do func() error) error {
	if err := over(ctx); err != nil {
		return err
	}
	w.step()
	if err := w.reachServer(ctx, kind); err != nil {
		return err
	}
	var f databaseFault
	meant := func(f databaseFault) bool { return f.Kind == "" || f.Kind == kind }
	if i := slices.IndexFunc(w.faults.databases, meant); i >= 0 {
		f = w.faults.databases[i]
		w.faults.databases = slices.Delete(w.faults.databases, i, i+1)
		w.note("database: %s lost %v, error %v, slow %v", kind, f.Lost, f.Error, f.Slow)
	}
	if f.Then != nil {
		f.Then()
	}
	if f.Slow > 0 {
		if err := w.sleep(ctx, f.Slow); err != nil {
			return err
		}
	}
	err := w.writes(kind)
	if err == nil && !f.Lost {
		err = do()
	}
	w.step()
	if f.Error {
		return fmt.Errorf("%s: %w", kind, errDatabase)
	}
	return err
}

// worldStore is the database as the daemon reaches it.
type worldStore struct {
	w *world
	d *daemon
}

func (s worldStore) jobs(
	ctx context.Context, kind string, read func() ([]store.Job, error),
) (jobs []store.Job, err error) {
	err = s.w.call(ctx, kind, func() (err error) {
		jobs, err = read()
		return err
	})
	if err != nil {
		jobs = nil
	}
	return jobs, err
}

func (s worldStore) Pending(ctx context.Context, id string, limit int) ([]store.Job, error) {
	return s.jobs(ctx, "pending", func() ([]store.Job, error) {
		s.w.tellAll()
		return s.w.store.Pending(ctx, id, limit)
	})
}

func (s worldStore) PendingAmong(ctx context.Context, id string, ids []string) ([]store.Job, error) {
	return s.jobs(ctx, "among", func() ([]store.Job, error) { return s.w.store.PendingAmong(ctx, id, ids) })
}

func (s worldStore) Typing(ctx context.Context, id string) ([]store.Job, error) {
	return s.jobs(ctx, "typing", func() ([]store.Job, error) { return s.w.store.Typing(ctx, id) })
}

func (s worldStore) Silent(ctx context.Context, id string) ([]store.Job, error) {
	return s.jobs(ctx, "silent", func() ([]store.Job, error) { return s.w.store.Silent(ctx, id) })
}

func (s worldStore) TypedAs(ctx context.Context, id string, seq uint64) (job *store.TypedJob, err error) {
	err = s.w.call(ctx, "typed", func() (err error) {
		job, err = s.w.store.TypedAs(ctx, id, seq)
		return err
	})
	if err != nil {
		job = nil
	}
	return job, err
}

func (s worldStore) Claim(ctx context.Context, k store.Key, paneSeq uint64, announced bool) error {
	s.w.watch.asked, s.w.claiming, s.w.watch.early = time.Now(), k, false
	s.d.claims()
	return s.w.call(ctx, "claim", func() error {
		before := *s.w.messages[k.MessageSeq-1]
		s.w.watch.claims(k, paneSeq)
		err := s.w.store.Claim(ctx, k, paneSeq, announced)
		s.w.watch.unclaims(k, &before, err)
		s.w.note("claim of %s with %d: %v", s.w.nameOf(k), paneSeq, err)
		return err
	})
}

func (s worldStore) ClaimDoor(ctx context.Context, k store.Key) error {
	s.w.watch.asked, s.w.claiming, s.w.watch.early = time.Now(), k, false
	s.d.claims()
	return s.w.call(ctx, "claim", func() error {
		before := *s.w.messages[k.MessageSeq-1]
		s.w.watch.claims(k, 0)
		err := s.w.store.ClaimDoor(ctx, k)
		s.w.watch.unclaims(k, &before, err)
		s.w.note("claim of %s for the door: %v", s.w.nameOf(k), err)
		return err
	})
}

func (s worldStore) Advance(ctx context.Context, k store.Key, changes ...store.Change) error {
	decided := time.Now()
	return s.w.call(ctx, "advance", func() error {
		s.w.watch.advances(k, s.d.claimedOn, changes, decided)
		err := s.w.store.Advance(ctx, k, changes...)
		for _, c := range changes {
			s.w.note("%s is %s: %s %s: %v", s.w.nameOf(k), c.State, c.Code(), c.Words(), err)
		}
		return err
	})
}

func (w *world) nameOf(k store.Key) string { return w.messages[k.MessageSeq-1].Text }

// messageIn returns the message whose mark stands in a text.
func (w *world) messageIn(text string) *message {
	for _, m := range w.messages {
		if strings.Contains(text, m.Mark()) {
			return m
		}
	}
	return nil
}

// messageNamed returns the message with a short id.
func (w *world) messageNamed(short string) *message {
	for _, m := range w.messages {
		if m.short() == short {
			return m
		}
	}
	return nil
}
