package place

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/disk"
	"parley/internal/plainfile"
	"parley/internal/sh"
	"parley/plain"
)

// The state of a workspace is in a directory of the user's, its home, where git clean does not reach it and no
// repository brings one. Two notes there tell which workspace it is of: its path, and an id that the workspace has
// too. A workspace whose path is not known is looked for by its id: it was renamed if the path that is known for the
// id is gone, and is a copy, which begins anew, if that stands. The id is random, so that no repository brings one
// that counts.
const (
	idFile     = "id"
	rootFile   = "workspace"
	stateFile  = "state"  // in the workspace: its home, for callers with another HOME
	noticeFile = "notice" // what happened to the workspace, for the next daemon
)

var idForm = regexp.MustCompile(`^[0-9a-f]{32}$`)

// home is a directory with the state of a workspace.
type home struct{ dir, root, id string }

func readHome(dir string) home {
	return home{dir, ReadNote(filepath.Join(dir, rootFile)), readID(filepath.Join(dir, idFile))}
}

// readNote returns the line of a small file, "" if there is none.
func ReadNote(path string) string {
	b, err := plainfile.Read(path, MaxNote)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(string(b), "\n")
}

func readID(path string) string {
	if id := ReadNote(path); idForm.MatchString(id) {
		return id
	}
	return ""
}

// claimedID returns the id in a workspace, "" if there is none.
func claimedID(root string) string {
	if info, err := os.Lstat(filepath.Join(root, StateDir)); err != nil || !info.IsDir() {
		return ""
	}
	return readID(filepath.Join(root, StateDir, idFile))
}

