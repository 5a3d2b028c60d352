package engine

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
)

// Take makes this daemon the host of its name, unless another one is. With alone, no other host may be at work.
func (s *ServerSession) Take(ctx context.Context, alone bool) error {
	tx, err := s.Base.WriterPool.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // does nothing after Commit

	if _, err := tx.ExecContext(ctx,
		`INSERT INTO workspace (one, id) VALUES (1, $1) ON CONFLICT DO NOTHING`, uuid.NewString()); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `SELECT FROM workspace FOR UPDATE`); err != nil {
		return err
	}

	asked := time.Now()
	err = tx.QueryRowContext(ctx, `INSERT INTO hosts AS h (name, holder, epoch, version, started_at, lease_until)
		SELECT $1, $2, epoch + 1, $3, clock_timestamp(), clock_timestamp() + $4 * interval '1 second' FROM workspace
		ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, epoch = excluded.epoch, version = excluded.version,
			started_at = excluded.started_at, lease_until = excluded.lease_until
		WHERE h.holder = excluded.holder OR h.lease_until < clock_timestamp() RETURNING epoch`,
		s.Base.Host, s.Holder, s.Version, int64(LeaseTime.Seconds())).Scan(&s.Epoch)
	if errors.Is(err, sql.ErrNoRows) {
		return s.taken(ctx, `SELECT holder, greatest(0, extract(epoch FROM lease_until - clock_timestamp()))
			FROM hosts WHERE name = $1`, s.Base.Host)
	}
	if err == nil && alone {
		err = s.refuseOthers(ctx, tx)
	}
	if err == nil {
		_, err = tx.ExecContext(ctx, `UPDATE workspace SET epoch = $1 WHERE one = 1`, s.Epoch)
	}
	if err == nil {
		err = tx.Commit()
	}
	if err == nil {
		s.seen, s.renewed = s.Epoch, asked
		s.Base.Lease.Renew(asked)
	}

	return err
}

// refuseOthers returns an error if another host is at work.
func (s *ServerSession) refuseOthers(ctx context.Context, tx *sql.Tx) error {
	var others string
	if err := tx.QueryRowContext(ctx, `SELECT coalesce(string_agg(name, ', ' ORDER BY name), '') FROM hosts
		WHERE name <> $1 AND lease_until > clock_timestamp()`, s.Base.Host).Scan(&others); err != nil || others == "" {
		return err
	}
	return &SharedError{Place: s.Base.Path, Others: strings.Split(others, ", ")}
}

// taken returns that another daemon has what this one wants. The query tells which, and for how many
// seconds.
func (s *ServerSession) taken(ctx context.Context, query string, args ...any) error {
	var holder string
	var left float64
	if err := s.Base.ReaderPool.QueryRowContext(ctx, query, args...).Scan(&holder, &left); err != nil {
		return err
	}

	return &TakenError{Place: s.Base.Path, Host: s.Base.Host, Holder: holder,
		Left: time.Duration(left * float64(time.Second))}
}

// isHost looks whether this daemon still is its host, after the hosts have changed.
func (s *ServerSession) isHost(t *Tx, changed int64) error {
	still, err := s.Team.Meet(t, s.Epoch)
	if err != nil {
		return err
	}
	if !still {
		return s.lose()
	}
	s.seen = changed
	return nil
}

// renewal is what the server tells with a renewed lease. It is the same few rows however many hosts there are.
const renewal = `UPDATE hosts SET lease_until = clock_timestamp() + $1 * interval '1 second'
	WHERE name = $2 AND epoch = $3
	RETURNING (SELECT epoch FROM workspace), (SELECT event_seq FROM workspace),
		EXISTS (SELECT 1 FROM relays r WHERE r.host = $2 AND r.taker IS NULL AND r.deadline > clock_timestamp()),
		(SELECT coalesce(json_object_agg(o.name, o.lease_until), '{}') FROM hosts o
			WHERE o.name <> $2 AND o.lease_until <= clock_timestamp())`

