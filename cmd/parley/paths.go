package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"

	"parley"
)

// stateDir is what a workspace keeps its state in.
const stateDir = ".parley"

// maxSocketPath is the longest path of a unix socket that every system takes:
// macOS ends at 103 bytes and a zero, Linux at 107.
const maxSocketPath = 103

// maxDatabasePath is the longest path of a database that SQLite opens: its 512
// bytes less those of "-journal". Measured: 504 opens, 505 does not.
const maxDatabasePath = 504

// place says where a workspace and its daemon keep what. Nothing need exist.
type place struct {
	root    string // the workspace, its real path
	hash    string // names the workspace in shared directories
	runtime string // holds the socket; 0700
	launch  string // private files of agents; 0700
}

func (p place) state(name string) string { return filepath.Join(p.root, stateDir, name) }
func (p place) database() string         { return p.state("parley.db") }
func (p place) log() string              { return p.state("daemon.log") }
func (p place) lock() string             { return p.state("daemon.lock") }
func (p place) info() string             { return p.state("daemon.json") }
func (p place) port() string             { return p.state("port") }
func (p place) spool() string            { return p.state("reports") }
func (p place) team() string             { return filepath.Join(p.root, "parley.yaml") }
func (p place) socket() string           { return filepath.Join(p.runtime, "daemon.sock") }

var unfitForTmux = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// tmuxName is the socket name of the workspace's tmux server. A person reads
// it, so it begins with the directory's name.
func (p place) tmuxName() string {
	base := unfitForTmux.ReplaceAllString(filepath.Base(p.root), "-")
	base = strings.Trim(base[:min(len(base), 20)], "-")
	return "parley-" + cmp.Or(base, "workspace") + "-" + p.hash
}

// tmuxSocket is where tmux puts the socket of that name.
func (p place) tmuxSocket(env environ) string {
	dir := env.get("TMUX_TMPDIR")
	if dir == "" {
		dir = "/tmp"
	}
	return filepath.Join(dir, fmt.Sprintf("tmux-%d", os.Getuid()), p.tmuxName())
}

// findWorkspace returns the directory that a command is about: the one that a
// flag or PARLEY_DIR names, else the nearest above dir that has a state
// directory, else the nearest that holds a git repository, else dir. The home
// directory is none: everything would be one team there.
func findWorkspace(flag string, env environ, dir string) (string, error) {
	if flag == "" {
		flag = env.get("PARLEY_DIR")
	}

	home := realPath(env.get("HOME"))
	if flag != "" {
		if !filepath.IsAbs(flag) {
			flag = filepath.Join(dir, flag)
		}
		return usable(realPath(flag), home)
	}

	if dir == "" {
		return "", parley.Errorf(parley.InvalidArgument, "the current directory cannot be read").
			Suggest("Change to a directory that exists, or name one with --workspace.")
	}

	dir = realPath(dir)
	for _, mark := range []string{stateDir, ".git"} {
		if found := above(dir, home, mark); found != "" {
			return found, nil
		}
	}

	return usable(dir, home)
}

func usable(root, home string) (string, error) {
	info, err := os.Stat(root)
	switch {
	case err != nil:
		return "", parley.Errorf(parley.InvalidArgument, "the workspace %s cannot be used: %w", root, pathCause(err)).
			Suggest("Name a directory that exists, with --workspace or PARLEY_DIR.")
	case !info.IsDir():
		return "", parley.Errorf(parley.InvalidArgument, "the workspace %s is not a directory", root).
			Suggest("Name a directory, with --workspace or PARLEY_DIR.")
	case root == home:
		return "", parley.Errorf(parley.InvalidArgument, "your home directory cannot be a workspace").
			Suggest("Change to a project's directory, or name one with --workspace.")
	}

	return root, nil
}

// above returns the nearest directory from dir upwards that holds mark and is
// not home. A mark that belongs to somebody else is not ours to follow.
func above(dir, home, mark string) string {
	for {
		info, err := os.Stat(filepath.Join(dir, mark))
		if err == nil && dir != home && ownedByUs(info) {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

func realPath(path string) string {
	if path == "" {
		return ""
	}
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved
	}
	return filepath.Clean(path)
}

// pathCause is what went wrong, without the path that the message has already.
func pathCause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

// locate says where the workspace root keeps its things.
func locate(root string, env environ) place {
	sum := sha256.Sum256([]byte(root))
	p := place{root: root, hash: hex.EncodeToString(sum[:4])}
	p.runtime = runtimeDir(p.hash, env)
	state := env.get("XDG_STATE_HOME")
	if home := env.get("HOME"); !filepath.IsAbs(state) && home != "" {
		state = filepath.Join(home, ".local", "state")
	}

	if filepath.IsAbs(state) {
		p.launch = filepath.Join(state, "parley", p.hash)
	} else {
		p.launch = p.state("agents")
	}

	return p
}

// runtimeDir picks the first directory in which a socket's path fits.
func runtimeDir(hash string, env environ) string {
	var candidates []string
	if dir := env.get("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) && writable(dir) {
		candidates = append(candidates, filepath.Join(dir, "parley-"+hash))
	}
	if dir := env.get("TMPDIR"); filepath.IsAbs(dir) {
		candidates = append(candidates, filepath.Join(dir, "parley-"+strconv.Itoa(os.Getuid()), hash))
	}

	for _, dir := range candidates {
		if len(place{runtime: dir}.socket()) <= maxSocketPath {
			return dir
		}
	}

	return filepath.Join("/tmp", "parley-"+strconv.Itoa(os.Getuid()), hash)
}

func writable(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.IsDir() && ownedByUs(info)
}

func ownedByUs(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid()
}

// prepare makes the directories, private to the user.
func (p place) prepare() error {
	if over := len(p.database()) - maxDatabasePath; over > 0 {
		return parley.Errorf(parley.InvalidArgument, "the workspace's path is %d bytes too long: %s", over, p.root).
			Suggest("Choose a directory with a path of %d bytes at most.", len(p.root)-over)
	}

	for _, dir := range []string{filepath.Join(p.root, stateDir), filepath.Dir(p.runtime), p.runtime, p.launch} {
		shared := dir == filepath.Dir(p.runtime) && filepath.Base(p.runtime) != p.hash // $XDG_RUNTIME_DIR itself
		if shared {
			continue
		}
		if err := privateDir(dir); err != nil {
			return err
		}
	}

	if err := os.WriteFile(p.state(".gitignore"), []byte("*\n"), 0o600); err != nil {
		return fmt.Errorf("keep %s out of git: %w", stateDir, err)
	}

	return nil
}

// privateDir makes dir, or checks that the one there is ours alone.
func privateDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return parley.Errorf(parley.StorageUnavailable, "the directory %s cannot be made: %w", dir, pathCause(err)).
			Suggest("Make it writable for you, or choose another workspace with --workspace.")
	}

	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("look at %s: %w", dir, err)
	}

	if !info.IsDir() || !ownedByUs(info) {
		return parley.Errorf(parley.StorageUnavailable, "%s is not a directory of yours", dir).
			Suggest("Remove it, or have its owner remove it.")
	}

	if info.Mode().Perm()&0o077 != 0 {
		if err := os.Chmod(dir, 0o700); err != nil {
			return fmt.Errorf("make %s private: %w", dir, err)
		}
	}

	return nil
}
