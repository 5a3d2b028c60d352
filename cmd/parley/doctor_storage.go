package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"parley/internal/daemon"
	"parley/internal/sh"
	"parley/store"
	"parley/store/files"
)

// storageChecks are the checks of the workspace's files and its database.
type storageChecks struct {
	at  daemon.Place
	url string // the setting database; "" if it is not set, or cannot be read
}

// checkFiles checks that the workspace's files are the user's alone. The daemon makes its
// directories private when it starts; the doctor changes nothing.
func (d storageChecks) checkFiles(context.Context) (f findings) {
	if over := len(d.at.Database()) - daemon.MaxDatabasePath; over > 0 {
		f.bad("files", "Set XDG_STATE_HOME to a directory with a shorter path.",
			"the path of the state is %d bytes too long for a database: %s", over, d.at.Home)
	}

	if d.at.Runtime != d.at.Home {
		f.warn("files", "Set XDG_STATE_HOME to a directory with a shorter path. "+
			"The daemon makes removed sockets again.",
			"the path of the state is too long for sockets; they are in %s, which the system may clean", d.at.Runtime)
	}
	dirs := []string{filepath.Join(d.at.Root, daemon.StateDir), d.at.Runtime, d.at.Home}
	for _, dir := range slices.Compact(dirs) {
		d.checkPrivate(&f, dir)
	}

	for _, file := range []string{d.at.Database(), d.at.Info(), d.at.Lock(), d.at.Log()} {
		d.checkPrivate(&f, file)
	}

	if len(f) == 0 {
		f.ok("files", "%s and %s are yours alone", daemon.StateDir, d.at.Home)
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
		f.bad("files", "Make it yours again, with its directory.", "%s: %v", path, daemon.PathCause(err))
	case !daemon.IsOwn(info):
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
	if err := d.at.CheckDatabase(d.url); err != nil {
		f.fail("database", err)
		return f
	}

	h, err := store.Inspect(ctx, d.at.Store(d.url))
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
