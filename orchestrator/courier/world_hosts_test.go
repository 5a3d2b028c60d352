package courier

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"parley"
	"parley/orchestrator/attempt"
)

// In a shared story the database is on a server, and the daemon is one host of several: for a time, on the
// database's clock. The network to the server is cut, connections end at any step, the daemon sleeps between any
// two steps, and another one becomes its host meanwhile.

// The times of a lease, as package store has them.
const (
	leaseTime   = 15 * time.Second
	renewEvery  = 5 * time.Second
	leaseMargin = time.Second
	outageTime  = 4 * time.Second // how long a call waits for a server that cannot be reached
)

const promiseLease = "no daemon types when its lease is over"

// hosting is how the database has the host.
type hosting struct {
	epoch  int       // of the daemon that is the host
	until  time.Time // the end of its lease
	acting *daemon   // whose turn it is
	asleep bool      // it sleeps
	woke   time.Time // when one that slept went on
}

// leased is what a daemon knows of its lease.
type leased struct {
	epoch int
	from  time.Time // when it was renewed

	others watch // of the daemon that has become the host
}

// hostFaults are faults that only hosts have.
type hostFaults struct {
	cut     time.Time // the server cannot be reached until then
	sleepIn int       // steps until the daemon sleeps; 0: it does not
	sleep   event
	endIn   int // steps until the connection ends; 0: it does not
	end     databaseFault
}

// hostTroubles are the obstacles of shared stories.
var hostTroubles = []string{"sleep", "sleep", "sleep", "cut", "cut", "connection ends", "connection ends"}

// shareSome lets a third of the stories that are not calm be of a host. Their chances are their own, so that
// nothing else in any story changes.
func shareSome(s *story, last time.Duration) {
	t := teller{rand.New(rand.NewPCG(s.Seed, 1)), s, nil}
	if s.Calm || t.IntN(3) > 0 {
		return
	}
	s.Shared = true
	for range 1 + t.IntN(4) {
		e := event{At: t.between(0, last+10*time.Second), Do: hostTroubles[t.IntN(len(hostTroubles))],
			N: 1 + t.IntN(60)}
		switch e.Do {
		case "sleep":
			e.For = often(&t, t.between(16*time.Second, 30*time.Second), t.between(time.Second, 14*time.Second))
			e.What = often(&t, "and another takes over", "alone")
		case "cut":
			e.For = often(&t, t.between(0, 6*time.Second), t.between(10*time.Second, 40*time.Second))
		case "connection ends":
			e.What = often(&t, "before", "after")
		}
		s.Events = append(s.Events, e)
	}
}

// befallHost makes an event of hosts happen. It reports false for other events.
func (w *world) befallHost(e event) bool {
	f := &w.faults
	switch {
	case !slices.Contains(hostTroubles, e.Do):
		return false
	case !w.story.Shared:
		return true
	}

	switch e.Do {
	case "sleep":
		f.sleepIn, f.sleep = e.N, e
	case "cut":
		f.cut = attempt.Later(f.cut, time.Now().Add(e.For))
	case "connection ends":
		f.endIn, f.end = e.N, databaseFault{Lost: e.What == "before", Error: true}
	}
	return true
}

// takeHost makes a daemon the host. It reports false if another one is, or if the server cannot be reached: then
// it is started again later.
func (w *world) takeHost(d *daemon) bool {
	if !w.story.Shared {
		return true
	}
	left := time.Until(w.faults.cut)
	switch {
	case w.daemon != nil:
		return false // one that slept has woken up
	case left > 0:
		w.after(left, w.start)
		return false
	}
	w.hosts.epoch++
	d.lease.epoch = w.hosts.epoch
	d.renew()
	return true
}

// renew renews the lease of a daemon, and does so again later, while the daemon is awake.
func (d *daemon) renew() {
	w := d.w
	if w.hosts.epoch != d.lease.epoch || d.ctx.Err() != nil || w.daemon != nil && w.daemon != d {
		return
	}
	if !w.faults.cut.After(time.Now()) {
		if d.leaseOver()() {
			w.freed = time.Now() // while it was over, no key was pressed
		}
		d.lease.from, w.hosts.until = time.Now(), time.Now().Add(leaseTime)
		d.takeBack()
		w.on(w.hosts.until.Add(time.Millisecond), w.holdAway)
	}
	w.after(renewEvery, func() {
		if w.daemon == d {
			d.renew()
		}
	})
}

// leaseOver returns what tells the couriers of a daemon that its lease is over, nil if it has none.
func (d *daemon) leaseOver() func() bool {
	if !d.w.story.Shared {
		return nil
	}
	return func() bool { return time.Since(d.lease.from) > leaseTime-leaseMargin }
}

// holdAway holds what waits, as another host does when this one is away.
func (w *world) holdAway() {
	if w.hosts.until.After(time.Now()) {
		return
	}
	for _, r := range w.store.rows {
		if r.waits() && !r.withheld {
			r.job.State, r.job.Cause = parley.DeliveryHeld, parley.HoldHostAway.With("is away")
			w.note("%s is held, for its host is away", w.nameOf(r.job.Key))
		}
	}
}

// takeBack queues what was held while the host was away.
func (d *daemon) takeBack() {
	for _, r := range d.w.store.rows {
		if r.job.State == parley.DeliveryHeld && r.job.Code() == parley.HoldHostAway {
			r.job.State, r.job.Cause = parley.DeliveryQueued, parley.Cause{}
			d.m.Missed.Store(true)
			d.wakeUp()
		}
	}
}

