package admission

import (
	"context"
	"math"
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
	a.Roster.FillInDeliveries(stored.Deliveries)
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
