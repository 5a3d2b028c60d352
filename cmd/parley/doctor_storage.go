package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"parley"
	"parley/internal/daemon"
	"parley/internal/place"
	"parley/internal/sh"
	"parley/op"
	"parley/store"
	"parley/store/files"
)

// storageChecks are the checks of the workspace's files and its database.
type storageChecks struct {
	at  place.Place
	url string // the setting database; "" if it is not set, or cannot be read
}

// checkFiles checks that the workspace's files are the user's alone. The daemon makes its
// directories private when it starts; the doctor changes nothing.
func (d storageChecks) checkFiles(context.Context) (f findings) {
	if over := len(d.at.Database()) - place.MaxDatabasePath; over > 0 {
		f.bad("files", "Set XDG_STATE_HOME to a directory with a shorter path.",
			"the path of the state is %d bytes too long for a database: %s", over, d.at.Home)
	}

	if d.at.Runtime != d.at.Home {
		f.warn("files", "Set XDG_STATE_HOME to a directory with a shorter path. "+
			"The daemon makes removed sockets again.",
			"the path of the state is too long for sockets; they are in %s, which the system may clean", d.at.Runtime)
	}
	dirs := []string{filepath.Join(d.at.Root, place.StateDir), d.at.Runtime, d.at.Home}
	for _, dir := range slices.Compact(dirs) {
		d.checkPrivate(&f, dir)
	}

	for _, file := range []string{d.at.Database(), d.at.Info(), d.at.Lock().Path, d.at.Log()} {
		d.checkPrivate(&f, file)
	}

	if len(f) == 0 {
		f.ok("files", "%s and %s are yours alone", place.StateDir, d.at.Home)
	}

	return f
}

// Sizes worth a warning: ten files of the largest size, and about a million messages.
const (
	manyFiles    = 1 << 30
	largeContent = 1 << 30
)

// checkSpace reports the disk space that the workspace takes, and how to free some.
func (d storageChecks) checkSpace(context.Context) (f findings) {
	var kept int64
	for _, dir := range []string{d.at.State("files"), d.at.Received()} {
		n, err := files.Size(dir)
		if err != nil {
			f.fail("space", err)
			return f
		}
		kept += n
	}

	detail := "stored files take " + size(kept)
	if kept >= manyFiles {
		f.warn("space", "List them with parley files; delete old ones with parley files prune --older-than DAYS.",
			"%s", detail)
	} else {
		f.ok("space", "%s", detail)
	}

	d.checkDatabaseSpace(&f)

	return f
}

// checkDatabaseSpace reports the disk space of the database and its automatic backups.
func (d storageChecks) checkDatabaseSpace(f *findings) {
	var database, copies int64
	for _, name := range []string{"", "-wal", "-shm"} {
		database += sizeOf(d.at.Database() + name)
	}

	backups, _ := filepath.Glob(filepath.Join(d.at.Backups(), "parley-*.db")) // a malformed pattern finds none
	older, _ := filepath.Glob(d.at.Database() + ".bak-*")                     // of earlier versions
	backups = append(backups, older...)
	for _, name := range backups {
		copies += sizeOf(name)
	}

	detail := "the database takes " + size(database)
	if len(backups) > 0 {
		detail += ", " + count(len(backups), "automatic backup") + " " + size(copies)
	}

	switch {
	case copies >= largeContent:
		f.warn("space",
			"Keep fewer with backup_keep or backup_space_mb in parley.yaml. Those of earlier versions may be deleted: "+
				d.at.Database()+".bak-*",
			"%s", detail)
	case database >= largeContent:
		f.warn("space",
			"Set keep_messages in parley.yaml to remove old messages. To start over: parley backup FILE, parley down, "+
				"then delete "+sh.Word(filepath.Dir(d.at.Database()))+".",
			"%s", detail)
	default:
		f.ok("space", "%s", detail)
	}
}