// reachServer waits for the server, and returns the error of one that does not come back in time. Connections may
// end at this step.
func (w *world) reachServer(ctx context.Context, kind string) error {
	if left := time.Until(w.faults.cut); left > 0 {
		if err := w.sleep(ctx, min(left, outageTime)); err != nil {
			return err
		}
	}
	if w.faults.cut.After(time.Now()) {
		return fmt.Errorf("%s: %w: it cannot be reached", kind, errDatabase)
	}
	return nil
}

// writes returns the error of a daemon that writes although it is not the host any more.
func (w *world) writes(kind string) error {
	if a := w.hosts.acting; w.story.Shared && a != nil && a.lease.epoch != w.hosts.epoch && kind != "pending" &&
		kind != "among" && kind != "typing" && kind != "typed" {
		return fmt.Errorf("%s: %w: another daemon is the host", kind, errDatabase)
	}
	return nil
}

// stepHost is a moment between two steps, at which a connection can end, and the daemon can sleep.
func (w *world) stepHost() {
	f := &w.faults
	if f.endIn > 0 {
		if f.endIn--; f.endIn == 0 {
			w.note("the connection to the database ends")
			f.databases = append([]databaseFault{f.end}, f.databases...)
		}
	}
	if f.sleepIn > 0 {
		if f.sleepIn--; f.sleepIn == 0 {
			w.slumber(f.sleep)
		}
	}
}

// slumber lets the daemon sleep in the middle of what it does, while the world goes on. When its lease is over,
// another daemon may become its host, which types into the same terminal.
func (w *world) slumber(e event) {
	d := w.hosts.acting
	if d == nil || d != w.daemon || w.inside {
		return
	}
	w.note("the daemon sleeps")
	w.daemon = nil
	if e.What != "alone" {
		w.on(attempt.Later(w.hosts.until, time.Now()), func() { w.takeOver(d) })
	}

	knew, came := w.watch, len(w.messages)
	w.hosts.asleep = true
	w.run(time.Now().Add(e.For))
	w.hosts.asleep = false
	for _, m := range w.messages[came:] {
		m.untold = true
	}
	d.lease.others = w.watch
	w.recall(knew)
	w.hosts.acting, w.hosts.woke = d, time.Now()

	w.note("the daemon wakes up, with epoch %d of %d", d.lease.epoch, w.hosts.epoch)
	if d.lease.epoch == w.hosts.epoch {
		w.daemon = d
		w.after(time.Millisecond, d.renew)
		d.rise()
	}
}

// takeOver starts another daemon in place of one that sleeps. On the same machine the lock of the state directory
// keeps it out until that one has ended, and from another one it cannot reach the terminal. The world lets it in,
// except between a claim and its paste: there it would type a text that the sleeper types when it wakes up.
func (w *world) takeOver(d *daemon) {
	if w.daemon != nil || w.hosts.epoch != d.lease.epoch {
		return
	}
	for _, r := range w.store.rows {
		if m := w.messages[r.job.Key.MessageSeq-1]; r.job.State == parley.DeliveryTyping && !m.pasted {
			return
		}
	}
	w.note("another daemon becomes the host")
	w.start()
}

// tellAll notes that the daemon reads what came while it slept.
func (w *world) tellAll() {
	for _, m := range w.messages {
		m.untold = false
	}
}

// recall goes on with what the couriers of a daemon knew. What is counted goes on.
func (w *world) recall(v watch) {
	v.deliveries, v.reports = w.watch.deliveries, w.watch.reports
	w.watch = v
}

// entering returns the message whose key is pressed: the one that was pasted in the same line, or whose number
// the pane has.
func (v *watch) entering(p *simPane) *message {
	m := v.w.current
	if !v.w.story.Shared || m != nil && m.pastedAt.Equal(time.Now()) {
		return m
	}
	for _, r := range v.w.store.rows {
		if r.job.PaneSeq == p.info().Seq {
			m = v.w.messages[r.job.Key.MessageSeq-1]
		}
	}
	return m
}

// rise gives a daemon what came while it slept.
func (d *daemon) rise() {
	for _, s := range d.w.spool {
		d.report(s)
	}
	d.w.spool = nil
	d.m.Missed.Store(true)
	d.wakeUp()
	d.watch()
}

// haunt lets a daemon that is not the host any more make some more rounds.
func (d *daemon) haunt() {
	for range 3 {
		if d.ctx.Err() != nil || d.w.sleep(d.ctx, restful) != nil {
			break
		}
		d.w.hosts.acting = d
		d.c.turn(d.ctx, restful)
	}
	d.w.note("the daemon that was the host ends")
	hosts, seen := d.lease.others, d.w.watch
	if seen.early && seen.claimed.After(hosts.claimed) { // the host claimed that as it was stored, meanwhile
		hosts.asked, hosts.claimed, hosts.ready, hosts.early = seen.asked, seen.claimed, seen.ready, true
	}
	d.w.recall(hosts)
	d.end()
}

// leasedAt checks that a daemon that types has a lease at that moment.
func (v *watch) leasedAt(what string) {
	if !v.w.story.Shared {
		return
	}
	if over := v.issued.Sub(v.by.lease.from) - (leaseTime - leaseMargin); over > 0 {
		v.w.violate(promiseLease, "%s is typed %v after that", what, over)
	}
}
