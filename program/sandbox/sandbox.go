// Package sandbox puts an agent's program behind a boundary that the kernel keeps. The program sees its own directory,
// what it needs to run, a private home, and the socket that is its own; nothing else of the user's.
package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"parley"
	"parley/plain"
	"parley/program/profile"
)

// Plan is what one program may see and write.
type Plan struct {
	Dir     string   // where it runs, which it may write
	Git     *Git     // the worktree around Dir; nil: there is none
	Program string   // the file that is executed, as it was found
	PATH    string   // in which the interpreter of a script is looked for
	Parley  string   // this program, for hooks and tools
	Private string   // the agent's private files, which it may read
	Socket  string   // the directory of its own socket
	Home    string   // becomes its HOME, at the same path outside
	Shared  []Shared // files of the user in Home
	Read    []string // absolute paths that it may read too
	Write   []string // absolute paths that it may write too
	Offline bool     // it has no network

	// Hidden are directories that nothing of the plan may show: parley's state and sockets, but for the agent's own.
	Hidden []string
	User   string // the user's home, of which parts may be shown, but not the whole; "": unknown
}

// Git is the worktree of an agent, by absolute paths. They are those of when parley made it: an agent can write to what
// says so later.
type Git struct {
	Top    string // the worktree
	Dir    string // its metadata, in Common
	Common string // what it shares with all worktrees
	Branch string // the folder of branches that it may move, below Common
}

// Shared is a file or directory of the user that stands in the private home too.
type Shared struct {
	From, To string // absolute; To is in the private home
	Writes   bool
}

// system lists what every program may read.
var system = []string{"/usr", "/etc", "/opt", "/nix", "/home/linuxbrew"}

// systemLinks lists directories that are links into /usr on most systems, and directories on others.
var systemLinks = []string{"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"}

// Arguments returns the arguments of bwrap for a plan, or those of seatbelt on macOS, without the command. Each source
// exists, or is left out where that is harmless. The error is INVALID_ARGUMENT for a path that may not be shown.
func (p *Plan) Arguments() ([]string, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	if runtime.GOOS == "darwin" {
		return []string{"-p", p.profile(p.mounts())}, nil
	}
	return p.mounts(), nil
}

// mounts returns the arguments of bwrap for a plan.
func (p *Plan) mounts() []string {
	a := &arguments{words: []string{
		"--die-with-parent",
		"--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
		"--cap-drop", "ALL",
	}}
	if p.Offline {
		a.add("--unshare-net")
	}

	for _, dir := range system {
		a.bind("--ro-bind", dir, dir)
	}
	for _, dir := range systemLinks {
		if target, err := os.Readlink(dir); err == nil {
			a.add("--symlink", target, dir)
		} else {
			a.bind("--ro-bind", dir, dir)
		}
	}
	a.bind("--ro-bind", p.Private, mark)
	a.add("--proc", "/proc", "--dev", "/dev")
	if os.Getuid() == 0 { // root may write there without any capability
		a.bind("--ro-bind", "/proc/sys", "/proc/sys")
	}
	a.add("--perms", "1777", "--tmpfs", "/tmp", "--tmpfs", "/run", "--tmpfs", "/var/tmp")
	if names, err := filepath.EvalSymlinks("/etc/resolv.conf"); err == nil && strings.HasPrefix(names, "/run/") {
		a.bind("--ro-bind", names, names)
	}

	// What it may read is bound before what it may write, so that a directory in another one stays writable.
	for _, path := range p.Read {
		a.bind("--ro-bind", path, path)
	}
	a.program(p, p.Program)
	a.program(p, p.Parley)
	a.bind("--ro-bind", p.Private, p.Private)
	a.bind("--bind", p.Socket, p.Socket)
	a.bind("--bind", p.Home, p.Home)
	for _, s := range p.Shared {
		way := "--ro-bind"
		if s.Writes {
			way = "--bind"
		}
		a.bind(way, s.From, s.To)
	}
	for _, path := range p.Write {
		a.bind("--bind", path, path)
	}
	a.git(p.Git)
	if p.Git == nil || !within(p.Dir, p.Git.Top) {
		a.bind("--bind", p.Dir, p.Dir)
	}
	a.add("--chdir", p.Dir)

	return a.words
}

// arguments are words of bwrap's command line, and the packages of programs that they show.
type arguments struct{ words, packages []string }

func (a *arguments) add(words ...string) { a.words = append(a.words, words...) }

// bind shows a path, if it exists.
func (a *arguments) bind(way, from, to string) {
	if _, err := os.Lstat(from); from != "" && err == nil {
		a.add(way, from, to)
	}
}

// git shows a worktree: its own metadata and its branches may be written, but nothing that git would run, or that
// another worktree or the main checkout lives by.
func (a *arguments) git(g *Git) {
	if g == nil {
		return
	}
	a.bind("--bind", g.Top, g.Top)
	a.bind("--ro-bind", filepath.Join(g.Top, ".git"), filepath.Join(g.Top, ".git"))
	a.bind("--ro-bind", g.Common, g.Common)
	for _, name := range []string{
		"objects", "refs/heads/" + g.Branch, "logs/refs/heads/" + g.Branch,
	} {
		path := filepath.Join(g.Common, name)
		a.bind("--bind", path, path)
	}
	a.bind("--bind", g.Dir, g.Dir)
	for _, name := range []string{"commondir", "gitdir", "config.worktree"} {
		path := filepath.Join(g.Dir, name)
		a.bind("--ro-bind", path, path)
	}
}