// sizeOf returns the size of a file in bytes, 0 if there is none.
func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// checkPrivate checks that a file or directory is the user's alone or, if it does not
// exist, that it can be created.
func (d storageChecks) checkPrivate(f *findings, path string) {
	info, err := os.Lstat(path)

	switch {
	case errors.Is(err, fs.ErrNotExist):
		if parent := existing(filepath.Dir(path)); unix.Access(parent, unix.W_OK|unix.X_OK) != nil {
			f.bad("files", "Make "+parent+" writable for you.", "%s cannot be created", path)
		}
	case err != nil:
		f.bad("files", "Make it yours again, with its directory.", "%s: %v", path, place.PathCause(err))
	case !place.IsOwn(info):
		f.bad("files", "Remove it, or have its owner remove it.", "%s is not yours", path)
	case info.IsDir() && unix.Access(path, unix.W_OK|unix.X_OK) != nil:
		f.bad("files", "Make it writable for you: chmod 700 "+path, "%s cannot be written", path)
	case info.IsDir() && info.Mode().Perm()&0o077 != 0:
		f.warn("files", "Make it private: chmod 700 "+path, "others may use %s (%#o)", path, info.Mode().Perm())
	case !info.IsDir() && info.Mode().Perm()&0o600 != 0o600:
		f.bad("files", "Make it usable: chmod 600 "+path,
			"%s cannot be read and written (%#o)", path, info.Mode().Perm())
	case !info.IsDir() && info.Mode().Perm()&0o077 != 0:
		f.warn("files", "Make it private: chmod 600 "+path, "others may use %s (%#o)", path, info.Mode().Perm())
	}
}

func (d storageChecks) checkDatabase(ctx context.Context) (f findings) {
	if err := daemon.CheckDatabase(d.at, d.url); err != nil {
		f.fail("database", err)
		return f
	}

	h, err := store.Inspect(ctx, daemon.StoreAt(d.at, d.url))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.ok("database", "none yet; the daemon creates it")
	case errors.Is(err, context.DeadlineExceeded):
		f.warn("database", "Try again when the machine is idle.", "too large to be read within %s", thoroughly)
	case err != nil:
		f.fail("database", err)
	case h.Version > h.Known:
		f.bad("database",
			"Use the newer parley, or restore an older copy; automatic ones are in "+d.at.Backups()+".",
			"it was written by a newer parley: its version is %d, this program's is %d", h.Version, h.Known)
	case h.Place != "" && h.Version == 0:
		f.ok("database", "%s, empty; the daemon makes its tables", h.Place)
	case h.Place != "":
		f.ok("database", "%s, %s, version %d", h.Place, size(h.Size), h.Version)
	case h.Version < h.Known:
		f.ok("database", "sound, %s, version %d; the next daemon migrates it to %d", size(h.Size+h.Log), h.Version,
			h.Known)
	default:
		f.ok("database", "sound, %s, version %d", size(h.Size+h.Log), h.Version)
	}

	return f
}

// Limits of free space. A message takes about a kilobyte, the log of the database up to
// 16 MB, and a copy before a migration the size of the database.
const (
	littleSpace = 500 << 20
	noSpace     = 50 << 20
)

func (d storageChecks) checkDisk(context.Context) (f findings) {
	dir := existing(d.at.Database())
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		f.warn("disk", "Run df "+dir+".", "its free space is unknown: %v", err)
		return f
	}
	spaceFound(&f, int64(st.Bavail)*int64(st.Bsize), dir) // the types differ between systems
	return f
}

func spaceFound(f *findings, free int64, dir string) {
	switch {
	case free < noSpace:
		f.bad("disk", "Make room on the disk of "+dir+".", "%s free", size(free))
	case free < littleSpace:
		f.warn("disk", "Make room on the disk of "+dir+".", "%s free", size(free))
	default:
		f.ok("disk", "%s free", size(free))
	}
}

// existing returns path, or the nearest directory above it that exists.
func existing(path string) string {
	for {
		if _, err := os.Stat(path); err == nil || path == filepath.Dir(path) {
			return path
		}
		path = filepath.Dir(path)
	}
}

// openAbove returns the first of path and the directories above it that other users may
// write to, "" if there is none.
func openAbove(path string) string {
	for {
		if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o022 != 0 {
			return path
		}
		if path == filepath.Dir(path) {
			return ""
		}
		path = filepath.Dir(path)
	}
}

