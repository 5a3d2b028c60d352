package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"

	"parley"
	"parley/store/engine"
)

// claim makes this daemon the host, and migrates the database. No other daemon is at work while the
// schema changes.
func (s *postgresSession) claim(ctx context.Context, found foundTables) error {
	m, err := s.migrator()
	if err != nil {
		return err
	}
	have, want, err := m.Versions(ctx)
	if err != nil {
		return err
	}
	if have > want || isTooOld(have) {
		return s.migrate(ctx, m) // which refuses it
	}

	if found.hosts {
		err = s.take(ctx, have < want || s.tuning.moves)
	}
	if err == nil {
		err = s.migrate(ctx, m)
	}
	if err == nil && !found.hosts {
		err = s.take(ctx, s.tuning.moves)
	}

	return err
}

// take makes this daemon the host of its name, unless another one is. With alone, no other host may be at work.
func (s *postgresSession) take(ctx context.Context, alone bool) error {
	tx, err := s.writerPool.BeginTx(ctx, nil)
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
		s.host, s.holder, newestVersion, int64(engine.LeaseTime.Seconds())).Scan(&s.epoch)
	if errors.Is(err, sql.ErrNoRows) {
		return s.taken(ctx, `SELECT holder, greatest(0, extract(epoch FROM lease_until - clock_timestamp()))
			FROM hosts WHERE name = $1`, s.host)
	}
	if err == nil && alone {
		err = s.refuseOthers(ctx, tx)
	}
	if err == nil {
		_, err = tx.ExecContext(ctx, `UPDATE workspace SET epoch = $1 WHERE one = 1`, s.epoch)
	}
	if err == nil {
		err = tx.Commit()
	}
	if err == nil {
		s.seen, s.renewed = s.epoch, asked
		s.lease.Renew(asked)
	}

	return err
}

// refuseOthers returns an error if another host is at work.
func (s *postgresSession) refuseOthers(ctx context.Context, tx *sql.Tx) error {
	var others string
	if err := tx.QueryRowContext(ctx, `SELECT coalesce(string_agg(name, ', ' ORDER BY name), '') FROM hosts
		WHERE name <> $1 AND lease_until > clock_timestamp()`, s.host).Scan(&others); err != nil || others == "" {
		return err
	}
	return parley.Errorf(parley.StorageUnavailable, "other hosts use the workspace in %s: %s", s.path, others).
		With("hosts", strings.Split(others, ", ")).
		Suggest("Stop their daemons first, with parley down --keep-agents on each of them, and try again.")
}

// taken returns that another daemon has what this one wants. The query tells which, and for how many
// seconds.
func (s *postgresSession) taken(ctx context.Context, query string, args ...any) error {
	var holder string
	var left float64
	if err := s.readerPool.QueryRowContext(ctx, query, args...).Scan(&holder, &left); err != nil {
		return err
	}

	return parley.Errorf(parley.StorageUnavailable, "another daemon uses the workspace in %s as host %s: %s",
		s.path, s.host, holder).
		With("database", s.path).With("host", s.host).With("holder", holder).
		Suggest("Each machine has a host name of its own, and one daemon: stop that one with parley down, or give this "+
			"machine another name with the setting host. If it is gone, try again in %d s.", int(left)+1)
}

// isHost looks whether this daemon still is its host, after the hosts have changed.
func (s *postgresSession) isHost(t *tx, changed int64) error {
	var rows []hostRow
	if err := t.Query(&rows, hostsQuery); err != nil {
		return err
	}
	team := teamOf(s.host, rows)
	if h := team.Host(s.host); h == nil || h.Epoch != s.epoch {
		return s.lose()
	}
	s.hosts.Store(team)
	s.seen = changed
	return nil
}

// confirm renews the lease when it is time.
func (s *postgresSession) confirm() error {
	if err := s.safety.Refusal(); err != nil {
		return err
	}
	if time.Since(s.renewed) < engine.RenewEvery {
		return nil
	}

	asked := time.Now()
	s.renewed = asked // also when it fails: not in each transaction again
	res, err := s.writerPool.ExecContext(context.Background(), `UPDATE hosts
		SET lease_until = clock_timestamp() + $1 * interval '1 second' WHERE name = $2 AND epoch = $3`,
		int64(engine.LeaseTime.Seconds()), s.host, s.epoch)
	if err != nil {
		s.log.Warn("the lease of this host was not renewed", "host", s.host, "error", err)
		return nil // who is the host is decided in each transaction
	}
	if n, err := res.RowsAffected(); err == nil && n == 0 {
		return s.lose()
	}
	s.lease.Renew(asked)

	var rows []hostRow
	if err := s.reader.Query(&rows, hostsQuery); err == nil {
		s.hosts.Store(teamOf(s.host, rows))
	}

	return nil
}

// lose stops accepting, because this daemon is not the host any more.
func (s *postgresSession) lose() error {
	var holder string
	err := s.readerPool.QueryRowContext(context.Background(), `SELECT holder FROM hosts WHERE name = $1`, s.host).
		Scan(&holder) // for the words only
	why := "another daemon is host " + s.host + " now: " + holder
	if errors.Is(err, sql.ErrNoRows) {
		why = "host " + s.host + " was removed from the team"
	}

	e := parley.Errorf(parley.StorageUnavailable, "this daemon has lost the workspace in %s: %s", s.path, why).
		With("host", s.host).With("holder", holder).
		Suggest("Stop this daemon (parley down --keep-agents), or the other, and start this one again.")
	return s.refuse(e)
}

// refuse accepts nothing more, for a reason. It returns the first one.
func (s *postgresSession) refuse(e *parley.Error) error {
	if s.safety.Condemn(e) {
		s.log.Error("nothing more is accepted", "host", s.host, "error", e.Message)
		s.safety.Tell("Nothing more is accepted here: %s.", e.Message)
	}
	return s.safety.Refusal()
}

// close gives the lease back.
func (s *postgresSession) close() error {
	s.doorbell.Close()
	_, err := s.writerPool.ExecContext(context.Background(),
		`UPDATE hosts SET lease_until = clock_timestamp() WHERE name = $1 AND epoch = $2`, s.host, s.epoch)
	if err != nil {
		s.log.Warn("the lease of this host was not given back; it ends by itself", "error", err)
	}
	return errors.Join(s.readerPool.Close(), s.writerPool.Close())
}
