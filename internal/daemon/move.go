package daemon

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"parley"
	"parley/store"
)

// MoveDatabase moves the workspace's database from the file to the server that the setting database
// names, or back. No daemon may run here. What was moved is kept where it was.
func MoveDatabase(
	ctx context.Context, at Place, env Environ, toServer bool, tell func(table string, rows int64),
) (done store.Moved, err error) {
	t, err := Load(at, env)
	if err == nil {
		err = t.Settings.Override(env)
	}
	if err != nil {
		return done, err
	}
	if t.Settings.Database == "" {
		return done, parley.Errorf(parley.InvalidArgument, "the setting database is not set").
			With("setting", databaseSetting).
			Suggest("Put database: postgres://USER@HOST/NAME below settings: in parley.yaml, and run parley trust.")
	}

	if err := at.Prepare(); err != nil {
		return done, err
	}
	held, err := lock(at)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, held.Close()) }()

	if toServer {
		return databaseMove{at, t.Settings.Database, tell}.toServer(ctx)
	}

	return databaseMove{at, t.Settings.Database, tell}.toFile(ctx)
}

// databaseMove takes the database of a workspace to another place.
type databaseMove struct {
	Place
	url  string // of the server's
	tell func(table string, rows int64)
}

func (m databaseMove) toServer(ctx context.Context) (done store.Moved, err error) {
	if _, err := os.Stat(m.Database()); errors.Is(err, fs.ErrNotExist) {
		return done, parley.Errorf(parley.InvalidArgument, "there is no database in %s to be moved", m.Root).
			Suggest("Start parley: it begins in the database of the setting.")
	}

	done, err = store.Move(ctx, m.Store(""), m.Store(m.url), m.tell)
	if err == nil {
		err = m.noteServer(m.url)
	}
	return done, err
}

func (m databaseMove) toFile(ctx context.Context) (done store.Moved, err error) {
	file := m.Store("")
	if err := store.SetMovedAside(ctx, file); err != nil {
		return done, err
	}

	done, err = store.Move(ctx, m.Store(m.url), file, m.tell)
	if err == nil {
		err = os.Remove(m.DatabaseNote())
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return done, err
}
