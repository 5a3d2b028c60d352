// Package place tells where a workspace and its daemon keep their files, and guards that.
package place

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"

	"parley"
	"parley/internal/disk"
	"parley/plain"
)

// StateDir is the directory in a workspace that holds its id, and copies of files for those who were sent them.
// It can be removed at any time.
const StateDir = ".parley"

// databaseFile is the name of the database.
const databaseFile = "parley.db"

// maxNote bounds what is read of a small file in a workspace, in bytes. daemon.json has some 40 for each agent.
const MaxNote = 1 << 20

// MaxSocketPath is the longest path of a unix socket that every system takes:
// macOS ends at 103 bytes and a zero, Linux at 107.
const MaxSocketPath = 103

// spoolFile is the name of the file with reports of agents that found no daemon.
const SpoolFile = "reports"

// MaxDatabasePath is the longest path of a database that SQLite opens: its 512
// bytes less those of "-journal". Measured: 504 opens, 505 does not.
const MaxDatabasePath = 504

// Env is an environment. Get returns the value of a variable, "" if it is not set.
type Env interface{ Get(name string) string }

// Place tells where a workspace and its daemon keep their files. None of them
// needs to exist.
type Place struct {
	Root    string // the workspace's real path
	Runtime string // holds the sockets; 0700. It is Home, unless that path is too long
	Home    string // holds the state of the workspace; 0700. "" when the user has no directory for it
	found   found
}

// State returns the path of a file in the workspace's home.
func (p Place) State(name string) string { return filepath.Join(p.Home, name) }

// inRoot returns the path of a file in the workspace itself.
func (p Place) inRoot(name string) string { return filepath.Join(p.Root, StateDir, name) }

// Database returns the path of the database.
func (p Place) Database() string { return filepath.Join(p.Home, "data", databaseFile) }

// Received returns the directory with the copies of files for those who were sent them.
func (p Place) Received() string { return p.inRoot("received") }

// Log returns the path of the log of a daemon in the background.
func (p Place) Log() string { return p.State("daemon.log") }

// Lock returns the lock of the daemon.
func (p Place) Lock() Lock { return Lock{Path: p.State("daemon.lock"), root: p.Root} }

// Info returns the path of the file that holds an [Info].
func (p Place) Info() string { return p.State("daemon.json") }

// InUse reports whether a daemon has run here, perhaps before the workspace was renamed.
func (p Place) InUse() bool { return p.Home != "" && disk.Exists(p.State(rootFile)) }

// DatabaseNote returns the path of the file that names the server's database of this workspace, without
// the password. It is missing while the database is a file.
func (p Place) DatabaseNote() string { return p.State("database") }

// Notice returns the path of what happened to the workspace, for the next daemon to tell.
func (p Place) Notice() string { return p.State(noticeFile) }

// Brought returns the path at which a database counts as one that came with the files of the project.
func (p Place) Brought() string { return p.inRoot(databaseFile) }

// Stands reports whether the files of a daemon that runs are there.
func (p Place) Stands() bool {
	return disk.Exists(p.Info()) && disk.Exists(p.Lock().Path) && disk.Exists(p.inRoot(idFile)) &&
		disk.Exists(p.Socket())
}

// Backups returns the directory of the automatic copies of the database.
func (p Place) Backups() string { return p.State("backups") }

// Port returns the path of the file that holds the last daemon's TCP port.
func (p Place) Port() string { return p.State("port") }

// Spool returns the directory of reports that agents made while no daemon ran.
func (p Place) Spool() string { return p.State(SpoolFile) }

// TeamFile returns the path of the workspace's parley.yaml.
func (p Place) TeamFile() string { return filepath.Join(p.Root, "parley.yaml") }

// Socket returns the path of the daemon's unix socket.
func (p Place) Socket() string { return filepath.Join(p.Runtime, "daemon.sock") }

// TmuxSocket returns the path of the socket of the workspace's tmux server.
func (p Place) TmuxSocket() string { return filepath.Join(p.Runtime, "tmux.sock") }

