package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"parley"
	"parley/plain"
	"parley/store/engine"
)

// Relays passes acts from one host to another, through the database. Each is taken once, by the daemon
// of its host.
type Relays struct{ db *database }

// Relay is an act that one host asks of another.
type Relay struct {
	ID        string
	Host      string // that is to do it
	Operation string // of op.All
	Request   string // in JSON
	AskerID   string // the agent who asks
	AskedFrom string // the host of the daemon that asks
}

// RelayAnswer is what came of a relay, in JSON.
type RelayAnswer struct {
	Text   string
	Failed bool // it is a parley.Error
}

const (
	// relayTime is how long a relay may wait for its host to take it, on the database's clock.
	relayTime = 10 * time.Second
	// relayKept is when a relay is removed whose asker is gone.
	relayKept = time.Hour
)

// AskHost asks another host to do something, and returns its answer. AGENT_UNAVAILABLE: nothing was
// done, and nothing will be, since the host is away or has not taken it in time. DAEMON_UNAVAILABLE: the
// host took it, and ended before it answered, so whether it was done is not known. When ctx ends, a relay
// that was not taken is withdrawn.
func (s *Relays) AskHost(ctx context.Context, r Relay) (RelayAnswer, error) {
	r.ID, r.AskedFrom = uuid.NewString(), s.db.base.Host
	if err := s.db.write(ctx, "asking another host",
		func(t *tx) error { return (hostsIn{t}).addRelay(&r) }); err != nil {
		return RelayAnswer{}, err
	}

	for {
		rings := s.db.base.Doorbell.Relays.Ringing()
		row := relayRow{}
		err := s.db.read(ctx, "waiting for another host", &row, relayQuery, r.ID)
		if err == nil && row.end() != relayOpen {
			if row, err = s.conclude(ctx, r.ID); err == nil && row.end() != relayOpen {
				return row.answer(&r)
			}
		}
		if err != nil && ctx.Err() == nil {
			e := parley.AsError(err)
			return RelayAnswer{}, parley.Errorf(e.Code, "whether host %s did it is not known: %w", r.Host, err).
				With("host", r.Host).Suggest("%s", e.Action)
		}

		select {
		case <-rings:
		case <-time.After(engine.WatchEvery): // a host that ends does not ring
		case <-ctx.Done():
			return RelayAnswer{}, s.withdraw(ctx, &r)
		}
	}
}

// addRelay stores a relay, and rings at its host.
func (t hostsIn) addRelay(r *Relay) error {
	var rows []hostRow
	if err := t.tx.Query(&rows, hostsQuery); err != nil {
		return err
	}
	switch h := teamOf(t.tx.Host, rows).Host(r.Host); {
	case h == nil:
		return parley.Errorf(parley.InvalidArgument, "there is no host %q",
			plain.CleanLine(plain.Truncate(r.Host, 64))).
			With("host", r.Host).
			Suggest("Start parley there first: it joins the team then. parley host list shows the hosts of the team.")
	case h.Away:
		return parley.Errorf(parley.AgentUnavailable, "host %s is away, so nothing was done there", r.Host).
			With("host", r.Host).Suggest("Start parley there: parley serve, in the workspace. Then try again.")
	}

	if _, err := t.tx.Exec(`INSERT INTO relays (id, host, operation, request, asker_id, asked_from, created_at, deadline)
		VALUES (?, ?, ?, ?, ?, ?, clock_timestamp(), clock_timestamp() + ? * interval '1 millisecond')`,
		r.ID, r.Host, r.Operation, r.Request, r.AskerID, r.AskedFrom, relayTime.Milliseconds()); err != nil {
		return err
	}
	return t.call(r.Host)
}

// call rings at a host, when the transaction is committed.
func (t hostsIn) call(host string) error {
	return t.tx.Query(new([]string),
		`SELECT CAST(pg_notify('parley_' || replace(id, '-', ''), ?) AS text) FROM workspace`, host)
}

type relayRow struct {
	Known, Taken, Late, There, Failed bool
	Answer                            *string
}

// relayQuery reads a relay. Its host is there while the daemon that took it is that host.
const relayQuery = `SELECT true AS known, r.taker IS NOT NULL AS taken, r.deadline < clock_timestamp() AS late,
	coalesce(h.lease_until > clock_timestamp() AND h.epoch = coalesce(r.taker, h.epoch), false) AS there,
	r.failed <> 0 AS failed, r.answer FROM relays r LEFT JOIN hosts h ON h.name = r.host WHERE r.id = ?`

type relayEnd int

const (
	relayOpen     relayEnd = iota // it has not
	relayAnswered                 // by its host
	relayUntaken                  // nobody took it, and nobody may any more
	relayLost                     // its taker is gone, or the server has forgotten it
)

