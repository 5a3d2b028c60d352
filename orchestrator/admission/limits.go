package admission

import (
	"context"
	"math"
	"net/netip"
	"sync"
	"time"

	ratelimit "golang.org/x/time/rate"

	"parley"
	"parley/orchestrator/settings"
	"parley/orchestrator/team"
	"parley/store"
)

// Limits count what senders send.
type Limits struct {
	settings *settings.Settings
	now      func() time.Time

	quotas quotas
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

// bucket returns what limits the sender of a draft, and of what, nil for nothing. The operator, parley
// itself and replies of responders are not limited.
func (l *Limits) bucket(m *team.Member, d *Draft) (bucket *ratelimit.Limiter, what string) {
	if m.Kind == parley.KindHuman || m.Kind == parley.KindSystem || d.reply != nil {
		return nil, ""
	}
	quota := l.quotas.find(m.ID, l.settings)
	if d.Message.Kind == parley.KindBroadcast {
		return quota.broadcasts, "broadcasts"
	}
	return quota.messages, "messages"
}

// Charge takes one message from the sender's quota; call refund to return it if nothing was
// stored. The error is RATE_LIMITED.
func (l *Limits) Charge(m *team.Member, d *Draft) (refund func(), err error) {
	bucket, what := l.bucket(m, d)
	if bucket == nil {
		return func() {}, nil
	}

	now := l.now()
	wait, taken := takeToken(bucket, now)
	if taken == nil {
		return nil, sendsTooMuch(m, what, bucket, wait)
	}

	return func() { taken.CancelAt(now) }, nil
}

// spent returns RATE_LIMITED if the sender's quota is empty already, so that a program in a loop does not
// keep the database busy.
func (l *Limits) spent(m *team.Member, d *Draft) error {
	bucket, what := l.bucket(m, d)
	if bucket == nil {
		return nil
	}
	missing := 1 - bucket.TokensAt(l.now())
	if missing <= 0 {
		return nil
	}
	return sendsTooMuch(m, what, bucket, time.Duration(missing/float64(bucket.Limit())*float64(time.Second)))
}

func sendsTooMuch(m *team.Member, what string, bucket *ratelimit.Limiter, wait time.Duration) error {
	return rateLimited(wait, "%s sends too many %s: %d a minute are allowed", m.Name, what, bucket.Burst()).
		Suggest("Send again after %s; if you are answering each other in a loop, stop.", seconds(wait))
}

// takeToken takes one token from a bucket. If there is none it returns the time to wait and a nil
// reservation.
func takeToken(bucket *ratelimit.Limiter, now time.Time) (time.Duration, *ratelimit.Reservation) {
	r := bucket.ReserveN(now, 1)
	if wait := r.DelayFrom(now); wait > 0 {
		r.CancelAt(now)
		return wait, nil
	}
	return 0, r
}

// rateLimited is the error for a caller that has to wait. The seconds are whole because they are
// also sent as an HTTP header.
func rateLimited(wait time.Duration, format string, args ...any) *parley.Error {
	return parley.Errorf(parley.RateLimited, format, args...).With("retry_after_seconds", wholeSeconds(wait))
}

func wholeSeconds(wait time.Duration) int { return int(math.Ceil(wait.Seconds())) }

func seconds(wait time.Duration) string {
	return (time.Duration(wholeSeconds(wait)) * time.Second).String()
}

// sentBefore returns the stored message if a call that is refused, by a limit or during a pause, only repeats
// an earlier one, else refusal. Repeating a call costs nothing.
func (a *Admission) sentBefore(
	ctx context.Context, from *team.Member, d *Draft, post *store.Post, refusal error,
) (store.Appended, error) {
	if d.Key == "" {
		return store.Appended{}, refusal
	}
	stored, found, err := a.Store.Idempotency.Repeated(ctx, from.ID, d.Key)
	if err != nil {
		return store.Appended{}, err // refusal would say that nothing was sent
	}
	if !found {
		return store.Appended{}, refusal
	}
	a.Roster.Names.FillInDeliveries(stored.Deliveries)
	return stored, d.checkSameCall(from, post, &stored, a.Settings.ResponseDeadline)
}

// perMinute returns a token bucket that allows n a minute, in bursts of up to n.
func perMinute(n int) *ratelimit.Limiter {
	return ratelimit.NewLimiter(ratelimit.Limit(float64(n)/60), n)
}

func (q *quotas) find(id string, s *settings.Settings) *quota {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.of == nil {
		q.of = map[string]*quota{}
	}
	if q.of[id] == nil {
		q.of[id] = &quota{perMinute(s.MessagesPerMinute), perMinute(s.BroadcastsPerMinute)}
	}
	return q.of[id]
}

// chargeFollowed takes what a sender sent over another host from its quota, as far as that goes.
func (l *Limits) chargeFollowed(from *team.Member, kind parley.MessageKind) {
	if from == nil || from.Kind == parley.KindHuman || from.Kind == parley.KindSystem || from.Responder() != nil {
		return
	}
	quota := l.quotas.find(from.ID, l.settings)
	bucket := quota.messages
	if kind == parley.KindBroadcast {
		bucket = quota.broadcasts
	}
	bucket.AllowN(l.now(), 1)
}

// Registrations counts registrations by origin: an agent's id or a network address.
type Registrations struct {
	mu   sync.Mutex
	from map[string]*ratelimit.Limiter
}

// bucket returns the bucket of an origin. At maxOrigins it drops the buckets that are full again;
// if none is, new origins share one bucket.
func (d *Registrations) bucket(from string, n int, now time.Time) *ratelimit.Limiter {
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

// Admit rate-limits registrations to n a minute: anonymous callers by address, others by caller.
// Calls from this process have no address and are not limited.
func (d *Registrations) Admit(c parley.Caller, n int, now time.Time) error {
	from := c.ID
	switch {
	case c.Nobody() && (c.Unplaced || IsLoopback(c.Address)):
		from = "this machine"
	case c.Nobody():
		from = addressPrefix(c.Address)
	}
	if c.Operator || from == "" {
		return nil
	}

	wait, taken := takeToken(d.bucket(from, n, now), now)
	if taken != nil {
		return nil
	}
	return rateLimited(wait, "too many agents register from here: %d a minute are allowed", n).
		Suggest("Register again after %s, and keep the key: one registration is enough.", seconds(wait))
}

// IsLoopback reports whether an address with a port is one of the many by which this machine calls itself.
func IsLoopback(address string) bool {
	ip, err := netip.ParseAddrPort(address)
	return err == nil && ip.Addr().Unmap().IsLoopback()
}

// addressPrefix returns an address without its port. An IPv6 address is cut to its /64, which
// belongs to one host.
func addressPrefix(address string) string {
	ip, err := netip.ParseAddrPort(address)
	if err != nil {
		return address
	}

	a := ip.Addr().Unmap()
	if a.Is4() {
		return a.String()
	}

	prefix, err := a.WithZone("").Prefix(64)
	if err != nil {
		return address
	}

	return prefix.String()
}