// FindWorkspace returns the workspace of a command that runs in dir: the directory
// that flag or PARLEY_DIR names, else the nearest one upwards with a .parley or
// with a known workspace, else the nearest one with a git repository, else dir. It refuses the home directory,
// where everything would be one team.
func FindWorkspace(flag string, env Env, dir string) (string, error) {
	if flag == "" {
		flag = env.Get(parley.WorkspaceVariable)
	}

	home := RealPath(env.Get("HOME"))
	if flag != "" {
		if !filepath.IsAbs(flag) {
			flag = filepath.Join(dir, flag)
		}
		return usable(RealPath(flag), home)
	}

	if dir == "" {
		return "", parley.Errorf(parley.InvalidArgument, "the current directory cannot be read").
			Suggest("Change to a directory that exists, or name one with --workspace.")
	}

	dir = RealPath(dir)
	if found := above(dir, home, StateDir); found != "" {
		return found, nil
	}
	for _, at := range Workspaces(env) { // whose directory was removed
		if rest, err := filepath.Rel(at.Root, dir); err == nil && filepath.IsLocal(rest) {
			return at.Root, nil
		}
	}
	if found := above(dir, home, ".git"); found != "" {
		return found, nil
	}

	return usable(dir, home)
}

func usable(root, home string) (string, error) {
	info, err := os.Stat(root)
	switch {
	case err != nil:
		return "", parley.Errorf(parley.InvalidArgument, "the workspace %s cannot be used: %w", root, PathCause(err)).
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

// above returns the nearest directory from dir upwards that holds mark, "" if there is
// none. It passes over home, and over marks of other users.
func above(dir, home, mark string) string {
	for {
		info, err := os.Stat(filepath.Join(dir, mark))
		if err == nil && dir != home && IsOwn(info) {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

// RealPath resolves symbolic links in path, as far as it exists.
func RealPath(path string) string {
	if path == "" {
		return ""
	}
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved
	}
	return filepath.Clean(path)
}

// PathCause returns the cause of a path error, for messages that name the path.
func PathCause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

// Locate returns the place of the workspace root. It changes nothing. The environment says where the state is,
// unless a daemon runs here that was started in another one.
func Locate(root string, env Env) Place {
	p := Place{Root: root}
	if state := StateHome(env); state != "" {
		p.found = findHome(root, filepath.Join(state, "parley"))
		p.Home = p.found.dir
	}
	p.Runtime = socketsDir(p.Home)
	if other, ok := p.runningElsewhere(); ok {
		return other
	}
	return p
}

// runningElsewhere returns the place of a daemon of this workspace that runs with another home. A note in the
// workspace names that. It counts only for a home that is the user's alone and of this workspace, while a daemon
// has its lock: no repository brings one.
func (p Place) runningElsewhere() (Place, bool) {
	dir := ReadNote(p.inRoot(stateFile))
	if dir == "" || dir == p.Home || !filepath.IsAbs(dir) || !homeForm.MatchString(filepath.Base(dir)) {
		return p, false
	}
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() || !IsOwn(info) || info.Mode().Perm()&0o077 != 0 {
		return p, false
	}
	if h := readHome(dir); h.root != p.Root || h.id != claimedID(p.Root) {
		return p, false
	}

	other := Place{Root: p.Root, Home: dir, Runtime: socketsDir(dir), found: found{dir: dir}}
	held, err := other.Lock().Held()
	return other, held && err == nil
}

// ChecksDir returns the user's directory for what `profiles check` finds, "" if there is none.
func ChecksDir(env Env) string {
	state := StateHome(env)
	if state == "" {
		return ""
	}
	return filepath.Join(state, "parley", "checks")
}

// stateHome returns the user's directory for the state of programs, "" if there is none.
func StateHome(env Env) string {
	if dir := env.Get("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	if home := env.Get("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".local", "state")
	}
	return ""
}

// socketsDir returns the directory of the sockets of a home: the home, which outlasts a login. If its path is too
// long for a socket, they are in one of /tmp that is named after it. No variable of the environment decides.
func socketsDir(home string) string {
	if p := (Place{Runtime: home}); home != "" && len(p.Socket()) <= MaxSocketPath {
		return home
	}
	return filepath.Join("/tmp", "parley-"+strconv.Itoa(os.Getuid()), ShortHash(home))
}

// IsOwn reports whether a file belongs to the user.
func IsOwn(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid()
}

// RefuseOthers returns an error for a workspace of another user of this machine, as with sudo: its daemon runs for that
// user, and none runs there for this one.
func (p Place) RefuseOthers() error {
	for _, dir := range []string{p.inRoot(""), p.Home} {
		info, err := os.Lstat(dir)
		if err != nil || IsOwn(info) {
			continue
		}
		owner := "another user"
		if stat, ok := info.Sys().(*syscall.Stat_t); ok {
			owner = "the user " + UserName(strconv.Itoa(int(stat.Uid)))
		}
		return parley.Errorf(parley.NotAuthorized, "%s belongs to %s, and so do its daemon and agents",
			plain.CleanLine(dir), owner).With("file", dir).
			Suggest("Run parley as that user, without sudo: sudo -E keeps HOME, and not who you are. " +
				"If it shall be yours, have it given to you with chown -R.")
	}
	return nil
}

// Prepare makes the directories, private to the user, and the notes in them.
func (p Place) Prepare() error {
	if p.Home == "" {
		return parley.Errorf(parley.StorageUnavailable, "there is no place for the state of programs: HOME is not set").
			Suggest("Set HOME, or XDG_STATE_HOME to a directory that is kept.")
	}
	if over := len(p.Database()) - MaxDatabasePath; over > 0 {
		return parley.Errorf(parley.InvalidArgument, "the path of the state is %d bytes too long: %s", over, p.Home).
			Suggest("Set XDG_STATE_HOME to a directory with a path of %d bytes at most.", len(p.Home)-over)
	}
	if err := p.refuseEarly(); err != nil {
		return err
	}

	// The workspace is not made again when it was removed.
	if err := os.Mkdir(p.inRoot(""), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return cannotMake(p.inRoot(""), err)
	}
	dirs := []string{p.inRoot(""), p.Home}
	if p.Runtime != p.Home {
		dirs = append(dirs, filepath.Dir(p.Runtime), p.Runtime)
	}
	for _, dir := range dirs {
		if err := PrivateDir(dir); err != nil {
			return err
		}
	}

	if err := checkState(p.inRoot("")); err != nil {
		return err
	}
	if err := keepNote(p.inRoot(".gitignore"), "*\n"); err != nil {
		return fmt.Errorf("keep %s out of git: %w", StateDir, err)
	}
	if err := (notes{p}).settle(); err != nil {
		return fmt.Errorf("note where the workspace is: %w", err)
	}

	return nil
}

func cannotMake(dir string, err error) error {
	return parley.Errorf(parley.StorageUnavailable, "the directory %s cannot be made: %w", dir, PathCause(err)).
		Suggest("Make it writable for you, or choose another workspace with --workspace.")
}

// privateDir makes dir. An existing one must belong to the user, and is made private.
func PrivateDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return cannotMake(dir, err)
	}

	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("look at %s: %w", dir, err)
	}

	if !info.IsDir() || !IsOwn(info) {
		return parley.Errorf(parley.StorageUnavailable, "%s is not a directory of yours", dir).
			Suggest("Run parley as its owner, or remove it.")
	}

	if info.Mode().Perm()&0o077 != 0 {
		if err := os.Chmod(dir, 0o700); err != nil {
			return fmt.Errorf("make %s private: %w", dir, err)
		}
	}

	return nil
}

// checkState refuses links in the state directory, and whatever else parley makes none of. They can
// come with a repository, and parley would write to where a link leads.
func checkState(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return parley.Errorf(parley.StorageUnavailable, "%s cannot be read: %w", dir, PathCause(err)).
			Suggest("Make it readable for you.")
	}

	for _, e := range entries {
		if e.Type().IsRegular() || e.IsDir() {
			continue
		}
		file := filepath.Join(dir, e.Name())
		return parley.Errorf(parley.NotTrusted, "%s is neither a file nor a directory", plain.CleanLine(file)).
			With("file", file).
			Suggest("parley has not made it; it may have come with the repository. Look where it leads, and remove it.")
	}

	return nil
}

// HostsFile returns the path of the user's keys of workspaces on other machines, "" if there is no
// place for it.
func HostsFile(env Env) string {
	if state := StateHome(env); state != "" {
		return filepath.Join(state, "parley", "hosts.json")
	}
	return ""
}

// userName returns the name of a user, or their number.
func UserName(uid string) string {
	u, err := user.LookupId(uid)
	if err != nil {
		return uid
	}
	return plain.CleanLabel(u.Username)
}
