package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"parley"
	"parley/files"
	"parley/internal/daemon"

	"golang.org/x/sys/unix"
)

// checkFiles checks that the workspace's files are the user's alone. The daemon makes its
// directories private when it starts; the doctor changes nothing.
func (d *doctor) checkFiles(context.Context) (f findings) {
	if over := len(d.at.Database()) - daemon.MaxDatabasePath; over > 0 {
		f.bad("files", "Set XDG_STATE_HOME to a directory with a shorter path.",
			"the path of the state is %d bytes too long for a database: %s", over, d.at.Home)
	}

	d.checkSocketPath(&f, "files", d.at.Socket(), "Set XDG_RUNTIME_DIR or TMPDIR to a shorter directory.")
	for _, dir := range []string{filepath.Join(d.at.Root, daemon.StateDir), d.at.Runtime, d.at.Home} {
		d.checkPrivate(&f, dir)
	}

	for _, file := range []string{d.at.Database(), d.at.Info(), d.at.Lock(), d.at.Log()} {
		d.checkPrivate(&f, file)
	}

	if len(f) == 0 {
		f.ok("files", "%s, %s and %s are yours alone", daemon.StateDir, d.at.Runtime, d.at.Home)
	}

	return f
}

// Sizes worth a warning: ten files of the largest size, and about a million messages.
const (
	manyFiles    = 1 << 30
	largeContent = 1 << 30
)

// checkSpace reports the disk space that the workspace takes, and how to free some.
func (d *doctor) checkSpace(context.Context) (f findings) {
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
func (d *doctor) checkDatabaseSpace(f *findings) {
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
				"then delete "+parley.ShellWord(filepath.Dir(d.at.Database()))+".",
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
func (d *doctor) checkPrivate(f *findings, path string) {
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
func (d *doctor) lookPath(name, dir string) (string, bool) {
	if strings.Contains(name, "/") {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		return name, isProgram(name)
	}
	for _, at := range filepath.SplitList(d.env.Get("PATH")) {
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