// homeForm is the form of a home's name. A directory that the user has renamed, or copied next to it, is none.
var homeForm = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9]+)?$`)

// homes lists the homes of all the user's workspaces.
func homes(base string) []home {
	files, _ := filepath.Glob(filepath.Join(GlobQuote(base), "*", rootFile)) // the pattern is sound
	var all []home
	for _, file := range files {
		if dir := filepath.Dir(file); homeForm.MatchString(filepath.Base(dir)) {
			all = append(all, readHome(dir))
		}
	}
	return all
}

// stands reports whether the workspace is where its home says.
func (h home) stands() bool {
	if h.root == "" {
		return false
	}
	if _, err := os.Lstat(h.root); errors.Is(err, fs.ErrNotExist) {
		return false
	}
	id := claimedID(h.root)
	return id == "" || id == h.id // another one has taken its place
}

// found says which home a workspace has, or will have.
type found struct {
	dir     string
	renamed string // the path that the workspace had before; "" if it has not moved
	copyOf  string // the workspace of which this is a copy; "" for none
}

// findHome returns the home of the workspace root. It changes nothing.
func findHome(root, base string) (f found) {
	usual, claimed := filepath.Join(base, ShortHash(root)), claimedID(root)
	if h := readHome(usual); h.root == root && (claimed == "" || claimed == h.id) {
		return found{dir: usual} // as nearly always
	}

	all := homes(base)
	if i := slices.IndexFunc(all, func(h home) bool { return claimed != "" && h.id == claimed }); i >= 0 {
		switch h := all[i]; {
		case h.root == root:
			return found{dir: h.dir}
		case !h.stands():
			return found{dir: h.dir, renamed: h.root}
		default:
			f.copyOf = h.root
		}
	}

	for _, h := range all {
		if h.root == root {
			return found{dir: h.dir}
		}
	}

	f.dir = usual
	for n := 2; slices.ContainsFunc(all, func(h home) bool { return h.dir == f.dir }); n++ {
		f.dir = fmt.Sprintf("%s-%d", usual, n)
	}

	return f
}

// shortHash names a home after the path of its workspace.
func ShortHash(root string) string {
	sum := sha256.Sum256([]byte(root))
	return hex.EncodeToString(sum[:4])
}

// notes say which workspace a home is of, and which home a workspace has.
type notes struct{ at Place }

// settle writes the notes of a workspace and its home.
func (n notes) settle() error {
	id, err := n.keepID()
	if err != nil {
		return err
	}

	for _, h := range homes(filepath.Dir(n.at.Home)) {
		if h.root == n.at.Root && h.dir != n.at.Home { // its workspace is not here any more
			if err := h.leave(); err != nil {
				return err
			}
		}
	}
	if words := n.at.found.words(); words != "" {
		if err := keepNote(n.at.State(noticeFile), words+"\n"); err != nil {
			return err
		}
	}

	return errors.Join(keepNote(n.at.State(rootFile), n.at.Root+"\n"), keepNote(n.at.inRoot(idFile), id+"\n"),
		keepNote(n.at.inRoot(stateFile), n.at.Home+"\n"))
}

// leave notes that the workspace of a home is not where it was.
func (h home) leave() error {
	return keepNote(filepath.Join(h.dir, rootFile), "\n")
}

// keepID returns the id of the home, and makes one unless there is one. Of several at once, one wins.
func (n notes) keepID() (string, error) {
	path := n.at.State(idFile)
	if id := readID(path); id != "" {
		return id, nil
	}

	b := make([]byte, 16)
	_, _ = rand.Read(b) // it does not fail
	part := fmt.Sprintf("%s.part-%x", path, b[:4])
	if err := os.WriteFile(part, []byte(hex.EncodeToString(b)+"\n"), 0o600); err != nil {
		return "", err
	}
	err := os.Link(part, path)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		err = os.Rename(part, path) // no hard links here
	}
	_ = os.Remove(part)
	if id := readID(path); id != "" {
		return id, nil
	}

	return "", errors.Join(fmt.Errorf("there is no id in %s", path), err)
}

// words tells what happened to the workspace, "" for nothing.
func (f found) words() string {
	switch {
	case f.renamed != "":
		return fmt.Sprintf("This workspace was %s before. It was renamed, and goes on with its messages and agents.",
			plain.CleanLine(f.renamed))
	case f.copyOf != "":
		return fmt.Sprintf("This directory is a copy of the workspace %s. It starts without that one's messages "+
			"and agents.", plain.CleanLine(f.copyOf))
	}
	return ""
}

// refuseEarly refuses a workspace whose state was made before it had an id: the database of such a program is in the
// workspace's .parley. It changes nothing.
func (p Place) refuseEarly() error {
	h := readHome(p.Home)
	if h.root == "" || h.id != "" || !disk.Exists(p.inRoot(databaseFile)) && !disk.Exists(p.State(databaseFile)) {
		return nil
	}
	aside := sh.Line([]string{"mv", p.Home, p.Home + ".early"})
	return parley.Errorf(parley.StorageUnavailable,
		"the state of %s is from a parley before the first release, and this one "+
			"does not read it", p.Root).With("file", p.inRoot(databaseFile)).
		Suggest("Nothing was changed. Go on with the parley that made it. Or begin with an empty workspace: %s", aside)
}

// keepNote makes a file hold text. Others rely on it meanwhile: a right one stays, and a wrong one is
// replaced at once.
func keepNote(path, text string) error {
	if there, err := plainfile.Read(path, MaxNote); err == nil && string(there) == text {
		return nil
	}

	return disk.Replace(path, []byte(text))
}

// Workspaces returns the places of all workspaces in which the user has run a daemon and that still
// exist. It knows none if the user has no directory for the state of programs.
func Workspaces(env Env) []Place {
	state := StateHome(env)
	if state == "" {
		return nil
	}

	var all []Place
	for _, h := range homes(filepath.Join(state, "parley")) {
		if _, err := os.Stat(h.root); h.root == "" || err != nil {
			continue
		}
		if at := Locate(h.root, env); at.Home == h.dir {
			all = append(all, at)
		}
	}

	return all
}

// IsGone reports whether the workspace is gone whose state is in a home.
func IsGone(home string) bool {
	_, err := os.Lstat(readHome(home).root)
	return errors.Is(err, fs.ErrNotExist)
}

// globQuote returns a pattern that matches a path.
func GlobQuote(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// LastUsed returns when the database was last written, zero if that is not known.
func (p Place) LastUsed() (last time.Time) {
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Stat(p.Database() + suffix); err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	return last
}