func (r *relayRow) end() relayEnd {
	switch {
	case !r.Known:
		return relayLost
	case r.Answer != nil:
		return relayAnswered
	case r.Taken && !r.There:
		return relayLost
	case !r.Taken && (r.Late || !r.There):
		return relayUntaken
	}
	return relayOpen
}

// conclude removes a relay that has ended, so that nothing comes of it later, and returns how it stood.
func (s *Relays) conclude(ctx context.Context, id string) (row relayRow, err error) {
	err = s.db.write(ctx, "reading the answer of another host", func(t *tx) error {
		row = relayRow{}
		err := t.Query(&row, relayQuery, id)
		if err == nil && row.end() != relayOpen {
			_, err = t.Exec(`DELETE FROM relays WHERE id = ?`, id)
		}
		return err
	})
	return row, err
}

// answer returns what the asker is told.
func (r *relayRow) answer(asked *Relay) (RelayAnswer, error) {
	switch r.end() {
	case relayAnswered:
		return RelayAnswer{Text: *r.Answer, Failed: r.Failed}, nil
	case relayUntaken:
		return RelayAnswer{}, parley.
			Errorf(parley.AgentUnavailable, "host %s did not take it up in time, so nothing was done", asked.Host).
			With("host", asked.Host).Suggest("See how it is: parley host list. Then try again.")
	}
	return RelayAnswer{}, parley.
		Errorf(parley.DaemonUnavailable, "host %s ended before it answered: whether it was done is not known",
			asked.Host).
		With("host", asked.Host).Suggest("Look before you do it again: parley host list, parley status.")
}

// withdraw removes a relay that was not taken yet, because nobody waits for it any more. It returns why.
func (s *Relays) withdraw(ctx context.Context, r *Relay) error {
	err := s.db.write(context.WithoutCancel(ctx), "withdrawing what another host was asked", func(t *tx) error {
		_, err := t.Exec(`DELETE FROM relays WHERE id = ? AND taker IS NULL`, r.ID)
		return err
	})
	if err != nil {
		s.db.base.Log.Warn("what another host was asked was not withdrawn", "host", r.Host, "error", err)
	}
	return context.Cause(ctx)
}

// RelaysRing returns a channel that is closed when a relay for this host may have come.
func (s *Relays) RelaysRing() <-chan struct{} { return s.db.base.Doorbell.Relays.Ringing() }

// RelayPause is how long to wait for the ring before looking anyway.
func (s *Relays) RelayPause() time.Duration {
	if s.db.base.Doorbell.Works() {
		return time.Minute // renewing the lease looks, and rings
	}
	return engine.WatchEvery
}

// TakeRelay takes the oldest relay for this host, nil for none. Nobody gets it again.
func (s *Relays) TakeRelay(ctx context.Context) (taken *Relay, err error) {
	const open = ` FROM relays WHERE host = ? AND taker IS NULL AND deadline > clock_timestamp()`
	var waits bool
	if err := s.db.read(ctx, "looking for what other hosts ask", &waits, `SELECT EXISTS (SELECT 1`+open+`)`,
		s.db.base.Host); err != nil ||
		!waits {
		return nil, err
	}

	err = s.db.write(ctx, "taking what another host asks", func(t *tx) error {
		taken = nil
		var rows []Relay
		if err := t.Query(&rows, `SELECT id, host, operation, request, asker_id, asked_from`+open+
			` ORDER BY created_at LIMIT 1`, s.db.base.Host); err != nil || len(rows) == 0 {
			return err
		}
		taken = &rows[0]
		_, err := t.Exec(`UPDATE relays SET request = '', taken_at = clock_timestamp(),
			taker = (SELECT epoch FROM hosts WHERE name = ?) WHERE id = ?`, s.db.base.Host, taken.ID)
		return err
	})
	if err != nil {
		return nil, err
	}

	return taken, nil
}

// AnswerRelay stores the answer to a relay that this daemon took, and rings at its asker. One whose
// asker waits no longer is gone.
func (s *Relays) AnswerRelay(ctx context.Context, r Relay, a RelayAnswer) error {
	return s.db.write(ctx, "answering another host", func(t *tx) error {
		n, err := t.Exec(`UPDATE relays SET answer = ?, failed = ?, done_at = clock_timestamp()
			WHERE id = ? AND taker = (SELECT epoch FROM hosts WHERE name = ?)`, a.Text, a.Failed, r.ID, t.Host)
		if err != nil || n == 0 {
			return err
		}
		return hostsIn{t}.call(r.AskedFrom)
	})
}

// relays removes relays whose askers are gone.
func (p *pruning) relays(ctx context.Context) error {
	if p.db.base.SQL.Embedded {
		return nil
	}
	return p.db.write(ctx, "removing old relays", func(t *tx) error {
		_, err := t.Exec(`DELETE FROM relays WHERE created_at < clock_timestamp() - ? * interval '1 second'`,
			int64(relayKept.Seconds()))
		return err
	})
}
