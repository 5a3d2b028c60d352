package daemon

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley"
	"parley/internal/plainfile"
)

// CheckOrigin refuses a database that came with somebody else's files: its responders, keys and agents
// would be those of whoever wrote it. parley's own never gets into git, because [Place.Prepare] tells
// git to ignore it.
func (p Place) CheckOrigin() error {
	_, err := os.Lstat(p.Database())
	switch {
	case err != nil:
		return nil
	case trackedByGit(p.Database()):
		return parley.Errorf(parley.NotTrusted, "%s came with the repository: git tracks it", p.State("")).
			With("file", p.Database()).
			Suggest("It is not of this machine. Remove it: git rm -r --cached %s, "+
				"then delete or move the directory.", StateDir)
	case p.Foreign():
		return parley.Errorf(parley.NotTrusted,
			"%s was not made here: it may have come with somebody else's files", p.Database()).
			With("file", p.Database()).
			Suggest("If it is yours, in a directory that you have copied or moved: parley trust --database. "+
				"Else delete or move %s.", p.State(""))
	}
	return nil
}

// Foreign reports whether the workspace has a database that only the user's trust makes count: no daemon
// of the user's has run here, and git does not track it.
func (p Place) Foreign() bool {
	database, err := os.Lstat(p.Database())
	if err != nil || p.Anchor() == "" || trackedByGit(p.Database()) {
		return false
	}
	text, err := plainfile.Read(filepath.Join(p.Anchor(), rootFile), maxNote)
	known := err == nil && strings.TrimSuffix(string(text), "\n") == p.Root
	return !known && !p.hasMoved(database)
}

// hasMoved reports whether the database is that of another place of the user's, by its second name.
func (p Place) hasMoved(database os.FileInfo) bool {
	pattern := filepath.Join(globQuote(filepath.Dir(p.Anchor())), "*", filepath.Base(p.Database()))
	spares, _ := filepath.Glob(pattern) // the pattern is sound
	return slices.ContainsFunc(spares, func(spare string) bool {
		second, err := os.Lstat(spare)
		return err == nil && os.SameFile(database, second)
	})
}

// Believe lets a database count that was not made here.
func (p Place) Believe() error {
	if err := privateDir(p.Launch); err != nil {
		return err
	}
	return p.writeRoot()
}

// trackedByGit reports whether the index of the git repository around a file has it. It reads the index
// itself: git would run what the repository's own configuration names.
func trackedByGit(file string) bool {
	repository := above(filepath.Dir(file), "", ".git")
	if repository == "" {
		return false
	}

	index, _, err := plainfile.Open(filepath.Join(gitDir(repository), "index"))
	if err != nil {
		return false
	}
	defer index.Close()

	// An index of version 4 leaves out what a name has in common with the one before, such as the dot.
	name := strings.TrimPrefix(filepath.Join(StateDir, filepath.Base(file)), ".")
	return plainfile.Contains(index, []byte(name+"\x00"))
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