// lookPath finds a program in the same way as a launch in dir.
func lookPath(env daemon.Environ, name, dir string) (string, bool) {
	if strings.Contains(name, "/") {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		return name, isProgram(name)
	}
	for _, at := range filepath.SplitList(env.Get("PATH")) {
		if path := filepath.Join(at, name); filepath.IsAbs(at) && isProgram(path) {
			return path, true
		}
	}
	return "", false
}

func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// repair puts the database of a workspace in order.
type repair struct {
	cli  *cli
	asIs bool // it uses no copy
}

// run puts back a database that was removed while parley ran. It ends the daemon only if
// that accepts nothing more. What it did is nil for nothing, and without --json: then it is printed.
func (r repair) run(ctx context.Context) (*repaired, error) {
	at, err := r.cli.at.place()
	if err != nil {
		return nil, err
	}

	if _, err := os.Stat(at.DatabaseNote()); err == nil {
		return nil, parley.Errorf(parley.InvalidArgument,
			"the database of this workspace is on a server, which parley does not repair").
			Suggest("Look at the server's log and disk. parley doctor says what parley sees of it.")
	}

	info, err := daemon.Find(ctx, at, r.cli.out.now)
	if err != nil {
		return nil, err
	}
	if info != nil {
		if ok, err := health(ctx, "unix", info.Socket); ok || err != nil {
			return nil, err
		}
		if _, err := op.ShutDown.Call(ctx, r.cli.at.clientOf(info),
			parley.ShutDownRequest{KeepAgents: true}); err != nil {
			return nil, err
		}
	}

	return r.replace(ctx, at)
}

// replace repairs the database once the daemon has ended, and keeps the next one from opening it
// meanwhile.
func (r repair) replace(ctx context.Context, at place.Place) (did *repaired, err error) {
	ending, cancel := context.WithTimeoutCause(ctx, daemon.EndWithin+daemon.StartWithin, stillEnding(at))
	defer cancel()
	held, err := at.Lock().Await(ending)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, held.Close()) }()

	mend := store.Repair
	if r.asIs {
		mend = store.GoOn
	}
	done, err := mend(ctx, daemon.StoreAt(at, ""))
	if text := r.words(done); err == nil && text != "" {
		text += " The next command starts the daemon."
		if r.cli.out.json {
			return repairedOf(done, text), nil
		}
		return nil, r.cli.out.printLine(text)
	}

	return nil, err
}

func repairedOf(done store.Repaired, text string) *repaired {
	r := &repaired{Message: text, PutBack: done.PutBack, Damaged: done.Aside}
	if done.Copy != nil {
		r.Copy, r.CopyMade = done.Copy.Path, &done.Copy.Made
	}
	if done.Lacks != nil {
		r.LacksMessages, r.LacksEvents = done.Lacks.Messages, done.Lacks.Events
	}
	return r
}

// words says what a repair did, "" for nothing.
func (r repair) words(done store.Repaired) string {
	switch {
	case !done.Replaced && done.PutBack:
		return "The database was put back."
	case !done.Replaced:
		return ""
	}

	text := "The database was not whole. It was rebuilt from what it held."
	switch {
	case done.Copy != nil:
		text = fmt.Sprintf("The database was not whole. The copy of %s ago took its place.",
			r.cli.out.ago(done.Copy.Made))
	case done.Aside == "":
		text = "Nothing was left of the database. It begins again, without agents and messages."
	}
	if done.Lacks != nil {
		text += fmt.Sprintf(" It lacks %s that parley had acknowledged.", done.Lacks.Words())
	} else {
		text += " Nothing that was acknowledged is missing."
	}
	if done.Aside == "" {
		return text
	}

	return text + " What was there is " + done.Aside + "."
}

// repaired is what a repair did, for programs.
type repaired struct {
	Message       string     `json:"message"`
	PutBack       bool       `json:"put_back"`               // the database had been removed
	Damaged       string     `json:"damaged_file,omitempty"` // where is now what was there
	Copy          string     `json:"copy,omitempty"`         // what took its place; "" if it was rebuilt
	CopyMade      *time.Time `json:"copy_made,omitempty"`
	LacksMessages int64      `json:"lacks_messages"` // that parley had acknowledged
	LacksEvents   int64      `json:"lacks_events"`
}
