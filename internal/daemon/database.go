package daemon

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"parley"
	"parley/internal/place"
	"parley/internal/plainfile"
	"parley/plain"
	"parley/store"
)

// StoreAt returns where the store finds the database: the one that the setting names, or a file.
func StoreAt(p place.Place, database string) store.Options {
	return store.Options{Path: p.Database(), URL: database, Copies: store.Copies{Dir: p.Backups()}}
}

// CheckDatabase refuses to begin with an empty database where a workspace has another one: the setting
// may only be missing, or in a parley.yaml that is not trusted since it was changed, or be new.
func CheckDatabase(p place.Place, database string) error {
	note, err := plainfile.Read(p.DatabaseNote(), place.MaxNote)
	_, file := os.Stat(p.Database())
	none := errors.Is(err, fs.ErrNotExist)
	switch {
	case database != "" && none && file == nil:
		return parley.Errorf(parley.StorageUnavailable,
			"this workspace has its database in %s, and the setting database names another", p.Database()).
			Suggest("Run parley move-database server, or take the setting out. " +
				"To begin with an empty one instead, move the file away.")
	case database != "" || none:
		return nil
	}
	if err != nil {
		return parley.Errorf(parley.StorageUnavailable, "%s cannot be read: %w", p.DatabaseNote(),
			place.PathCause(err)).
			Suggest("Make it readable for you.")
	}

	server := plain.CleanLine(strings.TrimSpace(string(note)))
	return parley.Errorf(parley.StorageUnavailable,
		"this workspace has its database in %s, and the setting database is not set", server).
		With("database", server).
		Suggest("If it is in parley.yaml, run parley trust. To begin with an empty file instead, delete %s.",
			p.DatabaseNote())
}

func (d *daemon) openStore(ctx context.Context) (err error) {
	if err := CheckDatabase(d.Place, d.settings.Database); err != nil {
		return err
	}

	o := StoreAt(d.Place, d.settings.Database)
	o.Log, o.Now = d.log, d.Now
	if o.Host, err = d.settings.HostName(); err != nil {
		return err
	}
	o.Copies.Keep, o.Copies.Space = d.settings.BackupKeep, d.settings.BackupSpace()
	if d.store, err = store.Open(ctx, o); err != nil || o.URL == "" {
		return err
	}

	return noteServer(d.Place, o.URL)
}

// noteServer notes that the workspace has its database on a server.
func noteServer(p place.Place, url string) error {
	return os.WriteFile(p.DatabaseNote(), []byte(store.PlaceOf(url)+"\n"), 0o600)
}

// place names the database that the daemon uses, without a password.
func (d *daemon) place() string {
	if d.settings.Database != "" {
		return store.PlaceOf(d.settings.Database)
	}
	return d.Place.Database()
}

// MoveDatabase moves the workspace's database from the file to the server that the setting database
// names, or back. No daemon may run here. What was moved is kept where it was.
func MoveDatabase(
	ctx context.Context, at place.Place, env Environ, toServer bool, tell func(table string, rows int64),
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
	held, err := at.Lock().Take()
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
	at   place.Place
	url  string // of the server's
	tell func(table string, rows int64)
}

func (m databaseMove) toServer(ctx context.Context) (done store.Moved, err error) {
	if _, err := os.Stat(m.at.Database()); errors.Is(err, fs.ErrNotExist) {
		return done, parley.Errorf(parley.InvalidArgument, "there is no database in %s to be moved", m.at.Root).
			Suggest("Start parley: it begins in the database of the setting.")
	}

	done, err = store.Move(ctx, StoreAt(m.at, ""), StoreAt(m.at, m.url), m.tell)
	if err == nil {
		err = noteServer(m.at, m.url)
	}
	return done, err
}

func (m databaseMove) toFile(ctx context.Context) (done store.Moved, err error) {
	file := StoreAt(m.at, "")
	if err := store.SetMovedAside(ctx, file); err != nil {
		return done, err
	}

	done, err = store.Move(ctx, StoreAt(m.at, m.url), file, m.tell)
	if err == nil {
		err = os.Remove(m.at.DatabaseNote())
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return done, err
}