// Confirm renews the lease when it is time, and looks whether there is something new.
func (s *ServerSession) Confirm() error {
	if err := s.Base.Safety.Refusal(); err != nil {
		return err
	}
	if time.Since(s.renewed) < RenewEvery {
		return nil
	}

	asked := time.Now()
	s.renewed = asked // also when it fails: not in each transaction again
	var changed, last int64
	var asks bool
	var gone []byte
	err := s.Base.WriterPool.QueryRowContext(context.Background(), renewal, int64(LeaseTime.Seconds()), s.Base.Host,
		s.Epoch).Scan(&changed, &last, &asks, &gone)
	if errors.Is(err, sql.ErrNoRows) {
		return s.lose()
	}
	if err != nil {
		s.Base.Log.Warn("the lease of this host was not renewed", "host", s.Base.Host, "error", err)
		return nil // who is the host is decided in each transaction
	}
	s.Base.Lease.Renew(asked)
	if last > s.followed.last {
		s.Base.Doorbell.press() // it may have missed the ring
	}
	if asks {
		s.Base.Doorbell.Relays.ring()
	}

	if err := s.seeHosts(changed, gone); err != nil {
		s.Base.Log.Warn("the hosts could not be read", "error", err)
	}
	return nil
}

// seeHosts notes which hosts are away, for what is shown. It reads all of them only after they have changed.
func (s *ServerSession) seeHosts(changed int64, gone []byte) error {
	if changed != s.seen {
		still, err := s.Team.Meet(s.Base.Reader, s.Epoch)
		if still && err == nil {
			s.seen = changed
		}
		return err // one that is lost is found in the next transaction
	}

	away := map[string]time.Time{}
	err := json.Unmarshal(gone, &away)
	if err == nil {
		s.Team.Miss(away)
	}
	return err
}

// lose stops accepting, because this daemon is not the host any more.
func (s *ServerSession) lose() error {
	var holder string
	err := s.Base.ReaderPool.QueryRowContext(context.Background(), `SELECT holder FROM hosts WHERE name = $1`, s.Base.Host).
		Scan(&holder) // for the words only
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		holder = "unknown"
	}
	return s.refuse(&LostError{Place: s.Base.Path, Host: s.Base.Host, Holder: holder})
}

// refuse accepts nothing more, for a reason. It returns the first one.
func (s *ServerSession) refuse(why error) error {
	if s.Base.Safety.Condemn(why) {
		s.Base.Log.Error("nothing more is accepted", "host", s.Base.Host, "error", why)
		s.Base.Safety.Tell("Nothing more is accepted here: %s.", why)
	}
	return s.Base.Safety.Refusal()
}

// Close gives the lease back.
func (s *ServerSession) Close() error {
	s.Base.Doorbell.Close()
	_, err := s.Base.WriterPool.ExecContext(context.Background(),
		`UPDATE hosts SET lease_until = clock_timestamp() WHERE name = $1 AND epoch = $2`, s.Base.Host, s.Epoch)
	if err != nil {
		s.Base.Log.Warn("the lease of this host was not given back; it ends by itself", "error", err)
	}
	return s.Base.closePools()
}

// A daemon is its host for a time, on the database's clock, and renews that. On the same machine the
// lock of the state directory keeps a second one out, so a daemon that was killed need not wait.
const (
	// LeaseTime is how long a lease lasts, and RenewEvery how often it is renewed.
	LeaseTime  = 15 * time.Second
	RenewEvery = 5 * time.Second
	// leaseMargin is how long before the end of its lease a daemon stops to type, by its own clock.
	leaseMargin = time.Second
)

// Lease is how long a daemon may type. Safe for concurrent use.
type Lease struct{ from atomic.Pointer[time.Time] }

// Renew begins the lease again at a time before it was asked for.
func (l *Lease) Renew(from time.Time) { l.from.Store(&from) }

// Over reports whether the lease has ended, or is about to. A machine that slept may have missed that
// time on one of its clocks.
func (l *Lease) Over(now time.Time) bool {
	from := l.from.Load()
	return from == nil || max(now.Sub(*from), now.Round(0).Sub(from.Round(0))) > LeaseTime-leaseMargin
}
