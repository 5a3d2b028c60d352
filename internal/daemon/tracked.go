package daemon

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"

	"parley"
	"parley/internal/plainfile"
)

// checkForeign refuses a database that came with a git repository: its responders, keys and agents
// would be those of whoever wrote it. parley's own never gets into git, because [Place.Prepare] tells
// git to ignore it.
func (p Place) checkForeign() error {
	if _, err := os.Lstat(p.Database()); err != nil || !trackedByGit(p.Database()) {
		return nil
	}
	return parley.Errorf(parley.NotTrusted, "%s came with the repository: git tracks it", p.State("")).
		With("file", p.Database()).
		Suggest("It is not of this machine. Remove it: git rm -r --cached %s, "+
			"then delete or move the directory.", StateDir)
}

// trackedByGit reports whether the index of the git repository around a file has it. It reads the index
// itself: git would run what the repository's own configuration names.
func trackedByGit(file string) bool {
	repository := above(filepath.Dir(file), "", ".git")
	if repository == "" {
		return false
	}

	index, err := plainfile.Read(filepath.Join(gitDir(repository), "index"), math.MaxInt64)
	if err != nil {
		return false
	}

	// An index of version 4 leaves out what a name has in common with the one before, such as the dot.
	name := strings.TrimPrefix(filepath.Join(StateDir, filepath.Base(file)), ".")
	return bytes.Contains(index, []byte(name+"\x00"))
}

// gitDir returns the directory that holds the index of a repository or of one of its worktrees.
func gitDir(repository string) string {
	dir := filepath.Join(repository, ".git")
	b, err := plainfile.Read(dir, maxNote)
	if err != nil {
		return dir
	}

	to, _ := strings.CutPrefix(strings.TrimSpace(string(b)), "gitdir: ")
	if !filepath.IsAbs(to) {
		to = filepath.Join(repository, to)
	}
	return to
}