// Prepare makes what git needs to find before it is shown: the folders of the agent's branches, and its own settings,
// which it may not write.
func (g *Git) Prepare() error {
	for _, name := range []string{"refs/heads/", "logs/refs/heads/"} {
		dir := filepath.Join(g.Common, name, g.Branch)
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
		// Without a file that is no ref, git removes the folder when it packs the refs.
		if err := os.WriteFile(filepath.Join(dir, ".keep"), nil, 0o666); err != nil {
			return err
		}
	}
	f, err := os.OpenFile(filepath.Join(g.Dir, "config.worktree"), os.O_CREATE|os.O_RDONLY|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// program shows a program: the file, what stands beside it in a package, and the interpreter of a script. What the
// agent can write says nothing here: it is seen as it is, and names no interpreter.
func (a *arguments) program(p *Plan, file string) {
	real, err := filepath.EvalSymlinks(file)
	if file == "" || err != nil || p.isWritable(file) || p.isWritable(real) {
		return
	}
	shown := func(path string) bool { return isSystem(path) || isIn(path, p.Read) || isIn(path, a.packages) }
	if real != file && !shown(file) {
		a.add("--symlink", real, file)
	}
	if root := packageOf(real); !shown(real) && p.refuse("its program", root) == nil {
		a.bind("--ro-bind", root, root)
		a.packages = append(a.packages, root)
	}
	if words := profile.InterpreterOf(real); len(words) > 0 {
		name := words[0]
		if filepath.Base(name) == "env" {
			name = named(words[1:])
		}
		if found := lookIn(p.PATH, name); found != "" && found != file {
			a.program(p, found)
		}
	}
}

// isWritable reports whether the agent can write a path, by its name.
func (p *Plan) isWritable(path string) bool {
	return isIn(path, append([]string{p.Dir, p.Home, p.Socket}, p.Write...))
}

// named returns the program that the words of env name.
func named(words []string) string {
	for _, word := range words {
		if !strings.HasPrefix(word, "-") && !strings.Contains(word, "=") {
			return word
		}
	}
	return ""
}

// packageOf returns the packages among which a program lives, or the program alone.
func packageOf(file string) string {
	const packages = "/node_modules/"
	if at := strings.Index(file, packages); at >= 0 {
		return file[:at+len(packages)-1]
	}
	return file
}

// lookIn finds a program in a list of directories, "" if it is in none.
func lookIn(path, name string) string {
	files := []string{name}
	if !filepath.IsAbs(name) {
		files = nil
		for _, dir := range filepath.SplitList(path) {
			files = append(files, filepath.Join(dir, name))
		}
	}
	for _, file := range files {
		if info, err := os.Stat(file); name != "" && err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return file
		}
	}
	return ""
}

func isSystem(path string) bool { return isIn(path, slices.Concat(system, systemLinks)) }

// isIn reports whether a path is one of the directories or below one.
func isIn(path string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool { return within(path, dir) })
}

// within reports whether a path is a directory or below it.
func within(path, dir string) bool {
	rest, err := filepath.Rel(dir, path)
	return err == nil && (rest == "." || filepath.IsLocal(rest))
}

// check refuses a plan that would show what it has to hide.
func (p *Plan) check() error {
	if err := p.refuse("its directory", p.Dir); err != nil {
		return err
	}
	if real := resolved(p.Dir); real != p.Dir { // which the agent can have put there
		return parley.Errorf(parley.InvalidArgument, "%s leads to %s by a link now", p.Dir, real).
			Suggest("Put the directory back that was there at the launch.")
	}
	for _, path := range slices.Concat(p.Read, p.Write) {
		if err := p.refuse("read or write", path); err != nil {
			return err
		}
		others := *p
		others.Write = slices.DeleteFunc(slices.Clone(p.Write), func(own string) bool { return own == path })
		if resolved(path) != path && others.isWritable(path) {
			return parley.Errorf(parley.InvalidArgument, "%s is a link in what the agent can write", path).
				Suggest("Name the path to which it leads.")
		}
	}
	return nil
}

// refuse returns why a path may not be shown, nil if it may.
func (p *Plan) refuse(what, path string) error {
	if !filepath.IsAbs(path) {
		return parley.Errorf(parley.InvalidArgument, "%q is not an absolute path", plain.CleanLine(path)).
			Suggest("Give absolute paths in read and write.")
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return parley.Errorf(parley.InvalidArgument, "%s cannot be shown in a sandbox: %w", path, cause(err)).
			Suggest("Name a path that exists.")
	}
	if p.User != "" && within(resolved(p.User), real) {
		return parley.Errorf(parley.InvalidArgument, "a sandbox with %s (%s) would show your whole home", path, what).
			Suggest("Name a directory in it.")
	}
	for _, hidden := range slices.Concat(p.Hidden, sessions()) {
		hidden = resolved(hidden)
		if within(real, hidden) || within(hidden, real) {
			return parley.Errorf(parley.InvalidArgument, "a sandbox with %s (%s) would show what it has to hide: %s",
				path, what, hidden).Suggest("Name a smaller directory.")
		}
	}
	return nil
}

// sessions lists where sockets of the user's are, and of all agents.
func sessions() []string {
	user := strconv.Itoa(os.Getuid())
	return []string{"/run/user/" + user, "/tmp/tmux-" + user, "/tmp/parley-" + user}
}

// resolved returns a path without links, or as it is if it leads nowhere.
func resolved(path string) string {
	if at, err := filepath.EvalSymlinks(path); err == nil {
		return at
	}
	return path
}

func cause(err error) error {
	if e, ok := errors.AsType[*os.PathError](err); ok {
		return e.Err
	}
	return err
}
